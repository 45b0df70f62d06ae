/* SPDX-License-Identifier: MIT */
#include "server/catalog/retention.h"

#include <stdio.h>
#include <stdlib.h>

#include "server/catalog/clock_check.h"
#include "server/catalog/state.h"

#define HOUR_MS ((int64_t)3600 * 1000)
/* Index of the last column of keep_bytes.sql; 0 in this column: the run is kept. The other queries
 * do not have the column. */
#define COLUMN_IS_OVER_LIMIT 6

/* --- Choosing runs to delete --- */

static const char *query_of(const struct ps_retention_rule *rule)
{
    static const char *const of_shelf[] = {"keep_runs", "keep_age", "keep_bytes"};
    static const char *const of_series[] = {"keep_series_runs", "keep_series_age",
                                            "keep_series_bytes"};

    return (rule->scope == PS_RETAIN_IN_SHELF ? of_shelf : of_series)[rule->unit];
}

/* Appends a JSON array of the series that have rules of their own. */
static void name_series(const struct ps_retention *keep, struct ps_buf *out)
{
    struct ps_json json = ps_json_writer(out);

    ps_json_array(&json);
    for (size_t i = 0; i < keep->n; i++)
        if (keep->rules[i].scope == PS_RETAIN_IN_ONE_SERIES)
            ps_json_str(&json, ps_str_from_c(keep->rules[i].series));
    ps_json_end(&json);
}

static void add_candidate(struct ps_stmt *row, size_t rule, struct ps_prune_list *out)
{
    struct ps_prune_candidate *run;

    PS_RESERVE_ONE(out->items, out->n, out->cap);
    run = &out->items[out->n++];
    run->seq = ps_col_int(row, 0);
    ps_col_copy(row, 1, run->id, sizeof run->id);
    run->created_ms = ps_col_int(row, 2);
    run->bytes = (uint64_t)ps_col_int(row, 3);
    run->name = ps_arena_copy(&out->arena, ps_col_text(row, 4)).ptr;
    run->series = ps_arena_copy(&out->arena, ps_col_text(row, 5)).ptr;
    run->rule_index = rule;
}

static enum ps_status find_runs_of_rule(struct ps_db *db, const struct ps_retention *keep, size_t i,
                                        int64_t now_ms, struct ps_prune_list *out,
                                        struct ps_err *err)
{
    const struct ps_retention_rule *rule = &keep->rules[i];
    PS_AUTO(ps_buf_free) struct ps_buf named = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql(query_of(rule)), &stmt, err);
    name_series(keep, &named);
    ps_bind_text(stmt, ":named", ps_buf_slice(&named));
    ps_bind_text(stmt, ":series", rule->series ? ps_str_from_c(rule->series) : (struct ps_str){0});
    ps_bind_int(stmt, ":limit", rule->limit);
    ps_bind_int(stmt, ":before", now_ms - rule->limit);
    while (ps_stmt_step(stmt, err) &&
           (ps_col_count(stmt) <= COLUMN_IS_OVER_LIMIT || ps_col_int(stmt, COLUMN_IS_OVER_LIMIT)))
        add_candidate(stmt, i, out);
    return err->code;
}

static int by_age(const void *a_, const void *b_)
{
    const struct ps_prune_candidate *a = a_, *b = b_;

    if (a->created_ms != b->created_ms)
        return a->created_ms < b->created_ms ? -1 : 1;
    if (a->seq != b->seq)
        return a->seq < b->seq ? -1 : 1;
    return a->rule_index < b->rule_index ? -1 : a->rule_index > b->rule_index;
}

/* Sorts the runs, oldest first, and removes duplicates: of equal runs, the one with the lowest rule
 * remains. */
static void put_in_order(struct ps_prune_list *list)
{
    size_t n = 0;

    if (list->n)
        qsort(list->items, list->n, sizeof *list->items, by_age);
    for (size_t i = 0; i < list->n; i++)
        if (n == 0 || list->items[n - 1].seq != list->items[i].seq)
            list->items[n++] = list->items[i];
    list->n = n;
}

static enum ps_status find_all(struct ps_store *store, const struct ps_retention *keep,
                               int64_t now_ms, bool by_age_too, struct ps_prune_list *out,
                               struct ps_err *err)
{
    struct ps_db *db = NULL;
    enum ps_status status = ps_catalog_read(store, &db, err);

    *out = (struct ps_prune_list){.n = 0};
    for (size_t i = 0; status == PS_OK && i < keep->n; i++)
        if (by_age_too || keep->rules[i].unit != PS_RETAIN_BY_AGE)
            status = find_runs_of_rule(db, keep, i, now_ms, out, err);
    ps_catalog_read_end(store, db);
    put_in_order(out);
    return status;
}

enum ps_status ps_retention_find(struct ps_store *store, const struct ps_retention *keep,
                                 int64_t now_ms, struct ps_prune_list *out, struct ps_err *err)
{
    return find_all(store, keep, now_ms, true, out, err);
}

/* *out: how many runs the rules may delete at now_ms (keep_allowance.sql). */
static enum ps_status read_allowance(struct ps_store *store, int64_t now_ms, int64_t since_ms,
                                     size_t *out, struct ps_err *err)
{
    struct ps_db *db = NULL;
    struct ps_stmt *stmt = NULL;
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = ps_catalog_read(store, &db, err);

    *out = 0;
    if (status != PS_OK)
        return status;
    status = ps_db_prepare(db, ps_query_sql("keep_allowance"), &stmt, &own);
    if (status == PS_OK) {
        ps_bind_int(stmt, ":hour", now_ms - HOUR_MS);
        ps_bind_int(stmt, ":since", since_ms);
        if (ps_stmt_step(stmt, &own) && ps_col_int(stmt, 0) > 0)
            *out = (size_t)ps_col_int(stmt, 0);
    }
    ps_stmt_release(stmt);
    ps_catalog_read_end(store, db);
    return own.code == PS_OK ? PS_OK : ps_fail_copy(err, &own);
}

enum ps_status ps_retention_find_due(struct ps_store *store, const struct ps_retention *keep,
                                     int64_t since_ms, struct ps_retention_due *out,
                                     struct ps_err *err)
{
    struct ps_clocks now;
    enum ps_status status;

    *out = (struct ps_retention_due){.allowance = 0};
    ps_clocks_read(&now);
    status =
        find_all(store, keep, now.real_ms, ps_clock_check(store, &out->jump_ms), &out->runs, err);
    if (status == PS_OK && out->runs.n)
        status = read_allowance(store, now.real_ms, since_ms, &out->allowance, err);
    return status;
}

void ps_prune_list_free(struct ps_prune_list *list)
{
    free(list->items);
    ps_arena_free(&list->arena);
    *list = (struct ps_prune_list){.n = 0};
}

/* --- Deleting them --- */

/* Checks inside the transaction that the run still exists, is not a baseline, and is in the same
 * series. */
static enum ps_status is_still_due(struct ps_db *db, const void *user, struct ps_err *err)
{
    const struct ps_prune_candidate *run = user;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("keep_still"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(run->id));
    ps_bind_int(stmt, ":seq", run->seq);
    ps_bind_text(stmt, ":series", ps_str_from_c(run->series));
    if (ps_stmt_step(stmt, err))
        return PS_OK;
    if (err->code == PS_OK)
        ps_fail(err, PS_NOT_FOUND, "run %s was deleted meanwhile, or a rule keeps it now", run->id);
    return err->code;
}

enum ps_status ps_retention_remove(struct ps_store *store, const struct ps_retention *keep,
                                   const struct ps_prune_candidate *run, const char *user_name,
                                   struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf by = {0};

    if (user_name[0])
        ps_buf_printf(&by, "%s (--keep %s)", user_name, keep->rules[run->rule_index].text);
    else
        ps_buf_printf(&by, "--keep %s", keep->rules[run->rule_index].text);
    return ps_catalog_remove(store, &(struct ps_removal){run->id, by.ptr, is_still_due, run}, err);
}
