/* SPDX-License-Identifier: MIT */
/*
 * uploads.c: accepted uploads, until their import has ended. Each has files in the spool and a row
 * in the catalog, so that the next server can continue after a crash (takeover.c).
 *
 * Where many servers share the store, the files are sent before the row is written, and are kept
 * until it is deleted, because the next server may be on another machine. A row belongs to a
 * session. A session that lost its row to another one, because it was considered crashed, can no
 * longer change the row.
 */
#include "server/catalog/uploads.h"
#include "base/clock.h"
#include "server/catalog/backend.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/catalog/files.h"
#include "server/catalog/job_rows.h"

#define AGAIN_MS 3000 /* delay before a postponed upload is retried */

/* --- Uploads in hand --- */

static struct ps_in_hand *in_hand(struct ps_store *store, int64_t id)
{
    for (size_t i = 0; i < store->n_in_hand; i++)
        if (store->in_hand[i].id == id)
            return &store->in_hand[i];
    return NULL;
}

bool ps_upload_in_hand(struct ps_store *store, int64_t id)
{
    const struct ps_in_hand *at = in_hand(store, id);

    return at && (!at->again_ms || ps_monotonic_ms() < at->again_ms);
}

bool ps_upload_take_in_hand(struct ps_store *store, int64_t id)
{
    struct ps_in_hand *at = in_hand(store, id);

    if (at) {
        at->again_ms = 0;
        return true;
    }
    PS_PUSH_ROOM(store->in_hand, store->n_in_hand, store->cap_in_hand);
    store->in_hand[store->n_in_hand++] = (struct ps_in_hand){.id = id};
    return false;
}

void ps_upload_release(struct ps_store *store, int64_t id)
{
    struct ps_in_hand *at = in_hand(store, id);

    if (!at)
        return;
    free(at->view);
    *at = store->in_hand[--store->n_in_hand];
}

void ps_upload_postpone(struct ps_store *store, int64_t id)
{
    struct ps_in_hand *at;

    (void)ps_catalog_lock(store);
    at = in_hand(store, id);
    if (at)
        at->again_ms = ps_monotonic_ms() + AGAIN_MS;
    ps_catalog_unlock(store);
}

/* --- Files --- */

static enum ps_status sync_file(const char *path, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);

    return fd >= 0 && fsync(fd) == 0 ? PS_OK : ps_fail_errno(err, "cannot sync", path);
}

static enum ps_status sync_files(struct ps_store *store, const struct ps_accepted *upload,
                                 struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *spool = ps_store_folder(store, "spool");
    enum ps_status status = sync_file(upload->path, err);

    for (size_t i = 0; i < upload->n_sources && status == PS_OK; i++)
        status = sync_file(upload->sources[i].key, err);
    return status == PS_OK ? ps_sync_dir(spool, err) : status;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Sends the files of an upload: first the upload itself, then its sources. */
static enum ps_status send_files(struct ps_store *store, const struct ps_accepted *upload,
                                 struct ps_sending *out, struct ps_err *err)
{
    enum ps_status status = ps_file_send(store, "spool", upload->path, &out[0], err);

    for (size_t i = 0; i < upload->n_sources && status == PS_OK; i++)
        status = ps_file_send(store, "spool", upload->sources[i].key, &out[1 + i], err);
    return status;
}

static enum ps_status place_files(struct ps_store *store, const struct ps_accepted *upload,
                                  const struct ps_sending *sent, struct ps_err *err)
{
    enum ps_status status =
        ps_file_place(store, &sent[0], "spool", base_of(upload->path), NULL, err);

    for (size_t i = 0; i < upload->n_sources && status == PS_OK; i++)
        status =
            ps_file_place(store, &sent[1 + i], "spool", base_of(upload->sources[i].key), NULL, err);
    return status;
}

static bool holds(struct ps_db *db, const char *file)
{
    struct ps_stmt *stmt = NULL;
    struct ps_err err = PS_ERR_INIT;
    bool found;

    if (ps_db_prepare(db, ps_sql_text("upload_holds"), &stmt, NULL) != PS_OK)
        return true;
    ps_bind_text(stmt, ":file", ps_str_of(file));
    found = ps_stmt_row(stmt, &err);
    ps_stmt_done(stmt);
    return found || err.code != PS_OK;
}

bool ps_upload_holds(struct ps_store *store, const char *file)
{
    bool found = holds(ps_catalog_lock(store), file);

    ps_catalog_unlock(store);
    return found;
}

/* Removes a file that no upload refers to any more; uploads may share their sources. Ignores
 * invalid names from untrusted rows. */
static enum ps_status remove_unheld(struct ps_store *store, const char *file, struct ps_err *err)
{
    return !ps_file_name_is("spool", file) || holds(store->catalog, file)
               ? PS_OK
               : ps_file_remove(store, "spool", file, err);
}

static enum ps_status remove_files(struct ps_store *store, const char *file, const char *sources,
                                   struct ps_err *err)
{
    struct ps_arena arena = {0};
    size_t n = 0;
    const struct ps_tag *pairs = ps_upload_pairs(store, &arena, sources, &n);
    enum ps_status status = remove_unheld(store, file, err);

    for (size_t i = 0; i < n && status == PS_OK; i++)
        status = remove_unheld(store, pairs[i].key, err);
    ps_arena_free(&arena);
    return status;
}

/* --- Rows --- */

static void add_pairs(struct ps_buf *out, const struct ps_tag *pairs, size_t n, bool paths)
{
    struct ps_json json = ps_json_to(out);

    ps_json_array(&json);
    for (size_t i = 0; i < n; i++) {
        ps_json_array(&json);
        ps_json_str(&json, ps_str_of(paths ? base_of(pairs[i].key) : pairs[i].key));
        ps_json_str(&json, ps_str_of(pairs[i].value));
        ps_json_end(&json);
    }
    ps_json_end(&json);
}

static enum ps_status insert(struct ps_store *store, struct ps_accepted *upload, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf tags = {0};
    PS_AUTO(ps_buf_free) struct ps_buf sources = {0};
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = ps_db_prepare(store->catalog, ps_sql_text("upload_add"), &stmt, err);

    if (status != PS_OK)
        return status;
    add_pairs(&tags, upload->tags, upload->n_tags, false);
    add_pairs(&sources, upload->sources, upload->n_sources, true);
    if (store->backend->number(store)) /* unique among all servers */
        ps_bind_int(stmt, ":id", store->backend->number(store));
    ps_bind_text(stmt, ":session", ps_str_of(store->session));
    ps_bind_text(stmt, ":file", ps_str_of(base_of(upload->path)));
    ps_bind_text(stmt, ":filename", ps_str_of(upload->filename));
    ps_bind_text(stmt, ":name", ps_str_of(upload->name));
    ps_bind_text(stmt, ":series", ps_str_of(upload->series));
    ps_bind_text(stmt, ":who", ps_str_of(upload->who));
    ps_bind_text(stmt, ":note", upload->note ? ps_str_of(upload->note) : PS_STR(""));
    ps_bind_text(stmt, ":tags", ps_buf_slice(&tags));
    ps_bind_text(stmt, ":sources", ps_buf_slice(&sources));
    ps_bind_int(stmt, ":at", ps_now_ms());
    ps_bind_int(stmt, ":job", (int64_t)upload->job);
    if (ps_stmt_row(stmt, &own)) {
        upload->id = ps_col_int(stmt, 0);
        (void)ps_stmt_row(stmt, &own);
    }
    return own.code == PS_OK ? PS_OK : ps_fail(err, own.code, "%s", own.text);
}

/* Inserts the rows of the upload, its job and its files in one transaction. */
static enum ps_status accept(struct ps_store *store, struct ps_accepted *upload, bool promised,
                             const struct ps_sending *sent, struct ps_err *err)
{
    enum ps_status status = ps_catalog_begin(store, promised ? PS_DURABLE : PS_SOON, err);

    upload->id = 0;
    if (status == PS_OK && upload->row)
        status = ps_job_row_insert(store, upload->row, &upload->job, err);
    if (status == PS_OK)
        status = insert(store, upload, err);
    if (status == PS_OK && store->backend->has_other_servers)
        status = place_files(store, upload, sent, err);
    if (status == PS_OK)
        ps_upload_take_in_hand(store, upload->id);
    status = ps_catalog_end(store, status, err);
    if (status == PS_OK)
        return PS_OK;
    (void)ps_catalog_lock(store);
    ps_upload_release(store, upload->id);
    ps_catalog_unlock(store);
    return status;
}

enum ps_status ps_upload_accept(struct ps_store *store, struct ps_accepted *upload, bool promised,
                                struct ps_err *err)
{
    PS_AUTO(ps_free_ptr)
    struct ps_sending *sent = ps_alloc_array(1 + upload->n_sources, sizeof *sent);
    enum ps_status status = PS_OK;

    if (store->backend->has_other_servers)
        status = send_files(store, upload, sent, err);
    else if (promised)
        status = sync_files(store, upload, err);
    return status == PS_OK ? accept(store, upload, promised, sent, err) : status;
}

/* Ignores failures: the next server may then try the import once more than allowed. */
void ps_upload_try(struct ps_store *store, int64_t id, bool begins)
{
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_catalog_begin(store, PS_SOON, NULL);

    if (status == PS_OK)
        status = ps_db_prepare(store->catalog, ps_sql_text("upload_try"), &stmt, NULL);
    if (status == PS_OK) {
        ps_bind_int(stmt, ":id", id);
        ps_bind_int(stmt, ":by", begins ? 1 : -1);
        ps_bind_text(stmt, ":session", ps_str_of(store->session));
        status = ps_stmt_finish(stmt, NULL);
    }
    (void)ps_catalog_end(store, status, NULL);
}

enum ps_status ps_upload_check(struct ps_store *store, int64_t id, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status;

    if (!store->backend->has_other_servers || !id)
        return PS_OK;
    status = ps_db_prepare(store->catalog, ps_sql_text("upload_mine"), &stmt, err);
    if (status != PS_OK)
        return status;
    ps_bind_int(stmt, ":id", id);
    ps_bind_text(stmt, ":session", ps_str_of(store->session));
    if (!ps_stmt_row(stmt, &own) && own.code == PS_OK) {
        ps_hint(&own, "look for the run in a moment; if it is missing, send it again");
        (void)ps_fail(
            &own, PS_INTERRUPTED,
            "another server continues this import, because the lease of this one expired");
    }
    return ps_fail_as(err, &own);
}

/* Deletes the row inside a transaction. Does nothing if another session has taken over the upload.
 */
static enum ps_status end_locked(struct ps_store *store, int64_t id, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *file = NULL;
    PS_AUTO(ps_free_ptr) char *sources = NULL;
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(store->catalog, ps_sql_text("upload_end"), &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_int(stmt, ":id", id);
    ps_bind_text(stmt, ":session", ps_str_of(store->session));
    if (ps_stmt_row(stmt, NULL)) {
        file = ps_strdup(ps_col_text(stmt, 0));
        sources = ps_strdup(ps_col_text(stmt, 1));
    }
    status = ps_stmt_finish(stmt, err);
    if (status != PS_OK || !file || !store->backend->has_other_servers)
        return status;
    return remove_files(store, file, sources, err);
}

/* Ends the upload and its job in one transaction. If a server were killed between two transactions,
 * the next one would not know the result of the job. */
static enum ps_status end(struct ps_store *store, int64_t id, const struct ps_job_row *job)
{
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status = ps_catalog_begin(store, PS_SOON, &err);

    if (status == PS_OK)
        status = end_locked(store, id, &err);
    if (status == PS_OK && job)
        status = ps_job_row_put(store, job, &err);
    return ps_catalog_end(store, status, &err);
}

static void note_over(struct ps_in_hand *at, const struct ps_job_row *job)
{
    at->over = true;
    if (!job)
        return;
    at->job = job->id;
    at->state = job->state;
    at->view = ps_strdup(job->view);
}

void ps_upload_end(struct ps_store *store, int64_t id, const struct ps_job_row *job)
{
    enum ps_status status;

    if (!id)
        return;
    status = end(store, id, job);
    (void)ps_catalog_lock(store);
    if (status == PS_OK)
        ps_upload_release(store, id);
    else if (in_hand(store, id))
        note_over(in_hand(store, id), job);
    ps_catalog_unlock(store);
}

/* Returns an upload whose end could not be written. Its strings are valid until it is released. id
 * 0: there is none. */
static struct ps_in_hand next_over(struct ps_store *store)
{
    struct ps_in_hand over = {.id = 0};

    (void)ps_catalog_lock(store);
    for (size_t i = 0; i < store->n_in_hand && !over.id; i++)
        if (store->in_hand[i].over)
            over = store->in_hand[i];
    ps_catalog_unlock(store);
    return over;
}

void ps_uploads_end_again(struct ps_store *store)
{
    for (;;) {
        const struct ps_in_hand over = next_over(store);
        const struct ps_job_row job = {
            .id = over.job, .state = over.state, .view = ps_str_of(over.view)};

        if (!over.id || end(store, over.id, over.state ? &job : NULL) != PS_OK)
            return;
        (void)ps_catalog_lock(store);
        ps_upload_release(store, over.id);
        ps_catalog_unlock(store);
    }
}
