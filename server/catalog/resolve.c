/* SPDX-License-Identifier: MIT */
/* resolve.c: resolves RUN arguments to ids, and reads summaries of runs. */
#include <stdio.h>
#include <stdlib.h>

#include <time.h>

#include "base/utf8.h"
#include "server/catalog/state.h"

#define CANDIDATES 4  /* maximum candidates in the message if an argument matches several runs */
#define NAME_SHOWN 24 /* approximate maximum bytes of a candidate's name */

void ps_col_id(struct ps_stmt *stmt, char id_out[PS_ID_SIZE])
{
    ps_col_copy(stmt, 0, id_out, PS_ID_SIZE);
}

enum ps_status ps_stmt_open_for_run(struct ps_db *db, const char *query, const char *id,
                                    struct ps_stmt **out, struct ps_err *err)
{
    ps_db_prepare(db, ps_query_sql(query), out, err);
    ps_bind_text(*out, ":id", ps_str_from_c(id));
    if (ps_stmt_step(*out, err))
        return PS_OK;
    return ps_fail(err, PS_NOT_FOUND, "run %s is not on this shelf", id);
}

enum ps_status ps_catalog_find_by_hash(struct ps_db *db, const char *sha256,
                                       char id_out[PS_ID_SIZE], struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("run_by_sha"), &stmt, err);
    ps_bind_text(stmt, ":sha256", ps_str_from_c(sha256));
    if (!ps_stmt_step(stmt, err))
        return err->code == PS_OK ? PS_NOT_FOUND : err->code;
    ps_col_id(stmt, id_out);
    return PS_OK;
}

static enum ps_status find_by_hash(struct ps_db *db, const char *sha256, void *id_out,
                                   struct ps_err *err)
{
    return ps_catalog_find_by_hash(db, sha256, id_out, err);
}

enum ps_status ps_store_find_by_hash(struct ps_store *store, const char *sha256,
                                     char id_out[PS_ID_SIZE], struct ps_err *err)
{
    return ps_catalog_run_query(store, find_by_hash, sha256, id_out, err);
}

struct tag_question {
    const char *key;
    bool has_tag;
};

static enum ps_status find_tag(struct ps_db *db, const char *id, void *user, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct tag_question *question = user;

    ps_db_prepare(db, ps_query_sql("run_tag"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    ps_bind_text(stmt, ":key", ps_str_from_c(question->key));
    question->has_tag = ps_stmt_step(stmt, err);
    return err->code;
}

enum ps_status ps_store_has_tag(struct ps_store *store, const char *id, const char *key, bool *out,
                                struct ps_err *err)
{
    struct tag_question question = {.key = key};

    *out = ps_catalog_run_query(store, find_tag, id, &question, err) == PS_OK && question.has_tag;
    return err->code;
}

static enum ps_status brief_of(struct ps_db *db, const char *id, void *brief, struct ps_err *err)
{
    struct ps_run_brief *out = brief;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_stmt_open_for_run(db, "run_brief", id, &stmt, err);
    struct ps_str kind;

    if (status != PS_OK)
        return status;
    kind = ps_col_text(stmt, 0);
    (void)snprintf(out->kind, sizeof out->kind, "%.*s", (int)kind.len, kind.ptr);
    out->name = ps_strdup(ps_col_text(stmt, 1));
    out->rows = (uint64_t)ps_col_int(stmt, 2);
    out->repaired = (uint64_t)ps_col_int(stmt, 3);
    out->rejected = (uint64_t)ps_col_int(stmt, 4);
    out->user_name = ps_strdup(ps_col_text(stmt, 5));
    return PS_OK;
}

enum ps_status ps_store_read_brief(struct ps_store *store, const char *id, struct ps_run_brief *out,
                                   struct ps_err *err)
{
    return ps_catalog_run_query(store, brief_of, id, out, err);
}

void ps_run_brief_free(struct ps_run_brief *brief)
{
    free(brief->name);
    free(brief->user_name);
    *brief = (struct ps_run_brief){0};
}

static enum ps_status ps_baseline_of(struct ps_db *db, const char *series, char id_out[PS_ID_SIZE],
                                     struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("baseline_of"), &stmt, err);
    ps_bind_text(stmt, ":series", ps_str_from_c(series));
    if (!ps_stmt_step(stmt, err))
        return ps_fail(err, PS_NOT_FOUND,
                       "the series %s has no baseline" PS_HINT "`perfshelf baseline RUN` sets it",
                       series);
    ps_col_id(stmt, id_out);
    return PS_OK;
}

static enum ps_status resolve_nth(struct ps_db *db, const char *run, char id_out[PS_ID_SIZE],
                                  struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    int64_t n;
    enum ps_status status;

    if (!ps_str_parse_i64(ps_str_from_c(run + 1), &n) || n < 1)
        return ps_fail(err, PS_BAD_REQUEST, "%s is not a run; @1 is the newest, @2 the one before",
                       run);
    status = ps_db_prepare(db, ps_query_sql("run_nth"), &stmt, err);
    if (status != PS_OK)
        return status;
    ps_bind_int(stmt, ":n", n - 1);
    if (!ps_stmt_step(stmt, err))
        return ps_fail(err, PS_NOT_FOUND, "%s: the shelf has too few runs", run);
    ps_col_id(stmt, id_out);
    return PS_OK;
}

/* Appends a run to the candidates of a message: its id, and in parentheses kind and time if the
 * runs were found by name, otherwise the name. */
static void add_candidate(struct ps_stmt *stmt, bool by_name, struct ps_buf *out)
{
    const struct ps_str id = ps_col_text(stmt, 0), kind = ps_col_text(stmt, 2),
                        name = ps_col_text(stmt, 3);
    const time_t seconds = (time_t)(ps_col_int(stmt, 4) / 1000);
    const char *at = name.ptr, *end = name.ptr + name.len;
    char when[32] = "";
    struct tm utc;

    ps_buf_puts(out, out->len ? ", " : "");
    ps_buf_add_str(out, id);
    if (by_name) {
        if (gmtime_r(&seconds, &utc))
            (void)strftime(when, sizeof when, "%Y-%m-%d %H:%M", &utc);
        ps_buf_printf(out, " (%.*s, %s)", (int)kind.len, kind.ptr, when);
        return;
    }
    for (size_t len;
         at < end && at - name.ptr < NAME_SHOWN && (len = ps_utf8_char_len(at, end)) > 0;)
        at += len;
    ps_buf_printf(out, " (%.*s%s)", (int)(at - name.ptr), name.ptr, at < end ? "..." : "");
}

static enum ps_status resolve_text(struct ps_db *db, const char *run, char id_out[PS_ID_SIZE],
                                   struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf candidates = {0};
    int64_t rank;
    int n = 1;

    ps_db_prepare(db, ps_query_sql("run_resolve"), &stmt, err);
    ps_bind_text(stmt, ":run", ps_str_from_c(run));
    if (!ps_stmt_step(stmt, err))
        return ps_fail(err, PS_NOT_FOUND,
                       "no run %s on this shelf" PS_HINT "`perfshelf list` shows the runs", run);
    ps_col_id(stmt, id_out);
    rank = ps_col_int(stmt, 1);
    add_candidate(stmt, rank == 1, &candidates);
    while (rank > 0 && ps_stmt_step(stmt, err) && ps_col_int(stmt, 1) == rank)
        if (++n <= CANDIDATES)
            add_candidate(stmt, rank == 1, &candidates);
    if (err->code != PS_OK || n == 1)
        return err->code;
    return ps_fail(err, PS_CONFLICT, "%s matches several runs" PS_HINT "%s: %s%s", run,
                   rank == 1 ? "use an id" : "use more digits of the id", candidates.ptr,
                   n > CANDIDATES ? ", ..." : "");
}

static enum ps_status resolve_run(struct ps_db *db, const char *run, void *id_out,
                                  struct ps_err *err)
{
    if (run[0] == '@')
        return resolve_nth(db, run, id_out, err);
    return strncmp(run, "baseline:", 9) == 0 ? ps_baseline_of(db, run + 9, id_out, err)
                                             : resolve_text(db, run, id_out, err);
}

enum ps_status ps_store_resolve(struct ps_store *store, const char *run, char id_out[PS_ID_SIZE],
                                struct ps_err *err)
{
    return ps_catalog_run_query(store, resolve_run, run, id_out, err);
}

struct resolved {
    const char *const *runs;
    size_t n;
    char (*ids)[PS_ID_SIZE];
};

static enum ps_status resolve_all(struct ps_db *db, const char *none, void *resolved,
                                  struct ps_err *err)
{
    const struct resolved *all = resolved;
    enum ps_status status = PS_OK;

    (void)none;
    for (size_t i = 0; status == PS_OK && i < all->n; i++)
        status = resolve_run(db, all->runs[i], all->ids[i], err);
    return status;
}

enum ps_status ps_store_resolve_all(struct ps_store *store, const char *const *runs, size_t n,
                                    char (*ids_out)[PS_ID_SIZE], struct ps_err *err)
{
    struct resolved all = {runs, n, ids_out};

    return ps_catalog_run_query(store, resolve_all, NULL, &all, err);
}
