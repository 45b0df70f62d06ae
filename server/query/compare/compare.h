/* SPDX-License-Identifier: MIT */
/* compare.h: declarations shared by the files that compare runs. Only this folder, trend/ and
 * search/ include it. */
#ifndef PS_QUERY_COMPARE_COMPARE_H
#define PS_QUERY_COMPARE_COMPARE_H

#include "compare/comparison.h"
#include "server/query/compare/groups.h"
#include "server/query/conclusion/claim.h"
#include "server/query/lines/source.h"
#include "server/query/lru_cache.h"
#include "server/query/query_tables.h"
#include "server/query/view.h"
#include "server/runfile/trace_steps.h"

struct ps_requests;

/* --- Tables (tables.c) --- */

/* A table by which runs can be compared. Runs of two kinds can be compared if both kinds have a
 * common table. */
struct ps_compare_table {
    /* PS_HAS_* flags (importers/kinds.h); runs whose kind has one of them have the table */
    unsigned needs_any;
    const char *name; /* name in the API */
    const char *query;
    /* computes the temporary table that the query reads; NULL: the query reads none */
    ps_make_rows *make_rows;
    /* a row without a name gets the text of its line in the attached source */
    bool names_rows_by_source;
    /* how the search across runs reads the names and places of the rows */
    enum ps_compare_names { PS_NOT_SEARCHED, PS_NAMES, PS_FUNCTION_NAMES, PS_LINE_NAMES } names;
};

/* Copies the description of the table's query to *out. The caller may remove metrics from the
 * copy. */
void ps_compare_table_head(const struct ps_compare_table *table, struct ps_query_comparison *out);

/* Returns the next table of a kind after the table `last`; the first table if `last` is NULL; NULL
 * after the last table. */
const struct ps_compare_table *ps_compare_next_table(const struct ps_compare_table *last,
                                                     const char *kind);
/* Returns the table of a kind by its name; NULL: there is none. */
const struct ps_compare_table *ps_compare_find_table(const char *name, const char *kind);
/* How the search across runs reads the names of tables of this name; PS_NOT_SEARCHED: there is no
 * such table. */
enum ps_compare_names ps_compare_names_of(const char *table);
/* Whether runs of these kinds have a common table. */
bool ps_compare_have_common_table(const char *kind, const char *other);

/* The kind of call tree of the runs. PS_NO_TREE: the runs have no call tree, or stacks in
 * different units. Totals of PS_TREE_CALLS are upper bounds. PS_TREE_LINES has the levels file,
 * function and line. of: the name of a table, whose tree is wanted where runs have several; NULL:
 * the tree that is shown first. */
enum ps_compare_tree {
    PS_NO_TREE,
    PS_TREE_IMPORTS,
    PS_TREE_STACKS,
    PS_TREE_TRACES,
    PS_TREE_CALLS,
    PS_TREE_LINES
};
enum ps_compare_tree ps_compare_tree_of(const struct ps_compare_groups *groups, const char *of);
/* Whether the kind of every run has one of the PS_HAS_ of `any`. */
bool ps_compare_all_have(const struct ps_compare_groups *groups, unsigned any);
/* Returns a message that explains why ps_compare_tree_of returned PS_NO_TREE; a static string. */
const char *ps_compare_explain_no_tree(const struct ps_compare_groups *groups);

/* --- Groups (groups.c) --- */

struct ps_compare_run {
    char id[PS_ID_SIZE], kind[32];
    double headline;
    char headline_unit[32], headline_label[64];
    double n_steps; /* of the chosen name; 0 if no step was chosen */
};
struct ps_compare_groups {
    struct ps_compare_run runs[2 * PS_GROUP_MAX]; /* the base runs first */
    size_t n_base, n_new; /* n_base 0: the single group `new` is described, not compared */
    /* Name of the ranges that are the steps of all runs: the parameter `step`. The headline of the
     * runs is then their mean. NULL: the steps that the files mark. */
    char *step;
    /* The sample type of runs that have several: the parameter `sample_type`, else the default of
     * the first run if all have it. The headline of the runs is then its total. NULL: each run
     * shows its own default. */
    char *sample_type;
};
/* Returns the unit of a metric in a run of the kind whose headline has this unit: weights of stacks
 * may have another unit (ps_kind_stack_unit). Returns "-" if the metric has no unit. */
const char *ps_compare_unit_of(const struct ps_query_metric *metric, const char *kind,
                               const char *headline_unit);
/* Stores in *unit the unit of a metric in the first run, "-" if it has no unit. Returns false if
 * other runs have another unit. */
bool ps_compare_get_unit(const struct ps_compare_groups *groups,
                         const struct ps_query_metric *metric, const char **unit);

/* Sets the sample type of the groups. PS_BAD_REQUEST: a run has none of this name. */
enum ps_status ps_compare_choose_sample_type(struct ps_store *store, const char *name,
                                             struct ps_compare_groups *groups, struct ps_err *err);
/* The parameter sample_type with this value, which may be NULL, for questions of one run. `space`:
 * memory for it. */
static inline struct ps_params ps_sample_type_param(const char *name, struct ps_param *space)
{
    *space = (struct ps_param){"sample_type", name};
    return (struct ps_params){space, 1};
}

/* --- Chosen steps (chosen.c) --- */

/* Sets the steps of the groups to the ranges of a name. PS_BAD_REQUEST: a run has none. */
enum ps_status ps_compare_choose_steps(struct ps_store *store, const char *step,
                                       struct ps_compare_groups *groups, struct ps_err *err);
/* The mean of the steps of a run in s, and their number. */
enum ps_status ps_chosen_step_mean(struct ps_store *store, const char *run, const char *kind,
                                   const char *step, double *mean_s, double *n, struct ps_err *err);
/* Makes the ranges of this name the steps of an opened run; *times receives them. Nothing if step
 * is NULL. The caller calls ps_db_set_step_times(db, NULL), then frees *times. */
enum ps_status ps_db_choose_steps(struct ps_db *db, const char *step, struct ps_step_times *times,
                                  struct ps_err *err);

/* --- Headline (headline.c) --- */

/* Writes the keys "headline", "no_headline" and "verdicts". The parameter `metric` names a metric
 * of the summary in place of the headline of the runs. */
enum ps_status ps_compare_write_headline(struct ps_store *store,
                                         const struct ps_compare_groups *groups,
                                         struct ps_params params, struct ps_json *json,
                                         struct ps_err *err);
/* --- Measurements (measurements.c) --- */

/* Appends the verdicts on all measurements, such as "1 of 7 measurements slower (sort +15.2 %), 6
 * within noise". Appends nothing if the headline says as much: the runs are no benchmarks, or each
 * has a single value of the same thing. */
enum ps_status ps_compare_sum_up(struct ps_store *store, const struct ps_compare_groups *groups,
                                 struct ps_buf *out, struct ps_err *err);

/* --- What values are per (per.c) --- */

enum ps_per { PS_PER_RUN, PS_PER_STEP, PS_PER_CALL, PS_N_PER };
extern const char *const ps_per_words[]; /* by enum ps_per */

/* The amounts of work of the runs that their totals grow with. */
struct ps_compare_work {
    const char *word; /* "steps", "calls" ...; NULL: unknown for some runs */
    double amounts[2 * PS_GROUP_MAX];
    bool is_mixed; /* the values are per step in some runs only, so the table cannot be compared */
};
enum ps_status ps_compare_work_read(struct ps_store *store, const struct ps_compare_groups *groups,
                                    const struct ps_query_comparison *head,
                                    struct ps_compare_work *out, struct ps_err *err);
/* Whether the table has values of steps that a person chose, if the runs have such ranges. */
bool ps_compare_has_step_values(const struct ps_query_comparison *head);
/* Stores what values can be per, the default first. Returns the number. */
size_t ps_compare_per(const struct ps_query_comparison *head, const struct ps_compare_work *work,
                      enum ps_per out[PS_N_PER]);
/* word: of a request; NULL or "": the default. PS_BAD_REQUEST: unknown, or not available. */
enum ps_status ps_compare_choose_per(const char *word, const struct ps_query_comparison *head,
                                     const struct ps_compare_work *work, enum ps_per *out,
                                     struct ps_err *err);
/* Keeps only metrics that have values per call; these do not add up. */
void ps_compare_keep_metrics_per_call(struct ps_query_comparison *head, double *resolution);
/* Writes the keys "per" and "work". */
void ps_compare_write_per(const struct ps_compare_groups *groups,
                          const struct ps_query_comparison *head,
                          const struct ps_compare_work *work, struct ps_json *json);

/* --- What changed (function_changes.c, import_changes.c) --- */

struct ps_conclusion;

/* Claims which own functions changed between two profiles: their calls, or the cost of a call.
 * Claims nothing if the runs are others, or hold too little to tell. */
enum ps_status ps_compare_claim_functions(struct ps_store *store,
                                          const struct ps_compare_groups *groups,
                                          struct ps_conclusion *c, struct ps_err *err);

/* Claims which packages are imported anew, no more, or in more time; of two import logs. */
enum ps_status ps_compare_claim_imports(struct ps_store *store,
                                        const struct ps_compare_groups *groups,
                                        struct ps_conclusion *c, struct ps_err *err);

/* Whether a change has the direction of that of the whole and, but for rounding, is not larger. */
bool ps_is_part_of(double change, double whole);
/* A change as a fact, without a unit. `whole`: the change of all of `things`, which is said of the
 * first change only; `has_callees`: the change contains that of what the subject calls. */
struct ps_fact ps_fact_of_change(double change, double whole, const char *things, bool is_first,
                                 bool has_callees);

/* Adds to a claim that its subject, or both it and `second` (or none), explain the change of the
 * whole, or are against each other. A change is never said to be a part of a smaller one. */
void ps_claim_explain(struct ps_arena *arena, struct ps_claim *claim, struct ps_subject second,
                      double first_change, double second_change, double whole, const char *unit);

/* --- Tables that the runs share (compare.c) --- */

struct ps_shared_table {
    const struct ps_compare_table *table;
    struct ps_query_comparison head; /* only metrics that the runs have */
    double resolution[PS_HEAD_METRICS];
    struct ps_compare_work work;
    bool is_shared; /* false: the runs do not have the table */
};
/* The table that is shown by default; !out->is_shared: the runs share none. */
enum ps_status ps_compare_first_table(struct ps_store *store,
                                      const struct ps_compare_groups *groups,
                                      struct ps_shared_table *out, struct ps_err *err);

/* --- Comparisons (read.c) --- */

/* Comparisons are cached, so that further pages and other sort orders need not read the runs
 * again. */

struct ps_cached_comparison {
    struct ps_cache_entry entry;
    const struct ps_compare_table *table;
    /* only metrics that the runs have, the requested metric first */
    struct ps_query_comparison head;
    /* unit of the stacks; metrics whose unit is @stacks in the query's head point to it */
    char stack_unit[32];
    double resolution;
    enum ps_per per;
    /* totals of the first metric as the tools state them, medians of both groups; NAN: the sums of
     * the rows are the totals */
    double whole_base, whole_new;
    bool is_single_group; /* a single group */
    struct ps_comparison *comparison;
};
/* Finds the comparison by the table `of` in the cache, or computes it. Its first metric is the
 * parameter `metric`. The caller releases *out with ps_cached_comparison_release. */
enum ps_status ps_cached_comparison_acquire(struct ps_store *store,
                                            const struct ps_compare_groups *groups, const char *of,
                                            struct ps_params params,
                                            struct ps_cached_comparison **out, struct ps_err *err);
void ps_cached_comparison_release(struct ps_cached_comparison *table); /* NULL is allowed */

/* Removes metrics from `head` that no run has, or whose unit differs between runs. *has: whether
 * any run has the table. resolution: array of PS_HEAD_METRICS values; [i] is the coarsest
 * resolution of head->metrics[i] over the runs, 0 if all values are exact. */
enum ps_status ps_compare_find_metrics(struct ps_store *store,
                                       const struct ps_compare_groups *groups,
                                       struct ps_query_comparison *head, double *resolution,
                                       bool *has, struct ps_err *err);

/* Adds the facts about one run: sets has_metric[i] to true if the run has the metric, *has to true
 * if it has the table, and resolution[i] to the resolution in the run if that is greater. */
enum ps_status ps_compare_find_metrics_of_run(struct ps_db *db,
                                              const struct ps_query_comparison *head,
                                              bool *has_metric, double *resolution, bool *has,
                                              struct ps_err *err);

/* Reads the total of a metric in a run as its tool states it; NAN: the sum of the rows is the
 * total. */
enum ps_status ps_compare_read_whole(struct ps_db *db, const struct ps_query_metric *metric,
                                     double *out, struct ps_err *err);

/* Rows below this share of the total may be missing and still count as 0, like rounding. */
#define PS_CUT_NOTABLE 0.001
/* Reads below which share of its total the profile of a run leaves out rows; 0: it has all. */
enum ps_status ps_compare_read_cut(struct ps_db *db, const struct ps_query_comparison *head,
                                   double *out, struct ps_err *err);

/* --- Rows of a run (run_rows.c) --- */

/* Indices of the columns of a table query, from 0; -1: the query has no such column. */
struct ps_row_columns {
    int id, name, place, function, line, cause, samples, stated, resolution, part, failed;
    int better, processes, n, stddev, q1, q3, low, high, load, measured;
    int metrics[PS_HEAD_METRICS], calls[PS_HEAD_METRICS];
};

struct ps_doubles {
    double *items;
    size_t cap;
};

/* Reads the rows of runs. Set store, table, head, on_row and user; the other members are internal.
 * Call ps_run_rows_read for each run, and ps_run_rows_free at the end. The function `on_row` is
 * called for each row. */
struct ps_run_rows {
    struct ps_store *store;
    const struct ps_compare_table *table;
    const struct ps_query_comparison *head;
    void (*on_row)(void *user,
                   const struct ps_compare_input *row); /* valid until the function returns */
    void *user;
    const char *mode; /* parameter of ps_make_stack_functions; NULL: its default */
    /* PS_PER_STEP: values are divided by `steps` of the run. PS_PER_CALL: values from head->n on
     * are the divisors of the metrics. */
    enum ps_per per;
    /* Values from head->n on are what the tools state; values before may be NAN. Otherwise what the
     * tools state replaces those. */
    bool states;
    double steps;
    double scale;            /* of stacks: the divisor of their weights */
    const char *sample_type; /* of stacks; NULL: the default of the run */
    const char *step;        /* name of the ranges that are the steps; NULL: those of the file */
    int64_t n_rows;          /* of all runs so far */

    const char *run;
    struct ps_row_columns columns;
    struct ps_buf path; /* path of the file whose lines are in `text` */
    struct ps_source_lines text;
    struct ps_buf name;
    struct ps_doubles samples, processes;
    const struct ps_requests *requests; /* of the run; NULL: not read */
};
enum ps_status ps_run_rows_read(struct ps_run_rows *rows, const char *run, struct ps_err *err);
void ps_run_rows_free(struct ps_run_rows *rows);

/* What the requests of a load say of a metric that its client states, such as "time to first token,
 * p99": its spread, by blocks of successive requests (request_spread.c). The spread is unknown if
 * the requests are too few, or the metric is not one of requests. is_median: `value` is the median
 * of the metric, unless that is a percentile; else its mean. */
struct ps_result ps_request_spread(const struct ps_requests *requests, uint32_t load,
                                   struct ps_str metric, double value, bool is_median);

/* --- Rows (cells.c) --- */

enum ps_comparison_column {
    PS_CMP_ID,
    PS_CMP_NAME,
    PS_CMP_PLACE,
    PS_CMP_BASE_PLACE,
    PS_CMP_FUNCTION,
    PS_CMP_LINE,
    PS_CMP_BASE_LINE,
    PS_CMP_CAUSE,
    PS_CMP_BASE_CAUSE,
    PS_CMP_CHANGE,
    PS_CMP_BASE,
    PS_CMP_NEW,
    PS_CMP_DELTA,
    PS_CMP_DELTA_PCT,
    PS_CMP_SHARE,
    PS_CMP_NOISE,
    PS_CMP_LOW,
    PS_CMP_HIGH,
    PS_CMP_P,
    PS_CMP_VERDICT,
    PS_CMP_IN_BASE,
    PS_CMP_IN_NEW,
    PS_CMP_PART, /* PS_CMP_PART to PS_CMP_SEEN exist only for measurements */
    PS_CMP_BETTER,
    PS_CMP_BASIS,
    PS_CMP_SEEN,
    PS_CMP_MAD, /* PS_CMP_MAD, PS_CMP_MIN and PS_CMP_MAX exist only for a single group */
    PS_CMP_MIN,
    PS_CMP_MAX,
    PS_CMP_SIZE, /* |delta|; a sort key, not a column */
    /* PS_CMP_OTHER_METRICS + 2 * i and + 2 * i + 1 are the medians of metric i + 1 in base and
     * new */
    PS_CMP_OTHER_METRICS
};
#define PS_CMP_COLUMNS_MAX (PS_CMP_OTHER_METRICS + 2 * PS_HEAD_METRICS)

/* Stores the columns of a row (enum ps_comparison_column) in the order of the output, and returns
 * their number. A single group has other columns than two groups. */
size_t ps_comparison_list_columns(const struct ps_cached_comparison *table,
                                  int out[PS_CMP_COLUMNS_MAX]);
/* Returns the name of a column: a static string, or `out` if the name contains the name of a
 * metric. */
const char *ps_comparison_column_name(const struct ps_cached_comparison *table, int column,
                                      char out[32]);
/* Returns the value of a column in a row. Texts are valid as long as the comparison. */
struct ps_value ps_comparison_column_value(const struct ps_cached_comparison *table,
                                           const struct ps_comparison_row *row, int column);

extern const char *const ps_verdict_words[]; /* indexed by enum ps_verdict; NULL: no verdict */
extern const char *const ps_change_words[];  /* indexed by enum ps_row_change; NULL: no change */

#endif
