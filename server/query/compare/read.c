/* SPDX-License-Identifier: MIT */
/*
 * read.c: reads the rows of runs into a comparison. Comparisons are cached for further pages and
 * other sort orders. The cache is thread-safe.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/catalog/readers.h"
#include "server/query/compare/compare.h"

#define VALUES_MAX      ((int64_t)64 << 20) /* maximum number of values in one comparison */
#define CACHE_BYTES_MAX ((size_t)256 << 20) /* maximum size of the cache in bytes */

/* --- Tables that the runs have --- */

/* Runs a SELECT from the head of a statement and stores the number in its first row; 0 if there is
 * no row. */
static enum ps_status read_number(struct ps_db *db, const char *select, double *out,
                                  struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, select, &stmt, err);
    *out = 0;
    if (ps_stmt_step(stmt, err))
        *out = ps_col_real(stmt, 0);
    return err->code;
}

static enum ps_status read_presence(struct ps_db *db, const char *select, bool *has,
                                    struct ps_err *err)
{
    double value = 1;

    if (select && !*has)
        read_number(db, select, &value, err);
    *has |= value != 0;
    return err->code;
}

enum ps_status ps_compare_find_metrics_of_run(struct ps_db *db,
                                              const struct ps_query_comparison *head,
                                              bool *has_metric, double *resolution, bool *has,
                                              struct ps_err *err)
{
    read_presence(db, head->presence_query, has, err);
    for (size_t i = 0; i < head->n; i++) {
        double value = 0;

        read_presence(db, head->metrics[i].presence_query, &has_metric[i], err);
        if (head->metrics[i].resolution)
            read_number(db, head->metrics[i].resolution, &value, err);
        resolution[i] = value > resolution[i] ? value : resolution[i];
    }
    return err->code;
}

/* Whether a metric that counts calls is missing: a sampling profiler counts none, so nothing has a
 * value per call. */
static bool lacks_calls(const struct ps_query_comparison *head, const bool *has_metric)
{
    for (size_t i = 0; i < head->n; i++)
        for (size_t k = 0; k < head->n && !has_metric[i]; k++)
            if (head->metrics[k].calls &&
                strcmp(head->metrics[k].calls, head->metrics[i].name) == 0)
                return true;
    return false;
}

enum ps_status ps_compare_find_metrics(struct ps_store *store,
                                       const struct ps_compare_groups *groups,
                                       struct ps_query_comparison *head, double *resolution,
                                       bool *has, struct ps_err *err)
{
    bool has_metric[PS_HEAD_METRICS] = {false};
    size_t n_kept = 0, n_having = 0;
    bool counts_calls;

    *has = false;
    for (size_t i = 0; i < PS_HEAD_METRICS; i++)
        resolution[i] = 0;
    for (size_t i = 0; err->code == PS_OK && i < groups->n_base + groups->n_new; i++) {
        struct ps_db *db = NULL;
        bool run_has = *has && !head->needs_all_runs;

        ps_run_acquire(store, groups->runs[i].id, &db, err);
        ps_compare_find_metrics_of_run(db, head, has_metric, resolution, &run_has, err);
        ps_run_release(db);
        n_having += run_has;
        *has = head->needs_all_runs ? n_having == i + 1 : run_has;
    }
    counts_calls = !lacks_calls(head, has_metric);
    for (size_t i = 0; i < head->n; i++) {
        const char *unit;

        if (!has_metric[i] || !ps_compare_get_unit(groups, &head->metrics[i], &unit))
            continue;
        head->metrics[n_kept] = head->metrics[i];
        if (!counts_calls)
            head->metrics[n_kept].calls = NULL;
        resolution[n_kept++] = resolution[i];
    }
    head->n = n_kept;
    for (size_t i = 0; i < n_kept; i++)
        if (strcmp(head->metrics[i].name, head->budget_metric) == 0)
            return err->code;
    if (n_kept)
        head->budget_metric = head->metrics[0].name;
    return err->code;
}

enum ps_status ps_compare_read_cut(struct ps_db *db, const struct ps_query_comparison *head,
                                   double *out, struct ps_err *err)
{
    *out = 0;
    return head->cut ? read_number(db, head->cut, out, err) : err->code;
}

/* --- Reading rows --- */

struct target {
    struct ps_comparison *comparison;
    size_t run_index;
};

static void add_row(void *user, const struct ps_compare_input *row)
{
    struct target *target = user;

    ps_comparison_add(target->comparison, target->run_index, row);
}

/* Tells the comparison which runs lack rows. */
static enum ps_status read_cuts(struct ps_store *store, const struct ps_compare_groups *groups,
                                const struct ps_cached_comparison *out, struct ps_err *err)
{
    for (size_t i = 0; out->head.cut && err->code == PS_OK && i < groups->n_base + groups->n_new;
         i++) {
        struct ps_db *db = NULL;
        double cut = 0;

        ps_run_acquire(store, groups->runs[i].id, &db, err);
        ps_compare_read_cut(db, &out->head, &cut, err);
        ps_run_release(db);
        if (cut >= PS_CUT_NOTABLE)
            ps_comparison_cut(out->comparison, i);
    }
    return err->code;
}

/* The recording of `record ab` that a run belongs to, and its pair there; "": none. */
struct pair_tag {
    char text[96];
};

static enum ps_status read_pair_tags(struct ps_store *store, const struct ps_compare_groups *groups,
                                     struct pair_tag *tags, struct ps_err *err)
{
    struct ps_db *db;

    ps_catalog_read(store, &db, err);
    for (size_t i = 0; err->code == PS_OK && i < groups->n_base + groups->n_new; i++) {
        PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

        tags[i].text[0] = '\0';
        ps_db_prepare(db, ps_query_sql("compare_headline"), &stmt, err);
        ps_bind_text(stmt, ":id", ps_str_from_c(groups->runs[i].id));
        ps_bind_text(stmt, ":figure", (struct ps_str){NULL, 0});
        if (ps_stmt_step(stmt, err) && !ps_col_is_null(stmt, 1) && !ps_col_is_null(stmt, 2))
            (void)snprintf(tags[i].text, sizeof tags[i].text, "%.70s %.20s",
                           ps_col_text(stmt, 1).ptr, ps_col_text(stmt, 2).ptr);
    }
    ps_catalog_read_end(store, db);
    return err->code;
}

/* Tells the comparison which measured runs were recorded in pairs, if all were. */
static enum ps_status read_pairs(struct ps_store *store, const struct ps_compare_groups *groups,
                                 struct ps_comparison *comparison, struct ps_err *err)
{
    const size_t n = groups->n_base;
    PS_AUTO(ps_free_ptr) struct pair_tag *tags = ps_alloc_array(2 * n + 1, sizeof *tags);
    uint32_t pairs[PS_GROUP_MAX];
    bool is_used[PS_GROUP_MAX] = {false};

    if (n < 2 || n != groups->n_new || read_pair_tags(store, groups, tags, err) != PS_OK)
        return err->code;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        while (k < n && (is_used[k] || strcmp(tags[i].text, tags[n + k].text) != 0))
            k++;
        if (k == n || !tags[i].text[0])
            return PS_OK;
        is_used[k] = true;
        pairs[i] = (uint32_t)k;
    }
    ps_comparison_pair(comparison, pairs);
    return PS_OK;
}

static enum ps_status read_runs(struct ps_store *store, const struct ps_compare_groups *groups,
                                const char *mode, const struct ps_compare_work *work,
                                struct ps_cached_comparison *out, struct ps_err *err)
{
    size_t n = groups->n_base + groups->n_new;
    struct target target = {.run_index = 0};
    struct ps_run_rows reader = {.store = store,
                                 .table = out->table,
                                 .head = &out->head,
                                 .on_row = add_row,
                                 .user = &target,
                                 .mode = mode,
                                 .per = out->per,
                                 .step = groups->step,
                                 .sample_type = groups->sample_type,
                                 .states = out->head.place_is_unit};
    const size_t n_metrics =
        out->per == PS_PER_CALL || reader.states ? 2 * out->head.n : out->head.n;

    out->comparison = ps_comparison_new(groups->n_base, groups->n_new, n_metrics);
    if (out->per == PS_PER_CALL)
        ps_comparison_divide(out->comparison);
    if (reader.states) {
        ps_comparison_measure(out->comparison);
        read_pairs(store, groups, out->comparison, err);
    }
    target.comparison = out->comparison;
    if (out->head.place_is_path)
        ps_comparison_match_paths(out->comparison);
    read_cuts(store, groups, out, err);
    for (size_t i = 0; err->code == PS_OK && i < n; i++) {
        int64_t before = reader.n_rows;

        target.run_index = i;
        reader.steps = work->amounts[i];
        ps_run_rows_read(&reader, groups->runs[i].id, err);
        if ((reader.n_rows - before) * (int64_t)(n * n_metrics) > VALUES_MAX)
            ps_fail(err, PS_LIMIT,
                    "%zu runs with %lld rows are too many to compare at once" PS_HINT
                    "compare fewer runs",
                    n, (long long)(reader.n_rows - before));
    }
    if (err->code == PS_OK)
        ps_comparison_judge(out->comparison, out->resolution);
    ps_run_rows_free(&reader);
    return err->code;
}

/* --- Choosing the table --- */

static enum ps_status find_table(const struct ps_compare_groups *groups, const char *of,
                                 const struct ps_compare_table **out, struct ps_err *err)
{
    *out = ps_compare_find_table(of, groups->runs[0].kind);
    if (!*out)
        ps_fail(err, PS_NOT_FOUND, "runs of kind %s cannot be compared by %s", groups->runs[0].kind,
                of);
    return err->code;
}

/* Moves the metric `name`, and its resolution, to the front of out->head, because
 * ps_comparison_judge judges the first metric. NULL or "": the first metric remains first. */
static enum ps_status choose_metric(struct ps_cached_comparison *out, const char *name,
                                    double *resolution, struct ps_err *err)
{
    struct ps_query_metric chosen;
    double chosen_resolution;
    size_t index = 0;

    while (name && name[0] && index < out->head.n &&
           strcmp(out->head.metrics[index].name, name) != 0)
        index++;
    if (index == out->head.n)
        return ps_fail(err, PS_BAD_REQUEST, "these runs have no metric %s", name ? name : "");
    chosen = out->head.metrics[index];
    chosen_resolution = resolution[index];
    for (; index > 0; index--) {
        out->head.metrics[index] = out->head.metrics[index - 1];
        resolution[index] = resolution[index - 1];
    }
    out->head.metrics[0] = chosen;
    out->resolution = chosen_resolution;
    return err->code;
}

enum ps_status ps_compare_read_whole(struct ps_db *db, const struct ps_query_metric *metric,
                                     double *out, struct ps_err *err)
{
    *out = 0;
    if (metric->whole)
        read_number(db, metric->whole, out, err);
    *out = *out == 0 ? (double)NAN : *out;
    return err->code;
}

/* Reads the totals that the tools state of the first metric. */
static enum ps_status read_wholes(struct ps_store *store, const struct ps_compare_groups *groups,
                                  struct ps_cached_comparison *out, struct ps_err *err)
{
    double values[2 * PS_GROUP_MAX];
    const size_t n = groups->n_base + groups->n_new;
    bool known = out->per == PS_PER_RUN;

    out->whole_base = out->whole_new = NAN;
    for (size_t i = 0; known && err->code == PS_OK && i < n; i++) {
        struct ps_db *db = NULL;

        ps_run_acquire(store, groups->runs[i].id, &db, err);
        ps_compare_read_whole(db, &out->head.metrics[0], &values[i], err);
        ps_run_release(db);
        known = !isnan(values[i]);
    }
    if (!known || err->code != PS_OK)
        return err->code;
    out->whole_base = groups->n_base ? ps_group_median(values, groups->n_base) : 0;
    out->whole_new = ps_group_median(values + groups->n_base, groups->n_new);
    return err->code;
}

static enum ps_status make_comparison(struct ps_store *store,
                                      const struct ps_compare_groups *groups,
                                      const struct ps_compare_table *table, struct ps_params params,
                                      struct ps_cached_comparison *out, struct ps_err *err)
{
    double resolution[PS_HEAD_METRICS];
    struct ps_compare_work work;
    bool has = false;

    out->table = table;
    out->is_single_group = groups->n_base == 0;
    ps_compare_table_head(table, &out->head);
    if (ps_compare_find_metrics(store, groups, &out->head, resolution, &has, err) == PS_OK && !has)
        return ps_fail(err, PS_NOT_FOUND, "these runs have no table %s to compare", table->name);
    ps_compare_work_read(store, groups, &out->head, &work, err);
    if (err->code == PS_OK && work.is_mixed)
        return ps_fail(err, PS_NOT_FOUND, "%s",
                       groups->step ? "the parts of chosen steps are not recorded"
                                    : "only some of these runs have steps");
    if (err->code != PS_OK || ps_compare_choose_per(ps_param_get(params, "per"), &out->head, &work,
                                                    &out->per, err) != PS_OK)
        return err->code;
    if (out->per == PS_PER_CALL)
        ps_compare_keep_metrics_per_call(&out->head, resolution);
    if (choose_metric(out, ps_param_get(params, "metric"), resolution, err) != PS_OK)
        return err->code;
    read_wholes(store, groups, out, err);
    if (out->per == PS_PER_STEP)
        out->resolution = 0; /* the total's, divided by the steps of each run */
    for (size_t i = 0; i < out->head.n; i++) {
        const char *unit;

        (void)ps_compare_get_unit(groups, &out->head.metrics[i], &unit);
        if (unit != out->head.metrics[i].unit) {
            (void)snprintf(out->stack_unit, sizeof out->stack_unit, "%s", unit);
            out->head.metrics[i].unit = out->stack_unit;
        }
    }
    return read_runs(store, groups, ps_param_get(params, "mode"), &work, out, err);
}

/* --- Cache --- */

static void table_free(struct ps_cache_entry *entry)
{
    struct ps_cached_comparison *table = (struct ps_cached_comparison *)entry;

    ps_comparison_free(table->comparison);
    free(entry->key);
    free(table);
}

static struct ps_lru_cache tables = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                     .claim_ended = PTHREAD_COND_INITIALIZER,
                                     .bytes_max = CACHE_BYTES_MAX,
                                     .free_entry = table_free};

/* Returns the cache key of a comparison; the caller frees it. Users may attach sources to runs
 * later, so the keys of tables that show source lines include the version of the shelf. */
static char *key_of(struct ps_store *store, const struct ps_compare_groups *groups,
                    const struct ps_compare_table *table, struct ps_params params)
{
    const char *metric = ps_param_get(params, "metric"), *per = ps_param_get(params, "per");
    const char *mode = table->make_rows ? ps_param_get(params, "mode") : NULL;
    struct ps_buf key = {0};

    ps_buf_printf(&key, "%p %s %s %s %s %zu %lld", (void *)store, table->query,
                  metric ? metric : "", per ? per : "", mode ? mode : "", groups->n_base,
                  table->names_rows_by_source ? (long long)ps_store_version(store) : 0);
    for (size_t i = 0; i < groups->n_base + groups->n_new; i++)
        ps_buf_printf(&key, " %s", groups->runs[i].id);
    if (groups->step)
        ps_buf_printf(&key, " %s", groups->step);
    if (groups->sample_type)
        ps_buf_printf(&key, " sample type %s", groups->sample_type);
    return key.ptr;
}

void ps_cached_comparison_release(struct ps_cached_comparison *table)
{
    ps_lru_cache_release(&tables, table ? &table->entry : NULL);
}

enum ps_status ps_cached_comparison_acquire(struct ps_store *store,
                                            const struct ps_compare_groups *groups, const char *of,
                                            struct ps_params params,
                                            struct ps_cached_comparison **out, struct ps_err *err)
{
    const struct ps_compare_table *table;
    PS_AUTO(ps_free_ptr) char *key = NULL;
    struct ps_cache_claim claim;

    *out = NULL;
    if (find_table(groups, of, &table, err) != PS_OK)
        return err->code;
    key = key_of(store, groups, table, params);
    *out = (struct ps_cached_comparison *)ps_lru_cache_claim(&tables, key, &claim);
    if (*out)
        return PS_OK;
    *out = ps_alloc(sizeof **out);
    make_comparison(store, groups, table, params, *out, err);
    if (err->code == PS_OK) {
        ps_lru_cache_put(&tables, &(*out)->entry, ps_strdup(ps_str_from_c(key)),
                         ps_comparison_bytes((*out)->comparison));
    } else {
        ps_cached_comparison_release(*out);
        *out = NULL;
    }
    ps_lru_cache_unclaim(&tables, &claim);
    return err->code;
}
