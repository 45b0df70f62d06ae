/* SPDX-License-Identifier: MIT */
/* child.h: runs programs with unmodified arguments, never through a shell. */
#ifndef PS_CLI_CHILD_H
#define PS_CLI_CHILD_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/words.h"

/* What a process and its children used. Children that it did not wait for do not count. */
struct ps_child_usage {
    int64_t real_ns; /* from the start of the process to its end, by the monotonic clock */
    int64_t user_us, system_us;
    int64_t max_rss_kib; /* of the largest of these processes; -1: unknown */
    int64_t major_faults, minor_faults, voluntary_switches, involuntary_switches, inputs, outputs;
};

struct ps_child {
    const char *path; /* the executable file */
    const char *const *argv;
    /* descriptor for the lines that -X importtime prints to stderr of the child; its other output
     * goes to our stderr. -1: stderr is not read */
    int import_log;
    bool out_to_stderr;           /* stdout of the child goes to our stderr */
    bool no_input;                /* stdin of the child is /dev/null */
    bool drops_output;            /* stdout and stderr are dropped, except for import_log */
    struct ps_child_usage *usage; /* filled in if the program was started; may be NULL */
    bool is_silent;               /* stdin, stdout and stderr of the child are /dev/null */
};

/*
 * Runs the program on our terminal and waits for it. Signals from the terminal reach the program
 * directly, so this process only records them; a signal that was sent to this process alone is
 * passed on. status_out: the exit status, or 128 + n after signal n.
 */
enum ps_status ps_child_run(const struct ps_child *child, int *status_out, struct ps_err *err);
/* Whether a signal interrupted the last ps_child_run. */
bool ps_child_interrupted(void);
/* Appends the processes that programs of ps_child_run started and that still run although their
 * program has ended: "4711 (sleep), 4712 (python3)". They get half a second to end. False: there is
 * none. Call it while this process has no other child. */
bool ps_child_list_left(struct ps_buf *out);

/* Runs a program with stdin at /dev/null and appends its stdout to out, up to a length of 64 KiB;
 * further output is dropped. `drops_stderr`: stderr is dropped, otherwise it is inherited. */
enum ps_status ps_child_capture(const char *path, const char *const *argv, bool drops_stderr,
                                struct ps_buf *out, int *status_out, struct ps_err *err);

/* Returns whether a child process has ended; with `waits`, returns only after it has. The caller
 * must then call waitpid; until it does, the system does not reuse the process id. */
bool ps_process_has_ended(pid_t pid, bool waits);

/* The path of a program: `name` itself if it contains a slash, else the first executable file in
 * PATH. malloc'ed; NULL if there is none. */
char *ps_find_program(const char *name);

#endif
