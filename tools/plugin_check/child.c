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
    guint deaths;       /* children that were started */
    pid_t pid;          /* the child, or 0 */
    int report, printed;/* what is read from it; -1 at the end */
    gint64 last;        /* when it said something */
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

/* Starts a child that goes on behind the checks that are done. */
static void start_child(Watch *watch, const PcPlugin *plugin, const PcSettings *settings)
{
    int report[2], output[2];
    fflush(NULL);
    watch->deaths++;
    watch->pid = 0;
    if (!g_unix_open_pipe(report, FD_CLOEXEC, NULL) ||
        !g_unix_open_pipe(output, FD_CLOEXEC, NULL) || (watch->pid = fork()) < 0) {
        add_result(watch, g_strdup("a child process"), PC_FAILED, g_strerror(errno));
        watch->finished = TRUE;
        watch->pid = 0;
        return;
    }
    if (watch->pid == 0)
        be_child(watch->group, plugin, settings, watch->done, report[1], output[1]);
    close(report[1]);
    close(output[1]);
    watch->report = report[0];
    watch->printed = output[0];
    watch->last = g_get_monotonic_time();
    g_unix_set_fd_nonblocking(watch->report, TRUE, NULL);
    g_unix_set_fd_nonblocking(watch->printed, TRUE, NULL);
}

/* Ends the child, which is done or has hung, and says how it ended. */
static void end_child(Watch *watch, gboolean timed_out, int timeout_s)
{
    int status = 0;
    gboolean any;
    kill(-watch->pid, SIGKILL);
    if (timed_out)
        kill(watch->pid, SIGKILL);
    while (waitpid(watch->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (watch->printed >= 0) {
        drain(watch->printed, watch, FALSE, &any);
        close(watch->printed);
    }
    close(watch->report);
    watch->pid = 0;
    if (!watch->finished)
        judge_end(watch, status, timed_out, timeout_s);
}

/* Reads what the child has said; ends it where it is done or has been silent for too long. */
static void serve_child(Watch *watch, int timeout_s)
{
    gboolean any = FALSE, printed = FALSE, timed_out;
    const gboolean open = drain(watch->report, watch, TRUE, &any);
    if (watch->printed >= 0 && !drain(watch->printed, watch, FALSE, &printed)) {
        close(watch->printed);
        watch->printed = -1;
    }
    if (any)
        watch->last = g_get_monotonic_time();
    timed_out = g_get_monotonic_time() - watch->last > (gint64)timeout_s * G_USEC_PER_SEC;
    if (!open || timed_out)
        end_child(watch, open && timed_out, timeout_s);
}

/* What the whole group has shown. */
static void conclude(Watch *watch, GPtrArray *results)
{
    if (!watch->finished)
        add_result(watch, g_strdup("the rest of the group"), PC_SKIPPED,
                   "too many checks ended their process");
    if (watch->output->len != 0) {
        g_autofree char *reason = NULL;
        g_autofree char *text = g_utf8_make_valid(watch->output->str, (gssize)watch->output->len);
        g_strdelimit(text, "\n\r\t", ' ');
        reason = g_strdup_printf("printed '%s'", g_strchomp(text));
        add_result(watch, g_strdup("prints nothing"), PC_FAILED, reason);
    } else {
        add_result(watch, g_strdup("prints nothing"), PC_PASSED, NULL);
    }
    g_ptr_array_extend_and_steal(results, watch->results);
    g_string_free(watch->line, TRUE);
    g_string_free(watch->output, TRUE);
    g_free(watch->begun);
}

/* Waits until a child says something, or a moment. */
static void wait_children(const Watch *watches, guint count)
{
    g_autofree struct pollfd *fds = g_new(struct pollfd, 2 * count);
    for (guint i = 0; i < count; i++) {
        const gboolean runs = watches[i].pid != 0;
        fds[2 * i] = (struct pollfd){runs ? watches[i].report : -1, POLLIN, 0};
        fds[2 * i + 1] = (struct pollfd){runs ? watches[i].printed : -1, POLLIN, 0};
    }
    poll(fds, 2 * count, 100);
}

/* The first group that waits for a child, long ones before the others; NULL: none does. */
static Watch *next_to_start(Watch *watches, guint count)
{
    Watch *next = NULL;
    for (guint i = 0; i < count; i++) {
        Watch *watch = &watches[i];
        if (watch->pid == 0 && !watch->finished && watch->deaths < MOST_DEATHS &&
            (next == NULL || (watch->group->is_long && !next->group->is_long)))
            next = watch;
    }
    return next;
}

void pc_children_run(const PcGroup *const *groups, guint count, const PcPlugin *plugin,
                     const PcSettings *settings, guint jobs, GPtrArray *results)
{
    g_autofree Watch *watches = g_new0(Watch, count);
    for (guint i = 0; i < count; i++)
        watches[i] = (Watch){.group = groups[i], .line = g_string_new(NULL),
                             .results = g_ptr_array_new_with_free_func(
                                 (GDestroyNotify)pc_result_free),
                             .output = g_string_new(NULL)};
    for (;;) {
        guint running = 0;
        for (guint i = 0; i < count; i++)
            running += watches[i].pid != 0;
        for (Watch *next; running < jobs && (next = next_to_start(watches, count)) != NULL;) {
            start_child(next, plugin, settings);
            running += next->pid != 0;
        }
        if (running == 0)
            break;
        wait_children(watches, count);
        for (guint i = 0; i < count; i++)
            if (watches[i].pid != 0)
                serve_child(&watches[i], settings->timeout_s);
    }
    for (guint i = 0; i < count; i++)
        conclude(&watches[i], results);
}
