/* SPDX-License-Identifier: MIT */
/* progress.h: a progress bar on stderr for work that takes longer than a second; only on a
 * terminal. */
#ifndef PS_CLI_PROGRESS_H
#define PS_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct ps_progress {
    const char *subject;       /* name of the processed file or command */
    double started_s, drawn_s; /* seconds of the monotonic clock; drawn 0: no bar is shown */
    bool is_terminal;
};

void ps_progress_start(struct ps_progress *progress, const char *subject);
/* Progress callback of imports; `progress` is a struct ps_progress, done and total are in bytes.
 * Returns false when the process was interrupted. */
bool ps_progress_step(void *progress, uint64_t done, uint64_t total, uint64_t records);
/* Clears the progress bar. */
void ps_progress_end(struct ps_progress *progress);

/* From now on an interrupt (SIGINT, SIGTERM) only sets a flag, so that the current work can stop
 * cleanly. */
void ps_progress_catch_interrupts(void);
bool ps_progress_interrupted(void);

#endif
