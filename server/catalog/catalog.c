/* SPDX-License-Identifier: MIT */
/* catalog.c: the mutable data of runs, and the import log. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "server/catalog/backend.h"
#include "server/catalog/deleted.h"
#include "server/catalog/files.h"
#include "server/catalog/state.h"

/* Prepares the named query with :id bound. */
static enum ps_status prepare_for(struct ps_db *db, const char *query, const char *id,
                                  struct ps_stmt **out, struct ps_err *err)
{
    enum ps_status status = ps_db_prepare(db, ps_sql_text(query), out, err);

    if (status == PS_OK)
        ps_bind_text(*out, ":id", ps_str_of(id));
    return status;
}

static enum ps_status run_for(struct ps_db *db, const char *query, const char *id,
                              struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    enum ps_status status = prepare_for(db, query, id, &stmt, err);

    return status == PS_OK ? ps_stmt_finish(stmt, err) : status;
}

enum ps_status ps_store_outdated(struct ps_store *store, struct ps_buf *ids, struct ps_err *err)
{
    struct ps_db *db = ps_catalog_lock(store);
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(db, ps_sql_text("run_ids"), &stmt, err);

    while (status == PS_OK && ps_stmt_row(stmt, err)) {
        char id[PS_ID_SIZE];

        ps_col_id(stmt, id);
        if (ps_run_outdated(store, id))
            ps_buf_add(ids, id, sizeof id);
    }
    ps_stmt_done(stmt);
    ps_catalog_unlock(store);
    return status == PS_OK ? err->code : status;
}

static enum ps_status insert_tags(struct ps_db *db, const char *id, const struct ps_tag *tags,
                                  size_t n, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    for (size_t i = 0; status == PS_OK && i < n; i++) {
        struct ps_stmt *stmt = NULL;

        status = prepare_for(db, tags[i].value ? "tag_insert" : "tag_remove", id, &stmt, err);
        if (status != PS_OK)
            break;
        ps_bind_text(stmt, ":k", ps_str_of(tags[i].key));
        if (tags[i].value)
            ps_bind_text(stmt, ":v", ps_str_of(tags[i].value));
        status = ps_stmt_finish(stmt, err);
    }
    return status;
}

static enum ps_status check_tag_count(struct ps_db *db, const char *id, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = prepare_for(db, "tag_count", id, &stmt, err);

    if (status != PS_OK || !ps_stmt_row(stmt, &own))
        return status == PS_OK ? ps_fail_as(err, &own) : status;
    if (ps_col_int(stmt, 0) <= PS_TAGS_MAX)
        return PS_OK;
    return ps_fail(err, PS_BAD_REQUEST, "the run would have more than %d tags", PS_TAGS_MAX);
}

static enum ps_status edit_locked(struct ps_db *db, const char *id, const struct ps_run_edit *edit,
                                  struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    enum ps_status status = prepare_for(db, "run_update", id, &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_text(stmt, ":name", ps_str_of(edit->name));
    ps_bind_text(stmt, ":series", ps_str_of(edit->series));
    ps_bind_text(stmt, ":note", ps_str_of(edit->note));
    status = ps_stmt_finish(stmt, err);
    if (status == PS_OK && sqlite3_changes(db->handle) == 0)
        return ps_fail(err, PS_NOT_FOUND, "run %s is not on this shelf", id);
    if (status == PS_OK && edit->set_tags)
        status = run_for(db, "tag_delete", id, err);
    if (status == PS_OK && (edit->set_tags || edit->merge_tags))
        status = insert_tags(db, id, edit->tags, edit->n_tags, err);
    return status == PS_OK && edit->merge_tags ? check_tag_count(db, id, err) : status;
}

enum ps_status ps_store_edit(struct ps_store *store, const char *id, const struct ps_run_edit *edit,
                             struct ps_err *err)
{
    enum ps_status status = ps_catalog_begin(store, PS_DURABLE, err);

    if (status == PS_OK)
        status = edit_locked(store->catalog, id, edit, err);
    if (status == PS_OK)
        status = ps_label_save(store, id, err);
    return ps_catalog_end(store, status, err);
}

static enum ps_status note_removal(struct ps_db *db, const char *id, const char *who, int64_t at_ms,
                                   struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    enum ps_status status = prepare_for(db, "removal_insert", id, &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_int(stmt, ":at", at_ms);
    ps_bind_text(stmt, ":who", ps_str_of(who));
    return ps_stmt_finish(stmt, err);
}

static enum ps_status remove_row(struct ps_store *store, const struct ps_removal *removal,
                                 struct ps_err *err)
{
    const int64_t at_ms = ps_now_ms();
    enum ps_status status = ps_catalog_begin(store, PS_DURABLE, err);

    if (status == PS_OK && removal->check)
        status = removal->check(store->catalog, removal->user, err);
    if (status == PS_OK)
        status = ps_deleted_label(store, removal->id, removal->who, at_ms, err);
    if (status == PS_OK)
        status = note_removal(store->catalog, removal->id, removal->who, at_ms, err);
    if (status == PS_OK)
        status = run_for(store->catalog, "removed_since_add", removal->id, err);
    if (status == PS_OK)
        status = ps_deleted_add(store, removal->id, removal->who, at_ms, err);
    return ps_catalog_end(store, status, err);
}

enum ps_status ps_catalog_remove(struct ps_store *store, const struct ps_removal *removal,
                                 struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = remove_row(store, removal, &own);

    if (status == PS_FULL && ps_reserve_use(store)) {
        own = (struct ps_err)PS_ERR_INIT;
        status = remove_row(store, removal, &own);
        while (status == PS_OK && ps_deleted_purge_next(store, INT64_MAX))
            ; /* frees space: the disk is full */
    }
    if (status == PS_OK) {
        ps_run_mark_forget(store, removal->id);
        ps_pool_forget(store, removal->id);
    } else {
        (void)ps_catalog_lock(store); /* the label file may already mark the run as deleted */
        (void)ps_label_save(store, removal->id, NULL);
        ps_catalog_unlock(store);
        if (err && err->code == PS_OK)
            *err = own;
    }
    ps_reserve_make(store);
    return status;
}

enum ps_status ps_store_remove(struct ps_store *store, const char *id, const char *who,
                               struct ps_err *err)
{
    return ps_catalog_remove(store, &(struct ps_removal){id, who, NULL, NULL}, err);
}

static enum ps_status insert_log(struct ps_db *db, const struct ps_log_entry *entry,
                                 struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(db, ps_sql_text("log_insert"), &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_int(stmt, ":at", ps_now_ms());
    ps_bind_text(stmt, ":name", ps_str_of(entry->name));
    ps_bind_text(stmt, ":who", ps_str_of(entry->who));
    ps_bind_text(stmt, ":sha256", ps_str_of(entry->sha256));
    ps_bind_int(stmt, ":bytes", (int64_t)entry->bytes);
    ps_bind_real(stmt, ":seconds", entry->seconds);
    if (entry->run_id[0])
        ps_bind_text(stmt, ":run", ps_str_of(entry->run_id));
    if (entry->err && entry->err->code != PS_OK) {
        ps_bind_text(stmt, ":code", ps_str_of(ps_status_word(entry->err->code)));
        ps_bind_text(stmt, ":text", ps_str_of(entry->err->text));
        ps_bind_text(stmt, ":hint", ps_str_of(entry->err->hint));
        if (entry->err->has_at)
            ps_bind_int(stmt, ":byte_offset", (int64_t)entry->err->at);
    }
    return ps_stmt_finish(stmt, err);
}

enum ps_status ps_store_log(struct ps_store *store, const struct ps_log_entry *entry,
                            struct ps_err *err)
{
    enum ps_status status = ps_catalog_begin(store, PS_DURABLE, err);

    if (status == PS_OK)
        status = insert_log(store->catalog, entry, err);
    return ps_catalog_end(store, status, err);
}

static void bind_run(struct ps_stmt *stmt, const struct ps_catalog_row *row)
{
    ps_bind_text(stmt, ":id", ps_str_of(row->id));
    ps_bind_text(stmt, ":sha256", ps_str_of(row->sha256));
    ps_bind_text(stmt, ":kind", ps_str_of(row->kind));
    ps_bind_text(stmt, ":name", ps_str_of(row->name));
    ps_bind_text(stmt, ":series", ps_str_of(row->series));
    ps_bind_text(stmt, ":who", ps_str_of(row->who));
    ps_bind_text(stmt, ":note", ps_str_of(row->note));
    ps_bind_text(stmt, ":tool", ps_str_of(row->tool));
    ps_bind_text(stmt, ":tool_version", ps_str_of(row->tool_version));
    ps_bind_int(stmt, ":created_at", row->created_ms);
    ps_bind_real(stmt, ":headline_value", row->headline.value);
    ps_bind_text(stmt, ":headline_unit", ps_str_of(row->headline.unit));
    ps_bind_text(stmt, ":headline_label", ps_str_of(row->headline.label));
    ps_bind_int(stmt, ":bytes", (int64_t)row->bytes);
    ps_bind_int(stmt, ":db_bytes", (int64_t)row->db_bytes);
    ps_bind_text(stmt, ":ledger_unit", ps_str_of(row->ledger.unit));
    ps_bind_int(stmt, ":read", (int64_t)row->ledger.read);
    ps_bind_int(stmt, ":stored", (int64_t)row->ledger.stored);
    ps_bind_int(stmt, ":repaired", (int64_t)row->ledger.repaired);
    ps_bind_int(stmt, ":rejected", (int64_t)row->ledger.rejected);
    ps_bind_int(stmt, ":other", (int64_t)row->ledger.other);
    ps_bind_text(stmt, ":summary", ps_str_of(row->summary));
}

enum ps_status ps_catalog_differs(struct ps_db *db, const struct ps_catalog_row *row,
                                  const char *label, struct ps_buf *out, struct ps_err *err)
{
    static const char *const queries[] = {"run_differs", "label_differs"};
    struct ps_err own = PS_ERR_INIT;

    for (size_t i = 0; own.code == PS_OK && i < (label ? 2 : 1); i++) {
        PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

        if (ps_db_prepare(db, ps_sql_text(queries[i]), &stmt, &own) != PS_OK)
            break;
        bind_run(stmt, row);
        ps_bind_text(stmt, ":label", ps_str_of(label));
        if (ps_stmt_row(stmt, &own) && ps_col_text(stmt, 0).len) {
            ps_buf_puts(out, out->len ? ", " : "");
            ps_buf_str(out, ps_col_text(stmt, 0));
        }
    }
    return own.code == PS_OK ? PS_OK : ps_fail_as(err, &own);
}

enum ps_status ps_catalog_put(struct ps_db *db, const struct ps_catalog_row *row, char **name_out,
                              struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = ps_db_prepare(db, ps_sql_text("run_insert"), &stmt, err);

    if (status != PS_OK)
        return status;
    bind_run(stmt, row);
    if (ps_stmt_row(stmt, &own)) {
        *name_out = ps_strdup(ps_col_text(stmt, 0));
        (void)ps_stmt_row(stmt, &own); /* run it to completion */
    }
    return own.code == PS_OK ? PS_OK : ps_fail_as(err, &own);
}

/* Writes or restores the label of a published run. The new file of a renewed run does not contain
 * its current label, so the label is written to labels/. A label file without a run file
 * (rebuild.c) is applied to the new run. A note is never written into the run file, since the file
 * may be passed on after the note was removed. */
static enum ps_status publish_label(struct ps_store *store, const struct ps_catalog_row *row,
                                    bool renewed, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf label = {0};
    enum ps_status status = PS_OK;

    if (renewed)
        return ps_label_save(store, row->id, err);
    if (ps_label_read(store, row->id, &label))
        status = ps_label_apply(store->catalog, row->id, ps_buf_slice(&label), err);
    return status == PS_OK && row->note && row->note[0] ? ps_label_save(store, row->id, err)
                                                        : status;
}

/* A run that was removed after its upload had been accepted is not published again: a server may
 * have crashed between the publication of the run and the end of the upload. */
static enum ps_status check_removed(struct ps_db *db, const struct ps_catalog_row *row,
                                    struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    struct ps_stmt *stmt = NULL;
    enum ps_status status = prepare_for(db, "removed_since", row->id, &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_int(stmt, ":upload", row->upload);
    if (ps_stmt_row(stmt, &own))
        ps_fail(&own, PS_CANCELLED, "this run was deleted after its upload");
    ps_stmt_done(stmt);
    return own.code == PS_OK ? PS_OK : ps_fail(err, own.code, "%s", own.text);
}

static enum ps_status publish_locked(struct ps_store *store, const struct ps_catalog_row *row,
                                     const struct ps_sending *sent, const char *part, bool renewed,
                                     struct ps_pending_delete *pending, char **name_out,
                                     struct ps_err *err)
{
    bool replaced = false;
    enum ps_status status = ps_file_check(store, "originals", row->sha256, err);

    if (status == PS_OK)
        status = ps_deleted_replace(store, row->id, pending, &replaced, err);
    if (status == PS_OK)
        status = ps_catalog_put(store->catalog, row, name_out, err);
    if (status == PS_OK)
        status = insert_tags(store->catalog, row->id, row->tags, row->n_tags, err);
    if (status == PS_OK)
        status = publish_label(store, row, renewed || replaced, err);
    return status == PS_OK ? ps_file_place(store, sent, "runs", row->id, part, err) : status;
}

enum ps_status ps_catalog_publish(struct ps_store *store, const struct ps_catalog_row *row,
                                  const char *part, struct ps_published *out, struct ps_err *err)
{
    struct ps_pending_delete pending = {""};
    struct ps_sending sent;
    char id[PS_ID_SIZE];
    enum ps_status status = ps_file_send(store, "runs", part, &sent, err);

    if (status == PS_OK && !store->backend->files_follow_rows)
        status = ps_pending_delete_run(store, &pending, row->id, err);
    if (status != PS_OK)
        return status;
    status = ps_catalog_begin(store, PS_DURABLE, err);
    if (status == PS_OK) {
        bool known = ps_catalog_find(store->catalog, row->sha256, id, NULL) == PS_OK;

        out->already = known && ps_file_layout(store, store->catalog, id) >= ps_layout_of_ours();
        if (row->upload && !known)
            status = check_removed(store->catalog, row, err);
        if (status == PS_OK && !known)
            status = ps_upload_check(store, row->upload, err);
        if (status == PS_OK && !out->already)
            status = publish_locked(store, row, &sent, part, known, &pending, &out->name, err);
    }
    status = ps_catalog_end(store, status, err);
    ps_pending_delete_end(store, &pending);
    if (status == PS_OK && !out->already) { /* an older file of the run may be open */
        ps_run_mark_forget(store, row->id);
        ps_pool_forget(store, row->id);
    }
    return status;
}
