/* SPDX-License-Identifier: MIT */
#include "server/catalog/deleted.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "server/catalog/backend.h"
#include "server/catalog/clock_check.h"
#include "server/catalog/files.h"
#include "server/catalog/state.h"

static enum ps_status run_for(struct ps_db *db, const char *query, const char *id, bool *found,
                              struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    bool row;

    ps_db_prepare(db, ps_query_sql(query), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    row = ps_stmt_step(stmt, err);
    if (found)
        *found = row;
    if (row)
        (void)ps_stmt_step(stmt, err); /* a statement with RETURNING has to be stepped to its end */
    return err->code;
}

/* --- Recording deleted runs --- */

enum ps_status ps_deleted_add(struct ps_store *store, const char *id, const char *user_name,
                              int64_t at_ms, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(store->catalog, ps_query_sql("deleted_add"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    ps_bind_text(stmt, ":who", ps_str_from_c(user_name));
    ps_bind_int(stmt, ":at", at_ms);
    if (ps_stmt_execute(stmt, err) == PS_OK && sqlite3_changes(store->catalog->handle) == 0)
        ps_fail(err, PS_NOT_FOUND, "run %s is not on this shelf", id);
    run_for(store->catalog, "tag_delete", id, NULL, err);
    run_for(store->catalog, "baseline_forget", id, NULL, err);
    return run_for(store->catalog, "run_delete", id, NULL, err);
}

enum ps_status ps_deleted_write_label(struct ps_store *store, const char *id, const char *user_name,
                                      int64_t at_ms, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf label = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_label_text(store->catalog, id, &label, err);

    if (status == PS_NOT_FOUND)
        return ps_fail(err, status, "run %s is not on this shelf", id);
    if (!ps_file_name_is_valid("labels", id)) /* perfshelf did not write this id: no label */
        return status;
    ps_db_prepare(store->catalog, ps_query_sql("deleted_label"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    ps_bind_text(stmt, ":label", ps_buf_slice(&label));
    ps_bind_text(stmt, ":who", ps_str_from_c(user_name));
    ps_bind_int(stmt, ":at", at_ms);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    return ps_label_write(store, id, ps_col_text(stmt, 0), err);
}

enum ps_status ps_deleted_apply_label(struct ps_store *store, const char *id, struct ps_str label,
                                      bool *is_deleted, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_free_ptr) char *user_name = NULL;
    bool was_baseline;

    ps_db_prepare(store->catalog, ps_query_sql("label_deleted"), &stmt, err);
    ps_bind_text(stmt, ":label", label);
    *is_deleted = ps_stmt_step(stmt, err);
    if (!*is_deleted)
        return err->code;
    user_name = ps_strdup(ps_col_text(stmt, 0));
    was_baseline = ps_col_int(stmt, 1) != 0;
    ps_deleted_add(store, id, user_name, ps_wall_clock_ms(), err);
    return was_baseline ? run_for(store->catalog, "deleted_was_baseline", id, NULL, err)
                        : err->code;
}

/* --- Restoring --- */

void ps_deleted_free(struct ps_deleted_run *deleted)
{
    free(deleted->name);
    free(deleted->user_name);
    *deleted = (struct ps_deleted_run){.name = NULL};
}

static enum ps_status find_deleted(struct ps_db *db, const char *run, void *out_,
                                   struct ps_err *err)
{
    struct ps_deleted_run *out = out_;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("deleted_find"), &stmt, err);
    ps_bind_text(stmt, ":run", ps_str_from_c(run));
    if (!ps_stmt_step(stmt, err)) {
        if (err->code != PS_OK)
            return err->code;
        return ps_fail(err, PS_NOT_FOUND,
                       "no deleted run %s" PS_HINT "`perfshelf undelete` lists the deleted runs",
                       run);
    }
    ps_col_id(stmt, out->id);
    out->name = ps_strdup(ps_col_text(stmt, 1));
    out->user_name = ps_strdup(ps_col_text(stmt, 2));
    if (strcmp(out->id, run) == 0 || !ps_stmt_step(stmt, err))
        return err->code;
    ps_deleted_free(out);
    return ps_fail(err, PS_CONFLICT,
                   "%s matches several deleted runs" PS_HINT
                   "use its id: `perfshelf undelete` lists them",
                   run);
}

enum ps_status ps_deleted_find(struct ps_store *store, const char *run, struct ps_deleted_run *out,
                               struct ps_err *err)
{
    *out = (struct ps_deleted_run){.name = NULL};
    return ps_catalog_run_query(store, find_deleted, run, out, err);
}

static enum ps_status restore_run(struct ps_store *store, const char *id, struct ps_err *err)
{
    static const char *const queries[] = {"deleted_restore", "deleted_restore_tags",
                                          "deleted_restore_baseline"};
    bool found = false;

    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        run_for(store->catalog, queries[i], id, NULL, err);
    run_for(store->catalog, "deleted_forget", id, &found, err);
    if (!found)
        ps_fail(err, PS_NOT_FOUND, "run %s was restored or deleted for good meanwhile", id);
    ps_list_label_save(store, "baselines", err);
    return ps_label_save(store, id, err);
}

/* Fails if the run file of a deleted run is missing or changed since it was written. */
static enum ps_status check_run_file(struct ps_store *store, const char *id, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    struct ps_sent_file found;
    struct ps_err own = PS_ERR_INIT;
    bool known;

    if (ps_file_path(store, "runs", id, &path, &own) != PS_OK ||
        store->backend->evicts_files) /* it compared the hash when it fetched the file */
        return ps_fail_copy(err, &own);
    if (ps_file_check_hash(store, id, path, &found, &known, &own) == PS_OK)
        return PS_OK;
    return ps_fail(err, own.code,
                   "the file of run %s is damaged: %s" PS_HINT
                   "add the original profile again, or restore the file from a backup",
                   id, own.text);
}

enum ps_status ps_store_recover_run(struct ps_store *store, const char *id, struct ps_err *err)
{
    enum ps_status status;

    if (check_run_file(store, id, err) != PS_OK)
        return err->code;
    ps_catalog_begin(store, PS_DURABLE, err);
    status = ps_catalog_end(store, restore_run(store, id, err), err);
    if (status == PS_OK)
        ps_run_mark_invalidate(store, id);
    return status;
}

/* --- Purging --- */

enum ps_status ps_deleted_replace(struct ps_store *store, const char *id,
                                  struct ps_pending_delete *pending, bool *replaced,
                                  struct ps_err *err)
{
    enum ps_status status = run_for(store->catalog, "deleted_forget", id, replaced, err);

    if (status != PS_OK || !*replaced)
        return status;
    if (!pending->owner[0])
        ps_pending_delete_set_owner(store, pending);
    run_for(store->catalog, "timeline_notes_forget", id, NULL, err);
    return ps_sources_remove(store->catalog, id, pending, err);
}

/* Finds the run that was deleted first, if that was before before_ms (ms since 1970). id "": there
 * is no such run. */
static enum ps_status find_next(struct ps_store *store, int64_t before_ms, char id[PS_ID_SIZE],
                                struct ps_err *err)
{
    struct ps_db *db = NULL;
    struct ps_stmt *stmt = NULL;

    id[0] = '\0';
    ps_catalog_read(store, &db, err);
    ps_db_prepare(db, ps_query_sql("deleted_next"), &stmt, err);
    ps_bind_int(stmt, ":before", before_ms);
    if (ps_stmt_step(stmt, err))
        ps_col_id(stmt, id);
    ps_stmt_release(stmt);
    ps_catalog_read_end(store, db);
    return err->code;
}

static enum ps_status forget_deleted(struct ps_store *store, const char *id,
                                     const struct ps_pending_delete *pending, bool *found,
                                     struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_free_ptr) char *sha256 = NULL;
    bool there = false;

    ps_db_prepare(store->catalog, ps_query_sql("deleted_forget"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    *found = ps_stmt_step(stmt, err);
    if (!*found)
        return err->code;
    sha256 = ps_strdup(ps_col_text(stmt, 0));
    (void)ps_stmt_step(stmt, err); /* a statement with RETURNING has to be stepped to its end */
    run_for(store->catalog, "run_there", id, &there, err);
    if (there) /* the same bytes were imported again: that run needs the files */
        return err->code;
    run_for(store->catalog, "timeline_notes_forget", id, NULL, err);
    ps_pending_delete_add(store->catalog, pending, "runs", id, err);
    ps_pending_delete_add(store->catalog, pending, "originals", sha256, err);
    return ps_sources_remove(store->catalog, id, pending, err);
}

/* Deletes a deleted run permanently, with its files. Does nothing if the run was recovered
 * meanwhile. */
static enum ps_status purge_run(struct ps_store *store, const char *id, struct ps_err *err)
{
    struct ps_pending_delete pending;
    bool found = false;

    ps_catalog_begin(store, PS_NOT_DURABLE, err);
    ps_pending_delete_set_owner(store, &pending);
    forget_deleted(store, id, &pending, &found, err);
    if (ps_catalog_end(store, err->code, err) == PS_OK && found)
        ps_pending_delete_end(store, &pending);
    return err->code;
}

/* After a failure, which is not reported, the caller's loop ends; the next purge tries again. */
bool ps_deleted_purge_next(struct ps_store *store, int64_t before_ms)
{
    char id[PS_ID_SIZE];

    return find_next(store, before_ms, id, PS_ERR_IGNORED) == PS_OK && id[0] &&
           purge_run(store, id, PS_ERR_IGNORED) == PS_OK;
}

void ps_deleted_expire(struct ps_store *store)
{
    const int64_t before = ps_wall_clock_ms() - PS_DELETED_MS;
    int64_t jump;

    if (store->is_read_only || ps_store_is_unreachable(store) || !ps_clock_check(store, &jump))
        return;
    while (ps_deleted_purge_next(store, before))
        ;
}
