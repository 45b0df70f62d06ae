/* SPDX-License-Identifier: MIT */
/* transaction.c: what changes the catalog, all or nothing. */
#include "server/store/db_impl.h"

enum ps_status ps_catalog_begin(struct ps_store *store, enum ps_catalog_sync sync,
                                struct ps_err *err)
{
    struct ps_db *db = ps_catalog_lock(store);

    store->durable = sync == PS_DURABLE;
    return ps_db_exec(
        db, sync == PS_DURABLE ? "BEGIN IMMEDIATE" : "PRAGMA synchronous=NORMAL; BEGIN IMMEDIATE",
        err);
}

enum ps_status ps_catalog_end(struct ps_store *store, enum ps_status status, struct ps_err *err)
{
    if (status == PS_OK) {
        status = ps_db_exec(store->catalog, "COMMIT", err);
        store->changes += store->durable;
    }
    if (status != PS_OK)
        (void)ps_db_exec(store->catalog, "ROLLBACK", NULL);
    if (!store->durable)
        (void)ps_db_exec(store->catalog, "PRAGMA synchronous=FULL", NULL);
    ps_catalog_unlock(store);
    return status;
}
