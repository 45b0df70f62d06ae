/* SPDX-License-Identifier: MIT */
#include "server/cli/recorder/time_report.h"

#include "base/file.h"

#include <inttypes.h>

#define S_NS INT64_C(1000000000)
#define S_US INT64_C(1000000)

static void add_seconds(const char *label, int64_t us, struct ps_buf *out)
{
    ps_buf_printf(out, "\t%s: %" PRId64 ".%06" PRId64 "\n", label, us / S_US, us % S_US);
}

static void add_count(const char *label, int64_t value, struct ps_buf *out)
{
    ps_buf_printf(out, "\t%s: %" PRId64 "\n", label, value);
}

/* "m:ss" or "h:mm:ss" */
static void add_elapsed(int64_t ns, struct ps_buf *out)
{
    const int64_t s = ns / S_NS;
    ps_buf_puts(out, "\tElapsed (wall clock) time (h:mm:ss or m:ss): ");
    if (s >= 3600)
        ps_buf_printf(out, "%" PRId64 ":%02" PRId64, s / 3600, s / 60 % 60);
    else
        ps_buf_printf(out, "%" PRId64, s / 60);
    ps_buf_printf(out, ":%02" PRId64 ".%09" PRId64 "\n", s % 60, ns % S_NS);
}

enum ps_status ps_time_report_write(int fd, const char *command, const struct ps_child_usage *usage,
                                    int exit_status, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    if (exit_status > 128)
        ps_buf_printf(&out, "Command terminated by signal %d\n", exit_status - 128);
    else if (exit_status)
        ps_buf_printf(&out, "Command exited with non-zero status %d\n", exit_status);
    ps_buf_puts(&out, "\tCommand being timed: \"");
    for (; *command; command++)
        ps_buf_add(&out, (unsigned char)*command < ' ' ? " " : command, 1);
    ps_buf_puts(&out, "\"\n");
    add_seconds("User time (seconds)", usage->user_us, &out);
    add_seconds("System time (seconds)", usage->system_us, &out);
    add_elapsed(usage->real_ns, &out);
    if (usage->max_rss_kib >= 0)
        add_count("Maximum resident set size (kbytes)", usage->max_rss_kib, &out);
    add_count("Major (requiring I/O) page faults", usage->major_faults, &out);
    add_count("Minor (reclaiming a frame) page faults", usage->minor_faults, &out);
    add_count("Voluntary context switches", usage->voluntary_switches, &out);
    add_count("Involuntary context switches", usage->involuntary_switches, &out);
    add_count("File system inputs", usage->inputs, &out);
    add_count("File system outputs", usage->outputs, &out);
    add_count("Exit status", exit_status > 128 ? 0 : exit_status, &out);
    return ps_write_all(fd, ps_buf_slice(&out), "the report of the time", err);
}
