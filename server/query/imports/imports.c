/* SPDX-License-Identifier: MIT */
/* imports.c: the tree of an import log, and the details of one import. */
#include <stdlib.h>

#include "base/saturated.h"
#include "server/query/imports/imports.h"
#include "server/query/shapes/tree.h"
#include "server/query/view.h"

#define TREE_ROWS 100000

struct row {
    int64_t id;
    int64_t parent; /* id of a row, then its index; -1: none */
    int64_t total_us;
    int64_t package; /* from 0; -1: none */
    int64_t origin;
    struct ps_num self_us, cumulative_us; /* as printed */
    struct ps_str name;
    uint8_t is_startup;
};

struct tree {
    struct row *rows;
    size_t n, cap;
    struct ps_arena names;
};

static void tree_free(struct tree *t)
{
    free(t->rows);
    ps_arena_free(&t->names);
}

static enum ps_status read_tree(struct ps_db *db, int64_t min_total, struct tree *t,
                                struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("import_tree"), &stmt, err);
    ps_bind_int(stmt, ":min_total_us", min_total);
    while (ps_stmt_step(stmt, err)) {
        int64_t id = ps_col_int(stmt, 0);

        if (id < 1 || id > ps_col_int(stmt, 8))
            return ps_fail(err, PS_INTERNAL, "the run file is damaged: import %lld", (long long)id);
        PS_RESERVE_ONE(t->rows, t->n, t->cap);
        t->rows[t->n++] = (struct row){.id = id,
                                       .parent = ps_col_int(stmt, 1),
                                       .self_us = ps_col_num(stmt, 2),
                                       .cumulative_us = ps_col_num(stmt, 3),
                                       .total_us = ps_col_int(stmt, 4),
                                       .name = ps_arena_copy(&t->names, ps_col_text(stmt, 5)),
                                       .package = ps_col_int(stmt, 6) - 1,
                                       .is_startup = (uint8_t)ps_col_int(stmt, 7)};
    }
    return err->code;
}

/* Converts parents from ids to indices. Ids are dense, so an array from id to index suffices. */
static enum ps_status convert_parents(struct tree *t, struct ps_err *err)
{
    int64_t high = 0;
    int64_t *index;

    for (size_t i = 0; i < t->n; i++)
        high = t->rows[i].id > high ? t->rows[i].id : high;
    index = ps_try_alloc_array((size_t)high + 1, sizeof *index);
    if (!index)
        return ps_fail_memory(err, "the imports");
    for (size_t i = 0; i < t->n; i++)
        index[t->rows[i].id] = (int64_t)i + 1;
    for (struct row *row = t->rows; row < t->rows + t->n; row++)
        row->parent = row->parent > 0 && row->parent <= high ? index[row->parent] - 1 : -1;
    free(index);
    return err->code;
}

/* Writes the key "packages", names in the order of their ids, and sets the origin of each row. */
static enum ps_status write_packages(struct ps_db *db, struct tree *t, struct ps_json *json,
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
    for (struct row *row = t->rows; row < t->rows + t->n; row++)
        row->origin = row->package >= 0 && (size_t)row->package < n ? origins[row->package] : 4;
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

static void describe_row(const void *subject, uint32_t key, size_t node, struct ps_tree_frame *out)
{
    const struct row *row = &((const struct tree *)subject)->rows[key];

    (void)node;
    *out = (struct ps_tree_frame){.name = row->name, .id = row->id, .origin = row->origin};
}

/* n_cut: number of timed rows that are not in the tree; each has less than `below_us`. */
static void write_tree(const struct tree *t, size_t n_cut, int64_t below_us, struct ps_json *json)
{
    const struct ps_tree_column columns[] = {
        PS_NODE_COLUMN("parent", PS_COLUMN_INT, t->rows, parent),
        PS_NODE_COLUMN("total", PS_COLUMN_INT, t->rows, total_us),
        PS_NODE_COLUMN("self", PS_COLUMN_NUM, t->rows, self_us),
        PS_NODE_COLUMN("cumulative", PS_COLUMN_NUM, t->rows, cumulative_us),
        PS_NODE_COLUMN("package", PS_COLUMN_INT, t->rows, package),
        PS_NODE_COLUMN("startup", PS_COLUMN_U8, t->rows, is_startup),
    };
    struct ps_tree_answer tree = {
        .n = t->n,
        .n_cut = n_cut,
        .unit = "us",
        .frames = {NULL, describe_row, t, PS_FRAME_ID | PS_FRAME_ORIGIN, true},
        PS_COLUMNS(columns),
    };
    int64_t sum = 0;

    for (size_t i = 0; i < t->n; i++)
        if (t->rows[i].parent < 0)
            sum = ps_add_saturated(sum, t->rows[i].total_us);
    tree.sum = ps_int(sum);
    ps_tree_write(&tree, json);
    if (n_cut)
        ps_json_key_int(json, "floor", below_us);
}

enum ps_status ps_view_import_tree(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err)
{
    PS_AUTO(tree_free) struct tree t = {.n = 0};
    struct ps_json json = ps_json_writer(&answer->body);
    int64_t limit, all = 0, below = 0;

    (void)view, (void)id;
    ps_param_int(params, "limit", 1, TREE_ROWS, TREE_ROWS, &limit, err);
    read_tree_size(db, limit, &all, &below, err);
    read_tree(db, below, &t, err);
    if (convert_parents(&t, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    write_packages(db, &t, &json, err);
    write_tree(&t, all > (int64_t)t.n ? (size_t)all - t.n : 0, below, &json);
    ps_json_end(&json);
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
