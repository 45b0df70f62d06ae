/* SPDX-License-Identifier: MIT */
/*
 * uploads.c: accepted uploads, until their import has ended. Each upload has files in the spool and
 * a row in the catalog, so that the next server can import it after a crash (takeover.c).
 *
 * In a shared store, the files are also sent to the database before the row is written, and deleted
 * there with the row, because the next server may be on another machine. A row belongs to a
 * session. If another session takes over the row of a session that it considers crashed, the first
 * session can no longer change the row.
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

#define AGAIN_MS 3000 /* ms until a postponed upload is retried */

/* --- Uploads that this session imports --- */

static struct ps_owned_upload *in_hand(struct ps_store *store, int64_t id)
{
    for (size_t i = 0; i < store->n_owned_uploads; i++)
        if (store->owned_uploads[i].id == id)
            return &store->owned_uploads[i];
    return NULL;
}

bool ps_upload_is_owned(struct ps_store *store, int64_t id)
{
    const struct ps_owned_upload *at = in_hand(store, id);

    return at && (!at->retry_ms || ps_monotonic_ms() < at->retry_ms);
}

bool ps_upload_take_ownership(struct ps_store *store, int64_t id)
{
    struct ps_owned_upload *at = in_hand(store, id);

    if (at) {
        at->retry_ms = 0;
        return true;
    }
    PS_RESERVE_ONE(store->owned_uploads, store->n_owned_uploads, store->cap_owned_uploads);
    store->owned_uploads[store->n_owned_uploads++] = (struct ps_owned_upload){.id = id};
    return false;
}

void ps_upload_release(struct ps_store *store, int64_t id)
{
    struct ps_owned_upload *at = in_hand(store, id);

    if (!at)
        return;
    free(at->job_json);
    *at = store->owned_uploads[--store->n_owned_uploads];
}

void ps_upload_postpone(struct ps_store *store, int64_t id)
{
    struct ps_owned_upload *at;

    (void)ps_catalog_lock(store);
    at = in_hand(store, id);
    if (at)
        at->retry_ms = ps_monotonic_ms() + AGAIN_MS;
    ps_catalog_unlock(store);
}

/* --- Files --- */

static enum ps_status sync_file(const char *path, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);

    return fd >= 0 && fsync(fd) == 0 ? PS_OK : ps_fail_errno(err, "cannot sync", path);
}

static enum ps_status sync_files(struct ps_store *store, const struct ps_accepted_upload *upload,
                                 struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *spool = ps_store_folder_path(store, "spool");
    enum ps_status status = sync_file(upload->path, err);

    for (size_t i = 0; i < upload->n_sources && status == PS_OK; i++)
        status = sync_file(upload->sources[i].key, err);
    return status == PS_OK ? ps_sync_dir(spool, err) : status;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Sends the files of an upload. out[0]: the upload itself; out[1 + i]: source i. */
static enum ps_status send_files(struct ps_store *store, const struct ps_accepted_upload *upload,
                                 struct ps_sent_file *out, struct ps_err *err)
{
    ps_file_send(store, "spool", upload->path, &out[0], err);
    for (size_t i = 0; i < upload->n_sources; i++)
        ps_file_send(store, "spool", upload->sources[i].key, &out[1 + i], err);
    return err->code;
}

static enum ps_status place_files(struct ps_store *store, const struct ps_accepted_upload *upload,
                                  const struct ps_sent_file *sent, struct ps_err *err)
{
    ps_file_place(store, &sent[0], "spool", base_name(upload->path), NULL, err);
    for (size_t i = 0; i < upload->n_sources; i++)
        ps_file_place(store, &sent[1 + i], "spool", base_name(upload->sources[i].key), NULL, err);
    return err->code;
}

static bool is_referenced(struct ps_db *db, const char *file)
{
    struct ps_stmt *stmt = NULL;
    struct ps_err err = PS_ERR_INIT;
    bool found;

    if (ps_db_prepare(db, ps_query_sql("upload_holds"), &stmt, &err) != PS_OK)
        return true;
    ps_bind_text(stmt, ":file", ps_str_from_c(file));
    found = ps_stmt_step(stmt, &err);
    ps_stmt_release(stmt);
    return found || err.code != PS_OK;
}

bool ps_upload_owns_file(struct ps_store *store, const char *file)
{
    bool found = is_referenced(ps_catalog_lock(store), file);

    ps_catalog_unlock(store);
    return found;
}

/* Removes a file from the backend unless another upload refers to it: uploads may share their
 * sources. Ignores invalid names from untrusted rows. */
static enum ps_status remove_unreferenced(struct ps_store *store, const char *file,
                                          struct ps_err *err)
{
    return !ps_file_name_is_valid("spool", file) || is_referenced(store->catalog, file)
               ? PS_OK
               : ps_file_remove(store, "spool", file, err);
}

static enum ps_status remove_files(struct ps_store *store, const char *file, const char *sources,
                                   struct ps_err *err)
{
    struct ps_arena arena = {0};
    size_t n = 0;
    const struct ps_tag *pairs = ps_upload_parse_pairs(store, &arena, sources, &n, err);

    remove_unreferenced(store, file, err);
    for (size_t i = 0; i < n; i++)
        remove_unreferenced(store, pairs[i].key, err);
    ps_arena_free(&arena);
    return err->code;
}

/* --- Rows --- */

static void add_pairs(struct ps_buf *out, const struct ps_tag *pairs, size_t n, bool paths)
{
    struct ps_json json = ps_json_writer(out);

    ps_json_array(&json);
    for (size_t i = 0; i < n; i++) {
        ps_json_array(&json);
        ps_json_str(&json, ps_str_from_c(paths ? base_name(pairs[i].key) : pairs[i].key));
        ps_json_str(&json, ps_str_from_c(pairs[i].value));
        ps_json_end(&json);
    }
    ps_json_end(&json);
}

static enum ps_status insert_upload(struct ps_store *store, struct ps_accepted_upload *upload,
                                    struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf tags = {0};
    PS_AUTO(ps_buf_free) struct ps_buf sources = {0};

    ps_db_prepare(store->catalog, ps_query_sql("upload_add"), &stmt, err);
    add_pairs(&tags, upload->tags, upload->n_tags, false);
    add_pairs(&sources, upload->sources, upload->n_sources, true);
    if (store->backend->transaction_number(store)) /* a number that is unique among all servers */
        ps_bind_int(stmt, ":id", store->backend->transaction_number(store));
    ps_bind_text(stmt, ":session", ps_str_from_c(store->session));
    ps_bind_text(stmt, ":file", ps_str_from_c(base_name(upload->path)));
    ps_bind_text(stmt, ":filename", ps_str_from_c(upload->filename));
    ps_bind_text(stmt, ":name", ps_str_from_c(upload->name));
    ps_bind_text(stmt, ":series", ps_str_from_c(upload->series));
    ps_bind_text(stmt, ":who", ps_str_from_c(upload->user_name));
    ps_bind_text(stmt, ":note", upload->note ? ps_str_from_c(upload->note) : PS_STR(""));
    ps_bind_text(stmt, ":tags", ps_buf_slice(&tags));
    ps_bind_text(stmt, ":sources", ps_buf_slice(&sources));
    ps_bind_int(stmt, ":at", ps_wall_clock_ms());
    ps_bind_int(stmt, ":job", (int64_t)upload->job_id);
    if (ps_stmt_step(stmt, err)) {
        upload->id = ps_col_int(stmt, 0);
        (void)ps_stmt_step(stmt, err);
    }
    return err->code;
}

/* Inserts the rows of the upload, its job and its files in one transaction. */
static enum ps_status accept_upload(struct ps_store *store, struct ps_accepted_upload *upload,
                                    bool promised, const struct ps_sent_file *sent,
                                    struct ps_err *err)
{
    ps_catalog_begin(store, promised ? PS_DURABLE : PS_NOT_DURABLE, err);
    upload->id = 0;
    if (upload->new_job)
        ps_job_row_insert(store, upload->new_job, &upload->job_id, err);
    insert_upload(store, upload, err);
    if (store->backend->has_other_servers)
        place_files(store, upload, sent, err);
    if (err->code == PS_OK)
        ps_upload_take_ownership(store, upload->id);
    if (ps_catalog_end(store, err->code, err) == PS_OK)
        return PS_OK;
    (void)ps_catalog_lock(store);
    ps_upload_release(store, upload->id);
    ps_catalog_unlock(store);
    return err->code;
}

enum ps_status ps_upload_accept(struct ps_store *store, struct ps_accepted_upload *upload,
                                bool promised, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr)
    struct ps_sent_file *sent = ps_alloc_array(1 + upload->n_sources, sizeof *sent);
    enum ps_status status = PS_OK;

    if (store->backend->has_other_servers)
        status = send_files(store, upload, sent, err);
    else if (promised)
        status = sync_files(store, upload, err);
    return status == PS_OK ? accept_upload(store, upload, promised, sent, err) : status;
}

/* Ignores failures: after a crash, servers may then try the import once more than allowed. */
void ps_upload_count_try(struct ps_store *store, int64_t id, bool begins)
{
    struct ps_err ignored = PS_ERR_INIT;
    struct ps_stmt *stmt = NULL;

    ps_catalog_begin(store, PS_NOT_DURABLE, &ignored);
    ps_db_prepare(store->catalog, ps_query_sql("upload_try"), &stmt, &ignored);
    ps_bind_int(stmt, ":id", id);
    ps_bind_int(stmt, ":by", begins ? 1 : -1);
    ps_bind_text(stmt, ":session", ps_str_from_c(store->session));
    ps_stmt_execute(stmt, &ignored);
    ps_catalog_end(store, ignored.code, &ignored);
}

enum ps_status ps_upload_check_owner(struct ps_store *store, int64_t id, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    if (!store->backend->has_other_servers || !id)
        return err->code;
    ps_db_prepare(store->catalog, ps_query_sql("upload_mine"), &stmt, err);
    ps_bind_int(stmt, ":id", id);
    ps_bind_text(stmt, ":session", ps_str_from_c(store->session));
    if (!ps_stmt_step(stmt, err))
        ps_fail(
            err, PS_INTERRUPTED,
            "another server continues this import, because the lease of this one expired" PS_HINT
            "look for the run in a moment; if it is missing, send it again");
    return err->code;
}

/* Inside a transaction: deletes the row of the upload, and its files in the backend. Does nothing
 * if another session has taken over the upload. */
static enum ps_status end_locked(struct ps_store *store, int64_t id, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *file = NULL;
    PS_AUTO(ps_free_ptr) char *sources = NULL;
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(store->catalog, ps_query_sql("upload_end"), &stmt, err);
    ps_bind_int(stmt, ":id", id);
    ps_bind_text(stmt, ":session", ps_str_from_c(store->session));
    while (ps_stmt_step(stmt, err)) { /* at most one row, since :id is the key */
        file = ps_strdup(ps_col_text(stmt, 0));
        sources = ps_strdup(ps_col_text(stmt, 1));
    }
    ps_stmt_release(stmt);
    if (err->code != PS_OK || !file || !store->backend->has_other_servers)
        return err->code;
    return remove_files(store, file, sources, err);
}

/* Ends the upload and its job in one transaction: if a server were killed between two transactions,
 * the next server would not know the result of the job. */
static enum ps_status end_upload(struct ps_store *store, int64_t id, const struct ps_job_row *job)
{
    struct ps_err err = PS_ERR_INIT;

    ps_catalog_begin(store, PS_NOT_DURABLE, &err);
    end_locked(store, id, &err);
    if (job)
        ps_job_row_put(store, job, &err);
    return ps_catalog_end(store, err.code, &err);
}

static void mark_ended(struct ps_owned_upload *at, const struct ps_job_row *job)
{
    at->has_ended = true;
    if (!job)
        return;
    at->job_id = job->id;
    at->job_state = job->state;
    at->job_json = ps_strdup(job->json);
}

void ps_upload_end(struct ps_store *store, int64_t id, const struct ps_job_row *job)
{
    enum ps_status status;

    if (!id)
        return;
    status = end_upload(store, id, job);
    (void)ps_catalog_lock(store);
    if (status == PS_OK)
        ps_upload_release(store, id);
    else if (in_hand(store, id))
        mark_ended(in_hand(store, id), job);
    ps_catalog_unlock(store);
}

/* Returns an upload whose end could not be written; id 0: there is none. Its strings are valid
 * until ps_upload_release. */
static struct ps_owned_upload next_ended(struct ps_store *store)
{
    struct ps_owned_upload over = {.id = 0};

    (void)ps_catalog_lock(store);
    for (size_t i = 0; i < store->n_owned_uploads && !over.id; i++)
        if (store->owned_uploads[i].has_ended)
            over = store->owned_uploads[i];
    ps_catalog_unlock(store);
    return over;
}

void ps_uploads_retry_end(struct ps_store *store)
{
    for (;;) {
        const struct ps_owned_upload over = next_ended(store);
        const struct ps_job_row job = {
            .id = over.job_id, .state = over.job_state, .json = ps_str_from_c(over.job_json)};

        if (!over.id || end_upload(store, over.id, over.job_state ? &job : NULL) != PS_OK)
            return;
        (void)ps_catalog_lock(store);
        ps_upload_release(store, over.id);
        ps_catalog_unlock(store);
    }
}
