/* SPDX-License-Identifier: MIT */
/* functions.c: the view of one function of a pstats dump, and the call tree that
 * server/runfile/paths.c derives from the sums per caller. */
#include <stdlib.h>

#include "base/intern.h"
#include "server/query/functions/functions.h"
#include "server/query/shapes/tree.h"
#include "server/query/view.h"

enum ps_status ps_function_totals(struct ps_db *db, double *tottime, double *base,
                                  struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("function_totals"), &stmt, err);
    if (ps_stmt_step(stmt, err)) {
        *tottime = ps_col_real(stmt, 0);
        *base = ps_col_real(stmt, 1);
    }
    return err->code;
}

static void put_percent(struct ps_json *json, const char *key, double part, double whole)
{
    ps_json_key(json, key);
    if (whole > 0)
        ps_json_real(json, 100.0 * part / whole);
    else
        ps_json_null(json);
}

/* Writes the callers or the callees of a function, with their cumtime_s in percent of `cumtime` as
 * pct; null if `profile` recorded no times. time_column is the index of cumtime_s in both
 * queries. */
static enum ps_status write_side(struct ps_db *db, const char *query, const char *key, int64_t id,
                                 int64_t limit, double cumtime, struct ps_json *json,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const int time_column = 8;

    ps_query_prepare(db, query, id, &stmt, err);
    ps_bind_int(stmt, ":limit", limit);
    ps_json_key(json, key);
    ps_json_array(json);
    while (ps_stmt_step(stmt, err)) {
        ps_json_object(json);
        ps_row_write_members(stmt, 0, json);
        put_percent(json, "pct", ps_col_real(stmt, time_column),
                    ps_col_is_null(stmt, time_column) ? 0 : cumtime);
        ps_json_end(json);
    }
    ps_json_end(json);
    return err->code;
}

static enum ps_status write_fn(struct ps_db *db, int64_t id, double tottime, double *cumtime,
                               struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    double own_time = 0;

    ps_db_prepare(db, ps_query_sql("functions"), &stmt, err);
    ps_bind_int(stmt, ":row", id);
    if (!ps_stmt_step(stmt, err))
        return ps_fail(err, PS_NOT_FOUND, "no function %lld in this run", (long long)id);
    ps_json_key(json, "fn");
    ps_json_object(json);
    for (int i = 0; i < ps_col_count(stmt); i++) {
        const char *name = ps_col_name(stmt, i);

        ps_json_key(json, name);
        ps_col_write_json(stmt, i, json);
        if (strcmp(name, "cumtime_s") == 0)
            *cumtime = ps_col_real(stmt, i);
        if (strcmp(name, "tottime_s") == 0)
            own_time = ps_col_real(stmt, i);
    }
    put_percent(json, "self_pct", own_time, tottime);
    put_percent(json, "cum_pct", *cumtime, tottime);
    ps_json_end(json);
    return PS_OK;
}

static enum ps_status write_degree(struct ps_db *db, int64_t id, struct ps_json *json,
                                   struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_query_prepare(db, "function_degree", id, &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    ps_json_key_int(json, "callers_total", ps_col_int(stmt, 0));
    ps_json_key_int(json, "callees_total", ps_col_int(stmt, 1));
    return PS_OK;
}

/* Writes the share of the total time that is spent in the function and its callees, 0..1, for
 * Amdahl's law. In a dump of several threads cumtime may exceed the sum of own times; then the
 * share is 1. */
static void write_amdahl(double cumtime, double tottime, struct ps_json *json)
{
    double share = tottime > 0 ? cumtime / tottime : 0;

    ps_json_key(json, "amdahl");
    ps_json_object(json);
    ps_json_key_real(json, "share", share > 1 ? 1 : share);
    ps_json_key_real(json, "total_s", tottime);
    ps_json_end(json);
}

enum ps_status ps_view_function(struct ps_db *db, const struct ps_view *view, int64_t id,
                                struct ps_params params, struct ps_answer *answer,
                                struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    double tottime = 0, base = 0, cumtime = 0;
    int64_t limit;

    (void)view;
    ps_param_int(params, "limit", 1, 10000, 200, &limit, err);
    ps_function_totals(db, &tottime, &base, err);
    ps_json_object(&json);
    write_fn(db, id, tottime, &cumtime, &json, err);
    write_side(db, "function_callers", "callers", id, limit, cumtime, &json, err);
    write_side(db, "function_callees", "callees", id, limit, cumtime, &json, err);
    write_degree(db, id, &json, err);
    write_amdahl(cumtime, tottime, &json);
    ps_json_end(&json);
    return err->code;
}

/* Columns of queries/calltree.sql. */
enum {
    C_FN,
    C_PARENT,
    C_NAME,
    C_FILE,
    C_LINE,
    C_LO,
    C_HI,
    C_SELF,
    C_CALLS,
    C_CERTAINTY,
    C_ORIGIN,
    C_CUT,
    C_TOTAL
};

struct call {
    int64_t parent; /* index; -1: none */
    struct ps_num low, total, self, count;
    int64_t certainty;
};

struct call_tree {
    struct call *calls;
    uint32_t *functions; /* [call]: index in `frames` */
    size_t n, cap, cap_functions;
    struct ps_intern ids, texts; /* of the functions */
    struct ps_tree_frame *frames;
    size_t n_frames, cap_frames;
    double sum;    /* of the roots */
    int64_t n_cut; /* paths that were left out */
    double total_s;
};

static void call_tree_free(struct call_tree *t)
{
    free(t->calls);
    free(t->functions);
    free(t->frames);
    ps_intern_free(&t->ids);
    ps_intern_free(&t->texts);
}

static struct ps_str add_text(struct call_tree *t, struct ps_str text)
{
    const uint32_t id = ps_intern_add(&t->texts, text); /* may move the items */

    return t->texts.items[id];
}

/* Returns the index of the frame of a row. */
static uint32_t add_function(struct call_tree *t, struct ps_stmt *stmt)
{
    const int64_t id = ps_col_int(stmt, C_FN);
    const uint32_t index = ps_intern_add(&t->ids, (struct ps_str){(const char *)&id, sizeof id});

    if (index == t->n_frames) {
        PS_RESERVE_ONE(t->frames, t->n_frames, t->cap_frames);
        t->frames[t->n_frames++] =
            (struct ps_tree_frame){.name = add_text(t, ps_col_text(stmt, C_NAME)),
                                   .file = add_text(t, ps_col_text(stmt, C_FILE)),
                                   .line = ps_col_int(stmt, C_LINE),
                                   .id = id,
                                   .origin = ps_col_int(stmt, C_ORIGIN)};
    }
    return index;
}

static enum ps_status read_calls(struct ps_stmt *stmt, struct call_tree *t, struct ps_err *err)
{
    while (ps_stmt_step(stmt, err)) {
        const struct call call = {ps_col_int(stmt, C_PARENT) - 1, /* columns count from 0 */
                                  ps_col_num(stmt, C_LO),         ps_col_num(stmt, C_HI),
                                  ps_col_num(stmt, C_SELF),       ps_col_num(stmt, C_CALLS),
                                  ps_col_int(stmt, C_CERTAINTY)};

        PS_RESERVE_ONE(t->functions, t->n, t->cap_functions);
        t->functions[t->n] = add_function(t, stmt);
        PS_RESERVE_ONE(t->calls, t->n, t->cap);
        t->calls[t->n++] = call;
        if (call.parent < 0)
            t->sum += ps_num_to_real(call.total);
        t->n_cut = ps_col_int(stmt, C_CUT);
        t->total_s = ps_col_real(stmt, C_TOTAL);
    }
    return err->code;
}

static void describe_function(const void *subject, uint32_t key, size_t node,
                              struct ps_tree_frame *out)
{
    (void)node;
    *out = ((const struct call_tree *)subject)->frames[key];
}

static void write_call_tree(const struct call_tree *t, struct ps_json *json)
{
    const struct ps_tree_column columns[] = {
        PS_NODE_COLUMN("parent", PS_COLUMN_INT, t->calls, parent),
        PS_NODE_COLUMN("total", PS_COLUMN_NUM, t->calls, total),
        PS_NODE_COLUMN("low", PS_COLUMN_NUM, t->calls, low),
        PS_NODE_COLUMN("self", PS_COLUMN_NUM, t->calls, self),
        PS_NODE_COLUMN("count", PS_COLUMN_NUM, t->calls, count),
        PS_NODE_COLUMN("certainty", PS_COLUMN_INT, t->calls, certainty),
    };
    const struct ps_tree_answer tree = {
        .n = t->n,
        .n_cut = (size_t)t->n_cut,
        .unit = "s",
        .sum = ps_real(t->sum),
        .frames = {t->functions, describe_function, t,
                   PS_FRAME_FILE | PS_FRAME_LINE | PS_FRAME_ID | PS_FRAME_ORIGIN, false},
        PS_COLUMNS(columns),
    };

    ps_json_object(json);
    ps_tree_write(&tree, json);
    ps_json_key_real(json, "total_s", t->total_s);
    ps_json_end(json);
}

enum ps_status ps_view_calltree(struct ps_db *db, const struct ps_view *view, int64_t id,
                                struct ps_params params, struct ps_answer *answer,
                                struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(call_tree_free) struct call_tree tree = {.n = 0};
    int64_t root, depth, limit;
    double min_pct;

    (void)view, (void)id;
    ps_param_int(params, "root", 0, UINT32_MAX, 0, &root, err);
    ps_param_int(params, "depth", 1, 1000, 60, &depth, err);
    ps_param_int(params, "limit", 1, 50000, 5000, &limit, err);
    ps_param_real(params, "min_pct", 0, 100, 0.1, &min_pct, err);
    ps_db_prepare(db, ps_query_sql("calltree"), &stmt, err);
    ps_bind_int(stmt, ":root", root);
    ps_bind_real(stmt, ":min_share", min_pct / 100);
    ps_bind_int(stmt, ":depth", depth);
    ps_bind_int(stmt, ":limit", limit);
    read_calls(stmt, &tree, err);
    write_call_tree(&tree, &json);
    return err->code;
}
