/* SPDX-License-Identifier: MIT */
/* rows.c: the rows of a comparison as a row set. */
#include "server/query/compare/answers.h"
#include "server/query/compare/compare.h"

#include <math.h>

struct row_context {
    const struct ps_cached_comparison *table;
    const struct ps_comparison_row *rows;
    size_t n;
    struct ps_db *db; /* database in which text searches are evaluated; NULL: no filters */
    int columns[PS_CMP_COLUMNS_MAX];
};

/* --- Filter --- */

static bool is_in_list(const char *list, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = list; (at = strstr(at, word)); at += len)
        if ((at == list || at[-1] == ',') && (at[len] == ',' || !at[len]))
            return true;
    return false;
}

static bool passes_words(const struct ps_comparison_row *row, const char *name,
                         const char *verdicts, const char *changes)
{
    const char *verdict = ps_verdict_words[row->judgement.verdict],
               *change = ps_change_words[row->change];

    if (name && name[0] && !ps_str_eq_c(row->name, name))
        return false;
    if (verdicts && verdicts[0] && (!verdict || !is_in_list(verdicts, verdict)))
        return false;
    return !changes || !changes[0] || is_in_list(changes, change ? change : "kept");
}

/* Whether the row has a value other than 0 in a group. */
static bool has_value(const struct ps_comparison_row *row)
{
    const struct ps_judgement *judgement = &row->judgement;

    return (isfinite(judgement->base_median) && judgement->base_median != 0) ||
           (isfinite(judgement->new_median) && judgement->new_median != 0);
}

/* Prepares the statement that matches rows with the parameters q and hide. *stmt is unchanged if
 * both are absent. */
static enum ps_status prepare_search(struct ps_db *db, struct ps_params params,
                                     struct ps_stmt **stmt, struct ps_err *err)
{
    static const char *const keys[] = {"q", "regex", "hide"};
    bool any = false;

    for (size_t i = 0; i < 3; i++) {
        const char *value = ps_param_get(params, keys[i]);

        any |= value && value[0] && i != 1;
    }
    if (!any)
        return err->code;
    ps_db_prepare(db, ps_query_sql("compare_words"), stmt, err);
    return ps_bind_search(*stmt, params, err);
}

static bool passes_search(struct ps_stmt *stmt, const struct ps_comparison_row *row,
                          struct ps_err *err)
{
    bool found;

    if (!stmt)
        return true;
    ps_bind_text(stmt, ":name", row->name);
    ps_bind_text(stmt, ":place", row->place.len ? row->place : PS_STR(""));
    ps_bind_text(stmt, ":within", row->function.len ? row->function : PS_STR(""));
    found = ps_stmt_step(stmt, err) && ps_col_int(stmt, 0);
    ps_stmt_rewind(stmt);
    return found;
}

static void write_sums(const struct ps_cached_comparison *table, const struct ps_judgement *sums,
                       struct ps_json *json)
{
    struct ps_rule rule = ps_comparison_rule(table->comparison);

    ps_json_object(json);
    if (table->is_single_group) {
        ps_json_key_real(json, "median", sums->new_median);
        ps_json_key_real(json, "whole", table->whole_new);
        ps_json_end(json);
        return;
    }
    ps_json_key_real(json, "base", sums->base_median);
    ps_json_key_real(json, "new", sums->new_median);
    ps_json_key_real(json, "delta", sums->delta);
    ps_json_key_real(json, "whole_base", table->whole_base);
    ps_json_key_real(json, "whole_new", table->whole_new);
    ps_json_key_real(json, "factor", rule.factor);
    ps_json_key_real(json, "small_factor", rule.small_factor);
    ps_json_key_real(json, "fdr", rule.fdr);
    ps_json_end(json);
}

static double known_or_zero(double value)
{
    return isfinite(value) ? value : 0;
}

static enum ps_status filter_rows(const void *context, struct ps_params params, uint32_t *ids,
                                  size_t *n, struct ps_json *sums, struct ps_err *err)
{
    const struct row_context *c = context;
    const char *verdicts = ps_param_get(params, "verdict"),
               *changes = ps_param_get(params, "change"), *name = ps_param_get(params, "name"),
               *with_value = ps_param_get(params, "with_value");
    const bool needs_value = with_value && strcmp(with_value, "1") == 0;
    struct ps_judgement sum = {.base_median = 0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    prepare_search(c->db, params, &stmt, err);
    for (size_t i = 0; i < c->n && err->code == PS_OK; i++) {
        const struct ps_comparison_row *row = &c->rows[i];

        if ((!needs_value || has_value(row)) && passes_words(row, name, verdicts, changes) &&
            passes_search(stmt, row, err)) {
            ids[(*n)++] = (uint32_t)i;
            sum.base_median += known_or_zero(row->judgement.base_median);
            sum.new_median += known_or_zero(row->judgement.new_median);
            sum.delta += known_or_zero(row->judgement.delta);
        }
    }
    write_sums(c->table, &sum, sums);
    return err->code;
}

/* --- Row set --- */

static const char *column_name(const void *context, int column, char out[32])
{
    const struct row_context *c = context;

    return ps_comparison_column_name(c->table, column, out);
}

static struct ps_value column_value(const void *context, uint32_t id, int column)
{
    const struct row_context *c = context;

    return ps_comparison_column_value(c->table, &c->rows[id], column);
}

static int sort_column(const void *context, const char *key)
{
    const struct row_context *c = context;
    int columns[PS_CMP_COLUMNS_MAX];
    size_t n = ps_comparison_list_columns(c->table, columns);
    char name[32];

    if (!key || strcmp(key, "size") == 0)
        return PS_CMP_SIZE;
    for (size_t i = 0; i < n; i++)
        if (columns[i] != PS_CMP_LOW && columns[i] != PS_CMP_HIGH &&
            strcmp(ps_comparison_column_name(c->table, columns[i], name), key) == 0)
            return columns[i];
    return -1;
}

/* Returns the row set of a comparison. It refers to *out, which must stay valid. db: database of
 * any run, in which searches are evaluated; NULL if the rows will not be filtered. */
static struct ps_array_rows make_row_set(const struct ps_cached_comparison *table, struct ps_db *db,
                                         struct row_context *out)
{
    out->table = table;
    out->db = db;
    out->rows = ps_comparison_rows(table->comparison, &out->n);
    return (struct ps_array_rows){
        .array = out,
        .key = table->entry.key,
        .metric = table->head.metrics[0].name,
        .per = ps_per_words[table->per],
        .n = out->n,
        .columns = out->columns,
        .n_columns = ps_comparison_list_columns(table, out->columns),
        .aliased_column = PS_CMP_PLACE,
        .alias = strcmp(table->head.place, "file") == 0 ? "file" : NULL,
        .get_name = column_name,
        .get_value = column_value,
        .get_sort_column = sort_column,
        .filter_rows = filter_rows,
    };
}

enum ps_status ps_query_compare_rows(struct ps_store *store, const struct ps_compare_groups *groups,
                                     const char *of, struct ps_params params,
                                     struct ps_answer *answer, struct ps_err *err)
{
    struct ps_cached_comparison *table = NULL;
    struct ps_db *db = NULL;
    struct ps_array_rows array;
    struct row_context row_context;

    ps_cached_comparison_acquire(store, groups, of, params, &table, err);
    ps_run_acquire(store, groups->runs[0].id, &db, err);
    if (err->code == PS_OK) {
        array = make_row_set(table, db, &row_context);
        ps_answer_array(&array, params, answer, err);
    }
    ps_run_release(db);
    ps_cached_comparison_release(table);
    return err->code;
}

static void write_id(const char *key, int64_t id, struct ps_json *json)
{
    ps_json_key(json, key);
    if (id)
        ps_json_int(json, id);
    else
        ps_json_null(json);
}

static void write_values(const char *key, const double *values, size_t n, struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < n; i++)
        ps_json_real(json, values[i]);
    ps_json_end(json);
}

/* Writes the key "at": the index (from 0) of row `id` in the order that params request. Writes no
 * key if the row does not pass the filters. `id` is an index in the comparison, from 0. */
static enum ps_status write_row_index(struct ps_store *store, const char *run,
                                      struct ps_params params,
                                      const struct ps_cached_comparison *table, uint32_t id,
                                      struct ps_json *json, struct ps_err *err)
{
    struct ps_db *db = NULL;
    struct row_context row_context;
    struct ps_array_rows array;
    int64_t index = -1;

    ps_run_acquire(store, run, &db, err);
    if (err->code == PS_OK) {
        array = make_row_set(table, db, &row_context);
        ps_array_index(&array, params, id, &index, err);
    }
    ps_run_release(db);
    if (index >= 0)
        ps_json_key_int(json, "at", index);
    return err->code;
}

enum ps_status ps_query_compare_row(struct ps_store *store, const struct ps_compare_groups *groups,
                                    const char *of, int64_t row, struct ps_params params,
                                    struct ps_json *json, struct ps_err *err)
{
    struct ps_cached_comparison *table = NULL;
    struct row_context row_context;
    struct ps_array_rows array;
    size_t n_base, n_new;
    const double *values, *now;

    if (ps_cached_comparison_acquire(store, groups, of, params, &table, err) != PS_OK)
        return err->code;
    array = make_row_set(table, NULL, &row_context);
    if (row < 1 || (uint64_t)row > array.n) {
        ps_cached_comparison_release(table);
        return ps_fail(err, PS_NOT_FOUND, "no row %lld in this table", (long long)row);
    }
    values = ps_comparison_values(table->comparison, (uint32_t)row, &n_base, &now, &n_new);
    ps_json_object(json);
    ps_array_write_members(&array, (uint32_t)(row - 1), json);
    if (!table->is_single_group) {
        write_id("base_id", row_context.rows[row - 1].base_id, json);
        write_id("new_id", row_context.rows[row - 1].new_id, json);
        write_values("base_values", values, n_base, json);
    }
    write_values(table->is_single_group ? "values" : "new_values", now, n_new, json);
    if (ps_param_get(params, "sort"))
        write_row_index(store, groups->runs[0].id, params, table, (uint32_t)(row - 1), json, err);
    ps_json_end(json);
    ps_cached_comparison_release(table);
    return err->code;
}

/* Returns the row that has the id `id` in the base run (if `is_base`) or in the new run; NULL if
 * there is none. */
static const struct ps_comparison_row *find_row(const struct ps_comparison *comparison,
                                                bool is_base, int64_t id)
{
    size_t n = 0;
    const struct ps_comparison_row *rows = ps_comparison_rows(comparison, &n);

    for (size_t i = 0; i < n; i++)
        if ((is_base ? rows[i].base_id : rows[i].new_id) == id)
            return &rows[i];
    return NULL;
}

enum ps_status ps_query_compare_twin(struct ps_store *store, const struct ps_compare_groups *groups,
                                     const char *of, struct ps_params params, struct ps_json *json,
                                     struct ps_err *err)
{
    const char *side = ps_param_get(params, "side"), *text = ps_param_get(params, "id");
    const struct ps_comparison_row *row;
    struct ps_cached_comparison *table = NULL;
    bool is_base = side && strcmp(side, "base") == 0;
    int64_t id = 0, twin;

    if (groups->n_base != 1 || groups->n_new != 1)
        return ps_fail(err, PS_BAD_REQUEST, "base and new must each be one run, not a group");
    if (!is_base && !(side && strcmp(side, "new") == 0))
        return ps_fail(err, PS_BAD_REQUEST, "the parameter side must be base or new");
    if (!text || !ps_str_parse_i64(ps_str_from_c(text), &id) || id < 1)
        return ps_fail(err, PS_BAD_REQUEST, "the parameter id must be a number from 1");
    if (ps_cached_comparison_acquire(store, groups, of, params, &table, err) != PS_OK)
        return err->code;
    row = find_row(table->comparison, is_base, id);
    if (row) {
        twin = is_base ? row->new_id : row->base_id;
        ps_json_object(json);
        write_id("id", twin, json);
        ps_json_key(json, "name");
        ps_json_str(json, row->name);
        ps_json_end(json);
    } else {
        ps_fail(err, PS_NOT_FOUND, "the run has no %s with id %lld", of, (long long)id);
    }
    ps_cached_comparison_release(table);
    return err->code;
}
