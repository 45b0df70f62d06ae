/* SPDX-License-Identifier: MIT */
/* check_judge.h: what the files of the check share: its questions, and judgements of budgets and of
 * growth. Only check*.c include it. */
#ifndef PS_AGENT_CHECK_JUDGE_H
#define PS_AGENT_CHECK_JUDGE_H

#include "server/agent/budget.h"
#include "server/agent/check.h"

/* The runs of the group "base" or "new". */
const cJSON *ps_check_runs(const struct ps_check *check, const char *group);
int ps_check_count_base(const struct ps_check *check);
/* The id of the first checked run. */
const char *ps_check_first_run(const struct ps_check *check);
/* Asks for `path`, and parses the answer. Does nothing if *err is filled. */
enum ps_status ps_check_ask(const struct ps_check *check, const struct ps_buf *path, cJSON **out,
                            struct ps_err *err);
/* Appends "compare", or "compare/OF" for a table, with the runs and the baseline. */
void ps_check_add_path(const struct ps_check *check, const char *of, struct ps_buf *path);
/* Asks for rows of a table. name: only rows of exactly this name; NULL: all. */
enum ps_status ps_check_ask_rows(const struct ps_check *check, const cJSON *table,
                                 const cJSON *metric, const char *name, const char *per,
                                 cJSON **out, struct ps_err *err);
/* Asks for all measurements as an array of objects, those that changed first. */
enum ps_status ps_check_ask_measurements(const struct ps_check *check, cJSON **out,
                                         struct ps_err *err);
/* Whether the measurements of the runs are judged in place of their headline. */
bool ps_check_has_verdicts(const struct ps_check *check);
/* PS_BAD_REQUEST: the runs have no common headline. */
enum ps_status ps_check_headline(const struct ps_check *check, const cJSON **out,
                                 struct ps_err *err);

bool ps_check_is_above(double value, double limit);
/* Why a value of 0 says nothing: a program that ran took time. NULL: 0 is a value. */
const char *ps_check_explain_zero(const char *unit);
/* A budget whose unit only some rows have counts for these. own: the result for one row. */
enum ps_status ps_check_skip_unit(struct ps_err *unit_err, const struct ps_err *own,
                                  struct ps_err *err);
/* Fails if a unit did not fit, and fitted no other row: no finding was added since `before`. */
enum ps_status ps_check_fail_units(const struct ps_check *check, size_t before,
                                   const struct ps_err *unit_err, struct ps_err *err);

void ps_check_finding_free(struct ps_check_finding *finding); /* for PS_AUTO */
/* Counts a finding and passes it to the caller of the check. */
void ps_check_add_finding(struct ps_check *check, const struct ps_check_finding *finding);
/* Adds a line to its details. */
void ps_check_add_detail(struct ps_check_finding *finding, const char *text);

/* PS_BAD_REQUEST: the unit does not fit, or nothing has the name. */
enum ps_status ps_check_judge_budget(struct ps_check *check, const struct ps_budget *budget,
                                     struct ps_err *err);
/* Judges the growth against the baseline. */
enum ps_status ps_check_judge_growth(struct ps_check *check, struct ps_err *err);

#endif
