/* SPDX-License-Identifier: Apache-2.0
 *
 * group_errors.c: when memory runs out. Each operator that the engine takes is compiled and
 * run again and again while one request for memory more fails, those of the plugin's code and
 * those of the host for tensors and workspaces: that ends in an error with a text, or in the
 * right numbers, and everything works as before behind it.
 */
#include <string.h>

#include "base/error.h"
#include "plugin_check/alloc_watch.h"
#include "plugin_check/claimed.h"
#include "plugin_check/device_checks.h"

enum { MOST_CASES = 60, MOST_FAILURES = 40 };

static GPtrArray *compute(const PcStart *start, const PcCase *item, GError **error)
{
    g_autoptr(GPtrArray) inputs =
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    g_autoptr(TsrGraph) graph = pc_case_graph(item, start->session, inputs, error);
    return graph != NULL ? pc_run(start->session, graph, NULL, inputs, error) : NULL;
}

/* With the request of that number failing. FALSE: it never came, so all have been tried. */
static gboolean fail_one(const PcStart *start, const PcCase *item, guint64 number,
                         GPtrArray *wanted, GError **error)
{
    g_autoptr(GError) cause = NULL;
    g_autoptr(GPtrArray) got = NULL;
    gboolean came;
    pc_alloc_fail(number);
    got = compute(start, item, &cause);
    came = pc_alloc_has_failed();
    pc_alloc_fail(G_MAXUINT64);
    if (got != NULL && !pc_same(got, wanted, FALSE, error))
        g_prefix_error(error, "request %" G_GUINT64_FORMAT " for memory failed, and then: ",
                       number + 1);
    else if (got == NULL && strstr(cause->message, "without saying why") != NULL)
        g_set_error(error, TSR_ERROR, TSR_INTERNAL,
                    "request %" G_GUINT64_FORMAT " for memory failed without a text: %s",
                    number + 1, cause->message);
    return came && *error == NULL;
}

static void check_case(PcContext *context, const PcStart *start, const PcCase *item)
{
    GError *error = NULL;
    g_autoptr(GPtrArray) wanted = compute(start, item, &error);
    g_autoptr(GPtrArray) after = NULL;
    if (wanted == NULL) {
        pc_end(context, error);
        return;
    }
    for (guint64 i = 0; i < MOST_FAILURES; i++)
        if (!fail_one(start, item, i, wanted, &error))
            break;
    if (error == NULL && (after = compute(start, item, &error)) != NULL &&
        !pc_same(after, wanted, FALSE, &error))
        g_prefix_error(&error, "once there was memory again: ");
    pc_end(context, error);
}

static void run(PcContext *context)
{
    PcStart start;
    g_autoptr(GPtrArray) claimed = NULL;
    pc_device_errors(context);
    if (!pc_alloc_is_watched()) {
        pc_skip_check(context, "memory that runs out", "a sanitizer owns the allocator");
        return;
    }
    if (!pc_start(context, &start))
        return;
    pc_alloc_watch(context->plugin->path);
    claimed = pc_claimed(context, start.session, start.record, start.cases, MOST_CASES);
    for (guint i = 0; i < claimed->len; i++)
        if (pc_begin(context, "%s, while memory runs out",
                     ((PcCase *)g_ptr_array_index(claimed, i))->text))
            check_case(context, &start, g_ptr_array_index(claimed, i));
    if (claimed->len == 0)
        pc_skip_check(context, "memory that runs out", "the engine takes none of the cases");
    pc_start_clear(&start);
}

const PcGroup pc_group_errors = {"errors", "failing allocations, wrong task lists", run, FALSE};
