/* SPDX-License-Identifier: MIT */
/* readers.c: locks the catalog for one thread at a time, and opens run files for reading. A pool
 * keeps connections to run files open. */
#include <stdio.h>
#include <stdlib.h>

#include "schema/schema.h"
#include "server/catalog/state.h"

struct ps_db *ps_catalog_lock(struct ps_store *store)
{
    pthread_mutex_lock(&store->catalog_lock);
    return store->catalog;
}

void ps_catalog_unlock(struct ps_store *store)
{
    pthread_mutex_unlock(&store->catalog_lock);
}

int64_t ps_store_version(struct ps_store *store)
{
    struct ps_stmt *stmt = NULL;
    struct ps_db *db;
    int64_t version;

    ps_catalog_refresh(store);
    db = ps_catalog_lock(store);
    version = store->n_changes;
    /* data_version changes with commits of other connections, store->changes with commits of this
     * connection. */
    if (ps_db_prepare(db, "PRAGMA data_version", &stmt, PS_ERR_IGNORED) == PS_OK &&
        ps_stmt_step(stmt, PS_ERR_IGNORED))
        version += ps_col_int(stmt, 0) << 32;
    ps_stmt_release(stmt);
    ps_catalog_unlock(store);
    return version;
}

/* Removes an idle reader of the run from the pool and returns it, or NULL. */
static struct ps_db *take_pooled(struct ps_store *store, const char *id)
{
    struct ps_db *found = NULL;

    pthread_mutex_lock(&store->pool_lock);
    for (struct ps_db **at = &store->idle_runs; *at; at = &(*at)->next) {
        if (strcmp((*at)->id, id) != 0)
            continue;
        found = *at;
        *at = found->next;
        store->n_pooled--;
        break;
    }
    pthread_mutex_unlock(&store->pool_lock);
    return found;
}

enum ps_status ps_run_acquire(struct ps_store *store, const char *id, struct ps_db **out,
                              struct ps_err *err)
{
    uint64_t mark;

    *out = NULL;
    if (err->code != PS_OK)
        return err->code;
    mark = ps_run_mark(store, id);
    while ((*out = take_pooled(store, id)) && (*out)->mark != mark)
        ps_db_close(*out); /* another process replaced or removed the run file */
    if (!*out) {
        if (ps_run_open(store, id, out, err) != PS_OK)
            return err->code;
        (*out)->store = store;
        (*out)->mark = mark;
        (void)snprintf((*out)->id, sizeof(*out)->id, "%s", id);
    }
    return PS_OK;
}

void ps_run_release(struct ps_db *db)
{
    struct ps_store *store = db ? db->store : NULL;
    struct ps_db *old = NULL;

    /* mark 0: the file was missing when it was opened */
    if (!store || !db->mark || ps_context_has_ended()) {
        ps_db_close(db);
        return;
    }
    pthread_mutex_lock(&store->pool_lock);
    db->next = store->idle_runs;
    store->idle_runs = db;
    if (++store->n_pooled > PS_POOL_MAX) {
        struct ps_db **last = &store->idle_runs;

        while ((*last)->next)
            last = &(*last)->next;
        old = *last;
        *last = NULL;
        store->n_pooled--;
    }
    pthread_mutex_unlock(&store->pool_lock);
    ps_db_close(old);
}

struct ps_store *ps_db_get_store(const struct ps_db *db)
{
    return db->store;
}

void ps_pool_close_run(struct ps_store *store, const char *id)
{
    struct ps_db *db;

    while ((db = take_pooled(store, id)))
        ps_db_close(db); /* without pool_lock, since closing may take long */
}

/* --- Runs for user queries --- */

/* Uses each eponymous virtual table that user statements may read. At its first use such a table
 * declares its schema, which the authorizer (user_query.c) would reject later. User statements
 * cannot read other eponymous tables. */
static const char connect_tables[] =
    "SELECT 1 FROM ps_calls(NULL), ps_ids(NULL), ps_paths(0, 1, 1, 1), ps_slices, ps_operators,"
    " ps_kernels, ps_flows, ps_counts, ps_memory_events, ps_collective_calls, ps_stack_nodes,"
    " json_each, json_tree, pragma_table_info LIMIT 0";

enum ps_status ps_run_open_limited(struct ps_store *store, const char *id,
                                   struct ps_memory_limit *memory, struct ps_db **out,
                                   struct ps_err *err)
{
    enum ps_status status = ps_run_open(store, id, out, err);

    if (status == PS_OK && (*out)->layout < ps_current_layout)
        status = ps_db_exec(*out, ps_public_views_sql, err);
    if (status == PS_OK)
        status = ps_db_exec(*out, connect_tables, err);
    if (status == PS_OK)
        ps_db_restrict_to_user_sql(*out, memory);
    return status;
}

enum ps_status ps_run_open_for_user_query(struct ps_store *store, const char *id,
                                          const struct ps_query_limits *by, struct ps_db **out,
                                          struct ps_err *err)
{
    enum ps_status status;
    struct ps_memory_limit *memory = ps_memory_limit_begin(by->memory_bytes);

    status = ps_run_open_limited(store, id, memory, out, err);
    if (*out)
        (*out)->memory_limit = memory, (*out)->owns_memory = true;
    else
        ps_memory_limit_end(memory);
    return status;
}

/* --- Attached sources --- */

static enum ps_status find_source(struct ps_db *db, const char *id, const char *path,
                                  struct ps_source *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("source_get"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    ps_bind_text(stmt, ":path", ps_str_from_c(path));
    if (!ps_stmt_step(stmt, err))
        return ps_fail(err, PS_NOT_FOUND, "no source file is attached for %s", path);
    ps_col_copy(stmt, 0, out->sha256, sizeof out->sha256);
    out->bytes = (uint64_t)ps_col_int(stmt, 1);
    out->is_changed = ps_col_int(stmt, 2) != 0;
    return PS_OK;
}

enum ps_status ps_store_source_get(struct ps_store *store, const char *id, const char *path,
                                   bool want_text, struct ps_source *out, struct ps_err *err)
{
    struct ps_db *db;
    enum ps_status status = ps_catalog_read(store, &db, err);

    *out = (struct ps_source){0};
    if (status == PS_OK)
        status = find_source(db, id, path, out, err);
    ps_catalog_read_end(store, db);
    return status == PS_OK && want_text ? ps_source_text(store, out, err) : status;
}
