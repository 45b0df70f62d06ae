/* SPDX-License-Identifier: MIT */
/*
 * lines_of_runs.c: the measurements of one source file in all runs of the shelf: lines of
 * line_profiler, memory_profiler and Scalene, and functions of cProfile at their first lines.
 * ps_python_same_file decides which paths mean the same file; files of which only the names are
 * equal are combined only on request. The answer states for each run which parts of the paths are
 * equal, and whether its text of the file is the same.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/python_path.h"
#include "importers/kinds.h"
#include "server/query/lines/answers.h"
#include "server/query/lines/source.h"
#include "server/query/view.h"

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

/* --- Files of a run --- */

/* A file that a run measured. `same`: result of comparing `path` with the path of the request;
 * `shared`: the last parts that both paths have (ps_python_same_file). */
struct measured_file {
    struct ps_str path, shared;
    size_t run;
    int64_t file;
    enum ps_same_file same;
};

struct measured_list {
    struct measured_file *items;
    size_t n, cap;
    struct ps_arena arena;
};

static void measured_free(struct measured_list *list)
{
    free(list->items);
    ps_arena_free(&list->arena);
}

/* Appends the files of a run; if `path` is not NULL, only those that may be the same file. */
static enum ps_status read_run_files(struct ps_db *db, const struct runs *runs, size_t run,
                                     const char *path, struct measured_list *out,
                                     struct ps_err *err)
{
    const bool has_lines = ps_kind_has(runs->items[run].kind, PS_HAS_LINES);
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql(has_lines ? "line_file_paths" : "called_file_paths"), &stmt,
                  err);
    while (ps_stmt_step(stmt, err)) {
        struct measured_file file = {
            .path = ps_col_text(stmt, 1), .run = run, .file = ps_col_int(stmt, 0)};

        if (path)
            file.same = ps_python_same_file(ps_str_from_c(path), file.path, &file.shared);
        if (path && file.same == PS_SAME_NOTHING)
            continue;
        file.path = ps_arena_copy(&out->arena, file.path);
        PS_RESERVE_ONE(out->items, out->n, out->cap);
        out->items[out->n++] = file;
    }
    return err->code;
}

/* Of the files of one run from index `first`: if any is more than a namesake, keeps only the most
 * likely of them. */
static void keep_likeliest(struct measured_list *list, size_t first)
{
    size_t best = first;

    for (size_t i = first; i < list->n; i++)
        if (list->items[i].same > list->items[best].same)
            best = i;
    if (best < list->n && list->items[best].same > PS_SAME_NAME) {
        list->items[first] = list->items[best];
        list->n = first + 1;
    }
}

static void write_same_file(const struct measured_file *file, struct ps_json *json)
{
    static const char *const words[] = {[PS_SAME_NAME] = "name",
                                        [PS_SAME_ROOT] = "root",
                                        [PS_SAME_PACKAGE] = "package",
                                        [PS_SAME_PATH] = "path"};

    ps_json_key(json, "path");
    ps_json_str(json, file->path);
    ps_json_key_str(json, "same", words[file->same]);
    ps_json_key(json, "shared");
    ps_json_str(json, file->shared);
}

/* --- The list of files --- */

static int by_path(const void *a, const void *b)
{
    const struct measured_file *x = a, *y = b;
    int order = strcmp(x->path.ptr, y->path.ptr);

    return order ? order : (x->run > y->run) - (x->run < y->run);
}

static enum ps_status write_measured(struct ps_store *store, const struct runs *runs,
                                     const struct measured_file *m, struct ps_json *json,
                                     struct ps_err *err)
{
    const struct run *run = &runs->items[m->run];
    struct ps_source source = {.bytes = 0};
    const bool found = ps_source_read_attached(store, run->id, m->path.ptr, &source, NULL, err);

    ps_json_object(json);
    ps_json_key_str(json, "run", run->id);
    ps_json_key_int(json, "file_id", m->file);
    ps_json_key_str(json, "kind", run->kind);
    ps_json_key_str(json, "name", run->name);
    ps_json_key_int(json, "created_ms", run->created_ms);
    ps_json_key_str(json, "sha256", found ? source.sha256 : NULL);
    write_same_file(m, json);
    ps_json_end(json);
    return err->code;
}

/* Writes a row for each path, or one row for `path` unless that is NULL. */
static enum ps_status write_groups(struct ps_store *store, const struct runs *runs,
                                   const struct measured_list *list, const char *path,
                                   const char *q, struct ps_json *json, struct ps_err *err)
{
    ps_json_object(json);
    ps_json_key(json, "rows");
    ps_json_array(json);
    for (size_t i = 0, next; err->code == PS_OK && i < list->n; i = next) {
        for (next = i + 1;
             next < list->n && (path || ps_str_eq(list->items[i].path, list->items[next].path));
             next++)
            continue;
        if (q && q[0] && !ps_str_find(list->items[i].path, ps_str_from_c(q)))
            continue;
        ps_json_object(json);
        ps_json_key(json, "path");
        ps_json_str(json, path ? ps_str_from_c(path) : list->items[i].path);
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
    const char *path = ps_param_get(params, "path");
    PS_AUTO(measured_free) struct measured_list list = {0};
    PS_AUTO(runs_free) struct runs runs = {0};

    runs_read(store, NULL, &runs, err);
    for (size_t i = 0; err->code == PS_OK && i < runs.n; i++) {
        const size_t first = list.n;
        struct ps_db *db = NULL;

        if (!path && !ps_kind_has(runs.items[i].kind, PS_HAS_LINES))
            continue;
        ps_run_acquire(store, runs.items[i].id, &db, err);
        read_run_files(db, &runs, i, path, &list, err);
        ps_run_release(db);
        keep_likeliest(&list, first);
    }
    for (size_t i = 0; !path && i < list.n; i++) {
        struct measured_file *file = &list.items[i];

        file->same = ps_python_same_file(file->path, file->path, &file->shared);
    }
    if (!path && list.n)
        qsort(list.items, list.n, sizeof *list.items, by_path);
    if (err->code == PS_OK)
        write_groups(store, &runs, &list, path, ps_param_get(params, "q"), out, err);
    return err->code;
}

/* --- One file --- */

struct file_answer {
    struct ps_store *store;
    const char *path, *also;     /* of the request; also: NULL: none */
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
static void write_same_source(struct file_answer *a, const struct ps_source *attached,
                              struct ps_source_lines *text, struct ps_json *json)
{
    bool same;

    ps_json_key_str(json, "sha256", attached ? attached->sha256 : NULL);
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

static enum ps_status write_lines_run(struct file_answer *a, struct ps_db *db,
                                      const struct run *run, int64_t file, const char *path,
                                      struct ps_json *json, struct ps_err *err)
{
    struct ps_source source = {.bytes = 0};
    struct ps_source_lines attached = {0}, carried = {0};
    const bool found = ps_source_read_attached(a->store, run->id, path, &source, &attached, err);

    ps_json_key_int(json, "file_id", file);
    ps_source_write_functions(db, file, json, err);
    ps_source_write_metrics(db, file, &carried, json, err);
    if (err->code == PS_OK)
        write_same_source(a, found ? &source : NULL, found ? &attached : &carried, json);
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
            ps_col_write_json(stmt, i, &columns[i]);
        n++;
    }
    ps_json_key_int(json, "n", n);
    ps_json_key(json, "columns");
    ps_json_raw(json, PS_STR("[\"ncalls\",\"tottime_s\",\"cumtime_s\"]"));
    for (int i = 0; i < 6; i++) {
        ps_json_end(&columns[i]);
        /* The same keys as for lines of source: "fn" and "fn_name"; "name" is the run's name. */
        ps_json_key(json, i == 1 ? "fn" : i == 2 ? "fn_name" : ps_col_name(stmt, i));
        ps_json_raw(json, ps_buf_slice(&text[i]));
        ps_buf_free(&text[i]);
    }
    ps_json_key_str(json, "sha256", NULL);
    ps_json_key(json, "same_source");
    ps_json_null(json);
}

static void write_run_head(const struct run *run, const struct measured_file *file,
                           struct ps_json *json)
{
    ps_json_object(json);
    ps_json_key_str(json, "run", run->id);
    ps_json_key_str(json, "name", run->name);
    ps_json_key_str(json, "kind", run->kind);
    ps_json_key_int(json, "created_ms", run->created_ms);
    write_same_file(file, json);
}

/* Returns whether `path` is the path of the request, or one of the paths in its parameter `also`,
 * separated by line breaks. */
static bool is_requested(const struct file_answer *a, struct ps_str path)
{
    if (ps_str_eq_c(path, a->path))
        return true;
    for (const char *line = a->also; line && *line;) {
        size_t n = strcspn(line, "\n");

        if (ps_str_eq(path, (struct ps_str){line, n}))
            return true;
        line += n + (line[n] == '\n');
    }
    return false;
}

/* Returns the file of a run to show; NULL: none. */
static const struct measured_file *pick_file(const struct file_answer *a,
                                             const struct measured_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].same > PS_SAME_NAME || is_requested(a, list->items[i].path))
            return &list->items[i];
    return NULL;
}

static enum ps_status write_called(struct ps_db *db, const struct run *run,
                                   const struct measured_file *file, struct ps_json *json,
                                   struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("first_lines"), &stmt, err);
    ps_bind_int(stmt, ":file", file->file);
    write_run_head(run, file, json);
    write_first_lines(stmt, json, err);
    ps_json_end(json);
    return err->code;
}

static enum ps_status write_run(struct file_answer *a, const struct runs *runs, size_t i,
                                struct ps_json *json, struct ps_err *err)
{
    const struct run *run = &runs->items[i];
    PS_AUTO(measured_free) struct measured_list list = {0};
    const struct measured_file *file;
    struct ps_db *db = NULL;

    ps_run_acquire(a->store, run->id, &db, err);
    read_run_files(db, runs, i, a->path, &list, err);
    keep_likeliest(&list, 0);
    file = pick_file(a, &list);
    if (file && ps_kind_has(run->kind, PS_HAS_LINES)) {
        write_run_head(run, file, json);
        write_lines_run(a, db, run, file->file, file->path.ptr, json, err);
        ps_json_end(json);
    } else if (file) {
        write_called(db, run, file, json, err);
    }
    ps_run_release(db);
    return err->code;
}

enum ps_status ps_query_lines(struct ps_store *store, struct ps_params params, struct ps_json *out,
                              struct ps_err *err)
{
    struct file_answer a = {
        .store = store, .path = ps_param_get(params, "path"), .also = ps_param_get(params, "also")};
    PS_AUTO(runs_free) struct runs runs = {0};

    if (!a.path || !a.path[0])
        return ps_fail(err, PS_BAD_REQUEST, "parameter path is missing: the path of a source file");
    runs_read(store, ps_param_get(params, "runs"), &runs, err);
    ps_json_object(out);
    ps_json_key_str(out, "path", a.path);
    ps_json_key(out, "runs");
    ps_json_array(out);
    for (size_t i = 0; err->code == PS_OK && i < runs.n; i++)
        write_run(&a, &runs, i, out, err);
    ps_json_end(out);
    ps_json_key_str(out, "sha256", a.sha256[0] ? a.sha256 : NULL);
    ps_json_key(out, "text");
    ps_source_lines_json(&a.base, out);
    ps_json_end(out);
    ps_source_lines_free(&a.base);
    return err->code;
}
