/* SPDX-License-Identifier: Apache-2.0
 *
 * validate.c: `tessera validate MODEL.om`: whether it can be loaded here, should be compiled
 * again, or cannot be used, and why, without loading it.
 */
#include <stdio.h>

#include "api/fit.h"
#include "json.h"
#include "options.h"
#include "report.h"
#include "tools.h"

static void print_json(TsrFit fit, char **reasons, const char *path)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    TsrOmFile file;
    json_builder_begin_object(json);
    tsr_json_bool(json, "ok", fit != TSR_FIT_NO);
    tsr_json_string(json, "fit", tsr_fit_name(fit));
    tsr_json_string(json, "reason", reasons[0] != NULL ? reasons[0] : "");
    tsr_json_begin_array(json, "reasons");
    for (guint i = 0; reasons[i] != NULL; i++)
        json_builder_add_string_value(json, reasons[i]);
    json_builder_end_array(json);
    if (tsr_om_open_tables(path, &file, NULL)) {
        tsr_report_engines_json(json, &file);
        tsr_om_close(&file);
    }
    json_builder_end_object(json);
    tsr_json_print(json);
}

static int validate(const TsrToolOptions *options, TsrSession *session, const char *path)
{
    static const char *const words[] = {"fits", "fits, but should be compiled again",
                                        "does not fit"};
    g_auto(GStrv) reasons = NULL;
    GError *error = NULL;
    TsrFit fit;
    if (!tsr_session_fit(session, path, &fit, &reasons, &error))
        return tsr_tool_fail(error);
    if (options->json) {
        print_json(fit, reasons, path);
    } else {
        printf("%s: %s\n", path, words[fit]);
        for (guint i = 0; reasons[i] != NULL; i++)
            printf("  %s\n", reasons[i]);
    }
    if (fit != TSR_FIT_NO)
        return fit == TSR_FIT_YES ? TSR_EXIT_DONE : TSR_EXIT_RECOMPILE;
    g_set_error(&error, TSR_ERROR, TSR_INCOMPATIBLE, "offline model '%s': %s", path, reasons[0]);
    return tsr_tool_fail(error);
}

int tsr_tool_validate(int argc, char **argv)
{
    TsrToolOptions options = {0};
    g_autoptr(TsrSession) session = NULL;
    int status = TSR_EXIT_FAILED;
    if (!tsr_options_parse(&options, &argc, &argv, NULL, FALSE, "MODEL.om",
                           "Tells whether an offline model can run here.", 1, 1))
        status = TSR_EXIT_USAGE;
    else if ((session = tsr_options_session(&options)) != NULL)
        status = validate(&options, session, argv[1]);
    tsr_options_clear(&options);
    return status;
}
