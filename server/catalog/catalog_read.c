/* SPDX-License-Identifier: MIT */
/* catalog_read.c: read connections to the catalog. Readers run concurrently with writers, so they
 * do not wait for the disk during a commit. A catalog in memory (temp_shelf.h) has one connection,
 * which one thread at a time may use. */
#include <stdlib.h>

#include "server/catalog/backend.h"
#include "server/catalog/state.h"

#define IDLE_MAX 8 /* maximum idle connections */

static struct ps_db *acquire_connection(struct ps_store *store)
{
    struct ps_db *db;

    pthread_mutex_lock(&store->pool_lock);
    db = store->idle_catalogs;
    if (db) {
        store->idle_catalogs = db->next;
        store->n_idle_catalogs--;
    }
    pthread_mutex_unlock(&store->pool_lock);
    return db;
}

/* Returns an idle connection or NULL. Closes connections that were opened as immutable if another
 * process has begun to write, since they do not see its changes. */
static struct ps_db *acquire_idle(struct ps_store *store)
{
    struct ps_db *db;

    ps_catalog_refresh(store);
    while ((db = acquire_connection(store)) && db->is_immutable &&
           !atomic_load(&store->is_immutable))
        ps_db_close(db);
    return db;
}

static enum ps_status open_one(struct ps_store *store, struct ps_db **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    const bool immutable = ps_catalog_uri(store, &uri);
    enum ps_status status = ps_catalog_open_reader(uri.ptr, out, err);

    if (status != PS_OK)
        return status;
    (*out)->is_immutable = immutable;
    status = ps_db_exec(*out, "PRAGMA cache_size=-256; PRAGMA mmap_size=2000000000", err);
    if (status == PS_OK)
        return status;
    ps_db_close(*out);
    *out = NULL;
    return status;
}

static enum ps_status execute_sql(struct ps_db *db, const char *sql, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, sql, &stmt, err);
    return ps_stmt_execute(stmt, err);
}

enum ps_status ps_catalog_read(struct ps_store *store, struct ps_db **out, struct ps_err *err)
{
    *out = NULL;
    if (err->code != PS_OK)
        return err->code;
    if (!store->has_file_readers) {
        *out = ps_catalog_lock(store);
        return PS_OK;
    }
    *out = acquire_idle(store);
    if (!*out)
        open_one(store, out, err);
    if (execute_sql(*out, "BEGIN", err) != PS_OK) {
        ps_db_close(*out);
        *out = NULL;
    }
    return err->code;
}

void ps_catalog_read_end(struct ps_store *store, struct ps_db *db)
{
    if (!db)
        return;
    if (!store->has_file_readers) {
        ps_catalog_unlock(store);
        return;
    }
    /* a connection on which COMMIT fails is closed and not reused */
    if (execute_sql(db, "COMMIT", PS_ERR_IGNORED) == PS_OK) {
        pthread_mutex_lock(&store->pool_lock);
        if (store->n_idle_catalogs < IDLE_MAX) {
            db->next = store->idle_catalogs;
            store->idle_catalogs = db;
            store->n_idle_catalogs++;
            db = NULL;
        }
        pthread_mutex_unlock(&store->pool_lock);
    }
    ps_db_close(db);
}

void ps_catalog_read_close(struct ps_store *store)
{
    struct ps_db *db;

    while ((db = acquire_connection(store)))
        ps_db_close(db);
}

/* Whether to repeat a query that found nothing: applies the changes of other servers, and returns
 * true if there were any after transaction *seen, which is updated. If the database cannot be
 * reached, *status becomes PS_UNAVAILABLE. */
static bool must_repeat_query(struct ps_store *store, int64_t *seen, enum ps_status *status,
                              struct ps_err *err)
{
    const int64_t before = *seen;

    if (*status != PS_NOT_FOUND)
        return false;
    if (!store->backend->catch_up(store)) {
        *err = (struct ps_err)PS_ERR_INIT;
        *status = ps_fail(
            err, PS_UNAVAILABLE,
            "the store cannot be reached, and this server has no copy of its catalog" PS_HINT
            "try again in a moment");
        return false;
    }
    *seen = store->seen_transaction;
    return *seen != before;
}

enum ps_status ps_catalog_run_query(struct ps_store *store, ps_catalog_query *ask,
                                    const char *about, void *out, struct ps_err *err)
{
    int64_t seen = store->seen_transaction;
    struct ps_err own;
    enum ps_status status;

    if (err->code != PS_OK)
        return err->code;
    do {
        struct ps_db *db;

        own = (struct ps_err)PS_ERR_INIT;
        status = ps_catalog_read(store, &db, &own);
        if (status == PS_OK)
            status = ask(db, about, out, &own);
        ps_catalog_read_end(store, db);
    } while (must_repeat_query(store, &seen, &status, &own));
    (void)ps_fail_copy(err, &own);
    return status; /* if it is PS_NOT_FOUND, err may have no message */
}
