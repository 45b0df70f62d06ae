/* SPDX-License-Identifier: MIT */
/* transaction.c: what changes the catalog, all or nothing; where many servers share it, on both
 * sides (mirror.h). */
#include "server/store/mirror.h"

enum ps_status ps_catalog_begin(struct ps_store *store, enum ps_catalog_sync sync,
                                struct ps_err *err)
{
    enum ps_status status = store->mirror ? ps_mirror_order(store, err) : PS_OK;
    struct ps_db *db = ps_catalog_lock(store);

    if (store->read_only) {
        ps_hint(err, "ask the owner for write access, or copy the shelf to your own folder");
        status = ps_fail(err, PS_FORBIDDEN, "no permission to write to the shelf");
    }
    store->durable = sync == PS_DURABLE;
    store->ordered = store->mirror && status == PS_OK;
    if (status == PS_OK)
        status = ps_db_exec(
            db, store->durable ? "BEGIN IMMEDIATE" : "PRAGMA synchronous=NORMAL; BEGIN IMMEDIATE",
            err);
    if (status == PS_OK && store->mirror)
        status = ps_mirror_begin(store, err);
    return status;
}

/* What was committed there is done, also when it cannot be written down here: the next look brings
 * it. */
enum ps_status ps_catalog_end(struct ps_store *store, enum ps_status status, struct ps_err *err)
{
    bool committed = false;

    if (status == PS_OK && store->mirror)
        status = ps_mirror_send(store, err);
    if (status == PS_OK) {
        const bool there = store->mirror && store->mirror->sent;

        status = ps_db_exec(store->catalog, "COMMIT", there ? NULL : err);
        committed = status == PS_OK;
        store->changes += store->durable;
        if (there)
            status = PS_OK;
    }
    if (!committed)
        (void)ps_db_exec(store->catalog, "ROLLBACK", NULL);
    if (!store->durable && !store->read_only)
        (void)ps_db_exec(store->catalog, "PRAGMA synchronous=FULL", NULL);
    if (store->ordered)
        ps_mirror_done(store, committed);
    ps_catalog_unlock(store);
    return status;
}
