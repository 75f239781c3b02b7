/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c: `tessera-scan LIBRARY NAME`: loads one plugin as a session would, in a process of
 * its own, and reports what came of it. framework/plugin/scan.c starts it and reads the
 * report, a key file, from a pipe that the plugin does not know of; by hand it goes to
 * standard output. Each step is named as it begins, so that the last one named is the one
 * that the plugin did not survive.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "plugin/scan_report.h"

/* Far from the numbers that a library may take for granted. */
enum { REPORT_FD_HIGH = 100 };

static int report_fd = -1;

static void write_all(const char *text, gsize size)
{
    while (size > 0) {
        gssize done = write(report_fd, text, size);
        if (done <= 0)
            _exit(3); /* nobody listens any more */
        text += done;
        size -= (gsize)done;
    }
}

static void write_step(const char *step)
{
    char line[128];
    int size = g_snprintf(line, sizeof(line), "[%s]\nstep=%s\n", TSR_SCAN_GROUP, step);
    write_all(line, (gsize)size);
}

/* What the plugin says through its host is no print. */
static void drop_log(const char *domain, GLogLevelFlags level, const char *text, gpointer data)
{
    (void)domain;
    (void)level;
    (void)text;
    (void)data;
}

static void write_report(const TsrLoadedPlugin *record)
{
    g_autoptr(GKeyFile) report = tsr_scan_report_new(record);
    gsize size;
    g_autofree char *data = g_key_file_to_data(report, &size, NULL);
    write_all(data, size);
}

/* Entries of a folder of /proc; 0 when that cannot be told. */
static int count_entries(const char *path)
{
    GDir *dir = g_dir_open(path, 0, NULL);
    int count = 0;
    while (dir != NULL && g_dir_read_name(dir) != NULL)
        count++;
    if (dir != NULL)
        g_dir_close(dir);
    return count;
}

/* Threads and open files that were not there before the plugin was. A thread that was joined
 * may be seen for a moment after that. */
static void report_left_behind(int threads_before, int files_before)
{
    int threads = 0, files = count_entries("/proc/self/fd") - files_before;
    char line[256];
    for (int tries = 0; tries < 40; tries++) {
        threads = count_entries("/proc/self/task") - threads_before;
        if (threads <= 0)
            break;
        g_usleep(5000);
    }
    if (threads <= 0 && files <= 0)
        return;
    g_snprintf(line, sizeof(line),
               "[%s]\nfault=%s\nreason=left %d threads and %d open files behind when it was shut "
               "down\n",
               TSR_SCAN_GROUP, tsr_plugin_fault_name(TSR_FAULT_LEFT_BEHIND), MAX(threads, 0),
               MAX(files, 0));
    write_all(line, strlen(line));
}

int main(int argc, char **argv)
{
    const struct rlimit no_core = {0, 0};
    TsrLoadedPlugin record = {.watch = write_step};
    char line[128];
    int size, threads, files;
    if (argc != 3 || !g_path_is_absolute(argv[1])) {
        fputs("usage: tessera-scan /ABSOLUTE/LIBRARY.so NAME\n", stderr);
        return 2;
    }
    setrlimit(RLIMIT_CORE, &no_core);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    report_fd = fcntl(TSR_SCAN_REPORT_FD, F_DUPFD_CLOEXEC, REPORT_FD_HIGH);
    if (report_fd >= 0)
        close(TSR_SCAN_REPORT_FD);
    else
        report_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, REPORT_FD_HIGH);
    g_log_set_default_handler(drop_log, NULL);
    size = g_snprintf(line, sizeof(line), "[%s]\nbuild=%s\nstep=%s\n", TSR_SCAN_GROUP,
                      tsr_scan_build(), TSR_SCAN_STEP_BEGIN);
    write_all(line, (gsize)size);
    threads = count_entries("/proc/self/task");
    files = count_entries("/proc/self/fd");
    record.path = argv[1];
    record.name = argv[2];
    tsr_plugin_open(&record);
    write_report(&record);
    if (record.plugin != NULL) {
        write_step(TSR_SCAN_STEP_SHUTDOWN);
        if (TSR_HAS(record.plugin, shutdown))
            record.plugin->shutdown(record.plugin);
        report_left_behind(threads, files);
    }
    fflush(NULL); /* what the plugin printed into a buffer counts */
    write_step(TSR_SCAN_STEP_DONE);
    _exit(0); /* a host does not run a plugin's destructors either */
}
