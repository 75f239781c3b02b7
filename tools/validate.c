/* SPDX-License-Identifier: Apache-2.0
 *
 * validate.c: `tessera validate MODEL.om`: can it be loaded here, without loading it.
 */
#include <stdio.h>

#include "json.h"
#include "options.h"
#include "tools.h"

int tsr_tool_validate(int argc, char **argv)
{
    TsrToolOptions options = {0};
    g_autoptr(TsrSession) session = NULL;
    g_autoptr(GError) error = NULL;
    int status = TSR_EXIT_FAILED;
    if (!tsr_options_parse(&options, &argc, &argv, NULL, FALSE, "MODEL.om",
                           "Tells whether an offline model can run here.", 1, 1)) {
        status = TSR_EXIT_USAGE;
    } else if ((session = tsr_options_session(&options)) != NULL) {
        gboolean fits = tsr_session_validate(session, argv[1], &error);
        status = fits ? TSR_EXIT_DONE : TSR_EXIT_FAILED;
        if (options.json) {
            g_autoptr(JsonBuilder) json = json_builder_new();
            json_builder_begin_object(json);
            tsr_json_bool(json, "ok", fits);
            tsr_json_string(json, "reason", fits ? "" : error->message);
            json_builder_end_object(json);
            tsr_json_print(json);
        } else if (fits) {
            printf("%s: fits\n", argv[1]);
        }
        if (!fits)
            tsr_tool_fail(g_steal_pointer(&error));
    }
    tsr_options_clear(&options);
    return status;
}
