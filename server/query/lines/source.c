/* SPDX-License-Identifier: MIT */
/*
 * source.c: the views source and sources of a run, and functions for other views that show source
 * lines.
 *
 * The text is that of a source file attached to the run, or else the lines that the profile
 * contains.
 */
#include "server/query/lines/source.h"

#include <stdio.h>
#include <stdlib.h>

#include "server/query/view.h"

/* Columns of queries/source_lines.sql. */
enum { L_LINE, L_FUNCTION, L_BLOCK, L_SOURCE, L_SAMPLES, L_METRICS, L_MAX = 40 };

static const struct ps_str unknown_line = {NULL, 0};

/* The greatest line whose text is read from a profile. A profile may contain any line number, and
 * struct ps_source_lines has an entry for each line up to the last. A Python source of 16 MiB is
 * unlikely to have more lines. Measurements of later lines are still shown. */
#define CARRIED_LINES_MAX 1000000

/* --- Text --- */

static void set_text_line(struct ps_source_lines *text, size_t number, struct ps_str line)
{
    while (text->n < number) {
        PS_RESERVE_ONE(text->lines, text->n, text->cap);
        text->lines[text->n++] = unknown_line;
    }
    text->lines[number - 1] = ps_arena_copy(&text->arena, line);
}

/* Splits a text into lines at \n, \r\n and \r, like Python, and removes a byte order mark.
 * ps_json_str replaces bytes that are not UTF-8. */
static void text_split(struct ps_source_lines *text, struct ps_str all)
{
    size_t number = 0;

    if (ps_str_starts_with(all, PS_STR("\xef\xbb\xbf")))
        all = ps_str_skip(all, 3);
    while (all.len) {
        size_t len = 0;

        while (len < all.len && all.ptr[len] != '\n' && all.ptr[len] != '\r')
            len++;
        set_text_line(text, ++number, (struct ps_str){all.ptr, len});
        if (len + 1 < all.len && all.ptr[len] == '\r' && all.ptr[len + 1] == '\n')
            len++;
        all = ps_str_skip(all, len + 1);
    }
}

void ps_source_lines_free(struct ps_source_lines *text)
{
    free(text->lines);
    ps_arena_free(&text->arena);
    *text = (struct ps_source_lines){0};
}

void ps_source_lines_json(const struct ps_source_lines *text, struct ps_json *json)
{
    ps_json_array(json);
    for (size_t i = 0; i < text->n; i++)
        ps_json_str(json, text->lines[i]);
    ps_json_end(json);
}

/* --- Numbers of the lines --- */

/* Converts rows to JSON arrays by column in one pass over the rows. Columns in which all values are
 * NULL are left out. */
struct line_columns {
    int64_t n;
    struct ps_buf text[L_MAX];
    struct ps_json json[L_MAX];
    bool used[L_MAX];
    struct ps_buf samples;
    struct ps_json samples_json;
};

static void line_columns_open(struct line_columns *f, int columns)
{
    *f = (struct line_columns){0};
    for (int i = 0; i < columns; i++) {
        f->json[i] = ps_json_writer(&f->text[i]);
        ps_json_array(&f->json[i]);
    }
    f->samples_json = ps_json_writer(&f->samples);
    ps_json_object(&f->samples_json);
}

static void line_columns_add_samples(struct line_columns *f, struct ps_str blob)
{
    struct ps_json *json = &f->samples_json;
    char row[24];

    if (blob.len < 16)
        return;
    (void)snprintf(row, sizeof row, "%lld", (long long)f->n);
    ps_json_key(json, row);
    ps_json_array(json);
    for (; blob.len >= 16; blob = ps_str_skip(blob, 16)) {
        double pair[2];

        memcpy(pair, blob.ptr, 16);
        ps_json_array(json);
        ps_json_real(json, pair[0]);
        ps_json_real(json, pair[1]);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void line_columns_add_row(struct line_columns *f, struct ps_stmt *stmt,
                                 struct ps_source_lines *carried)
{
    int columns = ps_col_count(stmt);

    for (int i = 0; i < columns; i++) {
        if (i == L_SOURCE || i == L_SAMPLES)
            continue;
        ps_col_write_json(stmt, i, &f->json[i]);
        f->used[i] = f->used[i] || !ps_col_is_null(stmt, i);
    }
    line_columns_add_samples(f, ps_col_text(stmt, L_SAMPLES));
    if (carried && !ps_col_is_null(stmt, L_SOURCE) && ps_col_int(stmt, L_LINE) > 0 &&
        ps_col_int(stmt, L_LINE) <= CARRIED_LINES_MAX)
        set_text_line(carried, (size_t)ps_col_int(stmt, L_LINE), ps_col_text(stmt, L_SOURCE));
    f->n++;
}

static void line_columns_close(struct line_columns *f, struct ps_stmt *stmt, struct ps_json *json)
{
    int columns = ps_col_count(stmt);

    ps_json_key_int(json, "n", f->n);
    ps_json_key(json, "columns");
    ps_json_array(json);
    for (int i = L_METRICS; i < columns; i++)
        if (f->used[i])
            ps_json_str(json, ps_str_from_c(ps_col_name(stmt, i)));
    ps_json_end(json);
    for (int i = 0; i < columns; i++) {
        ps_json_end(&f->json[i]);
        if (i != L_SOURCE && i != L_SAMPLES && (i < L_METRICS || f->used[i])) {
            ps_json_key(json, i == L_FUNCTION ? "fn" : ps_col_name(stmt, i));
            ps_json_raw(json, ps_buf_slice(&f->text[i]));
        }
        ps_buf_free(&f->text[i]);
    }
    ps_json_end(&f->samples_json);
    ps_json_key(json, "samples");
    ps_json_raw(json, ps_buf_slice(&f->samples));
    ps_buf_free(&f->samples);
}

enum ps_status ps_source_write_metrics(struct ps_db *db, int64_t file,
                                       struct ps_source_lines *carried, struct ps_json *json,
                                       struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *unit = NULL;
    struct line_columns line_columns;

    ps_query_prepare(db, "source_lines", file, &stmt, err);
    ps_db_prepare(db, ps_query_sql("run_unit"), &unit, err);
    ps_json_key(json, "unit_s");
    if (ps_stmt_step(unit, err))
        ps_col_write_json(unit, 0, json);
    else
        ps_json_null(json);
    line_columns_open(&line_columns, ps_col_count(stmt));
    while (ps_stmt_step(stmt, err))
        line_columns_add_row(&line_columns, stmt, carried);
    line_columns_close(&line_columns, stmt, json);
    return err->code;
}

enum ps_status ps_source_write_functions(struct ps_db *db, int64_t file, struct ps_json *json,
                                         struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_query_prepare(db, "source_functions", file, &stmt, err);
    return ps_rows_write(stmt, "functions", ps_row_write_object, json, err);
}

/* --- One run --- */

bool ps_source_read_attached(struct ps_store *store, const char *run, const char *path,
                             struct ps_source *source, struct ps_source_lines *text,
                             struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status;

    if (err->code != PS_OK)
        return false;
    status = ps_store_source_get(store, run, path, text != NULL, source, &own);
    if (status == PS_OK && text)
        text_split(text, ps_buf_slice(&source->text));
    ps_buf_free(&source->text);
    if (status != PS_OK && status != PS_NOT_FOUND)
        ps_fail(err, own.code, "%s", own.text);
    return status == PS_OK;
}

/* Writes the keys "state", "sha256" and "bytes" of a source file. attached: *source is attached to
 * the run. carried: the profile contains text of the file. */
static void write_state(const struct ps_source *source, bool attached, bool carried,
                        struct ps_json *json)
{
    ps_json_key_str(json, "state",
                    attached  ? source->is_changed ? "changed" : "attached"
                    : carried ? "carried"
                              : "missing");
    ps_json_key_str(json, "sha256", attached ? source->sha256 : NULL);
    ps_json_key(json, "bytes");
    if (attached)
        ps_json_int(json, (int64_t)source->bytes);
    else
        ps_json_null(json);
}

static enum ps_status write_file(struct ps_db *db, int64_t file, char **path, struct ps_json *json,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_query_prepare(db, "source_file", file, &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return ps_fail(err, PS_NOT_FOUND, "no file %lld in this run", (long long)file);
    *path = ps_strdup(ps_col_text(stmt, 1));
    ps_json_key(json, "file");
    ps_row_write_object(stmt, 0, json);
    return PS_OK;
}

enum ps_status ps_view_source(struct ps_db *db, const struct ps_view *view, int64_t id,
                              struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    PS_AUTO(ps_free_ptr) char *path = NULL;
    struct ps_source_lines attached = {0}, carried = {0};
    struct ps_source source = {.bytes = 0};
    int64_t file;
    bool found;

    (void)view, (void)id;
    ps_param_int(params, "file", 1, UINT32_MAX, 1, &file, err);
    ps_json_object(&json);
    write_file(db, file, &path, &json, err);
    found = ps_source_read_attached(ps_db_get_store(db), ps_db_run_id(db), path, &source, &attached,
                                    err);
    ps_source_write_functions(db, file, &json, err);
    ps_source_write_metrics(db, file, &carried, &json, err);
    if (err->code == PS_OK) {
        ps_json_key(&json, "source");
        ps_json_object(&json);
        write_state(&source, found, carried.n > 0, &json);
        ps_json_end(&json);
        ps_json_key_int(&json, "first", 1);
        ps_json_key(&json, "text");
        ps_source_lines_json(found ? &attached : &carried, &json);
        ps_json_end(&json);
    }
    ps_source_lines_free(&attached);
    ps_source_lines_free(&carried);
    return err->code;
}

enum ps_status ps_view_attached_source(struct ps_db *db, const struct ps_view *view, int64_t id,
                                       struct ps_params params, struct ps_answer *answer,
                                       struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    const char *path = ps_param_get(params, "path");
    struct ps_source_lines attached = {0};
    struct ps_source source = {.bytes = 0};
    bool found;

    (void)view, (void)id;
    if (!path || !path[0])
        return ps_fail(err, PS_BAD_REQUEST, "parameter path is missing: the path of a source file");
    found = ps_source_read_attached(ps_db_get_store(db), ps_db_run_id(db), path, &source, &attached,
                                    err);
    if (err->code == PS_OK) {
        ps_json_object(&json);
        ps_json_key_str(&json, "path", path);
        ps_json_key(&json, "source");
        ps_json_object(&json);
        write_state(&source, found, false, &json);
        ps_json_end(&json);
        ps_json_key_int(&json, "first", 1);
        ps_json_key(&json, "text");
        ps_source_lines_json(&attached, &json);
        ps_json_end(&json);
    }
    ps_source_lines_free(&attached);
    return err->code;
}

static enum ps_status write_measured(struct ps_db *db, struct ps_stmt *stmt, struct ps_json *json,
                                     struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = ps_strdup(ps_col_text(stmt, 0));
    struct ps_source source = {.bytes = 0};
    const bool found =
        ps_source_read_attached(ps_db_get_store(db), ps_db_run_id(db), path, &source, NULL, err);

    ps_json_object(json);
    ps_json_key_int(json, "file_id", ps_col_int(stmt, 2));
    ps_json_key_str(json, "path", path);
    write_state(&source, found, ps_col_int(stmt, 1) != 0, json);
    ps_json_end(json);
    return err->code;
}

enum ps_status ps_view_sources(struct ps_db *db, const struct ps_view *view, int64_t id,
                               struct ps_params params, struct ps_answer *answer,
                               struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    (void)view, (void)id, (void)params;
    ps_db_prepare(db, ps_query_sql("measured"), &stmt, err);
    ps_json_object(&json);
    ps_json_key(&json, "rows");
    ps_json_array(&json);
    while (ps_stmt_step(stmt, err))
        write_measured(db, stmt, &json, err);
    ps_json_end(&json);
    ps_json_end(&json);
    return err->code;
}
