/* SPDX-License-Identifier: MIT */
#include "server/catalog/deleted.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "server/catalog/clock_check.h"
#include "server/catalog/state.h"

static enum ps_status run_for(struct ps_db *db, const char *query, const char *id, bool *found,
                              struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = ps_db_prepare(db, ps_sql_text(query), &stmt, err);
    bool row;

    if (status != PS_OK)
        return status;
    ps_bind_text(stmt, ":id", ps_str_of(id));
    row = ps_stmt_row(stmt, &own);
    if (found)
        *found = row;
    if (row)
        (void)ps_stmt_row(stmt, &own); /* run it to completion */
    return own.code == PS_OK ? PS_OK : ps_fail_as(err, &own);
}

/* --- Recording deleted runs --- */

enum ps_status ps_deleted_add(struct ps_store *store, const char *id, const char *who,
                              int64_t at_ms, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(store->catalog, ps_sql_text("deleted_add"), &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_text(stmt, ":id", ps_str_of(id));
    ps_bind_text(stmt, ":who", ps_str_of(who));
    ps_bind_int(stmt, ":at", at_ms);
    status = ps_stmt_finish(stmt, err);
    if (status == PS_OK && sqlite3_changes(store->catalog->handle) == 0)
        status = ps_fail(err, PS_NOT_FOUND, "run %s is not on this shelf", id);
    if (status == PS_OK)
        status = run_for(store->catalog, "tag_delete", id, NULL, err);
    if (status == PS_OK)
        status = run_for(store->catalog, "baseline_forget", id, NULL, err);
    return status == PS_OK ? run_for(store->catalog, "run_delete", id, NULL, err) : status;
}

enum ps_status ps_deleted_label(struct ps_store *store, const char *id, const char *who,
                                int64_t at_ms, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf label = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_label_text(store->catalog, id, &label, err);

    if (status == PS_NOT_FOUND)
        return ps_fail(err, status, "run %s is not on this shelf", id);
    if (!ps_file_name_is("labels", id)) /* invalid id, not from perfshelf: has no label */
        return status;
    if (status == PS_OK)
        status = ps_db_prepare(store->catalog, ps_sql_text("deleted_label"), &stmt, err);
    if (status != PS_OK)
        return status;
    ps_bind_text(stmt, ":id", ps_str_of(id));
    ps_bind_text(stmt, ":label", ps_buf_slice(&label));
    ps_bind_text(stmt, ":who", ps_str_of(who));
    ps_bind_int(stmt, ":at", at_ms);
    if (!ps_stmt_row(stmt, err))
        return err ? err->code : PS_INTERNAL;
    return ps_label_write(store, id, ps_col_text(stmt, 0), err);
}

/* --- Restoring --- */

void ps_deleted_free(struct ps_deleted *deleted)
{
    free(deleted->name);
    free(deleted->who);
    *deleted = (struct ps_deleted){.name = NULL};
}

static enum ps_status find(struct ps_db *db, const char *run, void *out_, struct ps_err *err)
{
    struct ps_deleted *out = out_;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = ps_db_prepare(db, ps_sql_text("deleted_find"), &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_text(stmt, ":run", ps_str_of(run));
    if (!ps_stmt_row(stmt, &own)) {
        if (own.code != PS_OK)
            return ps_fail_as(err, &own);
        ps_hint(err, "`perfshelf undelete` lists the deleted runs");
        return ps_fail(err, PS_NOT_FOUND, "no deleted run %s", run);
    }
    ps_col_id(stmt, out->id);
    out->name = ps_strdup(ps_col_text(stmt, 1));
    out->who = ps_strdup(ps_col_text(stmt, 2));
    if (strcmp(out->id, run) == 0 || !ps_stmt_row(stmt, &own))
        return own.code == PS_OK ? PS_OK : ps_fail_as(err, &own);
    ps_deleted_free(out);
    ps_hint(err, "use its id: `perfshelf undelete` lists them");
    return ps_fail(err, PS_CONFLICT, "%s matches several deleted runs", run);
}

enum ps_status ps_deleted_find(struct ps_store *store, const char *run, struct ps_deleted *out,
                               struct ps_err *err)
{
    *out = (struct ps_deleted){.name = NULL};
    return ps_catalog_ask(store, find, run, out, err);
}

static enum ps_status restore(struct ps_store *store, const char *id, struct ps_err *err)
{
    static const char *const queries[] = {"deleted_restore", "deleted_restore_tags",
                                          "deleted_restore_baseline"};
    enum ps_status status = PS_OK;
    bool found = false;

    for (size_t i = 0; status == PS_OK && i < sizeof queries / sizeof *queries; i++)
        status = run_for(store->catalog, queries[i], id, NULL, err);
    if (status == PS_OK)
        status = run_for(store->catalog, "deleted_forget", id, &found, err);
    if (status == PS_OK && !found)
        status = ps_fail(err, PS_NOT_FOUND, "run %s can no longer be restored", id);
    if (status == PS_OK)
        status = ps_labels_save(store, "baselines", err);
    return status == PS_OK ? ps_label_save(store, id, err) : status;
}

enum ps_status ps_store_undelete(struct ps_store *store, const char *id, struct ps_err *err)
{
    enum ps_status status = ps_catalog_begin(store, PS_DURABLE, err);

    if (status == PS_OK)
        status = restore(store, id, err);
    status = ps_catalog_end(store, status, err);
    if (status == PS_OK)
        ps_run_mark_forget(store, id);
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
        ps_pending_delete_name(store, pending);
    return ps_sources_forget(store->catalog, id, pending, err);
}

/* Finds the run that was deleted first. id "": none was deleted before before_ms. */
static enum ps_status find_next(struct ps_store *store, int64_t before_ms, char id[PS_ID_SIZE],
                                struct ps_err *err)
{
    struct ps_db *db = NULL;
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_catalog_read(store, &db, err);

    id[0] = '\0';
    if (status != PS_OK)
        return status;
    status = ps_db_prepare(db, ps_sql_text("deleted_next"), &stmt, err);
    if (status == PS_OK) {
        ps_bind_int(stmt, ":before", before_ms);
        if (ps_stmt_row(stmt, NULL))
            ps_col_id(stmt, id);
    }
    ps_stmt_done(stmt);
    ps_catalog_read_end(store, db);
    return status;
}

static enum ps_status forget(struct ps_store *store, const char *id,
                             const struct ps_pending_delete *pending, bool *found,
                             struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_free_ptr) char *sha256 = NULL;
    struct ps_err own = PS_ERR_INIT;
    bool there = false;
    enum ps_status status =
        ps_db_prepare(store->catalog, ps_sql_text("deleted_forget"), &stmt, err);

    if (status != PS_OK)
        return status;
    ps_bind_text(stmt, ":id", ps_str_of(id));
    *found = ps_stmt_row(stmt, &own);
    if (!*found)
        return own.code == PS_OK ? PS_OK : ps_fail_as(err, &own);
    sha256 = ps_strdup(ps_col_text(stmt, 0));
    (void)ps_stmt_row(stmt, &own); /* run it to completion */
    status = run_for(store->catalog, "run_there", id, &there, err);
    if (status != PS_OK || there) /* the files belong to the run of the same id */
        return status;
    status = ps_pending_delete_add(store->catalog, pending, "runs", id, err);
    if (status == PS_OK)
        status = ps_pending_delete_add(store->catalog, pending, "originals", sha256, err);
    return status == PS_OK ? ps_sources_forget(store->catalog, id, pending, err) : status;
}

/* Deletes a deleted run with its files, unless it was recovered in the meantime. */
static enum ps_status purge(struct ps_store *store, const char *id, struct ps_err *err)
{
    struct ps_pending_delete pending;
    bool found = false;
    enum ps_status status = ps_catalog_begin(store, PS_SOON, err);

    ps_pending_delete_name(store, &pending);
    if (status == PS_OK)
        status = forget(store, id, &pending, &found, err);
    status = ps_catalog_end(store, status, err);
    if (status == PS_OK && found)
        ps_pending_delete_end(store, &pending);
    return status;
}

bool ps_deleted_purge_next(struct ps_store *store, int64_t before_ms)
{
    char id[PS_ID_SIZE];

    return find_next(store, before_ms, id, NULL) == PS_OK && id[0] &&
           purge(store, id, NULL) == PS_OK;
}

void ps_deleted_expire(struct ps_store *store)
{
    const int64_t before = ps_now_ms() - PS_DELETED_MS;
    int64_t jump;

    if (store->read_only || ps_store_is_away(store) || !ps_clock_check(store, &jump))
        return;
    while (ps_deleted_purge_next(store, before))
        ;
}
