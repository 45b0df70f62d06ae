/* SPDX-License-Identifier: MIT */
/* progress.h: a bar on stderr for work that takes longer than a second, when stderr is a terminal.
 */
#ifndef PS_CLI_PROGRESS_H
#define PS_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct ps_progress {
    const char *subject; /* what is worked at, for instance a file's name */
    double started,
        drawn; /* seconds of the monotonic clock; drawn 0: nothing stands on the screen */
    bool terminal;
};

void ps_progress_start(struct ps_progress *progress, const char *subject);
/* The callback of an import, with a struct ps_progress as user. False once the process was
 * interrupted. */
bool ps_progress_step(void *progress, uint64_t done, uint64_t total, uint64_t records);
/* Clears the line. */
void ps_progress_end(struct ps_progress *progress);

/* From here on an interrupt (Ctrl-C, SIGTERM) lets work in progress end tidily instead of ending
 * the process. */
void ps_progress_catch_interrupts(void);
bool ps_progress_interrupted(void);

#endif
