/* SPDX-License-Identifier: MIT */
/* compare_groups.c: which runs are compared. */
#include <stdio.h>
#include <stdlib.h>

#include "server/query/compare.h"

struct group {
    struct ps_compare_run *at;
    size_t n;
};

static enum ps_status add_run(struct group *group, const char *id, const char *key,
                              struct ps_err *err)
{
    for (size_t i = 0; i < group->n; i++)
        if (strcmp(group->at[i].id, id) == 0)
            return ps_fail(err, PS_BAD_REQUEST, "%s names run %s twice", key, id);
    if (group->n == PS_GROUP_MAX)
        return ps_fail(err, PS_BAD_REQUEST, "%s names more than %d runs", key, PS_GROUP_MAX);
    (void)snprintf(group->at[group->n++].id, PS_ID_SIZE, "%s", id);
    return PS_OK;
}

/* "series:nightly", "tag:branch=main" */
static enum ps_status add_many(struct ps_store *store, struct group *group, const char *word,
                               const char *key, struct ps_err *err)
{
    bool series = strncmp(word, "series:", 7) == 0;
    const char *value = strchr(word, ':') + 1;
    struct ps_db *db;
    struct ps_stmt *stmt = NULL;
    size_t before = group->n;
    enum ps_status status = ps_catalog_read(store, &db, err);

    if (status == PS_OK)
        status = ps_db_prepare(db, ps_sql_text(series ? "compare_series" : "compare_tagged"), &stmt,
                               err);
    if (status == PS_OK)
        ps_bind_text(stmt, series ? ":series" : ":tag", ps_str_of(value));
    while (status == PS_OK && ps_stmt_row(stmt, err)) {
        char id[PS_ID_SIZE];

        (void)snprintf(id, sizeof id, "%.16s", ps_col_text(stmt, 0).at);
        status = add_run(group, id, key, err);
    }
    ps_stmt_done(stmt);
    ps_catalog_read_end(store, db);
    if (status == PS_OK && group->n == before)
        return ps_fail(err, PS_NOT_FOUND, "no run has the %s %s", series ? "series" : "tag", value);
    return status == PS_OK && err->code != PS_OK ? err->code : status;
}

static enum ps_status add_word(struct ps_store *store, struct group *group, struct ps_str text,
                               const char *key, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *word = ps_strdup(text);
    char id[PS_ID_SIZE];
    enum ps_status status;

    if (strncmp(word, "series:", 7) == 0 || strncmp(word, "tag:", 4) == 0)
        return add_many(store, group, word, key, err);
    status = ps_store_resolve(store, word, id, err);
    return status == PS_OK ? add_run(group, id, key, err) : status;
}

static enum ps_status read_list(struct ps_store *store, struct ps_params params, const char *key,
                                struct group *group, struct ps_err *err)
{
    struct ps_str rest = ps_str_of(ps_param_get(params, key));
    enum ps_status status = PS_OK;

    while (status == PS_OK && rest.len) {
        const char *comma = memchr(rest.at, ',', rest.len);
        struct ps_str word = {rest.at, comma ? (size_t)(comma - rest.at) : rest.len};

        if (word.len)
            status = add_word(store, group, word, key, err);
        rest = ps_str_skip(rest, word.len + 1);
    }
    if (status == PS_OK && group->n == 0)
        return ps_fail(err, PS_BAD_REQUEST, "%s must name a run, or several with commas between",
                       key);
    return status;
}

enum ps_status ps_query_named(struct ps_store *store, const char *words,
                              char ids[PS_SQL_RUNS_MOST][PS_ID_SIZE], size_t *n, struct ps_err *err)
{
    struct ps_compare_run runs[PS_GROUP_MAX];
    struct ps_param param = {"runs", words};
    struct group group = {runs, 0};
    enum ps_status status = read_list(store, (struct ps_params){&param, 1}, param.key, &group, err);

    if (status == PS_OK && group.n > PS_SQL_RUNS_MOST)
        status = ps_fail(err, PS_BAD_REQUEST, "runs names more than %d runs", PS_SQL_RUNS_MOST);
    for (*n = 0; status == PS_OK && *n < group.n; ++*n)
        memcpy(ids[*n], runs[*n].id, PS_ID_SIZE);
    return status;
}

static enum ps_status read_run(struct ps_db *db, struct ps_compare_run *run, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_stmt_of_run(db, "compare_run", run->id, &stmt, err);

    if (status != PS_OK)
        return status;
    (void)snprintf(run->kind, sizeof run->kind, "%s", ps_col_text(stmt, 0).at);
    run->headline = ps_col_real(stmt, 1);
    (void)snprintf(run->unit, sizeof run->unit, "%s", ps_col_text(stmt, 2).at);
    (void)snprintf(run->label, sizeof run->label, "%s", ps_col_text(stmt, 3).at);
    return PS_OK;
}

static enum ps_status check_kinds(const struct ps_compare_groups *groups, struct ps_err *err)
{
    const char *first = groups->at[0].kind;

    if (!ps_compare_next(NULL, first))
        return ps_fail(err, PS_BAD_REQUEST, "runs of kind %s cannot be compared", first);
    for (size_t i = 1; i < groups->n_base + groups->n_now; i++)
        if (!ps_compare_kin(first, groups->at[i].kind))
            return ps_fail(err, PS_BAD_REQUEST, "run %s is of kind %s, run %s of kind %s",
                           groups->at[0].id, first, groups->at[i].id, groups->at[i].kind);
    return PS_OK;
}

static enum ps_status read_groups(struct ps_store *store, struct ps_params params,
                                  struct ps_compare_groups *out, struct ps_err *err)
{
    struct group base = {out->at, 0}, now = {NULL, 0};
    struct ps_db *db;
    enum ps_status status = PS_OK;

    if (ps_param_get(params, "base"))
        status = read_list(store, params, "base", &base, err);
    now.at = out->at + base.n;
    if (status == PS_OK)
        status = read_list(store, params, "new", &now, err);
    if (status != PS_OK)
        return status;
    out->n_base = base.n;
    out->n_now = now.n;
    status = ps_catalog_read(store, &db, err);
    for (size_t i = 0; status == PS_OK && i < base.n + now.n; i++)
        status = read_run(db, &out->at[i], err);
    ps_catalog_read_end(store, db);
    return status == PS_OK ? check_kinds(out, err) : status;
}

enum ps_status ps_compare_groups(struct ps_store *store, struct ps_params params,
                                 struct ps_compare_groups **out, struct ps_err *err)
{
    enum ps_status status;

    *out = ps_alloc(sizeof **out);
    status = read_groups(store, params, *out, err);
    if (status != PS_OK) {
        ps_compare_groups_free(*out);
        *out = NULL;
    }
    return status;
}

void ps_compare_groups_free(struct ps_compare_groups *groups)
{
    free(groups);
}

void ps_compare_groups_ids(const struct ps_compare_groups *groups, struct ps_buf *out)
{
    for (size_t i = 0; i < groups->n_base + groups->n_now; i++)
        ps_buf_printf(out, "%s%s", i == 0 ? "" : i == groups->n_base ? "|" : ",", groups->at[i].id);
}

bool ps_compare_unit(const struct ps_compare_groups *groups, const struct ps_compare_metric *metric,
                     const char **unit)
{
    *unit = strcmp(metric->unit, "@headline") == 0 ? groups->at[0].unit : metric->unit;
    if (*unit == metric->unit)
        return true;
    for (size_t i = 1; i < groups->n_base + groups->n_now; i++)
        if (strcmp(groups->at[i].unit, *unit) != 0)
            return false;
    return true;
}
