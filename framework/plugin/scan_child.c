/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_child.c: see scan_child.h. posix_spawn, since the application may have threads. The
 * child leads a process group, so that what a plugin starts ends with it.
 */
#include "plugin/scan_child.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin/scan_report.h"

enum {
    REPORT_MAX = 1 << 18,
    OUTPUT_KEPT = 160,
    LOWEST_FD = 10,       /* above all that the child's own numbers take */
    LOOK_AGAIN_MS = 50,   /* whether it has ended, while somebody holds its pipes */
};

typedef struct Pipe {
    int read_fd;
    int write_fd;
} Pipe;

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Both ends close on exec and lie above the numbers that the child gives away. */
static gboolean open_pipe(Pipe *out)
{
    int ends[2];
    if (!g_unix_open_pipe(ends, FD_CLOEXEC, NULL))
        return FALSE;
    out->read_fd = fcntl(ends[0], F_DUPFD_CLOEXEC, LOWEST_FD);
    out->write_fd = fcntl(ends[1], F_DUPFD_CLOEXEC, LOWEST_FD);
    close(ends[0]);
    close(ends[1]);
    return out->read_fd >= 0 && out->write_fd >= 0 &&
           g_unix_set_fd_nonblocking(out->read_fd, TRUE, NULL);
}

static int spawn(pid_t *out_pid, const char *program, const char *library, const char *name,
                 const Pipe *report, const Pipe *output)
{
    char *const argv[] = {(char *)program, (char *)library, (char *)name, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int failed;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output->write_fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output->write_fd, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, report->write_fd, TSR_SCAN_REPORT_FD);
    posix_spawn_file_actions_addclosefrom_np(&actions, TSR_SCAN_REPORT_FD + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    failed = posix_spawn(out_pid, program, &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Takes what lies in a pipe; closes it at its end. */
static void drain(int *fd, GString *kept, gsize most, guint64 *total)
{
    char bytes[4096];
    while (*fd >= 0) {
        gssize size = read(*fd, bytes, sizeof(bytes));
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0 && errno == EAGAIN)
            return;
        if (size <= 0) {
            close_fd(fd);
            return;
        }
        *total += (guint64)size;
        if (kept->len < most)
            g_string_append_len(kept, bytes, MIN(size, (gssize)(most - kept->len)));
    }
}

/* Whether the child has ended; it stays a zombie, so that its number is still its own. */
static gboolean has_ended(TsrScanChild *child, pid_t pid)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno != EINTR; /* the application has reaped it */
    if (info.si_pid != pid)
        return FALSE;
    child->is_known = TRUE;
    if (info.si_code == CLD_EXITED)
        child->status = info.si_status;
    else
        child->signal = info.si_status;
    return TRUE;
}

static void watch(TsrScanChild *child, pid_t pid, int *report_fd, int *output_fd,
                  guint timeout_ms)
{
    const gint64 deadline = g_get_monotonic_time() + (gint64)timeout_ms * 1000;
    guint64 report_size = 0;
    gboolean ended = FALSE;
    while (!ended && !child->timed_out) {
        struct pollfd fds[] = {{*report_fd, POLLIN, 0}, {*output_fd, POLLIN, 0}};
        const gint64 left = (deadline - g_get_monotonic_time()) / 1000;
        const gboolean silent = *report_fd < 0 && *output_fd < 0;
        if (left > 0)
            poll(fds, G_N_ELEMENTS(fds), (int)MIN(left, silent ? 1 : LOOK_AGAIN_MS));
        ended = has_ended(child, pid);
        drain(report_fd, child->report, REPORT_MAX, &report_size);
        drain(output_fd, child->output, OUTPUT_KEPT, &child->output_size);
        child->timed_out = !ended && left <= 0;
    }
    kill(-pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

gboolean tsr_scan_child_run(TsrScanChild *child, const TsrScanOptions *options,
                            const char *library, const char *name, char **out_trouble)
{
    Pipe report = {-1, -1}, output = {-1, -1};
    pid_t pid = 0;
    int failed;
    *child = (TsrScanChild){.report = g_string_new(NULL), .output = g_string_new(NULL)};
    failed = open_pipe(&report) && open_pipe(&output)
                 ? spawn(&pid, options->program, library, name, &report, &output)
                 : errno;
    close_fd(&report.write_fd);
    close_fd(&output.write_fd);
    if (failed == 0)
        watch(child, pid, &report.read_fd, &output.read_fd, options->timeout_ms);
    else
        *out_trouble =
            g_strdup_printf("'%s' cannot be started: %s", options->program, g_strerror(failed));
    close_fd(&report.read_fd);
    close_fd(&output.read_fd);
    return failed == 0;
}

void tsr_scan_child_clear(TsrScanChild *child)
{
    g_string_free(child->report, TRUE);
    g_string_free(child->output, TRUE);
}
