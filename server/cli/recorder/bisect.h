/* SPDX-License-Identifier: MIT */
/* bisect.h: the state of `perfshelf bisect`, and how it is printed (bisect_report.c). */
#ifndef PS_CLI_BISECT_H
#define PS_CLI_BISECT_H

#include "compare/pairs.h"
#include "compare/stats.h"
#include "server/cli/recorder/bisect_git.h"
#include "server/cli/recorder/bisect_measure.h"
#include "server/cli/recorder/bisect_votes.h"

/* The measured pairs of two commits, and the logarithms of their ratios test / base. */
struct ps_bisect_pairs {
    double base[PS_GROUP_MAX], test[PS_GROUP_MAX], ratios[PS_GROUP_MAX];
    size_t n;
};

/* How two commits differ. */
struct ps_bisect_change {
    struct ps_pair_change pairs;
    size_t n;
    double base, test; /* medians */
    bool is_clear;     /* a difference that is not chance */
};

enum ps_bisect_step_state {
    PS_BISECT_STEP_GOOD,
    PS_BISECT_STEP_BAD,
    PS_BISECT_STEP_SKIPPED, /* it cannot be measured */
    PS_BISECT_STEP_UNCLEAR, /* the verdict stays open */
};

struct ps_bisect_step {
    const char *commit;
    enum ps_bisect_step_state state;
    const char *why; /* of a skipped commit */
    size_t n_pairs;
    double change; /* median of the ratios to the good end, minus 1; NAN without a pair */
    double error;  /* probability that the verdict is wrong */
};

struct ps_bisect {
    const struct ps_options *options;
    struct ps_bisect_git git;
    struct ps_bisect_measure measure;
    struct ps_bisect_side sides[2]; /* base, test */
    struct ps_bisect_pairs pairs;
    struct ps_bisect_votes votes; /* the judge of a step */
    int64_t max_pairs;            /* of two commits */
    const char *good, *bad;       /* the ends */
    struct ps_bisect_change ends; /* of the bad end over the good one */
    struct ps_bisect_step *steps;
    size_t n_steps, steps_cap;
    unsigned n_expected;            /* number of steps of a search without skipped commits */
    double right;                   /* probability that all verdicts are right */
    const char *found, *parent;     /* the first commit with the change; NULL: not found */
    struct ps_bisect_change change; /* of that commit over its parent */
    bool is_confirmed;              /* that change is the one of the ends */
    struct ps_arena arena;
};

/* Progress on stderr. */
void ps_bisect_print_ends(struct ps_bisect *bisect);
void ps_bisect_print_change(struct ps_bisect *bisect, const struct ps_bisect_change *change);
void ps_bisect_print_start(struct ps_bisect *bisect, int64_t n_candidates);
void ps_bisect_print_step(struct ps_bisect *bisect, const struct ps_bisect_step *step);
void ps_bisect_print_confirmation(struct ps_bisect *bisect);
/* The result on stdout, as text or as JSON. */
void ps_bisect_print_result(struct ps_bisect *bisect);

#endif
