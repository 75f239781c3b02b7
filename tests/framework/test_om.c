/* SPDX-License-Identifier: Apache-2.0
 *
 * test_om.c: offline models: the round trip; truncated, damaged and newer files; files
 * whose hashes are right and whose contents are not.
 */
#include <xxhash.h>

#include "api/session.h"
#include "build/memory_check.h"
#include "build/om_format.h"
#include "build/om_write.h"
#include "fixture.h"
#include "runtime/om_read.h"

static TsrSession *session_new(const char *engine, TsrFallbackMode fallback)
{
    const char *const priority[] = {engine, NULL};
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    GError *error = NULL;
    TsrSession *session;
    options.engine_priority = engine != NULL ? priority : NULL;
    options.fallback = fallback;
    options.threads = 1;
    session = tsr_session_new(&options, &error);
    ck_no_error(error);
    return session;
}

/* A convolution, a product and a softmax: a task list with constants, workspaces and
 * views. */
static TsrModel *compile(TsrSession *session)
{
    TsrGraph *graph = tsr_session_graph(session, "small");
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 3, 8, 8));
    TsrValue *w = fixture_constant(graph, "w", SHAPE(4, 3, 3, 3));
    TsrValue *m = fixture_constant(graph, "m", SHAPE(36, 5)), *s, *y;
    g_autoptr(TsrArray) shape = NULL;
    GError *error = NULL;
    TsrModel *model;
    y = fixture_node(graph, "Conv", "conv", VALUES(x, w), NULL);
    y = fixture_node(graph, "Relu", "relu", VALUES(y), NULL);
    y = fixture_node(graph, "Flatten", "flat", VALUES(y), "axis=2");
    shape = tsr_array_create_from(TSR_DTYPE_INT64, SHAPE(2), (gint64[]){4, 36}, 16, &error);
    s = tsr_build_constant(graph, "s", shape, &error);
    y = fixture_node(graph, "Reshape", "shape", VALUES(y, s), NULL);
    y = fixture_node(graph, "MatMul", "mm", VALUES(y, m), NULL);
    tsr_build_output(graph, "out", fixture_node(graph, "Softmax", "soft", VALUES(y), "axis=1"));
    model = tsr_session_compile(session, graph, NULL, &error);
    tsr_graph_unref(graph);
    ck_no_error(error);
    return model;
}

static TsrArray *run(TsrModel *model)
{
    g_autoptr(TsrArray) x = fixture_array(NULL, SHAPE(1, 3, 8, 8));
    TsrArray *inputs[] = {x}, *outputs[] = {NULL};
    GError *error = NULL;
    ck_assert_msg(tsr_model_run(model, inputs, outputs, &error), "%s",
                  error != NULL ? error->message : "");
    return outputs[0];
}

START_TEST(round_trip)
{
    g_autoptr(TsrSession) session = session_new(NULL, TSR_FALLBACK_DEFAULT);
    g_autoptr(TsrModel) model = compile(session);
    g_autoptr(TsrModel) loaded = NULL;
    g_autofree char *directory = fixture_directory();
    g_autofree char *path = g_build_filename(directory, "small.om", NULL);
    g_autoptr(TsrArray) first = run(model);
    g_autoptr(TsrArray) second = NULL;
    const TsrProgram *a, *b;
    GError *error = NULL;
    ck_assert(tsr_model_save(model, path, &error));
    ck_assert(tsr_session_validate(session, path, &error));
    loaded = tsr_session_load(session, path, &error);
    ck_no_error(error);
    second = run(loaded);
    ck_assert_uint_eq(tsr_array_size_bytes(first), 4 * 5 * sizeof(float));
    ck_assert_int_eq(memcmp(tsr_array_data(first), tsr_array_data(second),
                            tsr_array_size_bytes(first)), 0);
    a = tsr_bound_model_program(model->bound);
    b = tsr_bound_model_program(loaded->bound);
    ck_assert_uint_eq(a->tasks->len, b->tasks->len);
    ck_assert_int_eq(memcmp(&a->stats, &b->stats, sizeof(a->stats)), 0);
    ck_assert_str_eq(tsr_model_input(loaded, 0, NULL, NULL, NULL), "x");
    ck_assert_str_eq(tsr_model_output(loaded, 0, NULL, NULL, NULL), "out");
    ck_assert_ptr_null(loaded->report);
}
END_TEST

START_TEST(same_bytes_every_time)
{
    g_autoptr(TsrSession) session = session_new(NULL, TSR_FALLBACK_DEFAULT);
    g_autoptr(TsrModel) first = compile(session), second = compile(session);
    ck_assert(g_bytes_equal(first->om, second->om));
}
END_TEST

static void ck_open(const guint8 *data, gsize size, gint32 code, const char *part,
                    const char *where)
{
    g_autoptr(GBytes) bytes = g_bytes_new(data, size);
    GError *error = NULL;
    TsrOmFile file;
    ck_assert_msg(!tsr_om_open_bytes(bytes, &file, &error), "%s: opened", where);
    fixture_error(&error, code, part, where);
}

/* Cut around every border and in between. */
START_TEST(truncated)
{
    g_autoptr(TsrSession) session = session_new(NULL, TSR_FALLBACK_DEFAULT);
    g_autoptr(TsrModel) model = compile(session);
    TsrOmFile file;
    GError *error = NULL;
    gsize size;
    const guint8 *data = g_bytes_get_data(model->om, &size);
    ck_assert(tsr_om_open_bytes(model->om, &file, &error));
    for (gsize at = 0; at < size; at += at < 400 ? 1 : 61)
        ck_open(data, at, TSR_CORRUPT, "truncated", G_STRLOC);
    for (guint32 i = 0; i < file.header->section_count; i++)
        for (int delta = -1; delta <= 1; delta++)
            ck_open(data, file.sections[i].offset + (gsize)delta, TSR_CORRUPT, "truncated",
                    file.sections[i].name);
    ck_open(data, size - 1, TSR_CORRUPT, "truncated", G_STRLOC);
    tsr_om_close(&file);
}
END_TEST

static gboolean is_padding(const TsrOmFile *file, gsize at)
{
    if (at < sizeof(TsrOmHeader) + file->header->section_count * sizeof(TsrOmSection))
        return FALSE;
    for (guint32 i = 0; i < file->header->section_count; i++)
        if (at >= file->sections[i].offset &&
            at < file->sections[i].offset + file->sections[i].size)
            return FALSE;
    return TRUE;
}

/* Every bit of header and table, a bit of every byte of the rest. */
START_TEST(one_bit_wrong)
{
    g_autoptr(TsrSession) session = session_new(NULL, TSR_FALLBACK_DEFAULT);
    g_autoptr(TsrModel) model = compile(session);
    TsrOmFile file;
    GError *error = NULL;
    gsize size;
    const guint8 *data = g_bytes_get_data(model->om, &size);
    g_autofree guint8 *copy = g_memdup2(data, size);
    g_autoptr(GBytes) bytes = g_bytes_new_static(copy, size);
    gsize head = sizeof(TsrOmHeader) + 5 * sizeof(TsrOmSection);
    ck_assert(tsr_om_open_bytes(model->om, &file, &error));
    for (gsize at = 0; at < size; at++) {
        for (guint bit = at < head ? 0 : at % 8; bit < (at < head ? 8 : at % 8 + 1); bit++) {
            TsrOmFile damaged;
            copy[at] = (guint8)(data[at] ^ (1u << bit));
            if (tsr_om_open_bytes(bytes, &damaged, &error)) {
                ck_assert_msg(is_padding(&file, at), "bit %u of byte %zu is not noticed", bit, at);
                tsr_om_close(&damaged);
            } else {
                ck_assert_msg(error->domain == TSR_ERROR && (error->code == TSR_CORRUPT ||
                                                             error->code == TSR_INCOMPATIBLE),
                              "byte %zu: %s", at, error->message);
                g_clear_error(&error);
            }
            copy[at] = data[at];
        }
    }
    tsr_om_close(&file);
}
END_TEST

START_TEST(other_versions)
{
    g_autoptr(TsrSession) session = session_new(NULL, TSR_FALLBACK_DEFAULT);
    g_autoptr(TsrModel) model = compile(session);
    gsize size;
    const guint8 *data = g_bytes_get_data(model->om, &size);
    g_autofree guint8 *copy = g_memdup2(data, size);
    TsrOmHeader *header = (TsrOmHeader *)copy;
    header->version = TSR_OM_VERSION + 1;
    ck_open(copy, size, TSR_INCOMPATIBLE, "format version 4, newer than the 3", G_STRLOC);
    header->version = 0;
    ck_open(copy, size, TSR_CORRUPT, "version 0", G_STRLOC);
    header->version = TSR_OM_VERSION;
    header->magic[0] = 'X';
    ck_open(copy, size, TSR_CORRUPT, "not an offline model", G_STRLOC);
    memcpy(header->magic, TSR_OM_MAGIC, 8);
    header->section_count = 0;
    ck_open(copy, size, TSR_CORRUPT, "0 sections", G_STRLOC);
    header->section_count = G_MAXUINT32;
    ck_open(copy, size, TSR_CORRUPT, "sections", G_STRLOC);
}
END_TEST

/* Hashes that fit what is wrong: nothing in the file may be believed. */
static void seal(guint8 *data)
{
    TsrOmHeader *header = (TsrOmHeader *)data;
    TsrOmSection *table = (TsrOmSection *)(data + sizeof(*header));
    for (guint32 i = 0; i < header->section_count; i++)
        table[i].hash = XXH3_64bits(data + table[i].offset, table[i].size);
    header->table_hash = XXH3_64bits(table, header->section_count * sizeof(*table));
}

START_TEST(sealed_nonsense)
{
    g_autoptr(TsrSession) session = session_new(NULL, TSR_FALLBACK_DEFAULT);
    g_autoptr(TsrModel) model = compile(session);
    g_autoptr(GRand) random = g_rand_new_with_seed(99);
    gsize size;
    const guint8 *data = g_bytes_get_data(model->om, &size);
    g_autofree guint8 *copy = g_memdup2(data, size);
    const TsrOmSection *table = (const TsrOmSection *)(data + sizeof(TsrOmHeader));
    guint refused = 0, unproved = 0;
    for (guint round = 0; round < 6000; round++) {
        const TsrOmSection *section = &table[round % 4]; /* all but the weights */
        gsize at = section->offset + g_rand_int(random) % section->size;
        g_autoptr(GBytes) bytes = NULL;
        g_autoptr(TsrWeights) weights = NULL;
        GError *error = NULL;
        TsrOmFile file;
        TsrProgram *program;
        copy[at] = (guint8)g_rand_int(random);
        seal(copy);
        bytes = g_bytes_new(copy, size);
        ck_assert(tsr_om_open_bytes(bytes, &file, &error));
        weights = tsr_om_weights(&file, &error);
        ck_assert_ptr_nonnull(weights);
        program = tsr_om_read(&file, session->set->registry, weights, &error);
        ck_assert((program == NULL) == (error != NULL));
        ck_assert(error == NULL || error->domain == TSR_ERROR);
        refused += program == NULL;
        if (program != NULL &&
            !tsr_memory_check(program, program->nodes, session->set, &error)) {
            ck_assert_int_eq(error->code, TSR_CORRUPT);
            unproved++;
        }
        tsr_program_free(program);
        g_clear_error(&error);
        tsr_om_close(&file);
        copy[at] = data[at];
    }
    ck_assert_uint_gt(refused, 1000);
    ck_assert_uint_gt(unproved, 100);
}
END_TEST

START_TEST(section_table_nonsense)
{
    g_autoptr(TsrSession) session = session_new(NULL, TSR_FALLBACK_DEFAULT);
    g_autoptr(TsrModel) model = compile(session);
    gsize size;
    const guint8 *data = g_bytes_get_data(model->om, &size);
    g_autofree guint8 *copy = g_memdup2(data, size);
    TsrOmHeader *header = (TsrOmHeader *)copy;
    TsrOmSection *table = (TsrOmSection *)(copy + sizeof(*header));
    const guint64 offsets[] = {size + 64, G_MAXUINT64 - 63, 1};
    TsrOmSection saved = table[2];
    for (gsize i = 0; i < G_N_ELEMENTS(offsets); i++) {
        table[2].offset = offsets[i];
        header->table_hash = XXH3_64bits(table, header->section_count * sizeof(*table));
        ck_open(copy, size, TSR_CORRUPT, "section 'tasks'", G_STRLOC);
    }
    table[2] = saved;
    table[2].size = G_MAXUINT64;
    header->table_hash = XXH3_64bits(table, header->section_count * sizeof(*table));
    ck_open(copy, size, TSR_CORRUPT, "leaves the file", G_STRLOC);
    table[2] = saved;
    memset(table[2].name, 'x', sizeof(table[2].name));
    header->table_hash = XXH3_64bits(table, header->section_count * sizeof(*table));
    ck_open(copy, size, TSR_CORRUPT, "name has no end", G_STRLOC);
    table[2] = saved;
    g_strlcpy(table[2].name, "other", sizeof(table[2].name));
    seal(copy);
    {
        g_autoptr(GBytes) bytes = g_bytes_new(copy, size);
        g_autoptr(TsrWeights) weights = NULL;
        GError *error = NULL;
        TsrOmFile file;
        ck_assert(tsr_om_open_bytes(bytes, &file, &error));
        weights = tsr_om_weights(&file, &error);
        ck_assert_ptr_null(tsr_om_read(&file, session->set->registry, weights, &error));
        ck_error(error, TSR_CORRUPT, "has no section 'tasks'");
        tsr_om_close(&file);
    }
}
END_TEST

START_TEST(files)
{
    g_autoptr(TsrSession) session = session_new(NULL, TSR_FALLBACK_DEFAULT);
    g_autoptr(TsrModel) model = compile(session);
    g_autofree char *directory = fixture_directory();
    g_autofree char *text = fixture_file(directory, "text.om", "not a model at all, but long", -1);
    g_autofree char *empty = fixture_file(directory, "empty.om", "", 0);
    GError *error = NULL;
    ck_assert_ptr_null(tsr_session_load(session, "/nonexistent/a.om", &error));
    ck_error(error, TSR_IO, "/nonexistent/a.om");
    ck_assert_ptr_null(tsr_session_load(session, text, &error));
    ck_error(error, TSR_CORRUPT, "text.om");
    ck_assert_ptr_null(tsr_session_load(session, empty, &error));
    ck_error(error, TSR_CORRUPT, "empty.om");
    ck_assert(!tsr_session_validate(session, empty, &error));
    ck_error(error, TSR_CORRUPT, "empty.om");
    ck_assert(!tsr_model_save(model, "/nonexistent/a.om", &error));
    ck_error(error, TSR_IO, "/nonexistent/a.om");
}
END_TEST

/* A model for an engine that is not in use is refused by name. */
START_TEST(engine_is_not_there)
{
    g_autoptr(TsrSession) session = session_new("nn_engine", TSR_FALLBACK_DEFAULT);
    g_autoptr(TsrSession) other = session_new("aicpu", TSR_FALLBACK_MODE_STRICT);
    g_autoptr(TsrModel) model = compile(session);
    g_autofree char *directory = fixture_directory();
    g_autofree char *path = g_build_filename(directory, "small.om", NULL);
    GError *error = NULL;
    ck_assert(tsr_model_save(model, path, &error));
    ck_assert(!tsr_session_validate(other, path, &error));
    ck_error(error, TSR_NOT_FOUND, "'nn_engine'");
    ck_assert_ptr_null(tsr_session_load(other, path, &error));
    ck_error(error, TSR_NOT_FOUND, "'nn_engine'");
}
END_TEST

FIXTURE_MAIN("om", round_trip, same_bytes_every_time, truncated, one_bit_wrong, other_versions,
             sealed_nonsense, section_table_nonsense, files, engine_is_not_there)
