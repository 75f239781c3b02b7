/* SPDX-License-Identifier: Apache-2.0
 *
 * child.c: see child.h. A child that dies, hangs or ends early has failed the check that it
 * announced last; another one goes on behind that check. What a child prints is caught and
 * is a failed check of its own, since plugins never print.
 */
#include "plugin_check/child.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_KEPT = 200, FD_HIGH = 100, MOST_DEATHS = 40 };

typedef struct Watch {
    const PcGroup *group;
    GPtrArray *results;
    GString *line;      /* the verdict that is being read */
    char *begun;        /* the check without a verdict, or NULL */
    guint done;         /* checks with a verdict */
    GString *output;    /* what was printed */
    gboolean finished;  /* the group came to its end */
} Watch;

void pc_result_free(PcResult *result)
{
    g_free(result->check);
    g_free(result->reason);
    g_free(result);
}

static void add_result(Watch *watch, char *check, PcVerdict verdict, const char *reason)
{
    PcResult *result = g_new(PcResult, 1);
    *result = (PcResult){watch->group->name, check, verdict,
                         verdict == PC_PASSED ? NULL : g_strdup(reason)};
    g_ptr_array_add(watch->results, result);
}

static void take_line(Watch *watch, const char *line)
{
    static const char kinds[] = "PFS";
    const char *kind = strchr(kinds, line[0]);
    if (line[0] == 'B') {
        g_free(watch->begun);
        watch->begun = g_strdup(line + 1);
    } else if (line[0] == 'N') {
        g_clear_pointer(&watch->begun, g_free);
        watch->done++;
    } else if (line[0] == 'E') {
        watch->finished = TRUE;
    } else if (kind != NULL && watch->begun != NULL) {
        add_result(watch, g_steal_pointer(&watch->begun), (PcVerdict)(kind - kinds), line + 1);
        watch->done++;
    }
}

/* Takes what lies in a pipe. FALSE at its end. */
static gboolean drain(int fd, Watch *watch, gboolean verdicts, gboolean *out_any)
{
    char bytes[4096];
    for (;;) {
        const gssize size = read(fd, bytes, sizeof(bytes));
        if (size < 0)
            return errno == EAGAIN || errno == EINTR;
        if (size == 0)
            return FALSE;
        *out_any = TRUE;
        for (gssize i = 0; i < size; i++) {
            if (!verdicts) {
                if (watch->output->len < OUTPUT_KEPT)
                    g_string_append_c(watch->output, bytes[i]);
            } else if (bytes[i] != '\n') {
                g_string_append_c(watch->line, bytes[i]);
            } else {
                take_line(watch, watch->line->str);
                g_string_truncate(watch->line, 0);
            }
        }
    }
}

/* Never returns. */
static void be_child(const PcGroup *group, const PcPlugin *plugin, const PcSettings *settings,
                     guint resume, int report, int output)
{
    const struct rlimit no_core = {0, 0};
    PcContext context = {.plugin = plugin, .settings = settings, .resume = resume};
    const int null = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &no_core);
    context.fd = fcntl(report, F_DUPFD_CLOEXEC, FD_HIGH);
    dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    close(null);
    close(report);
    close(output);
    group->run(&context);
    fflush(NULL); /* what the plugin printed into a buffer counts */
    if (write(context.fd, "E\n", 2) != 2)
        _exit(4);
    _exit(0);
}

static void judge_end(Watch *watch, int status, gboolean timed_out, int timeout_s)
{
    g_autofree char *reason =
        timed_out ? g_strdup_printf("was still busy after %d s", timeout_s)
        : WIFSIGNALED(status)
            ? g_strdup_printf("crashed (SIG%s)", sigabbrev_np(WTERMSIG(status)))
            : g_strdup_printf("ended its process with status %d", WEXITSTATUS(status));
    if (watch->begun == NULL) { /* where to go on is not known */
        add_result(watch, g_strdup("between two checks"), PC_FAILED, reason);
        add_result(watch, g_strdup("the rest of the group"), PC_SKIPPED, reason);
        watch->finished = TRUE;
        return;
    }
    add_result(watch, g_steal_pointer(&watch->begun), PC_FAILED, reason);
    watch->done++;
}

/* One child from its start to its end. */
static void run_once(Watch *watch, const PcPlugin *plugin, const PcSettings *settings)
{
    int report[2], output[2], status = 0;
    gboolean timed_out = FALSE, printed = FALSE, open[2] = {TRUE, TRUE};
    gint64 last = g_get_monotonic_time();
    pid_t pid;
    fflush(NULL);
    if (!g_unix_open_pipe(report, FD_CLOEXEC, NULL) ||
        !g_unix_open_pipe(output, FD_CLOEXEC, NULL) || (pid = fork()) < 0) {
        add_result(watch, g_strdup("a child process"), PC_FAILED, g_strerror(errno));
        watch->finished = TRUE;
        return;
    }
    if (pid == 0)
        be_child(watch->group, plugin, settings, watch->done, report[1], output[1]);
    close(report[1]);
    close(output[1]);
    g_unix_set_fd_nonblocking(report[0], TRUE, NULL);
    g_unix_set_fd_nonblocking(output[0], TRUE, NULL);
    while (open[0] && !timed_out) {
        struct pollfd fds[] = {{report[0], POLLIN, 0}, {open[1] ? output[0] : -1, POLLIN, 0}};
        gboolean any = FALSE;
        poll(fds, 2, 100);
        open[0] = drain(report[0], watch, TRUE, &any);
        open[1] = open[1] && drain(output[0], watch, FALSE, &printed);
        if (any)
            last = g_get_monotonic_time();
        timed_out = g_get_monotonic_time() - last > (gint64)settings->timeout_s * G_USEC_PER_SEC;
    }
    kill(-pid, SIGKILL);
    if (timed_out)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (open[1])
        drain(output[0], watch, FALSE, &printed);
    close(report[0]);
    close(output[0]);
    if (!watch->finished)
        judge_end(watch, status, timed_out, settings->timeout_s);
}

void pc_child_run(const PcGroup *group, const PcPlugin *plugin, const PcSettings *settings,
                  GPtrArray *results)
{
    Watch watch = {.group = group, .results = results, .line = g_string_new(NULL),
                   .output = g_string_new(NULL)};
    guint deaths = 0;
    while (!watch.finished && deaths++ < MOST_DEATHS)
        run_once(&watch, plugin, settings);
    if (!watch.finished)
        add_result(&watch, g_strdup("the rest of the group"), PC_SKIPPED,
                   "too many checks ended their process");
    if (watch.output->len != 0) {
        g_autofree char *reason = NULL;
        g_autofree char *text = g_utf8_make_valid(watch.output->str, (gssize)watch.output->len);
        g_strdelimit(text, "\n\r\t", ' ');
        reason = g_strdup_printf("printed '%s'", g_strchomp(text));
        add_result(&watch, g_strdup("prints nothing"), PC_FAILED, reason);
    } else {
        add_result(&watch, g_strdup("prints nothing"), PC_PASSED, NULL);
    }
    g_string_free(watch.line, TRUE);
    g_string_free(watch.output, TRUE);
    g_free(watch.begun);
}
