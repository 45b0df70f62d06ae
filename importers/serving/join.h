/* SPDX-License-Identifier: MIT */
/* join.h: the parts of joining the files of a serving run; sv_join calls them. */
#ifndef PS_IMPORTERS_SERVING_JOIN_H
#define PS_IMPORTERS_SERVING_JOIN_H

#include "importers/serving/serving.h"

/* --- join_order.c: two lists of the same things in the same order --- */

#define SV_NO_MATCH SIZE_MAX

/* Finds for each of n_b keys the index of the same thing among n_a keys, or SV_NO_MATCH: the two
 * lists are parts of one list, so that they agree after a shift. Keys that are rare decide.
 * Returns the number of matches; 0 unless nearly all keys of the common part agree. */
size_t sv_match_order(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b,
                      size_t *matches);

/* --- join_steps.c --- */

/* Finds steps that several files have: by their times if the clocks of both are known, else by
 * their order and counts, which also gives the offset of the clock. The step of the log keeps its
 * times, and gets the step of the trace; the others are removed. */
void sv_join_steps(struct sv_run *run);

#endif
