/* SPDX-License-Identifier: MIT */
/*
 * pending_delete.c: an intent log for files that are created before the row that refers to them, or
 * deleted after it.
 *
 * Both operations first write entries with the names of the files into table doomed. When the
 * operation ends, or when the shelf is opened after a crash, those of the files are deleted to
 * which no row refers. So a kill at any time leaves no unused files. A file without an entry is
 * never deleted, even if no row refers to it: the catalog may have been lost.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/catalog/backend.h"
#include "server/catalog/files.h"
#include "server/catalog/state.h"

void ps_pending_delete_set_owner(struct ps_store *store, struct ps_pending_delete *pending)
{
    (void)snprintf(pending->owner, sizeof pending->owner, "%s-%u", store->session,
                   ps_store_next_number(store));
}

enum ps_status ps_pending_delete_add(struct ps_db *db, const struct ps_pending_delete *pending,
                                     const char *folder, const char *key, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("doomed_add"), &stmt, err);
    ps_bind_text(stmt, ":owner", ps_str_from_c(pending->owner));
    ps_bind_text(stmt, ":folder", ps_str_from_c(folder));
    ps_bind_text(stmt, ":key", ps_str_from_c(key));
    (void)ps_stmt_step(stmt, err);
    return err->code;
}

/* In a folder, the entry is committed before the file is moved. In a shared shelf, one transaction
 * adds the entry and the file. */
enum ps_status ps_pending_delete_begin(struct ps_store *store, struct ps_pending_delete *pending,
                                       const char *folder, const char *key,
                                       const struct ps_sent_file *sent, const char *path,
                                       struct ps_err *err)
{
    const bool follow = store->backend->files_follow_rows;

    ps_catalog_begin(store, PS_NOT_DURABLE, err);
    ps_pending_delete_set_owner(store, pending);
    ps_pending_delete_add(store->catalog, pending, folder, key, err);
    if (follow)
        ps_file_place(store, sent, folder, key, path, err);
    else
        ps_file_size_put(store->catalog, folder, key, sent->bytes, err);
    ps_catalog_end(store, err->code, err);
    return follow ? err->code : ps_file_place(store, sent, folder, key, path, err);
}

enum ps_status ps_pending_delete_run(struct ps_store *store, struct ps_pending_delete *pending,
                                     const char *id, struct ps_err *err)
{
    ps_catalog_begin(store, PS_NOT_DURABLE, err);
    ps_pending_delete_set_owner(store, pending);
    ps_pending_delete_add(store->catalog, pending, "runs", id, err);
    return ps_catalog_end(store, err->code, err);
}

static enum ps_status forget_size(struct ps_db *db, const char *folder, const char *key,
                                  struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("size_forget"), &stmt, err);
    ps_bind_text(stmt, ":folder", ps_str_from_c(folder));
    ps_bind_text(stmt, ":sha256", ps_str_from_c(key));
    return ps_stmt_execute(stmt, err);
}

/* Deletes the files of a key: the files of a run, or one stored original or source. */
static enum ps_status remove_files(struct ps_store *store, const char *folder, const char *key,
                                   struct ps_err *err)
{
    ps_file_remove(store, folder, key, err);
    if (strcmp(folder, "runs") != 0)
        return forget_size(store->catalog, folder, key, err);
    ps_label_remove(store, key);
    if (store->backend->keeps_labels)
        ps_file_change_row(store->catalog, "kept_remove", "labels", key, NULL, err);
    return err->code;
}

static enum ps_status delete_entries(struct ps_db *db, const char *owner, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("doomed_forget"), &stmt, err);
    ps_bind_text(stmt, ":owner", ps_str_from_c(owner));
    (void)ps_stmt_step(stmt, err);
    return err->code;
}

/* Deletes the files of an owner's entries to which no row refers, then the entries. Runs inside a
 * transaction, so that no run is published between the check and the deletion. Syncs the folders
 * before it deletes the entries. */
static enum ps_status remove_unused(struct ps_store *store, const char *owner, struct ps_err *err)
{
    struct ps_db *db = store->catalog;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    bool removed = false;

    ps_db_prepare(db, ps_query_sql("doomed_unused"), &stmt, err);
    ps_bind_text(stmt, ":owner", ps_str_from_c(owner));
    while (ps_stmt_step(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *folder = ps_strdup(ps_col_text(stmt, 0));
        PS_AUTO(ps_free_ptr) char *key = ps_strdup(ps_col_text(stmt, 1));

        if (!ps_file_name_is_valid(folder, key))
            continue; /* perfshelf did not write this entry: there is no such file */
        remove_files(store, folder, key, err);
        removed = true;
    }
    for (const char *const *folder = ps_stored_folders; removed && *folder && !err->code;
         folder++) {
        PS_AUTO(ps_free_ptr) char *path = ps_store_folder_path(store, *folder);

        (void)ps_sync_dir(path, err);
    }
    return delete_entries(db, owner, err);
}

static enum ps_status remove_in_transaction(struct ps_store *store, const char *owner)
{
    struct ps_err err = PS_ERR_INIT;

    ps_catalog_begin(store, PS_NOT_DURABLE, &err);
    remove_unused(store, owner, &err);
    return ps_catalog_end(store, err.code, &err);
}

/* After a failure, the entries remain, although their files may be deleted or in use. A later
 * sweep, of this session or another one, handles them. */
static void end_own(struct ps_store *store, const char *owner)
{
    if (remove_in_transaction(store, owner) == PS_OK)
        return;
    (void)ps_catalog_lock(store);
    ps_buf_add(&store->undeleted_intents, owner, strlen(owner) + 1);
    ps_catalog_unlock(store);
}

void ps_pending_delete_end(struct ps_store *store, struct ps_pending_delete *pending)
{
    if (pending->owner[0])
        end_own(store, pending->owner);
    pending->owner[0] = '\0';
}

static void end_again(struct ps_store *store)
{
    PS_AUTO(ps_buf_free) struct ps_buf owners = {0};

    (void)ps_catalog_lock(store);
    owners = store->undeleted_intents;
    store->undeleted_intents = (struct ps_buf){0};
    ps_catalog_unlock(store);
    for (const char *at = owners.ptr; at && at < owners.ptr + owners.len; at += strlen(at) + 1)
        end_own(store, at);
}

void ps_pending_delete_sweep(struct ps_store *store)
{
    PS_AUTO(ps_buf_free) struct ps_buf owners = {0};
    struct ps_err ignored = PS_ERR_INIT; /* the next sweep tries again */
    struct ps_stmt *stmt = NULL;
    struct ps_db *db;

    end_again(store);
    db = ps_catalog_lock(store);
    ps_db_prepare(db, ps_query_sql("doomed_owners"), &stmt, &ignored);
    while (ps_stmt_step(stmt, &ignored))
        ps_col_append(stmt, 0, &owners);
    ps_stmt_release(stmt);
    ps_catalog_unlock(store);
    for (const char *at = owners.ptr; at && at < owners.ptr + owners.len; at += strlen(at) + 1) {
        PS_AUTO(ps_free_ptr) char *session = ps_strdup(ps_str_from_c(at));
        char *dash = strrchr(session, '-');

        if (dash)
            *dash = '\0';
        if (!ps_session_is_alive(store, session))
            (void)remove_in_transaction(store, at);
    }
}

#define RESERVE ((off_t)256 << 10)

void ps_reserve_file_create(struct ps_store *store)
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_file_path(store, "reserve");
    PS_AUTO(ps_close_fd) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (fd >= 0 && posix_fallocate(fd, 0, RESERVE) != 0)
        (void)unlink(path);
}

bool ps_reserve_file_delete(struct ps_store *store)
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_file_path(store, "reserve");

    return unlink(path) == 0;
}
