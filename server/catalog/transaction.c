/* SPDX-License-Identifier: MIT */
/* transaction.c: begins and ends transactions, which change the local catalog and the authoritative
 * copy of the backend atomically. */
#include "server/catalog/backend.h"
#include "server/catalog/state.h"

enum ps_status ps_catalog_begin(struct ps_store *store, enum ps_catalog_sync sync,
                                struct ps_err *err)
{
    enum ps_status status = err->code == PS_OK ? store->backend->acquire(store, err) : err->code;
    struct ps_db *db = ps_catalog_lock(store);

    if (store->is_read_only)
        status = ps_fail(err, PS_FORBIDDEN,
                         "no permission to write to the shelf" PS_HINT
                         "ask the owner for write access, or copy the shelf to your own folder");
    store->is_durable = sync == PS_DURABLE;
    store->must_release = status == PS_OK;
    if (status == PS_OK)
        status = ps_digests_watch(db, err);
    if (status == PS_OK)
        status = ps_db_exec(db,
                            store->is_durable ? "BEGIN IMMEDIATE"
                                              : "PRAGMA synchronous=NORMAL; BEGIN IMMEDIATE",
                            err);
    if (status == PS_OK)
        status = store->backend->begin(store, err);
    return status;
}

/* If the backend committed to the shared database, the transaction succeeds even if the local
 * commit fails: the next transaction applies the changes locally. */
enum ps_status ps_catalog_end(struct ps_store *store, enum ps_status status, struct ps_err *err)
{
    bool elsewhere = false, committed = false;

    if (status == PS_OK)
        status = store->backend->commit(store, &elsewhere, err);
    if (status == PS_OK) {
        status = ps_db_exec(store->catalog, "COMMIT", elsewhere ? PS_ERR_IGNORED : err);
        committed = status == PS_OK;
        store->n_changes += store->is_durable;
        if (elsewhere)
            status = PS_OK;
    }
    if (!committed) /* fails if no transaction began or SQLite rolled it back already */
        (void)ps_db_exec(store->catalog, "ROLLBACK", PS_ERR_IGNORED);
    if (!store->is_durable && !store->is_read_only) /* fails only on a broken connection */
        (void)ps_db_exec(store->catalog, "PRAGMA synchronous=FULL", PS_ERR_IGNORED);
    if (store->must_release)
        store->backend->release(store, committed);
    ps_catalog_unlock(store);
    return status;
}
