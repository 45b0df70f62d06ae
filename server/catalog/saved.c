/* SPDX-License-Identifier: MIT */
/* saved.c: saves and removes SQL statements for all users. */

#include "base/clock.h"
#include "server/catalog/state.h"

#define SAVED_MAX 1000

/* Executes the bound statement and ends the transaction. PS_FORBIDDEN, without a message: the
 * statement changed nothing, so the transaction is rolled back. */
static enum ps_status execute_and_end(struct ps_store *store, struct ps_stmt *stmt,
                                      struct ps_err *err)
{
    if (ps_stmt_execute(stmt, err) == PS_OK && sqlite3_changes(store->catalog->handle) == 0)
        return ps_catalog_end(store, PS_FORBIDDEN, err);
    ps_list_label_save(store, "queries", err);
    return ps_catalog_end(store, err->code, err);
}

enum ps_status ps_saved_query_put(struct ps_store *store, const struct ps_saved_query *saved,
                                  bool any, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_catalog_begin(store, PS_DURABLE, err);
    ps_db_prepare(store->catalog, ps_query_sql("saved_put"), &stmt, err);
    ps_bind_text(stmt, ":kind", ps_str_from_c(saved->kind));
    ps_bind_text(stmt, ":name", ps_str_from_c(saved->name));
    ps_bind_text(stmt, ":sql", ps_str_from_c(saved->sql));
    ps_bind_text(stmt, ":who", ps_str_from_c(saved->user_name));
    ps_bind_int(stmt, ":at", ps_wall_clock_ms());
    ps_bind_int(stmt, ":any", any);
    ps_bind_int(stmt, ":most", SAVED_MAX);
    if (execute_and_end(store, stmt, err) == PS_OK || err->code != PS_OK)
        return err->code;
    return ps_fail(err, PS_FORBIDDEN,
                   "another user saved the query \"%.80s\", or %d queries are saved already",
                   saved->name, SAVED_MAX);
}

enum ps_status ps_saved_query_remove(struct ps_store *store, int64_t id, const char *user_name,
                                     bool any, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_catalog_begin(store, PS_DURABLE, err);
    ps_db_prepare(store->catalog, ps_query_sql("saved_remove"), &stmt, err);
    ps_bind_int(stmt, ":id", id);
    ps_bind_text(stmt, ":who", ps_str_from_c(user_name));
    ps_bind_int(stmt, ":any", any);
    if (execute_and_end(store, stmt, err) == PS_OK || err->code != PS_OK)
        return err->code;
    return ps_fail(err, PS_NOT_FOUND, "no such saved query, or another user saved it");
}
