/* SPDX-License-Identifier: MIT */
/*
 * lines_of_runs.c: the measurements of one source file in all runs of the shelf: lines of
 * line_profiler, memory_profiler and Scalene, and functions of cProfile at their first lines. Two
 * paths mean the same file if they are equal or have the same last two parts. The answer states for
 * each run whether its text of the file is the same.
 */
#include <stdio.h>
#include <stdlib.h>

#include "importers/kinds.h"
#include "server/query/lines/source.h"
#include "server/query/views.h"

#define RUNS_MAX 500 /* maximum number of runs to search, the newest */

struct run {
    char id[PS_ID_SIZE], kind[32];
    char *name;
    int64_t created_ms;
};

struct runs {
    struct run *items;
    size_t n, cap;
};

static void runs_free(struct runs *runs)
{
    for (size_t i = 0; i < runs->n; i++)
        free(runs->items[i].name);
    free(runs->items);
}

/* Appends the kinds that have any of the PS_HAS_* flags `any`, in the form ",pstats,scalene,". */
static void list_kinds(unsigned any, struct ps_buf *out)
{
    size_t n;
    const struct ps_kind *kinds = ps_kinds(&n);

    ps_buf_puts(out, ",");
    for (size_t i = 0; i < n; i++)
        if (kinds[i].has & any)
            ps_buf_printf(out, "%s,", kinds[i].name);
}

static bool is_listed(const char *list, const char *id)
{
    return !list || !list[0] || strstr(list, id) != NULL;
}

static enum ps_status runs_read(struct ps_store *store, const char *list, struct runs *out,
                                struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf kinds = {0};
    struct ps_db *db;
    struct ps_stmt *stmt = NULL;

    ps_catalog_read(store, &db, err);
    ps_db_prepare(db, ps_query_sql("source_runs"), &stmt, err);
    list_kinds(PS_HAS_LINES | PS_HAS_CALLS, &kinds);
    ps_bind_text(stmt, ":kinds", ps_buf_slice(&kinds));
    ps_bind_int(stmt, ":limit", RUNS_MAX);
    while (ps_stmt_step(stmt, err)) {
        struct run run = {.created_ms = ps_col_int(stmt, 3)};

        (void)snprintf(run.id, sizeof run.id, "%.16s", ps_col_text(stmt, 0).ptr);
        (void)snprintf(run.kind, sizeof run.kind, "%.31s", ps_col_text(stmt, 1).ptr);
        if (!is_listed(list, run.id))
            continue;
        run.name = ps_strdup(ps_col_text(stmt, 2));
        PS_RESERVE_ONE(out->items, out->n, out->cap);
        out->items[out->n++] = run;
    }
    ps_stmt_release(stmt);
    ps_catalog_read_end(store, db);
    return err->code;
}

/* Returns the last two parts of a path, without the slash before them; the complete path if it has
 * fewer than two slashes. A backslash is also a slash. */
static struct ps_str tail_of(const char *path)
{
    size_t len = strlen(path), at = len;

    for (int parts = 0; at > 0; at--) {
        if ((path[at - 1] == '/' || path[at - 1] == '\\') && ++parts == 2)
            break;
    }
    return (struct ps_str){path + at, len - at};
}

/* --- Measured files --- */

struct measured_file {
    struct ps_str path, tail;
    size_t run;
    int64_t file;
};

struct measured_list {
    struct measured_file *items;
    size_t n, cap;
    struct ps_arena arena;
};

static int by_tail(const void *a, const void *b)
{
    const struct measured_file *x = a, *y = b;
    size_t n = x->tail.len < y->tail.len ? x->tail.len : y->tail.len;
    int order = memcmp(x->tail.ptr, y->tail.ptr, n);

    if (order)
        return order;
    if (x->tail.len != y->tail.len)
        return x->tail.len < y->tail.len ? -1 : 1;
    return (x->run > y->run) - (x->run < y->run);
}

static enum ps_status files_of_run(struct ps_store *store, const struct runs *runs, size_t run,
                                   struct measured_list *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_db *db = NULL;

    ps_run_acquire(store, runs->items[run].id, &db, err);
    ps_db_prepare(db, ps_query_sql("line_file_paths"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        struct ps_str path = ps_arena_copy(&out->arena, ps_col_text(stmt, 1));

        PS_RESERVE_ONE(out->items, out->n, out->cap);
        out->items[out->n++] =
            (struct measured_file){path, tail_of(path.ptr), run, ps_col_int(stmt, 0)};
    }
    ps_stmt_auto(&stmt);
    ps_run_release(db);
    return err->code;
}

static enum ps_status write_measured(struct ps_store *store, const struct runs *runs,
                                     const struct measured_file *m, struct ps_json *json,
                                     struct ps_err *err)
{
    const struct run *run = &runs->items[m->run];
    struct ps_source source = {.bytes = 0};
    const bool found = ps_source_read_attached(store, run->id, m->path.ptr, &source, NULL, err);

    ps_json_object(json);
    ps_json_kstr(json, "run", run->id);
    ps_json_kint(json, "file_id", m->file);
    ps_json_kstr(json, "kind", run->kind);
    ps_json_kstr(json, "name", run->name);
    ps_json_kint(json, "created_ms", run->created_ms);
    ps_json_kstr(json, "sha256", found ? source.sha256 : NULL);
    ps_json_end(json);
    return err->code;
}

static enum ps_status write_groups(struct ps_store *store, const struct runs *runs,
                                   const struct measured_list *list, const char *q,
                                   struct ps_json *json, struct ps_err *err)
{
    ps_json_object(json);
    ps_json_key(json, "rows");
    ps_json_array(json);
    for (size_t i = 0, next; err->code == PS_OK && i < list->n; i = next) {
        for (next = i + 1; next < list->n && ps_str_eq(list->items[i].tail, list->items[next].tail);
             next++)
            continue;
        if (q && q[0] && !ps_str_find(list->items[i].path, ps_str_from_c(q)))
            continue;
        ps_json_object(json);
        ps_json_key(json, "path");
        ps_json_str(json, list->items[i].path);
        ps_json_key(json, "runs");
        ps_json_array(json);
        for (size_t k = i; err->code == PS_OK && k < next; k++)
            write_measured(store, runs, &list->items[k], json, err);
        ps_json_end(json);
        ps_json_end(json);
    }
    ps_json_end(json);
    ps_json_end(json);
    return err->code;
}

enum ps_status ps_query_line_files(struct ps_store *store, struct ps_params params,
                                   struct ps_json *out, struct ps_err *err)
{
    struct runs runs = {0};
    struct measured_list list = {0};

    runs_read(store, NULL, &runs, err);
    for (size_t i = 0; err->code == PS_OK && i < runs.n; i++)
        if (ps_kind_has(runs.items[i].kind, PS_HAS_LINES))
            files_of_run(store, &runs, i, &list, err);
    if (err->code == PS_OK) {
        if (list.n)
            qsort(list.items, list.n, sizeof *list.items, by_tail);
        write_groups(store, &runs, &list, ps_param_get(params, "q"), out, err);
    }
    free(list.items);
    ps_arena_free(&list.arena);
    runs_free(&runs);
    return err->code;
}

/* --- One file --- */

struct multi_run {
    struct ps_store *store;
    const char *path;
    struct ps_source_lines base; /* the text to show; empty until a run has text */
    char sha256[PS_SHA256_SIZE];
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f';
}

static struct ps_str trim_spaces(struct ps_str text)
{
    while (text.len && is_space(text.ptr[text.len - 1]))
        text.len--;
    return text;
}

/* Returns whether all lines that both texts have are the same, apart from trailing spaces. */
static bool lines_agree(const struct ps_source_lines *a, const struct ps_source_lines *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++)
        if (a->lines[i].ptr && b->lines[i].ptr &&
            !ps_str_eq(trim_spaces(a->lines[i]), trim_spaces(b->lines[i])))
            return false;
    return true;
}

/* Writes the keys "sha256" and "same_source" of a run. The text of the first run that has text
 * becomes a->base, and *text becomes empty. */
static void write_same(struct multi_run *a, const struct ps_source *attached,
                       struct ps_source_lines *text, struct ps_json *json)
{
    bool same;

    ps_json_kstr(json, "sha256", attached ? attached->sha256 : NULL);
    ps_json_key(json, "same_source");
    if (!text->n) {
        ps_json_null(json);
        return;
    }
    if (!a->base.n) {
        a->base = *text;
        *text = (struct ps_source_lines){0};
        if (attached)
            memcpy(a->sha256, attached->sha256, sizeof a->sha256);
        ps_json_bool(json, true);
        return;
    }
    same = attached && a->sha256[0] ? strcmp(attached->sha256, a->sha256) == 0
                                    : lines_agree(&a->base, text);
    ps_json_bool(json, same);
    /* An attached file replaces the lines from a profile as the base, because it is complete. */
    if (same && attached && !a->sha256[0]) {
        struct ps_source_lines carried = a->base;

        a->base = *text;
        *text = carried;
        memcpy(a->sha256, attached->sha256, sizeof a->sha256);
    }
}

static enum ps_status write_lines_run(struct multi_run *a, struct ps_db *db, const struct run *run,
                                      int64_t file, const char *path, struct ps_json *json,
                                      struct ps_err *err)
{
    struct ps_source source = {.bytes = 0};
    struct ps_source_lines attached = {0}, carried = {0};
    const bool found = ps_source_read_attached(a->store, run->id, path, &source, &attached, err);

    ps_json_kint(json, "file_id", file);
    ps_source_write_functions(db, file, json, err);
    ps_source_write_metrics(db, file, &carried, json, err);
    if (err->code == PS_OK)
        write_same(a, found ? &source : NULL, found ? &attached : &carried, json);
    ps_source_lines_free(&attached);
    ps_source_lines_free(&carried);
    return err->code;
}

/* Writes the functions of a cProfile run. It has measurements for functions, not for lines, so each
 * function is a row at its first line. */
static void write_first_lines(struct ps_stmt *stmt, struct ps_json *json, struct ps_err *err)
{
    struct ps_buf text[6] = {{0}};
    struct ps_json columns[6];
    int64_t n = 0;

    for (int i = 0; i < 6; i++) {
        columns[i] = ps_json_writer(&text[i]);
        ps_json_array(&columns[i]);
    }
    while (ps_stmt_step(stmt, err)) {
        for (int i = 0; i < 6; i++)
            ps_col_json(stmt, i, &columns[i]);
        n++;
    }
    ps_json_kint(json, "n", n);
    ps_json_key(json, "columns");
    ps_json_raw(json, PS_STR("[\"ncalls\",\"tottime_s\",\"cumtime_s\"]"));
    for (int i = 0; i < 6; i++) {
        ps_json_end(&columns[i]);
        /* "name" is the key of the run's name, so the columns function and name have other keys */
        ps_json_key(json, i == 1 ? "fn" : i == 2 ? "fn_name" : ps_col_name(stmt, i));
        ps_json_raw(json, ps_buf_slice(&text[i]));
        ps_buf_free(&text[i]);
    }
    ps_json_kstr(json, "sha256", NULL);
    ps_json_key(json, "same_source");
    ps_json_null(json);
}

static void write_head(const struct run *run, struct ps_json *json)
{
    ps_json_object(json);
    ps_json_kstr(json, "run", run->id);
    ps_json_kstr(json, "name", run->name);
    ps_json_kstr(json, "kind", run->kind);
    ps_json_kint(json, "created_ms", run->created_ms);
}

static enum ps_status write_run(struct multi_run *a, const struct run *run, struct ps_json *json,
                                struct ps_err *err)
{
    bool has_lines = ps_kind_has(run->kind, PS_HAS_LINES);
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_db *db = NULL;

    ps_run_acquire(a->store, run->id, &db, err);
    ps_db_prepare(db, ps_query_sql(has_lines ? "line_file_by_path" : "first_lines"), &stmt, err);
    ps_bind_text(stmt, ":path", ps_str_from_c(a->path));
    ps_bind_text(stmt, ":tail", tail_of(a->path));
    if (ps_stmt_step(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *path = has_lines ? ps_strdup(ps_col_text(stmt, 1)) : NULL;
        int64_t file = ps_col_int(stmt, 0);

        ps_stmt_rewind(stmt);
        write_head(run, json);
        if (has_lines)
            write_lines_run(a, db, run, file, path, json, err);
        else
            write_first_lines(stmt, json, err);
        ps_json_end(json);
    }
    ps_stmt_auto(&stmt);
    ps_run_release(db);
    return err->code;
}

enum ps_status ps_query_lines(struct ps_store *store, struct ps_params params, struct ps_json *out,
                              struct ps_err *err)
{
    struct multi_run a = {.store = store, .path = ps_param_get(params, "path")};
    struct runs runs = {0};

    if (!a.path || !a.path[0])
        return ps_fail(err, PS_BAD_REQUEST, "parameter path is missing: the path of a source file");
    runs_read(store, ps_param_get(params, "runs"), &runs, err);
    ps_json_object(out);
    ps_json_kstr(out, "path", a.path);
    ps_json_key(out, "runs");
    ps_json_array(out);
    for (size_t i = 0; err->code == PS_OK && i < runs.n; i++)
        write_run(&a, &runs.items[i], out, err);
    ps_json_end(out);
    ps_json_kstr(out, "sha256", a.sha256[0] ? a.sha256 : NULL);
    ps_json_key(out, "text");
    ps_source_lines_json(&a.base, out);
    ps_json_end(out);
    ps_source_lines_free(&a.base);
    runs_free(&runs);
    return err->code;
}
