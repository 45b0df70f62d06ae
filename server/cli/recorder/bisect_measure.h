/* SPDX-License-Identifier: MIT */
/* bisect_measure.h: builds and measures two commits in pairs, and adds the runs to the shelf. */
#ifndef PS_CLI_BISECT_MEASURE_H
#define PS_CLI_BISECT_MEASURE_H

#include "server/cli/recorder/pairs.h"
#include "server/cli/recorder/recording.h"

/* A commit in its worktree. */
struct ps_bisect_side {
    const char *name;   /* "base" or "test", of messages */
    const char *folder; /* in which the commands run */
    const char *commit;
    char why[240]; /* why the commit cannot be measured; "" if it can */

    struct ps_options options; /* with the labels of its runs */
    struct ps_recording recording;
    struct ps_arena arena;
};

/* What is measured, the same at all commits. */
struct ps_bisect_measure {
    const struct ps_options *options; /* --build, --file, --show-output, --tag, --note */
    const char *row;
    const char *const *words; /* the command */
    size_t n_words;
    const char *series; /* of the runs */
    char id[PS_PAIRS_ID_SIZE];
    int64_t n_warmup;
    struct ps_client *client;
    struct ps_pair_order order;
    int home;       /* the folder in which the program was started */
    unsigned n_set; /* number of the pair of commits, for the tag `ab` */
    char unit[64];  /* of the values, after the first one */
};

/* Checks what names the number of a command that is timed, without --file. */
enum ps_status ps_bisect_check_row(const char *row, struct ps_err *err);
/* Builds the commit that is checked out in the folder of a side, and runs the command for warm-up.
 * PS_OK with side->why if the commit cannot be measured. Call ps_bisect_side_close in any case. */
enum ps_status ps_bisect_side_prepare(struct ps_bisect_measure *measure,
                                      struct ps_bisect_side *side, const char *commit,
                                      struct ps_err *err);
/* Runs both sides once, in random order, and adds both runs. `pair` is from 0. PS_OK with the `why`
 * of a side if one failed. PS_CANCELLED: the user interrupted it. */
enum ps_status ps_bisect_pair(struct ps_bisect_measure *measure, struct ps_bisect_side sides[2],
                              int64_t pair, double values[2], struct ps_err *err);
/* Fails if the user interrupted the program. */
enum ps_status ps_bisect_check_interrupt(struct ps_err *err);
void ps_bisect_side_close(struct ps_bisect_side *side);

#endif
