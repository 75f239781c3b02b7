/* SPDX-License-Identifier: Apache-2.0
 *
 * test_run.c: the command from outside: public ONNX tests through each engine, verdicts on
 * tests that are wrong, crash or hang, exit statuses.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "../support/check_main.h"

typedef struct Outcome {
    int status; /* of the command; -1 when a signal ended it */
    char *out;
    char *err;
} Outcome;

static Outcome run(const char *const *arguments)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    Outcome outcome = {-1, NULL, NULL};
    GError *error = NULL;
    int status;
    g_ptr_array_add(argv, (gpointer)TESSERA);
    for (; *arguments != NULL; arguments++)
        g_ptr_array_add(argv, (gpointer)*arguments);
    g_ptr_array_add(argv, NULL);
    ck_assert_msg(g_spawn_sync(NULL, (char **)argv->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL,
                               &outcome.out, &outcome.err, &status, &error),
                  "%s", error != NULL ? error->message : "");
    if (WIFEXITED(status))
        outcome.status = WEXITSTATUS(status);
    return outcome;
}
#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

static void expect(Outcome outcome, int status, const char *out, const char *err)
{
    ck_assert_msg(outcome.status == status, "status %d, wanted %d:\n%s\n%s", outcome.status,
                  status, outcome.out, outcome.err);
    ck_assert_msg(out == NULL || strstr(outcome.out, out) != NULL, "no '%s' in:\n%s", out,
                  outcome.out);
    ck_assert_msg(err == NULL || strstr(outcome.err, err) != NULL, "no '%s' in:\n%s", err,
                  outcome.err);
    g_free(outcome.out);
    g_free(outcome.err);
}

static char *directory_new(void)
{
    char *path = g_dir_make_tmp("tessera_test_XXXXXX", NULL);
    ck_assert_ptr_nonnull(path);
    return path;
}

static void copy_file(const char *from, const char *to)
{
    g_autofree char *data = NULL;
    g_autofree char *parent = g_path_get_dirname(to);
    gsize size;
    ck_assert(g_file_get_contents(from, &data, &size, NULL));
    ck_assert_int_eq(g_mkdir_with_parents(parent, 0755), 0);
    ck_assert(g_file_set_contents(to, data, (gssize)size, NULL));
}

/* Copies a test of ONNX_DIR; its input then stands in for its output when spoiled. */
static void copy_test(const char *test, const char *directory, const char *name,
                      gboolean spoiled)
{
    static const char *const files[] = {"model.onnx", "test_data_set_0/input_0.pb",
                                        "test_data_set_0/output_0.pb"};
    for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *from =
            g_build_filename(ONNX_DIR, test, spoiled && i == 2 ? files[1] : files[i], NULL);
        g_autofree char *to = g_build_filename(directory, name, files[i], NULL);
        copy_file(from, to);
    }
}

static char *write_conf(const char *directory, const char *plugin)
{
    char *path = g_build_filename(directory, "plugins.conf", NULL);
    g_autofree char *text =
        g_strdup_printf("[tessera]\nsearch_path=%s;%s\n[plugins]\n%s=on\naicpu=on\n"
                        "[engines]\npriority=%s\n",
                        BAD_PLUGINS_DIR, PLUGINS_DIR, plugin, plugin);
    ck_assert(g_file_set_contents(path, text, -1, NULL));
    return path;
}

START_TEST(public_tests)
{
    expect(RUN("conformance", ONNX_DIR), 0, "20 passed, 0 failed, 0 unsupported", NULL);
    expect(RUN("conformance", ONNX_DIR, "--engine-priority=aicpu", "--fallback=strict"), 0,
           "20 passed, 0 failed, 0 unsupported", NULL);
    expect(RUN("conformance", ONNX_DIR, "--mode=host", "--threads=1"), 0, "20 passed, 0 failed",
           NULL);
    expect(RUN("conformance", ONNX_DIR, "--disable-fusion=all", "--disable-memory-reuse"), 0,
           "20 passed, 0 failed", NULL);
    expect(RUN("conformance", ONNX_DIR "/test_relu", "--json"), 0, "\"name\" : \"test_relu\"",
           NULL);
    expect(RUN("conformance", ONNX_DIR, "--filter=test_conv*"), 0, "1 passed, 0 failed", NULL);
}
END_TEST

START_TEST(wrong_results)
{
    g_autofree char *directory = directory_new();
    g_autofree char *gone = g_build_filename(directory, "later", NULL);
    copy_test("test_relu", directory, "right", FALSE);
    copy_test("test_relu", directory, "deep/er/wrong", TRUE);
    expect(RUN("conformance", directory), 1, "failed: deep/er/wrong: test_data_set_0: output 'y'",
           NULL);
    expect(RUN("conformance", directory), 1, "1 passed, 1 failed, 0 unsupported", NULL);
    expect(RUN("conformance", directory, "--json"), 1, "\"status\" : \"failed\"", NULL);
    /* Tolerances of the test's own. */
    {
        g_autofree char *data = g_build_filename(directory, "deep/er/wrong/data.json", NULL);
        ck_assert(g_file_set_contents(data, "{\"atol\": 100}", -1, NULL));
        expect(RUN("conformance", directory), 0, "2 passed, 0 failed", NULL);
        ck_assert(g_file_set_contents(data, "[1]", -1, NULL));
        expect(RUN("conformance", directory), 1, "holds no object", NULL);
    }
    expect(RUN("conformance", gone), 1, NULL, "error: ");
}
END_TEST

/* Compiled and not run: wrong numbers pass, a wrong shape does not. */
START_TEST(infers_only)
{
    g_autofree char *directory = directory_new();
    g_autofree char *output =
        g_build_filename(directory, "wrong/test_data_set_0/output_0.pb", NULL);
    expect(RUN("conformance", ONNX_DIR, "--infer-only"), 0, "20 passed, 0 failed", NULL);
    /* What NonZero finds depends on the numbers. */
    expect(RUN("conformance", ONNX_DIR "/test_nonzero_example", "--infer-only"), 0,
           "0 of 1 outputs have a shape that is known before the run", NULL);
    copy_test("test_relu", directory, "right", FALSE);
    copy_test("test_relu", directory, "wrong", TRUE);
    expect(RUN("conformance", directory, "--infer-only"), 0,
           "2 of 2 outputs have a shape that is known before the run", NULL);
    copy_file(ONNX_DIR "/test_where_example/test_data_set_0/output_0.pb", output);
    expect(RUN("conformance", directory, "--infer-only"), 1,
           "failed: wrong: test_data_set_0: output 'y': wanted float[", NULL);
    expect(RUN("conformance", directory, "--infer-only"), 1, "1 passed, 1 failed", NULL);
    expect(RUN("conformance", directory, "--infer-only", "--feed=constant"), 2, NULL,
           "--infer-only takes neither");
}
END_TEST

START_TEST(manifest)
{
    g_autofree char *directory = directory_new();
    g_autofree char *list = g_build_filename(directory, "manifest.tsv", NULL);
    g_autofree char *broken = g_build_filename(directory, "broken/model.onnx", NULL);
    copy_test("test_relu", directory, "right", FALSE);
    copy_test("test_relu", directory, "broken", FALSE);
    ck_assert(g_file_set_contents(broken, "no model", -1, NULL));
    ck_assert(g_file_set_contents(list, "id\texpect\nright\tok\nbroken\terror\n", -1, NULL));
    expect(RUN("conformance", directory), 0, "2 passed, 0 failed", NULL);
    ck_assert(g_file_set_contents(list, "id\texpect\nright\terror\nbroken\tok\n", -1, NULL));
    expect(RUN("conformance", directory), 1, "0 passed, 2 failed", NULL);
    expect(RUN("conformance", directory), 1, "an error was expected", NULL);
    ck_assert(g_file_set_contents(list, "id\texpect\nnowhere\terror\n", -1, NULL));
    expect(RUN("conformance", directory), 1, "failed: nowhere: there is no", NULL);
    ck_assert(g_file_set_contents(list, "id\texpect\nright\tmaybe\n", -1, NULL));
    expect(RUN("conformance", directory), 1, NULL, "expect is 'maybe', wanted ok or error");
    ck_assert(g_file_set_contents(list, "name\texpect\n", -1, NULL));
    expect(RUN("conformance", directory), 1, NULL, "'id' and 'expect'");
}
END_TEST

/* A crash or a hang is one failed test, and the others go on. */
START_TEST(survives_its_tests)
{
    g_autofree char *directory = directory_new();
    g_autofree char *tests = g_build_filename(directory, "tests", NULL);
    g_autofree char *conf = NULL;
    copy_test("test_relu", tests, "one", FALSE);
    copy_test("test_relu", tests, "two", FALSE);
    conf = write_conf(directory, "bad_crashes");
    expect(RUN("conformance", tests, "--plugins-conf", conf), 1,
           "failed: one: crashed: signal 4 (", NULL);
    expect(RUN("conformance", tests, "--plugins-conf", conf), 1, "0 passed, 2 failed", NULL);
    g_free(conf);
    conf = write_conf(directory, "bad_hangs");
    expect(RUN("conformance", tests, "--plugins-conf", conf, "--timeout=1"), 1,
           "failed: two: not done after 1 s", NULL);
}
END_TEST

START_TEST(usage)
{
    expect(RUN("conformance"), 2, NULL, "error: ");
    expect(RUN("conformance", ONNX_DIR, "--jobs=0"), 2, NULL, "--jobs takes 1 to 256");
    expect(RUN("conformance", ONNX_DIR, "--no-such-option"), 2, NULL, "--no-such-option");
    expect(RUN("conformance", "--help"), 0, "DIR...", NULL);
    expect(RUN("conformance", ONNX_DIR, "--engine-priority=nobody"), 1, NULL, "engine 'nobody'");
    expect(RUN("nothing"), 2, NULL, "no subcommand 'nothing'");
    expect(RUN("--version"), 0, "tessera ", NULL);
}
END_TEST

START_TEST(compiles_and_checks)
{
    g_autofree char *directory = directory_new();
    g_autofree char *om = g_build_filename(directory, "conv.om", NULL);
    const char *model = ONNX_DIR "/test_conv_with_strides_padding/model.onnx";
    expect(RUN("compile", model, "-o", om), 0, NULL, NULL);
    expect(RUN("validate", om), 0, NULL, NULL);
    expect(RUN("show", om), 0, "weights", NULL);
    expect(RUN("run", om), 0, NULL, NULL);
    ck_assert(g_file_set_contents(om, "TESSERA", 7, NULL));
    expect(RUN("validate", om), 1, NULL, NULL);
    expect(RUN("run", om), 1, NULL, "error: ");
    expect(RUN("compile", "/nonexistent.onnx", "-o", om), 1, NULL, "/nonexistent.onnx");
}
END_TEST

START_TEST(formats_precision_dump)
{
    g_autofree char *directory = directory_new();
    g_autofree char *om = g_build_filename(directory, "conv.om", NULL);
    g_autofree char *dump = g_build_filename(directory, "dump", NULL);
    g_autofree char *index = g_build_filename(dump, "index.json", NULL);
    const char *model = ONNX_DIR "/test_conv_with_strides_padding/model.onnx";
    /* What is declared and not what is computed. */
    expect(RUN("run", model, "--input-format", "x:NHWC"), 0, NULL,
           "warning: formats: 'x' means NHWC by the user, NCHW by '");
    expect(RUN("explain", "--json", model, "--input-format", "x:NHWC"), 0,
           "\"wanted\" : \"NCHW\"", NULL);
    expect(RUN("run", model, "--input-format", "*:NHWC"), 0, NULL, NULL);
    expect(RUN("run", model, "--input-format", "x:NWHC"), 1, NULL, "did you mean NHWC?");
    expect(RUN("run", model, "--input-format", "y2:NHWC"), 1, NULL, "there is no input 'y2'");
    expect(RUN("compile", "--json", model, "-o", om, "--engine-priority", "aicpu", "--precision",
               "force_fp16"),
           0, "\"float16\" : 1", NULL);
    expect(RUN("run", om, "--precision", "mix_fp16"), 0, NULL,
           "warning: --precision is settled");
    expect(RUN("run", model, "--precision", "mix_fp61"), 1, NULL, "did you mean mix_fp16?");
    expect(RUN("run", model, "--precision", "mix_fp16", "--precision-list", "/nonexistent"), 1,
           NULL, "precision list '/nonexistent'");
    expect(RUN("run", om, "--dump", dump, "--dump-storage"), 0, NULL, NULL);
    ck_assert(g_file_test(index, G_FILE_TEST_IS_REGULAR));
    expect(RUN("run", om, "--dump-nodes", "x"), 2, NULL, "want --dump DIR");
    expect(RUN("run", om, "--dump", dump, "--dump-nodes", "absent"), 1, NULL,
           "no value and no node 'absent'");
    expect(RUN("run", om, "--dump", om), 1, NULL, "cannot make directory");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {public_tests, wrong_results, infers_only, manifest,
                                  survives_its_tests, usage, compiles_and_checks,
                                  formats_precision_dump};
    TCase *tcase = tcase_create("run");
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        tcase_add_test(tcase, tests[i]);
    tcase_set_timeout(tcase, 60);
    return check_main("run", tcase);
}
