/* SPDX-License-Identifier: MIT */
/* timeit_text.h: parses single lines of the output of timeit. Private to timeit.c; the unit tests
 * use it too. */
#ifndef PS_IMPORTERS_MEASUREMENTS_TIMEIT_TEXT_H
#define PS_IMPORTERS_MEASUREMENTS_TIMEIT_TEXT_H

#include "importers/measurements/measure_text.h"

enum ps_loops_kind { PS_LOOPS_BEST, PS_LOOPS_AVERAGE, PS_LOOPS_MEAN };

/* A result: "1000 loops, best of 5: 224 nsec per loop", PyPy's "average of 7: 1.04 +- 0.06 usec",
 * IPython's "90.9 ns ± 9.83 ns per loop (mean ± std. dev. of 3 runs, 100 loops each)". */
struct ps_loops {
    enum ps_loops_kind kind;
    int64_t n_loops, n_repeats;
    /* seconds per loop; stddev is only set for PS_LOOPS_AVERAGE and PS_LOOPS_MEAN */
    struct ps_printed_number value, stddev;
};
bool ps_timeit_parse_loops(struct ps_str line, struct ps_loops *out);

/* Reads a time with its unit, "1.05 sec", "90.9 ns", "1min 2s", in seconds, and removes it from
 * *rest. */
bool ps_timeit_consume_time(struct ps_str *rest, struct ps_printed_number *out);

/* Reads the next time of the list: "20.4 usec, 17.9 usec", or seconds without a unit, "2.6e-05
 * 2.38e-05". */
bool ps_timeit_next_raw(struct ps_str *list, struct ps_printed_number *out);

/* The line "CPU times: user 8 µs, sys: 0 ns, total: 8 µs"; parts may be missing. */
struct ps_cpu_times {
    bool has_user, has_sys, has_total;
    struct ps_printed_number user, sys, total;
};

/* Whether the line is "1000 loops -> 0.000121 sec", a trial in which timeit determines the number
 * of loops. */
bool ps_timeit_is_trial(struct ps_str line);

#endif
