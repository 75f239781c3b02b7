/* SPDX-License-Identifier: Apache-2.0
 *
 * group_offline.c: what the engine built survives the way through a file: saved and loaded in
 * a session of its own it gives the same bits; a damaged file is an error and nothing worse;
 * the engine's word on files of other versions is an answer.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "base/error.h"
#include "plugin/host.h"
#include "plugin_check/claimed.h"

enum { MOST_CASES = 200, CUTS = 16, FLIPS = 48 };

/* The file of the case before is taken away: who saves over a file waits for the disk. */
static GPtrArray *save_and_run(const PcStart *start, const PcCase *item, const char *path,
                               GPtrArray *inputs, GError **error)
{
    g_autoptr(TsrGraph) graph = pc_case_graph(item, start->session, inputs, error);
    g_autoptr(TsrModel) model =
        graph != NULL ? tsr_session_compile(start->session, graph, NULL, error) : NULL;
    g_unlink(path);
    return model != NULL && tsr_model_save(model, path, error)
               ? pc_run_model(model, inputs, error)
               : NULL;
}

static void check_saved(PcContext *context, const PcStart *start, const PcCase *item,
                        const char *path)
{
    g_autoptr(GPtrArray) inputs =
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    GError *error = NULL;
    g_autoptr(GPtrArray) wanted = save_and_run(start, item, path, inputs, &error);
    g_autoptr(TsrModel) model = NULL;
    g_autoptr(GPtrArray) got = NULL;
    if (wanted != NULL && tsr_session_validate(start->session, path, &error))
        model = tsr_session_load(start->session, path, &error);
    if (model != NULL)
        got = pc_run_model(model, inputs, &error);
    if (got != NULL)
        pc_same(got, wanted, TRUE, &error);
    pc_end(context, error);
}

/* In a session that has compiled nothing. */
static void check_fresh(PcContext *context, const PcStart *start, const PcCase *item,
                        const char *path)
{
    g_autoptr(GPtrArray) inputs =
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    GError *error = NULL;
    g_autoptr(GPtrArray) wanted = save_and_run(start, item, path, inputs, &error);
    g_autoptr(TsrSession) fresh = wanted != NULL ? pc_session(context, &error) : NULL;
    g_autoptr(TsrModel) model = fresh != NULL ? tsr_session_load(fresh, path, &error) : NULL;
    g_autoptr(GPtrArray) got = model != NULL ? pc_run_model(model, inputs, &error) : NULL;
    if (got != NULL)
        pc_same(got, wanted, TRUE, &error);
    pc_end(context, error);
}

/* A model of these bytes is an error, or runs; the child that this is would tell otherwise. */
static void load_bytes(const PcStart *start, const char *path, const char *data, gsize size,
                       GPtrArray *inputs)
{
    g_autoptr(TsrModel) model = NULL;
    g_autoptr(GPtrArray) results = NULL;
    if (!g_file_set_contents(path, data, (gssize)size, NULL))
        return;
    model = tsr_session_load(start->session, path, NULL);
    if (model != NULL)
        results = pc_run_model(model, inputs, NULL);
}

static void check_damaged(PcContext *context, const PcStart *start, const PcCase *item,
                          const char *path)
{
    g_autoptr(GPtrArray) inputs =
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    GError *error = NULL;
    g_autoptr(GPtrArray) wanted = save_and_run(start, item, path, inputs, &error);
    g_autofree char *data = NULL;
    gsize size = 0;
    if (wanted != NULL && g_file_get_contents(path, &data, &size, &error)) {
        for (guint i = 0; i < CUTS; i++)
            load_bytes(start, path, data, size * i / CUTS, inputs);
        for (guint i = 0; i < FLIPS && size > 0; i++) {
            const gsize at = size * i / FLIPS;
            data[at] ^= (char)(1 << i % 8);
            load_bytes(start, path, data, size, inputs);
            data[at] ^= (char)(1 << i % 8);
        }
    }
    pc_end(context, error);
}

static void check_validate(PcContext *context, const TsrLoadedPlugin *record)
{
    const TsrEngine *engine = record->engine;
    static char long_text[5000];
    const char *own = TSR_HAS(engine, compat) ? engine->compat : NULL;
    const char *const texts[] = {own, "", "no such text", long_text, "%s%n\n"};
    GError *error = NULL;
    if (!pc_begin(context, "what it says of other versions' work"))
        return;
    if (!TSR_HAS(engine, validate)) {
        pc_skip(context, "the engine leaves that to the host");
        return;
    }
    memset(long_text, 'x', sizeof(long_text) - 1);
    for (gsize i = 0; i < G_N_ELEMENTS(texts) && error == NULL; i++)
        for (guint32 version = 0; version <= 2 && error == NULL; version++) {
            TsrSupport support = {.struct_size = sizeof(support)};
            const guint32 asked = version == 2 ? engine->blob_version : version * 1000000;
            gint32 status;
            tsr_host_clear_error();
            status = engine->validate(engine, asked, texts[i], &support);
            if (status != TSR_OK)
                pc_slot_error(context, status, "validate", &error);
            else if (support.answer > TSR_SUPPORT_IF ||
                     (support.answer == TSR_SUPPORT_NO && support.reason[0] == '\0'))
                g_set_error(&error, TSR_ERROR, TSR_INTERNAL,
                            "validate answers %u with reason '%s'", support.answer,
                            support.reason);
            else if (i == 0 && version == 2 && support.answer == TSR_SUPPORT_NO)
                g_set_error(&error, TSR_ERROR, TSR_INTERNAL,
                            "the engine does not take its own work: %s", support.reason);
        }
    pc_end(context, error);
}

/* The text that a compiled model keeps with a cluster: within its room, the same twice, and one
 * that the engine itself takes. */
static void check_described(PcContext *context, const PcStart *start, const PcCase *item)
{
    enum { CAPACITY = 64, ROOM = 256 };
    const TsrEngine *engine = start->record->engine;
    char texts[2][ROOM];
    GError *error = NULL;
    PcAsked asked;
    if (!pc_asked_make(&asked, item, start->session, &error) || asked.node == NULL) {
        pc_asked_clear(&asked);
        pc_end(context, error);
        return;
    }
    memset(texts, 'x', sizeof(texts));
    for (int i = 0; i < 2 && error == NULL; i++) {
        const TsrNodeView *const view = tsr_node_view(asked.node);
        gint32 status;
        tsr_host_clear_error();
        status = engine->describe(engine, &view, 1, texts[i], CAPACITY);
        if (status != TSR_OK)
            pc_slot_error(context, status, "describe", &error);
    }
    if (error == NULL && memchr(texts[0], '\0', CAPACITY) == NULL)
        g_set_error(&error, TSR_ERROR, TSR_INTERNAL, "describe writes no end within its %d bytes",
                    CAPACITY);
    else if (error == NULL && texts[0][CAPACITY] != 'x')
        g_set_error(&error, TSR_ERROR, TSR_INTERNAL, "describe writes behind its %d bytes",
                    CAPACITY);
    else if (error == NULL && strcmp(texts[0], texts[1]) != 0)
        g_set_error(&error, TSR_ERROR, TSR_INTERNAL, "describe says '%s', and then '%s'", texts[0],
                    texts[1]);
    if (error == NULL && TSR_HAS(engine, validate)) {
        TsrSupport support = {.struct_size = sizeof(support)};
        if (engine->validate(engine, engine->blob_version, texts[0], &support) != TSR_OK ||
            support.answer == TSR_SUPPORT_NO)
            g_set_error(&error, TSR_ERROR, TSR_INTERNAL,
                        "the engine does not take its own text '%s': %s", texts[0],
                        support.reason);
    }
    pc_asked_clear(&asked);
    pc_end(context, error);
}

static void run(PcContext *context)
{
    PcStart start;
    g_autoptr(GPtrArray) claimed = NULL;
    g_autofree char *path = g_build_filename(context->plugin->folder, "model.om", NULL);
    if (!pc_start(context, &start))
        return;
    check_validate(context, start.record);
    claimed = pc_claimed(context, start.session, start.record, start.cases, MOST_CASES);
    for (guint i = 0; i < claimed->len; i++) {
        const PcCase *item = g_ptr_array_index(claimed, i);
        if (pc_begin(context, "%s, saved and loaded", item->text))
            check_saved(context, &start, item, path);
        if (i == 0 && pc_begin(context, "%s, in a session of its own", item->text))
            check_fresh(context, &start, item, path);
        if (i == 0 && TSR_HAS(start.record->engine, describe) &&
            pc_begin(context, "%s, described", item->text))
            check_described(context, &start, item);
        if (i == 0 && pc_begin(context, "%s, damaged", item->text))
            check_damaged(context, &start, item, path);
    }
    if (claimed->len == 0)
        pc_skip_check(context, "saved and loaded", "the engine takes none of the cases");
    pc_start_clear(&start);
}

const PcGroup pc_group_offline = {"offline", "saving, loading, validating compiled models", run,
                                  FALSE};
