/* SPDX-License-Identifier: MIT */
/*
 * search.c: searches functions, modules, operators, kernels and lines in all runs of a shelf. An
 * answer takes a bounded time: it is about the runs that are in the index (index.c) by then, says
 * how many these are, and adds further runs to the index with each request.
 */
#include "server/query/search/search.h"
#include "server/catalog/names_db.h"
#include "server/catalog/readers.h"
#include "server/query/search/answers.h"
#include "server/query/time_format.h"

#define UPDATE_MS      150 /* how long a request adds runs to the index */
#define ROWS           20
#define ROWS_MAX       500
#define NAME_MAX_BYTES 4000

struct search {
    const char *q, *of; /* NULL: any */
    struct ps_str name, module;
    struct ps_buf buf; /* may hold `module` */
    struct ps_page page;
};

static const char *nonempty_param(struct ps_params params, const char *key)
{
    const char *value = ps_param_get(params, key);

    return value && value[0] ? value : NULL;
}

static enum ps_status check_lengths(struct ps_params params, struct ps_err *err)
{
    static const char *const texts[] = {"q", "of", "name", "module", "row", "place"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *value = ps_param_get(params, texts[i]);

        if (value && strlen(value) > NAME_MAX_BYTES)
            return ps_fail(err, PS_BAD_REQUEST, "the parameter %s is longer than %d bytes",
                           texts[i], NAME_MAX_BYTES);
    }
    return err->code;
}

/* Reads which name is meant: its name and module, or a row of a table of comparisons. */
static enum ps_status read_name(struct ps_params params, struct search *out, struct ps_err *err)
{
    const struct ps_compare_input row = {.name = ps_str_from_c(nonempty_param(params, "row")),
                                         .place = ps_str_from_c(ps_param_get(params, "place"))};

    out->name = ps_str_from_c(nonempty_param(params, "name"));
    out->module = ps_str_from_c(ps_param_get(params, "module"));
    if (!out->of || (!out->name.ptr && !row.name.ptr))
        return ps_fail(err, PS_BAD_REQUEST,
                       "the parameter of and one of the parameters name and row are required");
    if (!out->name.ptr)
        ps_search_split_name(ps_compare_names_of(out->of), &row, &out->buf, &out->name,
                             &out->module);
    if (!out->module.ptr)
        out->module = PS_STR("");
    return err->code;
}

static void bind(struct ps_stmt *stmt, const struct search *search)
{
    ps_bind_text(stmt, ":q", ps_str_from_c(search->q));
    ps_bind_text(stmt, ":of", ps_str_from_c(search->of));
    ps_bind_text(stmt, ":name", search->name);
    ps_bind_text(stmt, ":module", search->module);
    ps_bind_int(stmt, ":limit", search->page.limit);
    ps_bind_int(stmt, ":offset", search->page.offset);
}

/* The first statement counts the rows of the second, `write` writes each of them. */
static enum ps_status write_rows(struct ps_store *store, const struct search *search,
                                 const char *count, const char *rows, struct ps_db *catalog,
                                 void (*write)(struct ps_stmt *row, struct ps_db *catalog,
                                               struct ps_json *out, struct ps_err *err),
                                 struct ps_json *out, struct ps_err *err)
{
    struct ps_db *db;
    struct ps_stmt *stmt = NULL, *count_stmt = NULL;

    if (ps_names_lock(store, &db, err) != PS_OK)
        return err->code;
    ps_db_prepare(db, ps_query_sql(count), &count_stmt, err);
    bind(count_stmt, search);
    ps_db_prepare(db, ps_query_sql(rows), &stmt, err);
    bind(stmt, search);
    ps_json_key_int(out, "total", ps_stmt_step(count_stmt, err) ? ps_col_int(count_stmt, 0) : 0);
    ps_json_key(out, "rows");
    ps_json_array(out);
    while (ps_stmt_step(stmt, err))
        write(stmt, catalog, out, err);
    ps_json_end(out);
    ps_stmt_release(count_stmt);
    ps_stmt_release(stmt);
    ps_names_unlock(store);
    return err->code;
}

static void write_column(struct ps_stmt *row, int column, struct ps_json *out)
{
    ps_json_key(out, ps_col_name(row, column));
    ps_col_write_json(row, column, out);
}

/* Finds a run on the shelf. The caller releases *out. */
static bool find_run(struct ps_db *catalog, struct ps_str id, struct ps_stmt **out,
                     struct ps_err *err)
{
    ps_db_prepare(catalog, ps_query_sql("names_run_brief"), out, err);
    ps_bind_text(*out, ":id", id);
    return ps_stmt_step(*out, err);
}

static void write_run(struct ps_stmt *run, const char *key, struct ps_json *out)
{
    ps_json_key(out, key);
    ps_json_object(out);
    for (int i = 0; i < 4; i++)
        write_column(run, i, out);
    ps_json_time(out, "created_at", ps_col_int(run, 4));
    ps_json_end(out);
}

/* Columns of queries/names_find.sql and queries/names_occurrences.sql. */
enum { F_OF, F_RUN = 10 };
enum { O_RUN, O_SELF };

/* Both functions leave out a run that was removed from the shelf meanwhile. */
static void write_name(struct ps_stmt *row, struct ps_db *catalog, struct ps_json *out,
                       struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *run = NULL;

    if (!find_run(catalog, ps_col_text(row, F_RUN), &run, err))
        return;
    ps_json_object(out);
    for (int i = F_OF; i < F_RUN; i++)
        write_column(row, i, out);
    write_run(run, "hottest", out);
    ps_json_end(out);
}

static void write_occurrence(struct ps_stmt *row, struct ps_db *catalog, struct ps_json *out,
                             struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *run = NULL;

    if (!find_run(catalog, ps_col_text(row, O_RUN), &run, err))
        return;
    ps_json_object(out);
    write_run(run, "run", out);
    for (int i = O_SELF; i < ps_col_count(row); i++)
        write_column(row, i, out);
    ps_json_end(out);
}

static enum ps_status answer(struct ps_store *store, const struct search *search,
                             struct ps_json *out, struct ps_err *err)
{
    struct ps_search_coverage coverage;
    struct ps_db *catalog;

    if (ps_search_update(store, UPDATE_MS, &coverage, err) != PS_OK)
        return err->code;
    ps_json_object(out);
    ps_json_key_int(out, "scanned", coverage.indexed);
    ps_json_key_int(out, "unreadable", coverage.unreadable);
    ps_json_key_int(out, "runs", coverage.runs);
    ps_json_key_int(out, "names_per_run", PS_SEARCH_NAMES);
    ps_catalog_read(store, &catalog, err);
    if (search->name.ptr)
        write_rows(store, search, "names_occurrence_count", "names_occurrences", catalog,
                   write_occurrence, out, err);
    else
        write_rows(store, search, "names_count", "names_find", catalog, write_name, out, err);
    ps_catalog_read_end(store, catalog);
    ps_json_end(out);
    return err->code;
}

/* A damaged index is created again. */
static enum ps_status answer_or_recreate(struct ps_store *store, const struct search *search,
                                         struct ps_json *out, struct ps_err *err)
{
    const struct ps_json before = *out;
    const size_t len = out->out->len;

    if (answer(store, search, out, err) != PS_IO)
        return err->code;
    ps_names_discard(store);
    *out = before;
    out->out->len = len;
    *err = (struct ps_err)PS_ERR_INIT;
    return answer(store, search, out, err);
}

enum ps_status ps_query_search(struct ps_store *store, struct ps_params params, struct ps_json *out,
                               struct ps_err *err)
{
    struct search search = {.q = nonempty_param(params, "q"), .of = nonempty_param(params, "of")};

    check_lengths(params, err);
    ps_page_read(params, ROWS_MAX, ROWS, &search.page, err);
    return err->code == PS_OK ? answer_or_recreate(store, &search, out, err) : err->code;
}

enum ps_status ps_query_occurrences(struct ps_store *store, struct ps_params params,
                                    struct ps_json *out, struct ps_err *err)
{
    struct search search = {.of = nonempty_param(params, "of")};

    check_lengths(params, err);
    ps_page_read(params, ROWS_MAX, ROWS, &search.page, err);
    if (err->code == PS_OK && read_name(params, &search, err) == PS_OK)
        answer_or_recreate(store, &search, out, err);
    ps_buf_free(&search.buf);
    return err->code;
}
