/* SPDX-License-Identifier: MIT */
/* check.h: checks runs against budgets and a baseline, and words what it finds. `perfshelf check`,
 * `record ab` and the tool check print the findings. */
#ifndef PS_AGENT_CHECK_H
#define PS_AGENT_CHECK_H

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "server/text/output.h"

/* What an allowed growth may be, for a hint. */
#define PS_GROWTH_FORM "a number, with a unit or %, such as 10%, 50ms or 2MiB"

enum ps_check_state {
    PS_CHECK_WITHIN,
    PS_CHECK_OVER,
    PS_CHECK_MISSING,
    PS_CHECK_ADDED,
    PS_CHECK_UNKNOWN,   /* over the limit, but nothing tells that from noise */
    PS_CHECK_BETTER,    /* significantly */
    PS_CHECK_UNMEASURED /* failed or skipped, in the baseline too */
};
#define PS_CHECK_STATES (PS_CHECK_UNMEASURED + 1)

/* The result for one row, measurement or headline. Texts are valid during the call. */
struct ps_check_finding {
    enum ps_check_state state;
    const char *name, *place;  /* place: NULL if it is not shown */
    double value, limit, base; /* each NAN if absent */
    const char *unit;          /* NULL: the name is missing */
    const char *significance;  /* "significant", "within noise", "unknown", NULL */
    char limit_text[80], comparison_text[160];
    struct ps_buf details; /* lines, each with its line break; they may have names */
};

struct ps_check {
    /* GET `path`, below /api/v1/: appends the JSON of the response to `out`. */
    enum ps_status (*ask)(void *user, const char *path, struct ps_buf *out, struct ps_err *err);
    /* Receives each finding, in their order. */
    void (*found)(void *user, const struct ps_check_finding *finding);
    void *user;
    const char *run;     /* RUN or a group: what is checked */
    const char *against; /* the baseline; NULL: budgets only */
    const char *fail_on; /* allowed growth; NULL: +10% */
    const char *metric;  /* of the summary, in place of the headline; NULL: the headline */
    const char *step;    /* name of the ranges that are the steps; NULL: those of the files */
    const char *goodput; /* limits of requests, for the budget "goodput"; NULL: none */
    const char *same;    /* facts of the environment that must be the same; NULL: none */
    const char *const *budgets; /* "imports.torch=1.2s" or "headline=2s" */
    size_t n_budgets;
    bool finds_all; /* also measurements that are within, added, better or unmeasured; else they are
                       counted */

    /* private, and read by callers: */
    struct ps_buf text; /* the response of GET compare */
    cJSON *response;    /* the same as a tree */
    struct ps_buf base; /* the ids of the baseline without the checked runs */
    size_t n_checked, n_over, n_missing;
    /* Measurements by state. */
    size_t n_measurements[PS_CHECK_STATES];
    size_t n_noisy;      /* of them: their noise hides the allowed growth */
    double files_needed; /* of each side, to see the allowed growth in each of them */
    size_t n_not_judged; /* of n_missing: nothing was measured, which is no success */
};

/* "within", "over", "missing", "added", "unknown", "better" or "unmeasured". */
const char *ps_check_state_word(enum ps_check_state state);

/* Checks the form of the budgets and of the allowed growth, before anything is asked.
 * PS_BAD_REQUEST: wrong, or there is nothing to check. */
enum ps_status ps_check_validate(const struct ps_check *check, struct ps_err *err);
/* Asks for the comparison of the run with its baseline, without the checked runs.
 * PS_NOT_FOUND: no run of the baseline is left. */
enum ps_status ps_check_compare(struct ps_check *check, struct ps_err *err);
/* Judges the budgets, in their order, then the growth. PS_BAD_REQUEST: a unit does not fit, or
 * nothing has the name. */
enum ps_status ps_check_judge(struct ps_check *check, struct ps_err *err);
/* Whether a value is over its limit or could not be judged. */
bool ps_check_has_failed(const struct ps_check *check);
/* Appends "1 of 3 over the limit, 1 missing". With measurements also "; 1 better, 1 within". */
void ps_check_sum_up(const struct ps_check *check, struct ps_buf *out);
/* Appends lines, each with its line break, on how certain the judgements of measurements are. */
void ps_check_explain(const struct ps_check *check, struct ps_buf *out);
/* A table of findings. Initialize with `struct ps_check_table table = {.out = out};`. */
struct ps_check_table {
    struct ps_output *out;
    size_t n_rows;
    struct ps_buf details; /* paragraphs about the rows, separated by NUL */
};
void ps_check_begin_table(struct ps_check_table *table);
void ps_check_add_row(struct ps_check_table *table, const struct ps_check_finding *finding);
/* Ends the table, and adds "VERDICT: SUM." and what explains the findings. */
void ps_check_end_table(struct ps_check_table *table, const char *verdict,
                        const struct ps_check *check);
/* Frees what the functions above allocated. */
void ps_check_free(struct ps_check *check); /* for PS_AUTO */

#endif
