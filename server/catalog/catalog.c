/* SPDX-License-Identifier: MIT */
/* catalog.c: adds, edits and removes runs in the catalog, and writes the import log. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "schema/schema.h"
#include "server/catalog/backend.h"
#include "server/catalog/deleted.h"
#include "server/catalog/files.h"
#include "server/catalog/state.h"

/* Prepares the named query with :id bound. */
static void prepare_for(struct ps_db *db, const char *query, const char *id, struct ps_stmt **out,
                        struct ps_err *err)
{
    ps_db_prepare(db, ps_query_sql(query), out, err);
    ps_bind_text(*out, ":id", ps_str_from_c(id));
}

static enum ps_status run_for(struct ps_db *db, const char *query, const char *id,
                              struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    prepare_for(db, query, id, &stmt, err);
    return ps_stmt_execute(stmt, err);
}

enum ps_status ps_store_list_outdated(struct ps_store *store, struct ps_buf *ids,
                                      struct ps_err *err)
{
    struct ps_db *db = ps_catalog_lock(store);
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("run_ids"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        char id[PS_ID_SIZE];

        ps_col_id(stmt, id);
        if (ps_run_is_outdated(store, id))
            ps_buf_add(ids, id, sizeof id);
    }
    ps_stmt_release(stmt);
    ps_catalog_unlock(store);
    return err->code;
}

static enum ps_status insert_tags(struct ps_db *db, const char *id, const struct ps_tag *tags,
                                  size_t n, struct ps_err *err)
{
    for (size_t i = 0; err->code == PS_OK && i < n; i++) {
        struct ps_stmt *stmt = NULL;

        prepare_for(db, tags[i].value ? "tag_insert" : "tag_remove", id, &stmt, err);
        ps_bind_text(stmt, ":k", ps_str_from_c(tags[i].key));
        if (tags[i].value)
            ps_bind_text(stmt, ":v", ps_str_from_c(tags[i].value));
        ps_stmt_execute(stmt, err);
    }
    return err->code;
}

static enum ps_status check_tag_count(struct ps_db *db, const char *id, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    prepare_for(db, "tag_count", id, &stmt, err);
    if (!ps_stmt_step(stmt, err) || ps_col_int(stmt, 0) <= PS_TAGS_MAX)
        return err->code;
    return ps_fail(err, PS_BAD_REQUEST, "the run would have more than %d tags", PS_TAGS_MAX);
}

static enum ps_status edit_locked(struct ps_db *db, const char *id, const struct ps_run_edit *edit,
                                  struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    prepare_for(db, "run_update", id, &stmt, err);
    ps_bind_text(stmt, ":name", ps_str_from_c(edit->name));
    ps_bind_text(stmt, ":series", ps_str_from_c(edit->series));
    ps_bind_text(stmt, ":note", ps_str_from_c(edit->note));
    if (ps_stmt_execute(stmt, err) == PS_OK && sqlite3_changes(db->handle) == 0)
        ps_fail(err, PS_NOT_FOUND, "run %s is not on this shelf", id);
    if (edit->set_tags)
        run_for(db, "tag_delete", id, err);
    if (edit->set_tags || edit->merge_tags)
        insert_tags(db, id, edit->tags, edit->n_tags, err);
    return edit->merge_tags ? check_tag_count(db, id, err) : err->code;
}

enum ps_status ps_store_edit_run(struct ps_store *store, const char *id,
                                 const struct ps_run_edit *edit, struct ps_err *err)
{
    ps_catalog_begin(store, PS_DURABLE, err);
    edit_locked(store->catalog, id, edit, err);
    ps_label_save(store, id, err);
    return ps_catalog_end(store, err->code, err);
}

static enum ps_status note_removal(struct ps_db *db, const char *id, const char *user_name,
                                   int64_t at_ms, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    prepare_for(db, "removal_insert", id, &stmt, err);
    ps_bind_int(stmt, ":at", at_ms);
    ps_bind_text(stmt, ":who", ps_str_from_c(user_name));
    return ps_stmt_execute(stmt, err);
}

static enum ps_status remove_row(struct ps_store *store, const struct ps_removal *removal,
                                 struct ps_err *err)
{
    const int64_t at_ms = ps_wall_clock_ms();

    ps_catalog_begin(store, PS_DURABLE, err);
    if (removal->check && err->code == PS_OK)
        removal->check(store->catalog, removal->user, err);
    ps_deleted_write_label(store, removal->id, removal->user_name, at_ms, err);
    note_removal(store->catalog, removal->id, removal->user_name, at_ms, err);
    run_for(store->catalog, "removed_since_add", removal->id, err);
    ps_deleted_add(store, removal->id, removal->user_name, at_ms, err);
    return ps_catalog_end(store, err->code, err);
}

enum ps_status ps_catalog_remove(struct ps_store *store, const struct ps_removal *removal,
                                 struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = remove_row(store, removal, &own);

    if (status == PS_FULL && ps_reserve_file_delete(store)) {
        own = (struct ps_err)PS_ERR_INIT;
        status = remove_row(store, removal, &own);
        while (status == PS_OK && ps_deleted_purge_next(store, INT64_MAX))
            ; /* the disk is full: delete all runs that could be recovered */
    }
    if (status == PS_OK) {
        ps_run_mark_invalidate(store, removal->id);
        ps_pool_close_run(store, removal->id);
    } else {
        (void)ps_catalog_lock(store); /* removes the mark "deleted", which remove_row may have
                                         written into the label file */
        (void)ps_label_save(store, removal->id, PS_ERR_IGNORED); /* `own` has the error */
        ps_catalog_unlock(store);
        (void)ps_fail_copy(err, &own);
    }
    ps_reserve_file_create(store);
    return status;
}

enum ps_status ps_store_remove_run(struct ps_store *store, const char *id, const char *user_name,
                                   struct ps_err *err)
{
    return ps_catalog_remove(store, &(struct ps_removal){id, user_name, NULL, NULL}, err);
}

static enum ps_status insert_log(struct ps_db *db, const struct ps_log_entry *entry,
                                 struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("log_insert"), &stmt, err);
    ps_bind_int(stmt, ":at", ps_wall_clock_ms());
    ps_bind_text(stmt, ":name", ps_str_from_c(entry->name));
    ps_bind_text(stmt, ":who", ps_str_from_c(entry->user_name));
    ps_bind_text(stmt, ":sha256", ps_str_from_c(entry->sha256));
    ps_bind_int(stmt, ":bytes", (int64_t)entry->bytes);
    ps_bind_real(stmt, ":seconds", entry->seconds);
    if (entry->run_id[0])
        ps_bind_text(stmt, ":run", ps_str_from_c(entry->run_id));
    if (entry->err && entry->err->code != PS_OK) {
        ps_bind_text(stmt, ":code", ps_str_from_c(ps_status_name(entry->err->code)));
        ps_bind_text(stmt, ":text", ps_str_from_c(entry->err->text));
        ps_bind_text(stmt, ":hint", ps_str_from_c(entry->err->hint));
        if (entry->err->has_offset)
            ps_bind_int(stmt, ":byte_offset", (int64_t)entry->err->offset);
    }
    return ps_stmt_execute(stmt, err);
}

enum ps_status ps_store_log_import(struct ps_store *store, const struct ps_log_entry *entry,
                                   struct ps_err *err)
{
    ps_catalog_begin(store, PS_DURABLE, err);
    insert_log(store->catalog, entry, err);
    return ps_catalog_end(store, err->code, err);
}

static void bind_run(struct ps_stmt *stmt, const struct ps_catalog_row *row)
{
    ps_bind_text(stmt, ":id", ps_str_from_c(row->id));
    ps_bind_text(stmt, ":sha256", ps_str_from_c(row->sha256));
    ps_bind_text(stmt, ":kind", ps_str_from_c(row->kind));
    ps_bind_text(stmt, ":name", ps_str_from_c(row->name));
    ps_bind_text(stmt, ":series", ps_str_from_c(row->series));
    ps_bind_text(stmt, ":who", ps_str_from_c(row->user_name));
    ps_bind_text(stmt, ":note", ps_str_from_c(row->note));
    ps_bind_text(stmt, ":tool", ps_str_from_c(row->tool));
    ps_bind_text(stmt, ":tool_version", ps_str_from_c(row->tool_version));
    ps_bind_int(stmt, ":first_layout", row->first_layout);
    ps_bind_int(stmt, ":created_at", row->created_ms);
    ps_bind_real(stmt, ":headline_value", row->headline.value);
    ps_bind_text(stmt, ":headline_unit", ps_str_from_c(row->headline.unit));
    ps_bind_text(stmt, ":headline_label", ps_str_from_c(row->headline.label));
    ps_bind_int(stmt, ":bytes", (int64_t)row->bytes);
    ps_bind_int(stmt, ":db_bytes", (int64_t)row->db_bytes);
    ps_bind_text(stmt, ":ledger_unit", ps_str_from_c(row->ledger.unit));
    ps_bind_int(stmt, ":read", (int64_t)row->ledger.read);
    ps_bind_int(stmt, ":stored", (int64_t)row->ledger.stored);
    ps_bind_int(stmt, ":repaired", (int64_t)row->ledger.repaired);
    ps_bind_int(stmt, ":rejected", (int64_t)row->ledger.rejected);
    ps_bind_int(stmt, ":other", (int64_t)row->ledger.other);
    ps_bind_text(stmt, ":summary", ps_str_from_c(row->summary));
}

static enum ps_status describe(struct ps_db *db, const char *query,
                               const struct ps_catalog_row *row, const char *label,
                               struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql(query), &stmt, err);
    bind_run(stmt, row);
    ps_bind_text(stmt, ":label", ps_str_from_c(label));
    if (ps_stmt_step(stmt, err) && ps_col_text(stmt, 0).len) {
        ps_buf_puts(out, out->len ? ", " : "");
        ps_buf_add_str(out, ps_col_text(stmt, 0));
    }
    return err->code;
}

enum ps_status ps_catalog_describe_differences(struct ps_db *db, const struct ps_catalog_row *row,
                                               const char *label, struct ps_buf *out,
                                               struct ps_err *err)
{
    describe(db, "run_differs", row, label, out, err);
    return label ? describe(db, "label_differs", row, label, out, err) : err->code;
}

enum ps_status ps_catalog_put_run(struct ps_db *db, const struct ps_catalog_row *row,
                                  char **name_out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("run_insert"), &stmt, err);
    bind_run(stmt, row);
    if (ps_stmt_step(stmt, err)) {
        *name_out = ps_strdup(ps_col_text(stmt, 0));
        (void)ps_stmt_step(stmt, err); /* a statement with RETURNING has to be stepped to its end */
    }
    return err->code;
}

/* Writes or restores the label of a published run. The new file of a renewed run does not contain
 * the current label, so this function writes it to labels/. If labels/ has a label for a new run
 * (rebuild.c keeps labels of lost run files), it is applied. A note is written only to labels/: a
 * user may delete a note and then pass on the run file. */
static enum ps_status publish_label(struct ps_store *store, const struct ps_catalog_row *row,
                                    bool renewed, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf label = {0};
    bool is_written = renewed || (row->note && row->note[0]), is_deleted = false;

    if (!renewed && ps_label_read(store, row->id, &label)) {
        ps_label_apply(store->catalog, row->id, ps_buf_slice(&label), err);
        if (row->is_reimport)
            ps_deleted_apply_label(store, row->id, ps_buf_slice(&label), &is_deleted, err);
        else /* a file that is added again is not deleted, whatever the label said */
            is_written = true;
    }
    return is_written && !is_deleted && err->code == PS_OK ? ps_label_save(store, row->id, err)
                                                           : err->code;
}

/* Fails if the run was removed after its upload had been accepted. The upload can be imported
 * twice: a server may crash after publishing the run and before ending the upload. */
static enum ps_status check_removed(struct ps_db *db, const struct ps_catalog_row *row,
                                    struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    prepare_for(db, "removed_since", row->id, &stmt, err);
    ps_bind_int(stmt, ":upload", row->upload);
    if (ps_stmt_step(stmt, err))
        ps_fail(err, PS_CANCELLED, "this run was deleted after its upload");
    ps_stmt_release(stmt);
    return err->code;
}

static enum ps_status publish_locked(struct ps_store *store, const struct ps_catalog_row *row,
                                     const struct ps_sent_file *sent, const char *part,
                                     bool renewed, struct ps_pending_delete *pending,
                                     char **name_out, struct ps_err *err)
{
    bool replaced = false;

    ps_file_check(store, "originals", row->sha256, err);
    ps_deleted_replace(store, row->id, pending, &replaced, err);
    ps_catalog_put_run(store->catalog, row, name_out, err);
    insert_tags(store->catalog, row->id, row->tags, row->n_tags, err);
    publish_label(store, row, renewed || replaced, err);
    return ps_file_place(store, sent, "runs", row->id, part, err);
}

enum ps_status ps_catalog_publish(struct ps_store *store, const struct ps_catalog_row *row,
                                  const char *part, struct ps_published_run *out,
                                  struct ps_err *err)
{
    struct ps_pending_delete pending = {""};
    struct ps_sent_file sent;
    char id[PS_ID_SIZE];
    enum ps_status status = ps_file_send(store, "runs", part, &sent, err);

    if (status == PS_OK && !store->backend->files_follow_rows)
        status = ps_pending_delete_run(store, &pending, row->id, err);
    if (status != PS_OK)
        return status;
    status = ps_catalog_begin(store, PS_DURABLE, err);
    if (status == PS_OK) {
        struct ps_err unknown = PS_ERR_INIT;
        const enum ps_status found =
            ps_catalog_find_by_hash(store->catalog, row->sha256, id, &unknown);
        const bool known = found == PS_OK;

        if (found != PS_OK && found != PS_NOT_FOUND)
            status = ps_fail_copy(err, &unknown);
        out->already_existed =
            known && ps_file_layout(store, store->catalog, id) >= ps_current_layout;
        if (status == PS_OK && row->upload && !known)
            status = check_removed(store->catalog, row, err);
        if (status == PS_OK && !known)
            status = ps_upload_check_owner(store, row->upload, err);
        if (status == PS_OK && !out->already_existed)
            status = publish_locked(store, row, &sent, part, known, &pending, &out->name, err);
    }
    status = ps_catalog_end(store, status, err);
    ps_pending_delete_end(store, &pending);
    if (status == PS_OK && !out->already_existed) { /* the pool may have the old file open */
        ps_run_mark_invalidate(store, row->id);
        ps_pool_close_run(store, row->id);
    }
    return status;
}
