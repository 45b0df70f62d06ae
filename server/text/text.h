/* SPDX-License-Identifier: MIT */
/*
 * text.h: writes the answers of the API (docs/api.md) as text. Commands and tools for agents ask
 * the same questions; what they print comes from here, with the same words, numbers and order of
 * rows.
 *
 * The functions write to an output (output.h) between ps_output_begin and ps_output_end. None
 * fails: what an answer lacks is left out.
 */
#ifndef PS_TEXT_TEXT_H
#define PS_TEXT_TEXT_H

#include "server/text/answer.h"
#include "server/text/output.h"

/* --- The conclusion of a run: GET runs/ID/conclusion --- */

/* The first sentences. */
void ps_text_verdict(struct ps_output *out, const cJSON *conclusion);
/* The first sentences, the causes, the composition and the notes. */
void ps_text_conclusion(struct ps_output *out, const cJSON *conclusion);

/* --- What a run lacks: GET runs/ID --- */

/* The fact that an older perfshelf did not read some parts, so that nobody takes absent for zero.
 */
void ps_text_lacks(struct ps_output *out, const cJSON *run);

/* --- Sample types: GET runs/ID/sample-types --- */

/* The facts which sample type is shown, and which others the run has, each with its total. name:
 * the type that was asked for; NULL: the default. Nothing if `types` is NULL. */
void ps_text_sample_types(struct ps_output *out, const cJSON *types, const char *name);
/* The fact which sample type is compared; nothing for runs without. compared: of GET compare. */
void ps_text_compared_type(struct ps_output *out, const cJSON *compared);

/* --- The environment of a run: GET runs/ID/environment --- */

/* All facts but the tool in a line, and some of the packages. Nothing if none is known. */
void ps_text_environment(struct ps_output *out, const cJSON *answer);

/* --- Rows: GET compare and GET compare/TABLE, without base --- */

/* Adds what became of the requests of two serving runs: the answer of GET compare/requests/summary.
 */
void ps_text_request_pairs(struct ps_output *out, const cJSON *summary);
/* Adds the pairs with the largest change: a page of GET compare/requests. */
void ps_text_request_pair_rows(struct ps_output *out, const cJSON *page);

/* Adds the goodput of each load of a serving run: the answer of GET runs/{run}/goodput. */
void ps_text_goodput(struct ps_output *out, const cJSON *answer);

/* The runs, and their common headline. */
void ps_text_group(struct ps_output *out, const cJSON *response);
/* table, metric: elements of the response; page: the rows. sorted_by: what orders them; NULL: the
 * metric. */
void ps_text_rows(struct ps_output *out, const cJSON *response, const cJSON *table,
                  const cJSON *metric, const cJSON *page, const char *sorted_by);
/* The rows of a run of benchmarks. page: the answer of runs/ID/measurements. sorted_by: NULL: the
 * order of the file. */
void ps_text_results(struct ps_output *out, const cJSON *page, const char *sorted_by);

/* --- Requests of a load test: GET runs/ID/requests and below it --- */

/* Their percentiles, what the late ones waited for, and rows. summary: of requests/summary; page:
 * the latest first tokens of runs/ID/requests. */
void ps_text_requests(struct ps_output *out, const cJSON *summary, const cJSON *page);
/* One request with the causes of its time to the first token. request: of requests/{id}. */
void ps_text_request(struct ps_output *out, const cJSON *request);

/* --- What changed: GET compare and below it --- */

/* "slower", "within noise" ...; "more" and "less" for units that are not of time. */
const char *ps_text_verdict_word(const char *verdict, const char *unit);
/* Whether the groups were recorded in different environments. */
void ps_text_environments(struct ps_output *out, const cJSON *response);
/* The change of the headline, and its certainty. */
void ps_text_headline(struct ps_output *out, const cJSON *response);
/* How sure the verdict on the headline is, and what to record if it is not. */
void ps_text_certainty(struct ps_output *out, const cJSON *response);
/* Appends lines about the pairs of a headline: test and interval, noise, drift, modes; or why runs
 * of pairs were compared as groups. Nothing if no run is one of a pair. limit_pct: the change that
 * should be seen, NAN if there is none. */
void ps_text_pairs(const cJSON *headline, double limit_pct, struct ps_buf *out);
#define PS_PAIRS_MAX 200 /* maximum of --pairs: a comparison has at most so many runs a group */
/* What changed, or the rows that explain the difference. */
void ps_text_change(struct ps_output *out, const cJSON *conclusion);
/* The rows of a table that changed, or that one group lacks. */
void ps_text_changes(struct ps_output *out, const cJSON *table, const cJSON *metric,
                     const cJSON *page);
/* The stacks of two memory snapshots, at most max_rows of the output and the rest as one. answer:
 * of GET compare/snapshot. */
void ps_text_stacks(struct ps_output *out, const cJSON *response, const cJSON *answer);

/* --- A report on two groups: GET compare --- */

struct ps_text_report {
    const cJSON *compared; /* of GET compare */
    /* of GET runs/ID/environment, of the first run of each group; NULL: unknown */
    const cJSON *base_environment, *new_environment;
};
/* A table of what was run and where, with what differs between the groups. */
void ps_text_report_runs(struct ps_output *out, const struct ps_text_report *report);
/* What the comparison of two profiles says about the cause, and which profiles these are. profiles:
 * of GET compare; conclusion: of GET compare/conclusion. */
void ps_text_report_profiles(struct ps_output *out, const cJSON *profiles, const cJSON *conclusion);

/* --- A series: GET trend and GET trend/rows --- */

/* The points and change points of a value, or the rows of a table that changed. */
void ps_text_trend(struct ps_output *out, const cJSON *trend);

/* --- Lazy imports: GET runs/ID/what_if --- */

/* Suggestions; or the estimate, if the question named imports. */
void ps_text_lazy_imports(struct ps_output *out, const cJSON *answer);

/* --- Parts of several answers --- */

/* The fact "5 runs: `a` (run 1430…), `b` (run …), `c` (run …) and 2 more". */
void ps_text_runs(struct ps_output *out, const char *label, const cJSON *runs);
/* Whether each row of a table has its own unit, in the column place. */
bool ps_text_has_own_units(const cJSON *table);
/* The unit of a metric in a row. */
const char *ps_text_row_unit(const cJSON *table, const cJSON *metric, const cJSON *page, int row);
/* Adds the cell with the name of a row and its place. */
void ps_text_row_name(struct ps_output *out, const cJSON *table, const cJSON *page, int row);

#endif
