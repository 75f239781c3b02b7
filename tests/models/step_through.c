/* SPDX-License-Identifier: Apache-2.0
 *
 * step_through.c: a network over the rows of an input, each step's state carried into the next
 * by the caller, as an application that listens does it. Called by minute.js, which compares
 * every step with the reference runtime.
 * Usage: step_through MODEL FOLDER ROWS.npy X Y RESULT.npy STATE=NEW_STATE...
 * X takes a row of ROWS as [1, columns]; the other inputs begin as FOLDER/<input>.npy; output
 * Y of every step goes to RESULT. Prints the median, 10th percentile and least
 * microseconds of a step.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/tessera.h>
#include <time.h>

#include "base/npy.h"

typedef struct Walk {
    TsrModel *model;
    GPtrArray *inputs;   /* TsrArray */
    GArray *carried;     /* guint pairs: input, output */
    guint x;
    guint y;
} Walk;

static void stop(const char *text)
{
    fprintf(stderr, "error: step_through: %s\n", text);
    exit(EXIT_FAILURE);
}

static void must(gboolean done, GError *error)
{
    if (!done)
        stop(error != NULL ? error->message : "?");
}

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static guint find(TsrModel *model, const char *name, gboolean output)
{
    const guint count = output ? tsr_model_output_count(model) : tsr_model_input_count(model);
    for (guint i = 0; i < count; i++)
        if (strcmp(output ? tsr_model_output(model, i, NULL, NULL, NULL)
                          : tsr_model_input(model, i, NULL, NULL, NULL), name) == 0)
            return i;
    stop(name);
    return 0;
}

static TsrArray *read_array(const char *path)
{
    gint64 shape[TSR_MAX_RANK];
    guint32 dtype, rank;
    GError *error = NULL;
    g_autoptr(GBytes) bytes = tsr_npy_read(path, &dtype, &rank, shape, &error);
    TsrArray *array;
    must(bytes != NULL, error);
    array = tsr_array_create_from(dtype, rank, shape, g_bytes_get_data(bytes, NULL),
                                  g_bytes_get_size(bytes), &error);
    must(array != NULL, error);
    return array;
}

static void read_inputs(Walk *walk, const char *folder)
{
    for (guint i = 0; i < tsr_model_input_count(walk->model); i++) {
        g_autofree char *name = g_strconcat(tsr_model_input(walk->model, i, NULL, NULL, NULL),
                                            ".npy", NULL);
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_ptr_array_add(walk->inputs, i == walk->x ? NULL : read_array(path));
    }
}

static void carry(Walk *walk, const char *pair)
{
    g_auto(GStrv) names = g_strsplit(pair, "=", 2);
    guint ends[2];
    if (g_strv_length(names) != 2)
        stop(pair);
    ends[0] = find(walk->model, names[0], FALSE);
    ends[1] = find(walk->model, names[1], TRUE);
    g_array_append_vals(walk->carried, ends, 2);
}

/* One step; the state that came out is the next one's, without a copy. */
static double step(Walk *walk, TsrArray **outputs, GByteArray *results)
{
    const guint count = tsr_model_output_count(walk->model);
    GError *error = NULL;
    const double begin = now_us();
    double spent;
    memset(outputs, 0, count * sizeof(*outputs));
    must(tsr_model_run(walk->model, (TsrArray *const *)walk->inputs->pdata, outputs, &error),
         error);
    spent = now_us() - begin;
    g_byte_array_append(results, tsr_array_data(outputs[walk->y]),
                        (guint)tsr_array_size_bytes(outputs[walk->y]));
    for (guint i = 0; i < walk->carried->len; i += 2) {
        const guint input = g_array_index(walk->carried, guint, i);
        TsrArray **from = &outputs[g_array_index(walk->carried, guint, i + 1)];
        tsr_array_unref(g_ptr_array_index(walk->inputs, input));
        g_ptr_array_index(walk->inputs, input) = g_steal_pointer(from);
    }
    for (guint i = 0; i < count; i++)
        tsr_array_unref(outputs[i]);
    return spent;
}

static int by_value(gconstpointer a, gconstpointer b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void walk_rows(Walk *walk, TsrArray *rows, const char *result)
{
    const gint64 count = tsr_array_shape(rows)[0], columns = tsr_array_shape(rows)[1];
    const gint64 shape[] = {1, columns};
    const float *data = tsr_array_data(rows);
    g_autofree TsrArray **outputs = g_new0(TsrArray *, tsr_model_output_count(walk->model) + 1);
    g_autofree double *spent = g_new(double, count + 1);
    g_autoptr(GByteArray) results = g_byte_array_new();
    GError *error = NULL;
    gint64 result_shape[2];
    for (gint64 i = 0; i < count; i++) {
        TsrArray *x = tsr_array_create_from(TSR_DTYPE_FLOAT, 2, shape, data + i * columns,
                                            (gsize)columns * sizeof(float), &error);
        must(x != NULL, error);
        g_ptr_array_index(walk->inputs, walk->x) = x;
        spent[i] = step(walk, outputs, results);
        tsr_array_unref(x);
        g_ptr_array_index(walk->inputs, walk->x) = NULL;
    }
    result_shape[0] = count;
    result_shape[1] = count != 0 ? (gint64)(results->len / sizeof(float)) / count : 0;
    must(tsr_npy_write(result, TSR_DTYPE_FLOAT, 2, result_shape, results->data, results->len,
                       &error), error);
    qsort(spent, (size_t)count, sizeof(*spent), by_value);
    printf("%.2f %.2f %.2f\n", spent[count / 2], spent[count / 10], spent[0]);
}

static TsrModel *open_model(TsrSession *session, const char *path)
{
    GError *error = NULL;
    g_autoptr(TsrGraph) graph = tsr_session_import(session, path, &error);
    TsrModel *model = graph != NULL ? tsr_session_compile(session, graph, NULL, &error) : NULL;
    must(model != NULL, error);
    return model;
}

int main(int argc, char **argv)
{
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    GError *error = NULL;
    g_autoptr(TsrSession) session = NULL;
    g_autoptr(TsrArray) rows = NULL;
    Walk walk = {0};
    if (argc < 8)
        stop("wanted MODEL FOLDER ROWS.npy X Y RESULT.npy STATE=NEW_STATE...");
    options.threads = 1;
    session = tsr_session_new(&options, &error);
    must(session != NULL, error);
    walk.model = open_model(session, argv[1]);
    walk.inputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    walk.carried = g_array_new(FALSE, FALSE, sizeof(guint));
    walk.x = find(walk.model, argv[4], FALSE);
    walk.y = find(walk.model, argv[5], TRUE);
    read_inputs(&walk, argv[2]);
    for (int i = 7; i < argc; i++)
        carry(&walk, argv[i]);
    rows = read_array(argv[3]);
    if (tsr_array_rank(rows) != 2 || tsr_array_dtype(rows) != TSR_DTYPE_FLOAT)
        stop("rows are no float [steps, columns]");
    walk_rows(&walk, rows, argv[6]);
    g_ptr_array_unref(walk.inputs);
    g_array_unref(walk.carried);
    tsr_model_free(walk.model);
    return EXIT_SUCCESS;
}
