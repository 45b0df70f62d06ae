/* SPDX-License-Identifier: MIT */
/* rows.c: the rows of a comparison: filter, order, pages. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/query/compare/compare.h"
#include "server/query/order_cache.h"

#define PAGE_MAX 1000

/* --- Filter --- */

/* The rows that pass the filters, as indices in the requested order, and their sums. */
struct picked {
    uint32_t *at;
    size_t n;
    double base, now, delta;
};

static bool in_list(const char *list, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = list; (at = strstr(at, word)); at += len)
        if ((at == list || at[-1] == ',') && (at[len] == ',' || !at[len]))
            return true;
    return false;
}

static bool passes_words(const struct ps_compared_row *row, const char *name, const char *verdicts,
                         const char *changes)
{
    const char *verdict = ps_verdict_words[row->judged.verdict],
               *change = ps_change_words[row->change];

    if (name && name[0] && !ps_str_is(row->name, name))
        return false;
    if (verdicts && verdicts[0] && (!verdict || !in_list(verdicts, verdict)))
        return false;
    return !changes || !changes[0] || in_list(changes, change ? change : "kept");
}

/* *stmt: NULL if params have no search. */
static enum ps_status prepare_search(struct ps_db *db, struct ps_params params,
                                     struct ps_stmt **stmt, struct ps_err *err)
{
    static const char *const keys[] = {"q", "regex", "hide"};
    bool any = false;
    enum ps_status status;

    for (size_t i = 0; i < 3; i++) {
        const char *value = ps_param_get(params, keys[i]);

        any |= value && value[0] && i != 1;
    }
    if (!any)
        return PS_OK;
    status = ps_db_prepare(db, ps_sql_text("compare_words"), stmt, err);
    return status == PS_OK ? ps_bind_filters(*stmt, params, err) : status;
}

static bool is_found(struct ps_stmt *stmt, const struct ps_compared_row *row, struct ps_err *err)
{
    bool found;

    if (!stmt)
        return true;
    ps_bind_text(stmt, ":name", row->name);
    ps_bind_text(stmt, ":place", row->place.len ? row->place : PS_STR(""));
    ps_bind_text(stmt, ":within", row->within.len ? row->within : PS_STR(""));
    found = ps_stmt_row(stmt, err) && ps_col_int(stmt, 0);
    ps_stmt_rewind(stmt);
    return found;
}

static enum ps_status pick(struct ps_db *db, const struct ps_compared_table *table,
                           struct ps_params params, struct picked *out, struct ps_err *err)
{
    const char *verdicts = ps_param_get(params, "verdict"),
               *changes = ps_param_get(params, "change"), *name = ps_param_get(params, "name");
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    size_t n;
    const struct ps_compared_row *rows = ps_comparison_rows(table->comparison, &n);
    enum ps_status status = prepare_search(db, params, &stmt, err);

    if (status != PS_OK)
        return status;
    out->at = ps_grow(NULL, n + 1, sizeof *out->at);
    for (size_t i = 0; i < n && err->code == PS_OK; i++) {
        if (!passes_words(&rows[i], name, verdicts, changes) || !is_found(stmt, &rows[i], err))
            continue;
        out->at[out->n++] = (uint32_t)i;
        out->base += rows[i].judged.base;
        out->now += rows[i].judged.now;
        out->delta += rows[i].judged.delta;
    }
    return err->code;
}

/* --- Order --- */

#define BY_SIZE (-1) /* sort by |delta| */

struct keyed {
    struct ps_cell cell;
    uint32_t at;
};

static int text_order(struct ps_str a, struct ps_str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n ? memcmp(a.at, b.at, n) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static double number_of(const struct ps_cell *cell)
{
    return cell->is == PS_CELL_INT ? (double)cell->whole : cell->real;
}

/* Empty cells are less than all others. Ties keep the order of appearance in both directions. */
static int upward(const void *a, const void *b, void *down)
{
    const struct keyed *x = a, *y = b;
    int order;

    if (x->cell.is == PS_CELL_NONE || y->cell.is == PS_CELL_NONE)
        order = (x->cell.is != PS_CELL_NONE) - (y->cell.is != PS_CELL_NONE);
    else if (x->cell.is == PS_CELL_TEXT)
        order = text_order(x->cell.text, y->cell.text);
    else
        order = (number_of(&x->cell) > number_of(&y->cell)) -
                (number_of(&x->cell) < number_of(&y->cell));
    if (order)
        return *(bool *)down ? -order : order;
    return (x->at > y->at) - (x->at < y->at);
}

static enum ps_status read_sort(const struct ps_compared_table *table, struct ps_params params,
                                int *column, bool *down, struct ps_err *err)
{
    const char *key = ps_param_get(params, "sort");
    char name[32];
    int64_t desc;
    enum ps_status status = ps_param_int(params, "desc", 0, 1, 1, &desc, err);

    *down = desc != 0;
    *column = BY_SIZE;
    if (status != PS_OK || !key || !key[0] || strcmp(key, "size") == 0)
        return status;
    for (int i = 0; i < ps_compared_columns(table); i++)
        if (strcmp(ps_compared_column(table, ps_compared_at(table, i), name), key) == 0)
            *column = ps_compared_at(table, i);
    if (*column == BY_SIZE || *column == PS_CMP_LOW || *column == PS_CMP_HIGH)
        return ps_fail(err, PS_BAD_REQUEST, "unknown sort key %s", key);
    return PS_OK;
}

static enum ps_status sort_picked(const struct ps_compared_table *table, struct ps_params params,
                                  struct picked *picked, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) struct keyed *keyed = ps_grow(NULL, picked->n + 1, sizeof *keyed);
    size_t n;
    const struct ps_compared_row *rows = ps_comparison_rows(table->comparison, &n);
    int column;
    bool down;
    enum ps_status status = read_sort(table, params, &column, &down, err);

    if (status != PS_OK)
        return status;
    for (size_t i = 0; i < picked->n; i++) {
        const struct ps_compared_row *row = &rows[picked->at[i]];

        keyed[i].at = picked->at[i];
        if (column == BY_SIZE)
            keyed[i].cell = (struct ps_cell){.is = PS_CELL_REAL, .real = fabs(row->judged.delta)};
        else
            keyed[i].cell = ps_compared_cell(table, row, column);
    }
    qsort_r(keyed, picked->n, sizeof *keyed, upward, &down);
    for (size_t i = 0; i < picked->n; i++)
        picked->at[i] = keyed[i].at;
    return PS_OK;
}

/* --- Answers --- */

static void write_columns(const struct ps_compared_table *table, struct ps_json *json)
{
    char name[32];

    ps_json_key(json, "columns");
    ps_json_array(json);
    for (int i = 0; i < ps_compared_columns(table); i++)
        ps_json_str(json, ps_str_of(ps_compared_column(table, ps_compared_at(table, i), name)));
    ps_json_end(json);
}

static void write_array(const struct ps_compared_table *table, const struct ps_compared_row *row,
                        struct ps_json *json)
{
    ps_json_array(json);
    for (int i = 0; i < ps_compared_columns(table); i++) {
        struct ps_cell cell = ps_compared_cell(table, row, ps_compared_at(table, i));

        ps_cell_json(&cell, json);
    }
    ps_json_end(json);
}

/* Writes the keys of a row into the open object. */
static void write_object(const struct ps_compared_table *table, const struct ps_compared_row *row,
                         struct ps_json *json)
{
    char name[32];

    for (int i = 0; i < ps_compared_columns(table); i++) {
        int column = ps_compared_at(table, i);
        struct ps_cell cell = ps_compared_cell(table, row, column);

        ps_json_key(json, ps_compared_column(table, column, name));
        ps_cell_json(&cell, json);
        if (column == PS_CMP_PLACE && strcmp(table->head.place, "file") == 0) {
            ps_json_key(json, "file");
            ps_cell_json(&cell, json);
        }
    }
}

static void write_sums(const struct ps_compared_table *table, const struct picked *picked,
                       struct ps_json *json)
{
    struct ps_rule rule = ps_comparison_rule(table->comparison);

    ps_json_object(json);
    if (table->alone) {
        ps_json_kreal(json, "median", picked->now);
        ps_json_end(json);
        return;
    }
    ps_json_kreal(json, "base", picked->base);
    ps_json_kreal(json, "new", picked->now);
    ps_json_kreal(json, "delta", picked->delta);
    ps_json_kreal(json, "factor", rule.factor);
    ps_json_kreal(json, "small_factor", rule.small_factor);
    ps_json_kreal(json, "fdr", rule.fdr);
    ps_json_end(json);
}

/* Finds the order of the filtered rows in the cache, or computes it. The caller releases it. */
static enum ps_status find_order(struct ps_db *db, const struct ps_compared_table *table,
                                 struct ps_params params, struct ps_order **out, struct ps_err *err)
{
    struct picked picked = {.at = NULL};
    struct ps_json json;
    enum ps_status status;

    *out = ps_order_find(table->kept.key, "compare", params);
    if (*out)
        return PS_OK;
    status = pick(db, table, params, &picked, err);
    if (status == PS_OK)
        status = sort_picked(table, params, &picked, err);
    if (status != PS_OK) {
        free(picked.at);
        return status;
    }
    *out = ps_alloc(sizeof **out);
    (*out)->ids = picked.at;
    (*out)->n = (*out)->total = (int64_t)picked.n;
    json = ps_json_to(&(*out)->sums);
    write_sums(table, &picked, &json);
    ps_order_keep(*out, table->kept.key, "compare", params);
    return PS_OK;
}

static enum ps_status write_page(const struct ps_compared_table *table, struct ps_params params,
                                 const struct ps_order *order, struct ps_answer *answer,
                                 struct ps_err *err)
{
    struct ps_json json = ps_json_to(&answer->body);
    size_t n;
    const struct ps_compared_row *rows = ps_comparison_rows(table->comparison, &n);
    int64_t limit, offset;
    enum ps_status status = ps_param_int(params, "limit", 0, PAGE_MAX, 100, &limit, err);

    if (status == PS_OK)
        status = ps_param_int(params, "offset", 0, INT32_MAX, 0, &offset, err);
    if (status != PS_OK)
        return status;
    ps_json_object(&json);
    ps_json_kint(&json, "total", order->n);
    ps_json_kint(&json, "of", (int64_t)n);
    ps_json_kstr(&json, "metric", table->head.metrics[0].name);
    write_columns(table, &json);
    ps_json_key(&json, "rows");
    ps_json_array(&json);
    for (int64_t i = offset; i < order->n && i < offset + limit; i++)
        write_array(table, &rows[order->ids[i]], &json);
    ps_json_end(&json);
    ps_json_key(&json, "sums");
    ps_json_raw(&json, ps_buf_slice(&order->sums));
    ps_json_end(&json);
    return PS_OK;
}

static void write_all(const struct ps_compared_table *table, const struct ps_order *order, bool csv,
                      struct ps_answer *answer)
{
    struct ps_json json = ps_json_to(&answer->body);
    size_t n;
    const struct ps_compared_row *rows = ps_comparison_rows(table->comparison, &n);
    char name[32];

    answer->attachment = true;
    if (csv)
        answer->type = "text/csv; charset=utf-8";
    else
        ps_json_array(&json);
    for (int c = 0; csv && c < ps_compared_columns(table); c++)
        ps_buf_printf(&answer->body, "%s%s", c ? "," : "",
                      ps_compared_column(table, ps_compared_at(table, c), name));
    for (int64_t i = 0; i < order->n; i++) {
        const struct ps_compared_row *row = &rows[order->ids[i]];

        if (!csv) {
            ps_json_object(&json);
            write_object(table, row, &json);
            ps_json_end(&json);
        }
        for (int c = 0; csv && c < ps_compared_columns(table); c++) {
            struct ps_cell cell = ps_compared_cell(table, row, ps_compared_at(table, c));

            ps_buf_puts(&answer->body, c ? "," : "\r\n");
            ps_cell_csv(&cell, &answer->body);
        }
    }
    if (csv)
        ps_buf_puts(&answer->body, "\r\n");
    else
        ps_json_end(&json);
}

static enum ps_status answer_rows(struct ps_db *db, const struct ps_compared_table *table,
                                  struct ps_params params, struct ps_answer *answer,
                                  struct ps_err *err)
{
    const char *format = ps_param_get(params, "format");
    bool all = format && (strcmp(format, "csv") == 0 || strcmp(format, "rows") == 0);
    struct ps_order *order = NULL;
    enum ps_status status;

    if (format && format[0] && !all && strcmp(format, "json") != 0)
        return ps_fail(err, PS_BAD_REQUEST, "the parameter format must be json, csv or rows");
    status = find_order(db, table, params, &order, err);
    if (status == PS_OK && all)
        write_all(table, order, format[0] == 'c', answer);
    else if (status == PS_OK)
        status = write_page(table, params, order, answer, err);
    ps_order_release(order);
    return status;
}

enum ps_status ps_query_compare_rows(struct ps_store *store, const struct ps_compare_groups *groups,
                                     const char *of, struct ps_params params,
                                     struct ps_answer *answer, struct ps_err *err)
{
    struct ps_compared_table *table = NULL;
    struct ps_db *db = NULL;
    enum ps_status status = ps_compared_acquire(store, groups, of, params, &table, err);

    if (status == PS_OK)
        status = ps_run_acquire(store, groups->at[0].id, &db, err);
    if (status == PS_OK)
        status = answer_rows(db, table, params, answer, err);
    ps_run_release(db);
    ps_compared_release(table);
    return status;
}

static void write_values(const char *key, const double *values, size_t n, struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < n; i++)
        ps_json_real(json, values[i]);
    ps_json_end(json);
}

/* Writes the key "at": the index of a row in the requested order; absent if the row does not pass
 * the filters. */
static enum ps_status write_at(struct ps_store *store, const struct ps_compare_groups *groups,
                               const struct ps_compared_table *table, struct ps_params params,
                               int64_t row, struct ps_json *json, struct ps_err *err)
{
    struct ps_order *order = NULL;
    struct ps_db *db = NULL;
    enum ps_status status = ps_run_acquire(store, groups->at[0].id, &db, err);

    if (status == PS_OK)
        status = find_order(db, table, params, &order, err);
    ps_run_release(db);
    for (int64_t i = 0; status == PS_OK && i < order->n; i++)
        if (order->ids[i] == row - 1)
            ps_json_kint(json, "at", i);
    ps_order_release(order);
    return status;
}

enum ps_status ps_query_compare_row(struct ps_store *store, const struct ps_compare_groups *groups,
                                    const char *of, int64_t row, struct ps_params params,
                                    struct ps_json *json, struct ps_err *err)
{
    struct ps_compared_table *table = NULL;
    enum ps_status status = ps_compared_acquire(store, groups, of, params, &table, err);
    const struct ps_compared_row *rows;
    size_t n = 0, n_base, n_now;
    const double *values, *now;

    if (status != PS_OK)
        return status;
    rows = ps_comparison_rows(table->comparison, &n);
    if (row < 1 || (uint64_t)row > n) {
        ps_compared_release(table);
        return ps_fail(err, PS_NOT_FOUND, "no row %lld in this table", (long long)row);
    }
    values = ps_comparison_values(table->comparison, (uint32_t)row, &n_base, &now, &n_now);
    ps_json_object(json);
    write_object(table, &rows[row - 1], json);
    if (!table->alone)
        write_values("base_values", values, n_base, json);
    write_values(table->alone ? "values" : "new_values", now, n_now, json);
    if (ps_param_get(params, "sort"))
        status = write_at(store, groups, table, params, row, json, err);
    ps_json_end(json);
    ps_compared_release(table);
    return status;
}

/* Returns the row that has this id in the run of one side, or NULL. */
static const struct ps_compared_row *row_of_id(const struct ps_comparison *comparison, bool base,
                                               int64_t id)
{
    size_t n = 0;
    const struct ps_compared_row *rows = ps_comparison_rows(comparison, &n);

    for (size_t i = 0; i < n; i++)
        if ((base ? rows[i].base_id : rows[i].now_id) == id)
            return &rows[i];
    return NULL;
}

enum ps_status ps_query_compare_twin(struct ps_store *store, const struct ps_compare_groups *groups,
                                     const char *of, struct ps_params params, struct ps_json *json,
                                     struct ps_err *err)
{
    const char *side = ps_param_get(params, "side"), *text = ps_param_get(params, "id");
    const struct ps_compared_row *row;
    struct ps_compared_table *table = NULL;
    enum ps_status status;
    bool base = side && strcmp(side, "base") == 0;
    int64_t id = 0, twin;

    if (groups->n_base != 1 || groups->n_now != 1)
        return ps_fail(err, PS_BAD_REQUEST, "this needs one run on each side");
    if (!base && !(side && strcmp(side, "new") == 0))
        return ps_fail(err, PS_BAD_REQUEST, "the parameter side must be base or new");
    if (!text || !ps_str_i64(ps_str_of(text), &id) || id < 1)
        return ps_fail(err, PS_BAD_REQUEST, "the parameter id must be a number from 1");
    status = ps_compared_acquire(store, groups, of, params, &table, err);
    if (status != PS_OK)
        return status;
    row = row_of_id(table->comparison, base, id);
    if (row) {
        twin = base ? row->now_id : row->base_id;
        ps_json_object(json);
        ps_json_key(json, "id");
        if (twin)
            ps_json_int(json, twin);
        else
            ps_json_null(json);
        ps_json_key(json, "name");
        ps_json_str(json, row->name);
        ps_json_end(json);
    } else {
        status = ps_fail(err, PS_NOT_FOUND, "the run has no %s with id %lld", of, (long long)id);
    }
    ps_compared_release(table);
    return status;
}
