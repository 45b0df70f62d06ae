/* SPDX-License-Identifier: MIT */
/* catalog_read.c: the catalog for those who only read it, beside whoever writes: a commit waits for
 * the disk, and who merely wants to know something must not wait with it. A catalog that is no file
 * of ours is lent to one thread at a time. */
#include "server/store/db_impl.h"

#define IDLE_MAX 8 /* connections that are kept */

static struct ps_db *take_idle(struct ps_store *store)
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

static enum ps_status open_one(struct ps_store *store, struct ps_db **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0}, uri = {0};
    enum ps_status status;

    ps_buf_printf(&path, "%s/catalog.db", store->dir);
    ps_uri_path(&uri, path.at);
    status = ps_db_open(uri.at, false, out, err);
    if (status != PS_OK)
        return status;
    status = ps_db_exec(*out, "PRAGMA cache_size=-256", err);
    if (status == PS_OK)
        return status;
    ps_db_close(*out);
    *out = NULL;
    return status;
}

static enum ps_status say(struct ps_db *db, const char *sql, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(db, sql, &stmt, err);

    return status == PS_OK ? ps_stmt_finish(stmt, err) : status;
}

enum ps_status ps_catalog_read(struct ps_store *store, struct ps_db **out, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    if (!store->beside) {
        *out = ps_catalog_lock(store);
        return PS_OK;
    }
    *out = take_idle(store);
    if (!*out)
        status = open_one(store, out, err);
    if (status == PS_OK)
        status = say(*out, "BEGIN", err);
    if (status != PS_OK) {
        ps_db_close(*out);
        *out = NULL;
    }
    return status;
}

void ps_catalog_read_end(struct ps_store *store, struct ps_db *db)
{
    if (!db)
        return;
    if (!store->beside) {
        ps_catalog_unlock(store);
        return;
    }
    if (say(db, "COMMIT", NULL) == PS_OK) {
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

    while ((db = take_idle(store)))
        ps_db_close(db);
}

bool ps_catalog_missed(struct ps_store *store, enum ps_status status, int64_t *seen)
{
    const int64_t before = *seen;

    if (status != PS_NOT_FOUND || !store->look || !store->look(store))
        return false;
    *seen = store->seen;
    return *seen != before;
}
