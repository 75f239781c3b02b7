/* SPDX-License-Identifier: Apache-2.0
 *
 * conformance.c: `tessera conformance DIR...`: finds tests, runs each in a process of its
 * own, so that a crash or a hang is one failed test, and reports.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance_find.h"
#include "conformance_test.h"
#include "json.h"
#include "tools.h"

static const char *const verdict_names[TSR_VERDICT_COUNT] = {"passed", "failed", "unsupported"};

typedef struct Result {
    TsrVerdict verdict;
    TsrInferCount count;
    char *reason;
} Result;

/* What a child says through its pipe; the reason follows. */
typedef struct Verdict {
    TsrVerdict verdict;
    TsrInferCount count;
} Verdict;

/* A child at work. */
typedef struct Worker {
    pid_t pid; /* 0: idle */
    int pipe;
    guint test;
    gint64 deadline;
    gboolean timed_out;
    GString *report;
} Worker;

typedef struct Runner {
    const TsrToolOptions *options;
    const TsrConformanceForm *form;
    GPtrArray *tests;
    Result *results;
    guint begun;
    guint done;
    gint timeout_s;
} Runner;

static void write_all(int fd, const char *data, gsize size)
{
    while (size != 0) {
        gssize written = write(fd, data, size);
        if (written < 0 && errno != EINTR)
            return;
        if (written > 0) {
            data += written;
            size -= (gsize)written;
        }
    }
}

/* The parent has shown the session's warnings already; standard output is for the report. */
static void quiet_output(void)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        close(null);
    }
}

static G_GNUC_NORETURN void child_main(const Runner *runner, guint index, int fd)
{
    g_autoptr(GString) reason = g_string_new(NULL);
    const struct rlimit no_core = {0, 0};
    Verdict said = {0};
    setrlimit(RLIMIT_CORE, &no_core);
    quiet_output();
    said.verdict = tsr_conformance_run(g_ptr_array_index(runner->tests, index), runner->form,
                                       runner->options, &said.count, reason);
    write_all(fd, (const char *)&said, sizeof(said));
    write_all(fd, reason->str, reason->len);
    _exit(0);
}

static void set_result(Runner *runner, guint test, TsrVerdict verdict, char *reason)
{
    runner->results[test].verdict = verdict;
    runner->results[test].reason = reason;
    runner->done++;
}

static void begin_test(Runner *runner, Worker *worker)
{
    guint test = runner->begun++;
    int ends[2];
    pid_t pid = -1;
    if (pipe(ends) == 0) {
        fflush(NULL);
        pid = fork();
        if (pid == 0) {
            close(ends[0]);
            child_main(runner, test, ends[1]);
        }
        close(ends[1]);
        if (pid < 0)
            close(ends[0]);
    }
    if (pid < 0) {
        set_result(runner, test, TSR_VERDICT_FAILED,
                   g_strdup_printf("cannot start a process: %s", g_strerror(errno)));
        return;
    }
    worker->pid = pid;
    worker->pipe = ends[0];
    worker->test = test;
    worker->timed_out = FALSE;
    worker->deadline = g_get_monotonic_time() + runner->timeout_s * G_USEC_PER_SEC;
    g_string_truncate(worker->report, 0);
}

static void end_test(Runner *runner, Worker *worker)
{
    const GString *report = worker->report;
    Verdict said = {0};
    int status = 0;
    close(worker->pipe);
    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    worker->pid = 0;
    if (report->len >= sizeof(said))
        memcpy(&said, report->str, sizeof(said));
    if (worker->timed_out)
        set_result(runner, worker->test, TSR_VERDICT_FAILED,
                   g_strdup_printf("not done after %d s", runner->timeout_s));
    else if (WIFSIGNALED(status))
        set_result(runner, worker->test, TSR_VERDICT_FAILED,
                   g_strdup_printf("crashed: signal %d (%s)", WTERMSIG(status),
                                   g_strsignal(WTERMSIG(status))));
    else if (report->len < sizeof(said) || said.verdict >= TSR_VERDICT_COUNT ||
             WEXITSTATUS(status) != 0)
        set_result(runner, worker->test, TSR_VERDICT_FAILED,
                   g_strdup_printf("ended with status %d and without a verdict",
                                   WEXITSTATUS(status)));
    else
        set_result(runner, worker->test, said.verdict,
                   g_utf8_make_valid(report->str + sizeof(said),
                                     (gssize)(report->len - sizeof(said))));
    runner->results[worker->test].count = said.count;
}

/* Reads what a worker says; at the end of its pipe the test is over. */
static void hear(Runner *runner, Worker *worker)
{
    char buffer[4096];
    gssize got = read(worker->pipe, buffer, sizeof(buffer));
    if (got > 0)
        g_string_append_len(worker->report, buffer, got);
    else if (got == 0 || errno != EINTR)
        end_test(runner, worker);
}

static void wait_for_workers(Runner *runner, Worker *workers, guint count)
{
    g_autofree struct pollfd *fds = g_new0(struct pollfd, count);
    gint64 now = g_get_monotonic_time(), nearest = now + G_USEC_PER_SEC;
    for (guint i = 0; i < count; i++) {
        fds[i].fd = workers[i].pid != 0 ? workers[i].pipe : -1;
        fds[i].events = POLLIN;
        if (workers[i].pid != 0)
            nearest = MIN(nearest, workers[i].deadline);
    }
    if (poll(fds, count, (int)(MAX(nearest - now, 0) / 1000) + 1) < 0)
        return;
    now = g_get_monotonic_time();
    for (guint i = 0; i < count; i++) {
        Worker *worker = &workers[i];
        if (worker->pid == 0)
            continue;
        if (fds[i].revents != 0) {
            hear(runner, worker);
        } else if (now >= worker->deadline && !worker->timed_out) {
            /* Its pipe ends when it is gone. */
            worker->timed_out = TRUE;
            kill(worker->pid, SIGKILL);
        }
    }
}

static void run_tests(Runner *runner, guint jobs)
{
    g_autofree Worker *workers = g_new0(Worker, jobs);
    for (guint i = 0; i < jobs; i++)
        workers[i].report = g_string_new(NULL);
    while (runner->done < runner->tests->len) {
        g_autofree char *text = g_strdup_printf("%u of %u tests", runner->done,
                                                runner->tests->len);
        tsr_tool_progress(text);
        for (guint i = 0; i < jobs && runner->begun < runner->tests->len; i++)
            if (workers[i].pid == 0)
                begin_test(runner, &workers[i]);
        if (runner->done < runner->tests->len)
            wait_for_workers(runner, workers, jobs);
    }
    tsr_tool_progress(NULL);
    for (guint i = 0; i < jobs; i++)
        g_string_free(workers[i].report, TRUE);
}

static void print_json(const Runner *runner, const guint *counts)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    for (guint i = 0; i < TSR_VERDICT_COUNT; i++) {
        tsr_json_int(json, verdict_names[i], counts[i]);
    }
    tsr_json_begin_array(json, "tests");
    for (guint i = 0; i < runner->tests->len; i++) {
        const TsrConformanceTest *test = g_ptr_array_index(runner->tests, i);
        json_builder_begin_object(json);
        tsr_json_string(json, "name", test->name);
        tsr_json_string(json, "status", verdict_names[runner->results[i].verdict]);
        tsr_json_string(json, "reason", runner->results[i].reason);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
    json_builder_end_object(json);
    tsr_json_print(json);
}

/* Of all tests. */
static TsrInferCount inferred(const Runner *runner)
{
    TsrInferCount sum = {0};
    for (guint i = 0; i < runner->tests->len; i++) {
        sum.outputs += runner->results[i].count.outputs;
        sum.static_outputs += runner->results[i].count.static_outputs;
    }
    return sum;
}

static void print_text(const Runner *runner, const guint *counts)
{
    TsrInferCount sum = inferred(runner);
    for (guint i = 0; i < runner->tests->len; i++) {
        const TsrConformanceTest *test = g_ptr_array_index(runner->tests, i);
        const Result *result = &runner->results[i];
        if (result->verdict != TSR_VERDICT_PASSED)
            printf("%s: %s: %s\n", verdict_names[result->verdict], test->name, result->reason);
    }
    if (runner->form->infer_only)
        printf("%u of %u outputs have a shape that is known before the run\n",
               sum.static_outputs, sum.outputs);
    printf("%u passed, %u failed, %u unsupported\n", counts[TSR_VERDICT_PASSED],
           counts[TSR_VERDICT_FAILED], counts[TSR_VERDICT_UNSUPPORTED]);
}

static int run_and_report(const TsrToolOptions *options, const TsrConformanceForm *form,
                          GPtrArray *tests, gint jobs, gint timeout_s)
{
    g_autofree Result *results = g_new0(Result, tests->len);
    Runner runner = {.options = options, .form = form, .tests = tests, .results = results,
                     .timeout_s = timeout_s};
    guint counts[TSR_VERDICT_COUNT] = {0};
    run_tests(&runner, (guint)jobs);
    for (guint i = 0; i < tests->len; i++)
        counts[results[i].verdict]++;
    if (options->json)
        print_json(&runner, counts);
    else
        print_text(&runner, counts);
    for (guint i = 0; i < tests->len; i++)
        g_free(results[i].reason);
    return counts[TSR_VERDICT_FAILED] == 0 ? TSR_EXIT_DONE : TSR_EXIT_FAILED;
}

/* Whether the options make a session at all; its warnings are shown once, here. */
static gboolean session_works(const TsrToolOptions *options)
{
    g_autoptr(TsrSession) session = tsr_options_session(options);
    return session != NULL;
}

int tsr_tool_conformance(int argc, char **argv)
{
    TsrToolOptions options = {0};
    gint jobs = 2, timeout_s = 60;
    g_autofree char *filter = NULL;
    g_autofree char *feed = NULL;
    g_autofree char *damage = NULL;
    TsrConformanceForm form = {0};
    const GOptionEntry own[] = {
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &jobs, "tests at once (2)", "N"},
        {"timeout", 0, 0, G_OPTION_ARG_INT, &timeout_s, "seconds that a test may take (60)",
         "S"},
        {"filter", 0, 0, G_OPTION_ARG_STRING, &filter, "only tests whose name matches",
         "GLOB"},
        {"feed", 0, 0, G_OPTION_ARG_STRING, &feed,
         "constants fed when the model runs, inputs known when it is compiled, or input "
         "shapes known only when it runs",
         "run-time|constant|dynamic"},
        {"damage", 0, 0, G_OPTION_ARG_STRING, &damage,
         "spoils an expected output; a test passes when it notices",
         "element|nan|inf|sign|shape|dtype"},
        {"infer-only", 0, 0, G_OPTION_ARG_NONE, &form.infer_only,
         "compiles only; judges what is inferred of the outputs", NULL},
        {0},
    };
    g_autoptr(GPtrArray) tests = NULL;
    GError *error = NULL;
    int status;

    if (!tsr_options_parse(&options, &argc, &argv, own, TRUE, "DIR...",
                           "Runs tests laid out as the ONNX backend suite.", 1, G_MAXINT))
        status = TSR_EXIT_USAGE;
    else if (jobs < 1 || jobs > 256 || timeout_s < 1)
        status = tsr_tool_usage("conformance: --jobs takes 1 to 256, --timeout 1 or more");
    else if (feed != NULL && !tsr_feed_parse(feed, &form.feed))
        status = tsr_tool_usage("conformance: --feed wants run-time, constant or dynamic, "
                                "got '%s'",
                                feed);
    else if (damage != NULL && !g_strv_contains(tsr_damage_names, damage))
        status = tsr_tool_usage("conformance: --damage knows no '%s'", damage);
    else if (form.infer_only && (feed != NULL || damage != NULL))
        status = tsr_tool_usage("conformance: --infer-only takes neither --feed nor --damage");
    else if ((tests = tsr_conformance_find(argv + 1, argc - 1, filter, &error)) == NULL)
        status = tsr_tool_fail(error);
    else if (!session_works(&options))
        status = TSR_EXIT_FAILED;
    else {
        form.damage = damage;
        status = run_and_report(&options, &form, tests, jobs, timeout_s);
    }
    tsr_options_clear(&options);
    return status;
}
