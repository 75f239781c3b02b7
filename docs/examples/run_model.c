/* SPDX-License-Identifier: Apache-2.0
 *
 * run_model.c: compiles an ONNX model, runs it once on zeros and prints the outputs.
 *
 *     cc run_model.c $(pkg-config --cflags --libs tessera) -o run_model
 *     ./run_model MODEL.onnx
 */
#include <stdio.h>
#include <tessera/tessera.h>

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(TsrSession) session = argc == 2 ? tsr_session_new(NULL, &error) : NULL;
    g_autoptr(TsrGraph) graph = session ? tsr_session_import(session, argv[1], &error) : NULL;
    g_autoptr(TsrModel) model = graph ? tsr_session_compile(session, graph, NULL, &error) : NULL;
    TsrArray *inputs[16] = {NULL}, *outputs[16] = {NULL};
    guint input_count = model ? tsr_model_input_count(model) : 0;
    gboolean done = model != NULL && input_count <= 16 && tsr_model_output_count(model) <= 16;

    for (guint i = 0; done && i < input_count; i++) {
        guint32 dtype, rank;
        const gint64 *shape;
        tsr_model_input(model, i, &dtype, &rank, &shape);
        inputs[i] = tsr_array_create(dtype, rank, shape, &error);
        done = inputs[i] != NULL;
    }
    done = done && tsr_model_run(model, inputs, outputs, &error);
    for (guint i = 0; done && i < tsr_model_output_count(model); i++)
        printf("%s: %zu bytes\n", tsr_model_output(model, i, NULL, NULL, NULL),
               tsr_array_size_bytes(outputs[i]));
    if (!done)
        fprintf(stderr, "error: %s\n", error ? error->message : "usage: run_model MODEL.onnx");
    for (guint i = 0; i < 16; i++) {
        tsr_array_unref(inputs[i]);
        tsr_array_unref(outputs[i]);
    }
    return done ? 0 : 1;
}
