/* SPDX-License-Identifier: MIT */
/*
 * line_calls.h: which measured functions the lines of a line profile call, and how much of the time
 * of a line is theirs.
 *
 * The time of a line contains the functions that it calls. The text of a line tells whether it
 * calls a function: then its hits at the cost of a call are the function's, or all calls that no
 * other line makes if the line may call it several times. If the text is unknown, counts and times
 * tell: the function has a part of the time of the line and as many calls as the line has hits, or
 * nearly all of its time and more calls. Everything here computes in memory.
 */
#ifndef PS_QUERY_LINE_CALLS_H
#define PS_QUERY_LINE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define PS_NO_MEASURED SIZE_MAX

struct ps_measured_function {
    struct ps_str name;  /* qualified: "Vocabulary.add" */
    double whole, calls; /* of all of its lines; hits of the first line that ran */
    double loop_calls;   /* the calls if the first line begins a loop; 0 or less: it cannot */

    /* computed */
    double own;        /* without other measured functions, and without its calls of itself */
    bool is_recursive; /* a line calls the function itself: inner calls are in `whole` again */
    bool is_called;    /* by a line of another measured function */
    size_t caller;     /* the line with the most of its time; PS_NO_MEASURED: none */
};

struct ps_measured_line {
    size_t function; /* index */
    struct ps_str source;
    double hits, amount;

    /* computed */
    bool calls_itself;
    double below;      /* the part of `amount` in measured functions */
    double most_below; /* the part in `callee`, the one with the most; 0: there is none */
    size_t callee;
};

void ps_line_calls_find(struct ps_measured_function *functions, size_t n_functions,
                        struct ps_measured_line *lines, size_t n_lines);

/* Whether the text has the name without a bracket, and does not define or import it: as a value,
 * which is called elsewhere. `name`: qualified. */
bool ps_line_passes_name(struct ps_str source, struct ps_str name);

#endif
