/* SPDX-License-Identifier: MIT */
/* saved.c: SQL statements that users saved for all users. */

#include "base/clock.h"
#include "server/catalog/state.h"

#define SAVED_MOST 1000

/* Runs a bound statement. PS_FORBIDDEN without a message if it changed nothing. */
static enum ps_status change(struct ps_store *store, struct ps_stmt *stmt, struct ps_err *err)
{
    enum ps_status status = ps_stmt_finish(stmt, err);

    if (status == PS_OK && sqlite3_changes(store->catalog->handle) == 0)
        return PS_FORBIDDEN;
    return status == PS_OK ? ps_labels_save(store, "queries", err) : status;
}

enum ps_status ps_saved_put(struct ps_store *store, const struct ps_saved *saved, bool any,
                            struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_catalog_begin(store, PS_DURABLE, err);

    if (status == PS_OK)
        status = ps_db_prepare(store->catalog, ps_sql_text("saved_put"), &stmt, err);
    if (status == PS_OK) {
        ps_bind_text(stmt, ":kind", ps_str_of(saved->kind));
        ps_bind_text(stmt, ":name", ps_str_of(saved->name));
        ps_bind_text(stmt, ":sql", ps_str_of(saved->sql));
        ps_bind_text(stmt, ":who", ps_str_of(saved->who));
        ps_bind_int(stmt, ":at", ps_now_ms());
        ps_bind_int(stmt, ":any", any);
        ps_bind_int(stmt, ":most", SAVED_MOST);
        status = change(store, stmt, err);
    }
    status = ps_catalog_end(store, status, err);
    if (status != PS_FORBIDDEN)
        return status;
    return ps_fail(err, status,
                   "\"%.80s\" belongs to somebody else, or %d queries are saved already",
                   saved->name, SAVED_MOST);
}

enum ps_status ps_saved_remove(struct ps_store *store, int64_t id, const char *who, bool any,
                               struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_catalog_begin(store, PS_DURABLE, err);

    if (status == PS_OK)
        status = ps_db_prepare(store->catalog, ps_sql_text("saved_remove"), &stmt, err);
    if (status == PS_OK) {
        ps_bind_int(stmt, ":id", id);
        ps_bind_text(stmt, ":who", ps_str_of(who));
        ps_bind_int(stmt, ":any", any);
        status = change(store, stmt, err);
    }
    status = ps_catalog_end(store, status, err);
    if (status != PS_FORBIDDEN)
        return status;
    return ps_fail(err, PS_NOT_FOUND, "no such saved query, or it belongs to somebody else");
}
