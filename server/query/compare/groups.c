/* SPDX-License-Identifier: MIT */
/* groups.c: finds the runs of both groups of a comparison. */
#include <stdio.h>
#include <stdlib.h>

#include "server/catalog/readers.h"
#include "server/query/compare/compare.h"
#include "server/query/compare/groups.h"

struct group {
    struct ps_compare_run *runs;
    size_t n;
};

static enum ps_status add_run(struct group *group, const char *id, const char *key,
                              struct ps_err *err)
{
    if (err->code != PS_OK)
        return err->code;
    for (size_t i = 0; i < group->n; i++)
        if (strcmp(group->runs[i].id, id) == 0)
            return ps_fail(err, PS_BAD_REQUEST, "%s names run %s twice", key, id);
    if (group->n == PS_GROUP_MAX)
        return ps_fail(err, PS_BAD_REQUEST, "%s lists more than %d runs", key, PS_GROUP_MAX);
    (void)snprintf(group->runs[group->n++].id, PS_ID_SIZE, "%s", id);
    return PS_OK;
}

static bool has_run(const struct group *group, const char *id)
{
    for (size_t i = 0; group && i < group->n; i++)
        if (strcmp(group->runs[i].id, id) == 0)
            return true;
    return false;
}

/* Adds the newest `max_runs` runs that have the series or tag `word` ("series:S", "tag:K=V") and
 * that are not in the group `other`. The runs are added oldest first. `key` is the name of the
 * parameter, for messages. */
static enum ps_status add_newest(struct ps_db *db, const char *word, size_t max_runs,
                                 const struct group *other, const char *key, struct group *group,
                                 struct ps_err *err)
{
    bool is_series = strncmp(word, "series:", 7) == 0;
    char ids[2 * PS_GROUP_MAX + 1][PS_ID_SIZE];
    size_t n = 0, found = 0;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql(is_series ? "compare_series" : "compare_tagged"), &stmt, err);
    ps_bind_text(stmt, is_series ? ":series" : ":tag", ps_str_from_c(strchr(word, ':') + 1));
    for (; n < sizeof ids / sizeof *ids && ps_stmt_step(stmt, err); found++) {
        (void)snprintf(ids[n], sizeof ids[n], "%.16s", ps_col_text(stmt, 0).ptr);
        n += !has_run(other, ids[n]);
    }
    if (n == 0)
        return ps_fail(err, PS_NOT_FOUND, "no %srun has the %s %s", found ? "other " : "",
                       is_series ? "series" : "tag", strchr(word, ':') + 1);
    for (size_t i = n > max_runs ? n - max_runs : 0; i < n; i++)
        add_run(group, ids[i], key, err);
    return err->code;
}

/* Returns whether runs have exactly the series or tag `word`. If so, an "@10" at its end is a part
 * of the name. */
static bool has_runs(struct ps_db *db, const char *word)
{
    struct ps_compare_run run;
    struct group group = {&run, 0};
    struct ps_err ignored_err = PS_ERR_INIT;

    return add_newest(db, word, 1, NULL, "", &group, &ignored_err) == PS_OK;
}

/* Adds the runs of "series:nightly" or "tag:branch=main". With "@10" at the end
 * ("series:nightly@10"), adds only the newest 10 runs. */
static enum ps_status add_selected_runs(struct ps_store *store, char *word,
                                        const struct group *other, const char *key,
                                        struct group *group, struct ps_err *err)
{
    char *count = strrchr(word, '@');
    struct ps_db *db;
    int64_t max_runs = INT64_MAX;

    ps_catalog_read(store, &db, err);
    if (err->code == PS_OK && count && ps_str_parse_i64(ps_str_from_c(count + 1), &max_runs) &&
        !has_runs(db, word))
        *count = '\0';
    else
        max_runs = INT64_MAX;
    if (max_runs < 1)
        ps_fail(err, PS_BAD_REQUEST, "%s@%lld: a group must have at least one run", word,
                (long long)max_runs);
    add_newest(db, word, (size_t)max_runs, other, key, group, err);
    ps_catalog_read_end(store, db);
    return err->code;
}

static enum ps_status add_element(struct ps_store *store, struct ps_str text,
                                  const struct group *other, const char *key, struct group *group,
                                  struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *word = ps_strdup(text);
    char id[PS_ID_SIZE];

    if (strncmp(word, "series:", 7) == 0 || strncmp(word, "tag:", 4) == 0)
        return add_selected_runs(store, word, other, key, group, err);
    ps_store_resolve(store, word, id, err);
    return add_run(group, id, key, err);
}

/* Finds the run whose name is the complete string `words`, since names may contain commas. *found:
 * `words` has a comma and is the name of one run, whose id is stored. PS_CONFLICT: `words` is the
 * name of several runs. */
static enum ps_status find_run_by_name(struct ps_store *store, const char *words,
                                       char id[PS_ID_SIZE], bool *found, struct ps_err *err)
{
    struct ps_err resolve_err = PS_ERR_INIT;

    *found = words && strchr(words, ',') && strncmp(words, "series:", 7) != 0 &&
             strncmp(words, "tag:", 4) != 0 &&
             ps_store_resolve(store, words, id, &resolve_err) == PS_OK;
    return resolve_err.code == PS_CONFLICT ? ps_fail_copy(err, &resolve_err) : PS_OK;
}

/* Reads the runs that the parameter `key` lists into `group`. other: the group to compare with, or
 * NULL. A series or tag in the list does not add runs of `other`, since no run is part of its own
 * baseline. */
static enum ps_status read_list(struct ps_store *store, struct ps_params params, const char *key,
                                const struct group *other, struct group *group, struct ps_err *err)
{
    struct ps_str rest = ps_str_from_c(ps_param_get(params, key));
    char id[PS_ID_SIZE];
    bool found;

    find_run_by_name(store, rest.ptr, id, &found, err);
    if (found)
        return add_run(group, id, key, err);
    while (err->code == PS_OK && rest.len) {
        const char *comma = memchr(rest.ptr, ',', rest.len);
        struct ps_str word = {rest.ptr, comma ? (size_t)(comma - rest.ptr) : rest.len};

        if (word.len)
            add_element(store, word, other, key, group, err);
        rest = ps_str_skip(rest, word.len + 1);
    }
    if (group->n == 0)
        return ps_fail(err, PS_BAD_REQUEST, "%s must name one or more runs, separated by commas",
                       key);
    return err->code;
}

enum ps_status ps_query_find_runs(struct ps_store *store, const char *words,
                                  char ids[PS_SQL_RUNS_MAX][PS_ID_SIZE], size_t *n,
                                  struct ps_err *err)
{
    struct ps_compare_run runs[PS_GROUP_MAX];
    struct ps_param param = {"runs", words};
    struct group group = {runs, 0};

    read_list(store, (struct ps_params){&param, 1}, param.key, NULL, &group, err);
    if (group.n > PS_SQL_RUNS_MAX)
        ps_fail(err, PS_BAD_REQUEST, "runs lists more than %d runs", PS_SQL_RUNS_MAX);
    for (*n = 0; err->code == PS_OK && *n < group.n; ++*n)
        memcpy(ids[*n], runs[*n].id, PS_ID_SIZE);
    return err->code;
}

static enum ps_status read_run(struct ps_db *db, struct ps_compare_run *run, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    if (ps_stmt_open_for_run(db, "compare_run", run->id, &stmt, err) != PS_OK)
        return err->code;
    (void)snprintf(run->kind, sizeof run->kind, "%s", ps_col_text(stmt, 0).ptr);
    run->headline = ps_col_real(stmt, 1);
    (void)snprintf(run->headline_unit, sizeof run->headline_unit, "%s", ps_col_text(stmt, 2).ptr);
    (void)snprintf(run->headline_label, sizeof run->headline_label, "%s", ps_col_text(stmt, 3).ptr);
    return PS_OK;
}

static enum ps_status check_kinds(const struct ps_compare_groups *groups, struct ps_err *err)
{
    const char *first = groups->runs[0].kind;

    if (err->code != PS_OK)
        return err->code;
    if (!ps_compare_next_table(NULL, first))
        return ps_fail(err, PS_BAD_REQUEST, "runs of kind %s cannot be compared", first);
    for (size_t i = 1; i < groups->n_base + groups->n_new; i++)
        if (!ps_compare_have_common_table(first, groups->runs[i].kind))
            return ps_fail(err, PS_BAD_REQUEST, "run %s is of kind %s, run %s of kind %s",
                           groups->runs[0].id, first, groups->runs[i].id, groups->runs[i].kind);
    return PS_OK;
}

static enum ps_status read_groups(struct ps_store *store, struct ps_params params,
                                  struct ps_compare_groups *out, struct ps_err *err)
{
    struct ps_compare_run runs[PS_GROUP_MAX];
    struct group base_group = {out->runs, 0}, new_group = {runs, 0};
    const char *words = ps_param_get(params, "base"), *new_words = ps_param_get(params, "new");
    struct ps_db *db;

    read_list(store, params, "new", NULL, &new_group, err);
    /* if both lists are equal, the group is compared with itself */
    if (err->code == PS_OK && words)
        read_list(store, params, "base", strcmp(words, new_words) == 0 ? NULL : &new_group,
                  &base_group, err);
    memcpy(out->runs + base_group.n, runs, new_group.n * sizeof *runs);
    out->n_base = base_group.n;
    out->n_new = new_group.n;
    ps_catalog_read(store, &db, err);
    for (size_t i = 0; err->code == PS_OK && i < base_group.n + new_group.n; i++)
        read_run(db, &out->runs[i], err);
    ps_catalog_read_end(store, db);
    return check_kinds(out, err);
}

enum ps_status ps_compare_groups_find(struct ps_store *store, struct ps_params params,
                                      struct ps_compare_groups **out, struct ps_err *err)
{
    *out = ps_alloc(sizeof **out);
    if (read_groups(store, params, *out, err) == PS_OK)
        ps_compare_choose_steps(store, ps_param_get(params, "step"), *out, err);
    if (err->code == PS_OK)
        ps_compare_choose_sample_type(store, ps_param_get(params, "sample_type"), *out, err);
    if (err->code != PS_OK) {
        ps_compare_groups_free(*out);
        *out = NULL;
    }
    return err->code;
}

void ps_compare_groups_free(struct ps_compare_groups *groups)
{
    if (groups) {
        free(groups->step);
        free(groups->sample_type);
    }
    free(groups);
}

void ps_compare_groups_ids(const struct ps_compare_groups *groups, struct ps_buf *out)
{
    for (size_t i = 0; i < groups->n_base + groups->n_new; i++)
        ps_buf_printf(out, "%s%s",
                      i == 0                ? ""
                      : i == groups->n_base ? "|"
                                            : ",",
                      groups->runs[i].id);
}
