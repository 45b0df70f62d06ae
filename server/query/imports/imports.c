/* SPDX-License-Identifier: MIT */
/* imports.c: the tree of an import log, and the details of one import. */
#include <stdlib.h>

#include "server/query/imports/imports.h"
#include "server/query/view.h"

#define TREE_ROWS 100000

struct tree {
    size_t n, cap;
    int64_t *id, *parent, *total, *package, *startup;
    struct ps_num *self, *cumulative;
    struct ps_str *names;
    struct ps_arena arena;
};

static void tree_free(struct tree *t)
{
    free(t->id);
    free(t->parent);
    free(t->total);
    free(t->package);
    free(t->startup);
    free(t->self);
    free(t->cumulative);
    free(t->names);
    ps_arena_free(&t->arena);
}

static void tree_reserve(struct tree *t)
{
    if (t->n < t->cap)
        return;
    t->cap = t->cap ? t->cap * 2 : 1024;
    t->id = ps_grow(t->id, t->cap, sizeof *t->id);
    t->parent = ps_grow(t->parent, t->cap, sizeof *t->parent);
    t->total = ps_grow(t->total, t->cap, sizeof *t->total);
    t->package = ps_grow(t->package, t->cap, sizeof *t->package);
    t->startup = ps_grow(t->startup, t->cap, sizeof *t->startup);
    t->self = ps_grow(t->self, t->cap, sizeof *t->self);
    t->cumulative = ps_grow(t->cumulative, t->cap, sizeof *t->cumulative);
    t->names = ps_grow(t->names, t->cap, sizeof *t->names);
}

static enum ps_status read_tree(struct ps_db *db, int64_t min_total, struct tree *t,
                                struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("import_tree"), &stmt, err);
    ps_bind_int(stmt, ":min_total_us", min_total);
    while (ps_stmt_step(stmt, err)) {
        tree_reserve(t);
        if (ps_col_int(stmt, 0) < 1 || ps_col_int(stmt, 0) > ps_col_int(stmt, 8))
            return ps_fail(err, PS_INTERNAL, "the run file is damaged: import %lld",
                           (long long)ps_col_int(stmt, 0));
        t->id[t->n] = ps_col_int(stmt, 0);
        t->parent[t->n] = ps_col_int(stmt, 1);
        t->self[t->n] = ps_col_num(stmt, 2);
        t->cumulative[t->n] = ps_col_num(stmt, 3);
        t->total[t->n] = ps_col_int(stmt, 4);
        t->names[t->n] = ps_arena_copy(&t->arena, ps_col_text(stmt, 5));
        t->package[t->n] = ps_col_int(stmt, 6);
        t->startup[t->n] = ps_col_int(stmt, 7);
        t->n++;
    }
    return err->code;
}

/* Converts parents from ids to indices. Ids are dense, so an array from id to index suffices. */
static enum ps_status convert_parents(struct tree *t, struct ps_err *err)
{
    int64_t high = 0;
    int64_t *index;

    for (size_t i = 0; i < t->n; i++)
        high = t->id[i] > high ? t->id[i] : high;
    index = ps_try_alloc_array((size_t)high + 1, sizeof *index);
    if (!index)
        return ps_fail_memory(err, "the imports");
    for (size_t i = 0; i < t->n; i++)
        index[t->id[i]] = (int64_t)i + 1;
    for (size_t i = 0; i < t->n; i++)
        t->parent[i] = t->parent[i] > 0 && t->parent[i] <= high ? index[t->parent[i]] - 1 : -1;
    free(index);
    return err->code;
}

static void int_column(struct ps_json *json, const char *key, const int64_t *values, size_t n,
                       int64_t minus)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < n; i++)
        ps_json_int(json, values[i] - minus);
    ps_json_end(json);
}

static void num_column(struct ps_json *json, const char *key, const struct ps_num *values, size_t n)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < n; i++)
        ps_json_num(json, values[i]);
    ps_json_end(json);
}

/* Writes the keys "packages" (names in order of id) and "origin" (of each row). */
static enum ps_status write_packages(struct ps_db *db, const struct tree *t, struct ps_json *json,
                                     struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_free_ptr) int64_t *origins = NULL;
    size_t n = 0, cap = 0;

    ps_db_prepare(db, ps_query_sql("package_names"), &stmt, err);
    ps_json_key(json, "packages");
    ps_json_array(json);
    while (ps_stmt_step(stmt, err)) {
        PS_RESERVE_ONE(origins, n, cap);
        origins[n++] = ps_col_int(stmt, 2);
        ps_json_str(json, ps_col_text(stmt, 1));
    }
    ps_json_end(json);
    ps_json_key(json, "origin");
    ps_json_array(json);
    for (size_t i = 0; i < t->n; i++)
        ps_json_int(
            json, (size_t)t->package[i] <= n && t->package[i] > 0 ? origins[t->package[i] - 1] : 4);
    ps_json_end(json);
    return err->code;
}

static enum ps_status read_tree_size(struct ps_db *db, int64_t limit, int64_t *n, int64_t *below,
                                     struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("import_tree_size"), &stmt, err);
    ps_bind_int(stmt, ":limit", limit);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    *n = ps_col_int(stmt, 0);
    /* + 1 leaves out ties, so that there are at most `limit` rows. */
    *below = ps_col_is_null(stmt, 1) ? INT64_MIN : ps_col_int(stmt, 1) + 1;
    return PS_OK;
}

enum ps_status ps_view_import_tree(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    struct tree t = {0};
    int64_t limit, all = 0, below = 0;

    (void)view, (void)id;
    ps_param_int(params, "limit", 1, TREE_ROWS, TREE_ROWS, &limit, err);
    read_tree_size(db, limit, &all, &below, err);
    read_tree(db, below, &t, err);
    convert_parents(&t, err);
    if (err->code == PS_OK) {
        ps_json_object(&json);
        ps_json_key_int(&json, "n", (int64_t)t.n);
        ps_json_key(&json, "cut");
        if (all > (int64_t)t.n) {
            ps_json_object(&json);
            ps_json_key_int(&json, "rows", all - (int64_t)t.n);
            ps_json_key_int(&json, "below_us", below);
            ps_json_end(&json);
        } else {
            ps_json_null(&json);
        }
        int_column(&json, "id", t.id, t.n, 0);
        int_column(&json, "parent", t.parent, t.n, 0);
        num_column(&json, "self_us", t.self, t.n);
        num_column(&json, "cumulative_us", t.cumulative, t.n);
        int_column(&json, "total_us", t.total, t.n, 0);
        int_column(&json, "package", t.package, t.n, 1);
        int_column(&json, "startup", t.startup, t.n, 0);
        ps_json_key(&json, "names");
        ps_json_array(&json);
        for (size_t i = 0; i < t.n; i++)
            ps_json_str(&json, t.names[i]);
        ps_json_end(&json);
        write_packages(db, &t, &json, err);
        ps_json_end(&json);
    }
    tree_free(&t);
    return err->code;
}

/* Writes a key with all rows of a query with :id and :limit, as an array of objects. */
static enum ps_status write_rows(struct ps_db *db, const char *query, int64_t id, int64_t limit,
                                 const char *key, struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_query_prepare(db, query, id, &stmt, err);
    ps_bind_int(stmt, ":limit", limit);
    return ps_rows_write(stmt, key, ps_row_write_object, json, err);
}

/* Writes the number and the time of the children that are not among the `shown_max` largest. */
static enum ps_status write_rest(struct ps_db *db, int64_t id, int64_t shown_max,
                                 struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *sum = NULL;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    int64_t count = 0, time_us = 0;

    ps_query_prepare(db, "import_children_sum", id, &sum, err);
    if (ps_stmt_step(sum, err)) {
        count = ps_col_int(sum, 0);
        time_us = ps_col_int(sum, 1);
    }
    ps_query_prepare(db, "import_children", id, &stmt, err);
    ps_bind_int(stmt, ":limit", shown_max);
    while (ps_stmt_step(stmt, err)) {
        count--;
        time_us -= ps_col_int(stmt, 3);
    }
    ps_json_key(json, "rest");
    ps_json_object(json);
    ps_json_key_int(json, "count", count);
    ps_json_key_int(json, "cumulative_us", time_us);
    ps_json_end(json);
    return err->code;
}

static enum ps_status write_table_row(struct ps_db *db, const char *query, int64_t id,
                                      const char *key, struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql(query), &stmt, err);
    ps_bind_int(stmt, ":row", id);
    if (!ps_stmt_step(stmt, err))
        return ps_fail(err, PS_NOT_FOUND, "no row %lld in this table", (long long)id);
    ps_json_key(json, key);
    ps_row_write_object(stmt, 0, json);
    return PS_OK;
}

static enum ps_status write_asked(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("import_asked"), &stmt, err);
    if (ps_stmt_step(stmt, err))
        ps_json_key_bool(json, "asked", ps_col_int(stmt, 0) != 0);
    return err->code;
}

enum ps_status ps_view_import(struct ps_db *db, const struct ps_view *view, int64_t id,
                              struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);

    (void)view, (void)params;
    ps_json_object(&json);
    write_table_row(db, "imports", id, "row", &json, err);
    write_rows(db, "import_chain", id, -1, "chain", &json, err);
    write_rows(db, "import_again", id, -1, "again", &json, err);
    write_rows(db, "import_children", id, 10, "children", &json, err);
    write_rest(db, id, 10, &json, err);
    write_asked(db, &json, err);
    ps_json_end(&json);
    return err->code;
}
