/* SPDX-License-Identifier: MIT */
#include "server/query/rowset.h"

#include <stdlib.h>

#include "server/query/lru_cache.h"
#include "server/query/view.h"

#define PAGE_MAX     1000
#define PAGE_DEFAULT 100

/* --- Parameters --- */

enum ps_status ps_page_read(struct ps_params params, int64_t limit_max, int64_t limit_default,
                            struct ps_page *out, struct ps_err *err)
{
    ps_param_int(params, "limit", 0, limit_max, limit_default, &out->limit, err);
    return ps_param_int(params, "offset", 0, INT32_MAX, 0, &out->offset, err);
}

/* Reads the parameters sort and desc. *key is NULL if sort is absent or empty; *desc is -1 if desc
 * is absent. */
static enum ps_status read_sort(struct ps_params params, const char **key, int64_t *desc,
                                struct ps_err *err)
{
    *key = ps_param_get(params, "sort");
    if (*key && !(*key)[0])
        *key = NULL;
    return ps_param_int(params, "desc", 0, 1, -1, desc, err);
}

static enum ps_status fail_sort_key(const char *key, struct ps_err *err)
{
    return ps_fail(err, PS_BAD_REQUEST, "unknown sort key %s", key);
}

/* The output that a client requests. */
struct output {
    enum { FORMAT_PAGE, FORMAT_ROWS, FORMAT_CSV } format;
    struct ps_page page; /* FORMAT_PAGE: the page */
};

static enum ps_status read_output(struct ps_params params, struct output *out, struct ps_err *err)
{
    const char *format = ps_param_get(params, "format");

    *out = (struct output){.format = FORMAT_PAGE};
    if (format && strcmp(format, "csv") == 0)
        out->format = FORMAT_CSV;
    else if (format && strcmp(format, "rows") == 0)
        out->format = FORMAT_ROWS;
    else if (format && format[0] && strcmp(format, "json") != 0)
        return ps_fail(err, PS_BAD_REQUEST, "the parameter format must be json, csv or rows");
    if (out->format == FORMAT_PAGE)
        ps_page_read(params, PAGE_MAX, PAGE_DEFAULT, &out->page, err);
    return err->code;
}

enum ps_status ps_bind_search(struct ps_stmt *stmt, struct ps_params params, struct ps_err *err)
{
    const char *q = ps_param_get(params, "q"), *regex = ps_param_get(params, "regex"),
               *hide = ps_param_get(params, "hide");
    bool is_regex = regex && strcmp(regex, "1") == 0;

    if (err->code != PS_OK)
        return err->code;
    if (q && q[0]) {
        if (is_regex)
            ps_regex_check(q, err);
        ps_bind_text(stmt, is_regex ? ":regex" : ":q", ps_str_from_c(q));
    }
    if (hide && hide[0]) {
        ps_regex_check(hide, err);
        ps_bind_text(stmt, ":hide", ps_str_from_c(hide));
    }
    return err->code;
}

enum ps_status ps_bind_filters(struct ps_stmt *stmt, const struct ps_query_table *table,
                               struct ps_params params, struct ps_err *err)
{
    for (size_t i = 0; i < table->n_params; i++) {
        const struct ps_query_param *param = &table->params[i];
        PS_AUTO(ps_buf_free) struct ps_buf text = {0};
        const char *value = ps_param_get(params, param->name + 1);

        if (!value || !value[0])
            continue;
        ps_buf_printf(&text, param->is_list ? ",%s," : "%s", value);
        ps_bind_text(stmt, param->name, ps_buf_slice(&text));
    }
    return ps_bind_search(stmt, params, err);
}

/* --- Rows --- */

/* Iterates over the rows to write: all rows of a statement, the rows that a statement looks up by
 * the ids in `ids`, or the rows of an array with these ids. */
struct rows {
    struct ps_stmt *stmt; /* NULL: the rows are those of `array` */
    const struct ps_array_rows *array;
    const uint32_t *ids; /* ids of the rows; NULL: all rows of the statement */
    int64_t next, end;   /* half-open range of indices in `ids` */
};

static bool next_row(struct rows *rows, struct ps_err *err)
{
    if (!rows->ids)
        return ps_stmt_step(rows->stmt, err);
    for (; rows->next < rows->end && err->code == PS_OK; rows->next++) {
        if (rows->stmt) {
            ps_stmt_rewind(rows->stmt);
            ps_bind_int(rows->stmt, ":row", rows->ids[rows->next]);
        }
        if (!rows->stmt || ps_stmt_step(rows->stmt, err)) {
            rows->next++;
            return true;
        }
    }
    return false;
}

static const char *array_name(const struct ps_array_rows *array, size_t i, char out[32])
{
    return array->get_name(array->array, array->columns[i], out);
}

/* Returns the value of the i-th column of the current row of an array. */
static struct ps_value array_value(const struct rows *rows, size_t i)
{
    return rows->array->get_value(rows->array->array, rows->ids[rows->next - 1],
                                  rows->array->columns[i]);
}

static void write_names(const struct rows *rows, struct ps_json *out)
{
    const struct ps_array_rows *array = rows->array;
    char name[32];

    if (!array) {
        ps_row_write_names(rows->stmt, out);
        return;
    }
    ps_json_array(out);
    for (size_t i = 0; i < array->n_columns; i++)
        ps_json_str(out, ps_str_from_c(array_name(array, i, name)));
    ps_json_end(out);
}

static void write_array(const struct rows *rows, struct ps_json *out)
{
    if (!rows->array) {
        ps_row_write_array(rows->stmt, 0, out);
        return;
    }
    ps_json_array(out);
    for (size_t i = 0; i < rows->array->n_columns; i++)
        ps_value_write_json(array_value(rows, i), out);
    ps_json_end(out);
}

void ps_array_write_members(const struct ps_array_rows *array, uint32_t id, struct ps_json *out)
{
    char name[32];

    for (size_t i = 0; i < array->n_columns; i++) {
        struct ps_value value = array->get_value(array->array, id, array->columns[i]);

        ps_json_key(out, array_name(array, i, name));
        ps_value_write_json(value, out);
        if (array->alias && array->columns[i] == array->aliased_column) {
            ps_json_key(out, array->alias);
            ps_value_write_json(value, out);
        }
    }
}

static void write_object(const struct rows *rows, struct ps_json *out)
{
    ps_json_object(out);
    if (rows->array)
        ps_array_write_members(rows->array, rows->ids[rows->next - 1], out);
    else
        ps_row_write_members(rows->stmt, 0, out);
    ps_json_end(out);
}

static void write_csv_head(const struct rows *rows, struct ps_buf *out)
{
    const struct ps_array_rows *array = rows->array;
    char name[32];

    if (!array) {
        ps_csv_write_header(rows->stmt, out);
        return;
    }
    for (size_t i = 0; i < array->n_columns; i++)
        ps_buf_printf(out, "%s%s", i ? "," : "", array_name(array, i, name));
    ps_buf_puts(out, "\r\n");
}

static void write_csv_row(const struct rows *rows, struct ps_buf *out)
{
    if (!rows->array) {
        ps_csv_write_row(rows->stmt, out);
        return;
    }
    for (size_t i = 0; i < rows->array->n_columns; i++) {
        ps_buf_puts(out, i ? "," : "");
        ps_value_write_csv(array_value(rows, i), out);
    }
    ps_buf_puts(out, "\r\n");
}

static enum ps_status write_file(struct rows *rows, bool csv, struct ps_answer *answer,
                                 struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);

    answer->is_attachment = true;
    if (csv) {
        answer->type = "text/csv; charset=utf-8";
        write_csv_head(rows, &answer->body);
        while (next_row(rows, err))
            write_csv_row(rows, &answer->body);
        return err->code;
    }
    ps_json_array(&json);
    while (next_row(rows, err))
        write_object(rows, &json);
    ps_json_end(&json);
    return err->code;
}

/* --- Cache --- */

#define CACHE_BYTES ((size_t)16 << 20)

/* A cache entry: the data that all pages with the same filters and order share. */
struct entry {
    struct ps_cache_entry cache_entry;
    int64_t total, total_unfiltered; /* numbers of rows: with the filters, and without filters */
    struct ps_buf sums;              /* JSON object with the sums over the filtered rows */
    /* PS_ROWS_BY_ID and arrays: the ids of the filtered rows in order; else NULL */
    uint32_t *ids;
    int64_t n_ids;
    /* PS_ROWS_CACHED: the first rows, as JSON arrays that each end with a comma. */
    struct ps_buf rows;
    size_t *row_offsets; /* n_rows + 1 offsets in `rows`: the start of each row, and the end */
    int64_t n_rows;
    struct ps_buf head; /* JSON array with the names of the columns */
};

static void entry_free(struct ps_cache_entry *kept)
{
    struct entry *entry = (struct entry *)kept;

    free(entry->ids);
    free(entry->row_offsets);
    ps_buf_free(&entry->rows);
    ps_buf_free(&entry->head);
    ps_buf_free(&entry->sums);
    free(kept->key);
    free(entry);
}

static struct ps_lru_cache entries = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .bytes_max = CACHE_BYTES, .free_entry = entry_free};

static void entry_release(struct entry *entry)
{
    ps_lru_cache_release(&entries, entry ? &entry->cache_entry : NULL);
}

/* Returns a cache key; the caller frees it. owner and name: the run id and the name of the
 * statement, or the key of the array and "". The parameters limit, offset and format are not part
 * of the key. */
static char *entry_key(const char *owner, const char *name, struct ps_params params)
{
    struct ps_buf key = {0};

    ps_buf_printf(&key, "%s\n%s", owner, name);
    for (size_t i = 0; i < params.n; i++) {
        const char *param = params.items[i].key;

        if (strcmp(param, "limit") != 0 && strcmp(param, "offset") != 0 &&
            strcmp(param, "format") != 0)
            ps_buf_printf(&key, "\n%s=%s", param, params.items[i].value);
    }
    return key.ptr;
}

static void entry_add(struct entry *entry, const char *key)
{
    size_t bytes =
        sizeof *entry + (size_t)entry->n_ids * sizeof *entry->ids + entry->sums.cap +
        entry->rows.cap + entry->head.cap + strlen(key) +
        (entry->row_offsets ? (size_t)entry->n_rows + 1 : 0) * sizeof *entry->row_offsets;

    ps_lru_cache_put(&entries, &entry->cache_entry, ps_strdup(ps_str_from_c(key)), bytes);
}

/* --- Order --- */

struct sort_key {
    enum { KEY_NULL, KEY_INT, KEY_REAL, KEY_TEXT } kind;
    uint32_t id;
    union {
        int64_t i;
        double r;
        const char *text;
    };
    size_t len; /* length of text */
};

static struct sort_key key_of(uint32_t id, struct ps_value value)
{
    struct sort_key key = {.id = id, .kind = KEY_NULL};

    if (value.num.kind == PS_NUM_INT) {
        key.kind = KEY_INT;
        key.i = value.num.i;
    } else if (value.num.kind == PS_NUM_REAL) {
        key.kind = KEY_REAL;
        key.r = value.num.r;
    } else if (value.text.ptr) {
        key.kind = KEY_TEXT;
        key.text = value.text.ptr;
        key.len = value.text.len;
    }
    return key;
}

/* Returns the number as a long double, which represents every int64_t and every double exactly. */
static long double number_of(const struct sort_key *key)
{
    return key->kind == KEY_INT ? (long double)key->i : (long double)key->r;
}

static int order_texts(const struct sort_key *a, const struct sort_key *b)
{
    int order = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);

    return order ? order : (a->len > b->len) - (a->len < b->len);
}

/* Compares two keys in the order of SQLite: NULL, then numbers, then texts. */
static int order_keys(const struct sort_key *a, const struct sort_key *b)
{
    bool a_is_number = a->kind == KEY_INT || a->kind == KEY_REAL,
         b_is_number = b->kind == KEY_INT || b->kind == KEY_REAL;

    if (a_is_number && b_is_number)
        return (number_of(a) > number_of(b)) - (number_of(a) < number_of(b));
    if (a->kind == KEY_TEXT && b->kind == KEY_TEXT)
        return order_texts(a, b);
    return (a->kind > b->kind) - (a->kind < b->kind);
}

static int compare_ascending(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;
    int order = order_keys(x, y);

    return order ? order : (x->id > y->id) - (x->id < y->id);
}

static int compare_descending(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;
    int order = order_keys(y, x);

    return order ? order : (x->id > y->id) - (x->id < y->id);
}

/* Sorts the keys and stores their ids in the entry. */
static void sort_ids(struct sort_key *keys, size_t n, bool is_descending, struct entry *out)
{
    if (n)
        qsort(keys, n, sizeof *keys, is_descending ? compare_descending : compare_ascending);
    out->ids = ps_grow(NULL, n + 1, sizeof *out->ids);
    out->n_ids = (int64_t)n;
    for (size_t i = 0; i < n; i++)
        out->ids[i] = keys[i].id;
}

/* --- Pages --- */

/* Returns the index after the last row of a page; `total` if the page ends or begins after the last
 * row. */
static int64_t page_end(struct ps_page page, int64_t total)
{
    return page.offset < total && page.limit < total - page.offset ? page.offset + page.limit
                                                                   : total;
}

static bool is_cached(const struct entry *entry, struct ps_page page)
{
    return entry->row_offsets &&
           (page.offset >= entry->total || page_end(page, entry->total) <= entry->n_rows);
}

static void write_cached(const struct entry *entry, struct ps_page page, struct ps_json *out)
{
    int64_t end = page_end(page, entry->total);

    ps_json_key(out, "columns");
    ps_json_raw(out, ps_buf_slice(&entry->head));
    ps_json_key(out, "rows");
    ps_json_array(out);
    if (end > page.offset)
        ps_json_raw(out,
                    (struct ps_str){entry->rows.ptr + entry->row_offsets[page.offset],
                                    entry->row_offsets[end] - entry->row_offsets[page.offset] - 1});
    ps_json_end(out);
}

/* Writes a page. rows: the rows of the page; NULL: they are in entry->rows. metric: value of the
 * key "metric"; NULL for statements, which have no such key. */
static enum ps_status write_page(const struct entry *entry, struct ps_page page, struct rows *rows,
                                 const struct ps_array_rows *array, struct ps_answer *answer,
                                 struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);

    ps_json_object(&json);
    ps_json_key_int(&json, "total", entry->total);
    ps_json_key_int(&json, "of", entry->total_unfiltered);
    if (array) {
        ps_json_key_str(&json, "metric", array->metric);
        ps_json_key_str(&json, "per", array->per);
    }
    if (rows) {
        ps_json_key(&json, "columns");
        write_names(rows, &json);
        ps_json_key(&json, "rows");
        ps_json_array(&json);
        while (next_row(rows, err))
            write_array(rows, &json);
        ps_json_end(&json);
    } else {
        write_cached(entry, page, &json);
    }
    ps_json_key(&json, "sums");
    ps_json_raw(&json, ps_buf_slice(&entry->sums));
    ps_json_end(&json);
    return err->code;
}

/* --- Rows of an array --- */

/* The caller releases *out. */
static enum ps_status order_array(const struct ps_array_rows *array, struct ps_params params,
                                  struct entry **out, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *key = entry_key(array->key, "", params);
    PS_AUTO(ps_free_ptr) uint32_t *ids = NULL;
    PS_AUTO(ps_free_ptr) struct sort_key *keys = NULL;
    const char *sort;
    struct ps_json sums;
    size_t n = 0;
    int64_t desc;
    int column;

    if (read_sort(params, &sort, &desc, err) != PS_OK)
        return err->code;
    *out = (struct entry *)ps_lru_cache_find(&entries, key);
    if (*out)
        return PS_OK;
    column = array->get_sort_column(array->array, sort);
    if (column < 0)
        return fail_sort_key(sort, err);
    *out = ps_alloc(sizeof **out);
    sums = ps_json_writer(&(*out)->sums);
    ids = ps_grow(NULL, array->n + 1, sizeof *ids);
    if (array->filter_rows(array->array, params, ids, &n, &sums, err) != PS_OK)
        return err->code;
    keys = ps_grow(NULL, n + 1, sizeof *keys);
    for (size_t i = 0; i < n; i++)
        keys[i] = key_of(ids[i], array->get_value(array->array, ids[i], column));
    sort_ids(keys, n, desc != 0, *out);
    (*out)->total = (int64_t)n;
    (*out)->total_unfiltered = (int64_t)array->n;
    entry_add(*out, key);
    return PS_OK;
}

enum ps_status ps_answer_array(const struct ps_array_rows *array, struct ps_params params,
                               struct ps_answer *answer, struct ps_err *err)
{
    struct output output;
    struct entry *entry = NULL;
    struct rows rows = {.array = array};

    read_output(params, &output, err);
    if (order_array(array, params, &entry, err) == PS_OK) {
        rows.ids = entry->ids;
        rows.next = output.page.offset;
        rows.end =
            output.format == FORMAT_PAGE ? page_end(output.page, entry->n_ids) : entry->n_ids;
        if (output.format == FORMAT_PAGE)
            write_page(entry, output.page, &rows, array, answer, err);
        else
            write_file(&rows, output.format == FORMAT_CSV, answer, err);
    }
    entry_release(entry);
    return err->code;
}

enum ps_status ps_array_index(const struct ps_array_rows *array, struct ps_params params,
                              uint32_t id, int64_t *index, struct ps_err *err)
{
    struct entry *entry = NULL;

    *index = -1;
    order_array(array, params, &entry, err);
    for (int64_t i = 0; err->code == PS_OK && i < entry->n_ids && *index < 0; i++)
        if (entry->ids[i] == id)
            *index = i;
    entry_release(entry);
    return err->code;
}

/* --- Rows of a statement --- */

void ps_computed_table_alloc(struct ps_computed_table *out, enum ps_temp_table table, size_t n,
                             size_t n_columns)
{
    out->values = ps_grow(NULL, n * n_columns + 1, sizeof *out->values);
    out->temp_rows = (struct ps_temp_rows){.table = table, .n = n};
    for (size_t c = 0; c < n_columns; c++)
        out->temp_rows.column[c] = out->values + c * n;
}

void ps_computed_table_copy(struct ps_computed_table *out, enum ps_temp_table table,
                            const void *rows, size_t n, size_t size, size_t n_columns)
{
    ps_computed_table_alloc(out, table, n, n_columns);
    for (size_t r = 0; r < n; r++) {
        const int64_t *row = (const void *)((const char *)rows + r * size);

        for (size_t c = 0; c < n_columns; c++)
            out->values[c * n + r] = row[c];
    }
}

enum ps_status ps_table_order_read(const char *query, struct ps_params params,
                                   struct ps_table_order *out, struct ps_err *err)
{
    const struct ps_query_table *table = ps_query_tables;
    const char *key;
    int64_t desc;

    read_sort(params, &key, &desc, err);
    while (table->query && strcmp(table->query, query) != 0)
        table++;
    if (!table->query)
        return ps_fail(err, PS_INTERNAL, "internal error: %s is not a table", query);
    *out = (struct ps_table_order){.table = table, .sort = table->sorts};
    while (key && strcmp(out->sort->key, key) != 0)
        if (++out->sort == table->sorts + table->n_sorts)
            return fail_sort_key(key, err);
    out->is_descending = desc < 0 ? out->sort->is_descending : desc != 0;
    out->terms = out->is_descending ? out->sort->descending : out->sort->ascending;
    return err->code;
}

/* A request for rows of a statement. is_made: make_rows was called. */
struct table_request {
    struct ps_table_rows rows;
    struct ps_params params;
    struct ps_table_order order;
    const char *sql;
    struct ps_computed_table computed;
    bool is_made;
};

/* Prepares the statement `text`, which selects from request->sql, and binds the filters. Before the
 * first statement, computes the temporary table that request->sql reads. */
static enum ps_status prepare_table_statement(struct table_request *request, const char *text,
                                              struct ps_stmt **out, struct ps_err *err)
{
    if (request->rows.make_rows && !request->is_made) {
        request->rows.make_rows(request->rows.db, request->params, &request->computed, err);
        ps_db_set_temp_rows(request->rows.db, &request->computed.temp_rows);
        request->is_made = true;
    }
    ps_db_prepare(request->rows.db, text, out, err);
    return ps_bind_filters(*out, request->order.table, request->params, err);
}

/* Prepares the statement that selects the rows in the requested order; page NULL: all rows. */
static enum ps_status prepare_ordered(struct table_request *request, const struct ps_page *page,
                                      struct ps_stmt **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_buf_printf(&text, "SELECT * FROM (%s) ORDER BY %s", request->sql, request->order.terms);
    if (page)
        ps_buf_printf(&text, " LIMIT %lld OFFSET %lld", (long long)page->limit,
                      (long long)page->offset);
    return prepare_table_statement(request, text.ptr, out, err);
}

/* Counts and sums the rows that pass the filters. */
static enum ps_status sum_rows(struct table_request *request, struct entry *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const struct ps_query_table *table = request->order.table;
    struct ps_json json = ps_json_writer(&out->sums);

    ps_buf_puts(&text, "SELECT count(*)");
    for (size_t i = 0; i < table->n_sums; i++)
        ps_buf_printf(&text, ", %s AS %s", table->sums[i].expression, table->sums[i].name);
    ps_buf_printf(&text, " FROM (%s)", request->sql);
    prepare_table_statement(request, text.ptr, &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    out->total = ps_col_int(stmt, 0);
    ps_row_write_object(stmt, 1, &json);
    return PS_OK;
}

/* Sorts the ids by a number. qsort here instead of ORDER BY saved 80 of 250 ms for the first page
 * of 200 000 rows. Stores no ids if a value is a text, so the caller must sort with ORDER BY. */
static enum ps_status sort_numbers(struct table_request *request, struct entry *out,
                                   struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_free_ptr) struct sort_key *keys = NULL;
    size_t n = 0, cap = 0;

    ps_buf_printf(&text, "SELECT id, %s FROM (%s)", request->order.sort->expression, request->sql);
    prepare_table_statement(request, text.ptr, &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        struct ps_value value = {.num = ps_col_num(stmt, 1)};

        if (value.num.kind == PS_NUM_NONE && !ps_col_is_null(stmt, 1))
            return PS_OK;
        PS_RESERVE_ONE(keys, n, cap);
        keys[n++] = key_of((uint32_t)ps_col_int(stmt, 0), value);
    }
    if (err->code == PS_OK)
        sort_ids(keys, n, request->order.is_descending, out);
    return err->code;
}

/* PS_ROWS_BY_ID: stores the sorted ids of all rows. Sorting 200 000 rows again for each page would
 * cost 0.1 s; with the ids, a page looks up only its rows. */
static enum ps_status order_ids(struct table_request *request, struct entry *out,
                                struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    sum_rows(request, out, err);
    if (request->order.sort->expression)
        sort_numbers(request, out, err);
    if (err->code != PS_OK || out->ids)
        return err->code;
    ps_buf_printf(&text, "SELECT id FROM (%s) ORDER BY %s", request->sql, request->order.terms);
    prepare_table_statement(request, text.ptr, &stmt, err);
    out->ids = ps_alloc_array((size_t)out->total + 1, sizeof *out->ids);
    while (out->n_ids < out->total && ps_stmt_step(stmt, err))
        out->ids[out->n_ids++] = (uint32_t)ps_col_int(stmt, 0);
    return err->code;
}

#define SUMS_MAX 16
#define ROWS_MAX 20000 /* maximum number of rows to cache; later pages run the statement again */

struct sum {
    int column;
    bool has_values, is_real;
    int64_t integer;
    double part;
};

static enum ps_status find_sums(struct ps_stmt *stmt, const struct ps_query_table *table,
                                struct sum sums[SUMS_MAX], struct ps_err *err)
{
    if (table->n_sums > SUMS_MAX)
        return ps_fail(err, PS_INTERNAL, "internal error: table %s has too many sums",
                       table->query);
    for (size_t i = 0; i < table->n_sums; i++) {
        int column = ps_col_count(stmt) - 1;

        while (column >= 0 && strcmp(ps_col_name(stmt, column), table->sums[i].column) != 0)
            column--;
        if (column < 0)
            return ps_fail(err, PS_INTERNAL,
                           "internal error: a cached table cannot sum the unknown column %s",
                           table->sums[i].column);
        sums[i].column = column;
    }
    return err->code;
}

static void add_value(struct sum *sum, struct ps_num n)
{
    int64_t more = 0;

    sum->has_values |= n.kind != PS_NUM_NONE;
    if (n.kind == PS_NUM_INT && !__builtin_add_overflow(sum->integer, n.i, &more)) {
        sum->integer = more;
    } else if (n.kind != PS_NUM_NONE) {
        sum->is_real = true;
        sum->part += ps_num_to_real(n);
    }
}

static void write_sums(const struct ps_query_table *table, const struct sum *sums,
                       struct ps_buf *out)
{
    struct ps_json json = ps_json_writer(out);

    ps_json_object(&json);
    for (size_t i = 0; i < table->n_sums; i++) {
        const struct sum *sum = &sums[i];

        ps_json_key(&json, table->sums[i].name);
        ps_json_num(&json, !sum->has_values ? PS_NO_NUM
                           : sum->is_real   ? ps_real(sum->part + (double)sum->integer)
                                            : ps_int(sum->integer));
    }
    ps_json_end(&json);
}

/* PS_ROWS_CACHED: counts and sums the rows and caches the first ROWS_MAX rows in one run of the
 * statement. These tables have few rows, but each run of the statement sums millions of slices. */
static enum ps_status cache_rows(struct table_request *request, struct entry *out,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const struct ps_query_table *table = request->order.table;
    struct sum sums[SUMS_MAX] = {{0}};
    struct ps_json head = ps_json_writer(&out->head);
    size_t n = 0, cap = 0;

    prepare_ordered(request, NULL, &stmt, err);
    if (find_sums(stmt, table, sums, err) != PS_OK)
        return err->code;
    ps_row_write_names(stmt, &head);
    for (; ps_stmt_step(stmt, err); out->total++) {
        struct ps_json json = ps_json_writer(&out->rows);

        for (size_t i = 0; i < table->n_sums; i++)
            add_value(&sums[i], ps_col_num(stmt, sums[i].column));
        if (n == ROWS_MAX)
            continue;
        PS_RESERVE_ONE(out->row_offsets, n, cap);
        out->row_offsets[n++] = out->rows.len;
        ps_row_write_array(stmt, 0, &json);
        ps_buf_puts(&out->rows, ",");
    }
    PS_RESERVE_ONE(out->row_offsets, n, cap);
    out->row_offsets[n] = out->rows.len;
    out->n_rows = (int64_t)n;
    write_sums(table, sums, &out->sums);
    return err->code;
}

static enum ps_status count_unfiltered(const struct table_request *request, int64_t *out,
                                       struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    if (!request->order.table->count_query)
        return PS_OK;
    ps_db_prepare(request->rows.db, request->order.table->count_query, &stmt, err);
    if (ps_stmt_step(stmt, err))
        *out = ps_col_int(stmt, 0);
    return err->code;
}

/* The caller releases *out. */
static enum ps_status order_table(struct table_request *request, struct entry **out,
                                  struct ps_err *err)
{
    static enum ps_status (*const read[])(struct table_request *, struct entry *,
                                          struct ps_err *) = {
        [PS_ROWS_ORDERED] = sum_rows, [PS_ROWS_BY_ID] = order_ids, [PS_ROWS_CACHED] = cache_rows};
    PS_AUTO(ps_free_ptr)
    char *key = entry_key(ps_db_run_id(request->rows.db), request->rows.query, request->params);

    *out = (struct entry *)ps_lru_cache_find(&entries, key);
    if (*out)
        return PS_OK;
    *out = ps_alloc(sizeof **out);
    read[request->order.table->rows](request, *out, err);
    count_unfiltered(request, &(*out)->total_unfiltered, err);
    if (err->code == PS_OK)
        entry_add(*out, key);
    return err->code;
}

static enum ps_status answer_page(struct table_request *request, struct ps_page page,
                                  struct ps_answer *answer, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct entry *entry = NULL;
    struct rows rows = {.next = page.offset};
    bool cached = false;

    order_table(request, &entry, err);
    if (err->code == PS_OK && entry->ids) {
        rows.ids = entry->ids;
        rows.end = page_end(page, entry->n_ids);
        ps_db_prepare(request->rows.db, request->sql, &stmt, err);
    } else if (err->code == PS_OK && !(cached = is_cached(entry, page))) {
        prepare_ordered(request, &page, &stmt, err);
    }
    rows.stmt = stmt;
    if (err->code == PS_OK)
        write_page(entry, page, cached ? NULL : &rows, NULL, answer, err);
    entry_release(entry);
    return err->code;
}

static enum ps_status answer_all(struct table_request *request, bool csv, struct ps_answer *answer,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    prepare_ordered(request, NULL, &stmt, err);
    return write_file(&(struct rows){.stmt = stmt}, csv, answer, err);
}

enum ps_status ps_answer_table(const struct ps_table_rows *table, struct ps_params params,
                               struct ps_answer *answer, struct ps_err *err)
{
    struct table_request request = {
        .rows = *table, .params = params, .sql = ps_query_sql(table->query)};
    struct output output;

    ps_table_order_read(table->query, params, &request.order, err);
    if (read_output(params, &output, err) != PS_OK)
        return err->code;
    if (output.format == FORMAT_PAGE)
        answer_page(&request, output.page, answer, err);
    else
        answer_all(&request, output.format == FORMAT_CSV, answer, err);
    if (request.is_made)
        ps_db_set_temp_rows(table->db, NULL);
    free(request.computed.values);
    return err->code;
}
