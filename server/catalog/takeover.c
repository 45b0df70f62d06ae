/* SPDX-License-Identifier: MIT */
/*
 * takeover.c: takes over the uploads of crashed sessions, with the jobs that import them.
 *
 * In a shared shelf, several servers may find the same crashed session: the first server takes over
 * all its uploads. A server that was considered crashed but was only slow notices that its uploads
 * belong to another server, and stops importing them (uploads.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/catalog/backend.h"
#include "server/catalog/uploads.h"

/* --- Claiming uploads --- */

/* Returns the names of the other sessions that have uploads, each followed by a NUL. Free the
 * buffer. */
static struct ps_buf sessions_with_uploads(struct ps_store *store)
{
    struct ps_err ignored = PS_ERR_INIT; /* the next check tries again */
    struct ps_buf sessions = {0};
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(store);

    ps_db_prepare(db, ps_query_sql("upload_sessions"), &stmt, &ignored);
    ps_bind_text(stmt, ":session", ps_str_from_c(store->session));
    while (ps_stmt_step(stmt, &ignored))
        ps_col_append(stmt, 0, &sessions);
    ps_stmt_release(stmt);
    ps_catalog_unlock(store);
    return sessions;
}

static enum ps_status take_over(struct ps_store *store, const char *dead, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(store->catalog, ps_query_sql("upload_take"), &stmt, err);
    ps_bind_text(stmt, ":dead", ps_str_from_c(dead));
    ps_bind_text(stmt, ":session", ps_str_from_c(store->session));
    ps_stmt_execute(stmt, err);
    return store->backend->has_other_servers ? ps_job_rows_abandon(store, dead, err) : err->code;
}

/* Takes over the uploads of one session if it is dead. Ignores failures: the next check or start
 * tries again. */
static void take_over_session(struct ps_store *store, const char *session)
{
    struct ps_err ignored = PS_ERR_INIT; /* the next check tries again */
    bool dead = false;

    if (ps_catalog_begin(store, PS_NOT_DURABLE, &ignored) == PS_OK)
        store->backend->confirm_session_dead(store, session, &dead, &ignored);
    if (dead)
        take_over(store, session, &ignored);
    ps_catalog_end(store, ignored.code, &ignored);
}

static void claim_all(struct ps_store *store)
{
    PS_AUTO(ps_buf_free) struct ps_buf sessions = sessions_with_uploads(store);

    for (const char *at = sessions.ptr; at && at < sessions.ptr + sessions.len;
         at += strlen(at) + 1)
        if (!ps_session_is_alive(store, at))
            take_over_session(store, at);
}

bool ps_uploads_are_waiting(struct ps_store *store)
{
    PS_AUTO(ps_buf_free) struct ps_buf sessions = sessions_with_uploads(store);
    struct ps_err ignored = PS_ERR_INIT; /* the next check tries again */
    struct ps_stmt *stmt = NULL;
    struct ps_db *db;
    bool wait = false;

    for (const char *at = sessions.ptr; at && at < sessions.ptr + sessions.len;
         at += strlen(at) + 1)
        wait |= !ps_session_is_alive(store, at);
    if (wait)
        return true;
    db = ps_catalog_lock(store);
    ps_db_prepare(db, ps_query_sql("upload_list"), &stmt, &ignored);
    ps_bind_text(stmt, ":session", ps_str_from_c(store->session));
    ps_bind_int(stmt, ":after", 0);
    while (!wait && ps_stmt_step(stmt, &ignored))
        wait = !ps_upload_is_owned(store, ps_col_int(stmt, 0));
    ps_stmt_release(stmt);
    ps_catalog_unlock(store);
    return wait;
}

/* --- Reading claimed uploads --- */

static const char *text_of(struct ps_arena *arena, struct ps_stmt *stmt, int column)
{
    return ps_arena_copy(arena, ps_col_text(stmt, column)).ptr;
}

struct ps_tag *ps_upload_parse_pairs(struct ps_store *store, struct ps_arena *arena,
                                     const char *text, size_t *n_out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_tag *pairs = ps_arena_alloc(arena, (strlen(text) / 4 + 1) * sizeof *pairs);

    *n_out = 0;
    if (ps_db_prepare(store->catalog, ps_query_sql("upload_pairs"), &stmt, err) != PS_OK)
        return pairs;
    ps_bind_text(stmt, ":pairs", ps_str_from_c(text));
    while (ps_stmt_step(stmt, err)) {
        const char *key = text_of(arena, stmt, 0), *value = text_of(arena, stmt, 1);

        pairs[(*n_out)++] = (struct ps_tag){key, value};
    }
    return pairs;
}

/* Returns the path of a spool file, allocated in the arena. "", with err set: the row has an
 * invalid file name. */
static const char *spool_path(struct ps_store *store, struct ps_arena *arena, const char *file,
                              struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    struct ps_err failure = PS_ERR_INIT;

    if (ps_store_path(store, "spool", file, "", &path, &failure) == PS_OK)
        return ps_arena_copy(arena, ps_str_from_c(path)).ptr;
    ps_fail_copy_hint(err, &failure,
                      "perfshelf did not write this row of the catalog: find out who did");
    return "";
}

static void read_upload(struct ps_store *store, struct ps_stmt *stmt, struct ps_arena *arena,
                        struct ps_accepted_upload *out)
{
    struct ps_tag *sources;

    *out = (struct ps_accepted_upload){
        .id = ps_col_int(stmt, 0),
        .filename = text_of(arena, stmt, 2),
        .name = text_of(arena, stmt, 3),
        .series = text_of(arena, stmt, 4),
        .user_name = text_of(arena, stmt, 5),
        .note = text_of(arena, stmt, 10),
        .sources_text = text_of(arena, stmt, 7),
        .n_tries = (unsigned)ps_col_int(stmt, 8),
        .job_id = (uint64_t)ps_col_int(stmt, 9),
        .err = PS_ERR_INIT,
    };
    out->tags =
        ps_upload_parse_pairs(store, arena, text_of(arena, stmt, 6), &out->n_tags, &out->err);
    sources = ps_upload_parse_pairs(store, arena, out->sources_text, &out->n_sources, &out->err);
    out->path = spool_path(store, arena, text_of(arena, stmt, 1), &out->err);
    for (size_t i = 0; i < out->n_sources; i++)
        sources[i].key = spool_path(store, arena, sources[i].key, &out->err);
    out->sources = sources;
    if (out->err.code != PS_OK) {
        out->path = "";
        out->n_sources = 0;
    }
}

/* Reads the next upload of this session, with an id above `after`, that is not being imported, and
 * marks it as being imported. */
static bool next_upload(struct ps_store *store, int64_t after, struct ps_arena *arena,
                        struct ps_accepted_upload *out, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(store);
    bool found = false;

    if (ps_db_prepare(db, ps_query_sql("upload_list"), &stmt, err) == PS_OK) {
        ps_bind_text(stmt, ":session", ps_str_from_c(store->session));
        ps_bind_int(stmt, ":after", after);
        while (!found && ps_stmt_step(stmt, err))
            found = !ps_upload_is_owned(store, ps_col_int(stmt, 0));
    }
    if (found) {
        read_upload(store, stmt, arena, out);
        out->is_retry = ps_upload_take_ownership(store, out->id);
    }
    ps_stmt_release(stmt);
    ps_catalog_unlock(store);
    return found;
}

/* Fetches a file that another machine accepted, unless `path` exists. Counts its bytes (quota.h)
 * without checking the quota, since an accepted upload must be imported. */
static enum ps_status fetch_file(struct ps_store *store, const char *path, struct ps_err *err)
{
    struct stat about;
    enum ps_status status;

    if (access(path, F_OK) == 0)
        return PS_OK;
    status = ps_file_link(store, "spool", strrchr(path, '/') + 1, path, err);
    if (status == PS_OK && stat(path, &about) == 0)
        atomic_fetch_add(&store->reserved_bytes, (int64_t)about.st_size);
    return status;
}

static enum ps_status fetch_files(struct ps_store *store, const struct ps_accepted_upload *upload,
                                  struct ps_err *err)
{
    enum ps_status status = fetch_file(store, upload->path, err);

    for (size_t i = 0; i < upload->n_sources && status == PS_OK; i++)
        status = fetch_file(store, upload->sources[i].key, err);
    return status;
}

/* Fetches the files of the upload. False: a failure that may be temporary (database, disk), so the
 * import has to be postponed. If the store does not have a file, returns true with upload->err set,
 * so that the import fails. */
static bool is_fetched(struct ps_store *store, struct ps_accepted_upload *upload)
{
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status = PS_OK;

    if (store->backend->has_other_servers && upload->err.code == PS_OK)
        status = fetch_files(store, upload, &err);
    if (status == PS_NOT_FOUND)
        ps_fail_copy_hint(&upload->err, &err, "send it again");
    return status == PS_OK || status == PS_NOT_FOUND;
}

enum ps_status ps_upload_take_over(struct ps_store *store,
                                   void (*take)(void *user,
                                                const struct ps_accepted_upload *upload),
                                   void *user, struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    int64_t after = 0;
    bool found;

    if (!ps_store_is_unreachable(store))
        claim_all(store);
    do {
        struct ps_arena arena = {0};
        struct ps_accepted_upload upload;

        found = next_upload(store, after, &arena, &upload, &own);
        if (found) {
            after = upload.id;
            if (is_fetched(store, &upload))
                take(user, &upload);
            else
                ps_upload_postpone(store, upload.id);
        }
        ps_arena_free(&arena);
    } while (found);
    return own.code == PS_OK ? PS_OK : ps_fail_copy(err, &own);
}
