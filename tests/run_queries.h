/* SPDX-License-Identifier: MIT */
/*
 * run_query.h: every question that may be put to a run, for tests of runs that are odd: each view
 * of its kind with parameters that reach its branches, every public view by SQL, comparison, trend,
 * what-if and lines, and what is shared of it (reveals, a redacted copy, bundle, page as a file).
 */
#ifndef PS_TESTS_RUN_QUERIES_H
#define PS_TESTS_RUN_QUERIES_H

#include "server/catalog/store.h"

/* How many questions there are about a run of a kind. */
size_t run_queries_count(const char *kind);
/* What the i-th is, for messages: "window?px=3". */
const char *run_query_name(const char *kind, size_t i);
/* Puts the i-th. `base` is the run that comparisons take as base, which may be the run itself.
 * Aborts, having said why, when what was answered as good is not JSON, or not UTF-8. */
enum ps_status run_query(struct ps_store *store, const char *id, const char *base, const char *kind,
                         size_t i, struct ps_err *err);

/* Whether a view of a valid run file may end so: it is there, or was asked wrongly, or takes too
 * much. */
bool is_expected_status(enum ps_status status);

#endif
