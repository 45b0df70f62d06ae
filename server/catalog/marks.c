/* SPDX-License-Identifier: MIT */
/*
 * marks.c: caches the results of ps_run_mark, which is called thousands of times a second, to save
 * system calls. A mark is used for PS_MARK_US; a removal or publication by this process invalidates
 * it at once.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/hash_table.h"
#include "server/catalog/backend.h"
#include "server/catalog/state.h"

static enum ps_status ask_there(struct ps_db *db, const char *id, void *unused, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(db, ps_sql_text("run_there"), &stmt, err);

    if (status != PS_OK)
        return status;
    (void)unused;
    ps_bind_text(stmt, ":id", ps_str_of(id));
    if (!ps_stmt_row(stmt, err))
        status = ps_fail(err, PS_NOT_FOUND, "no run %s", id);
    ps_stmt_done(stmt);
    return status;
}

static uint64_t mark_of(struct ps_store *store, const char *id)
{
    return ps_catalog_ask(store, ask_there, id, NULL, NULL) == PS_OK
               ? store->backend->mark(store, id)
               : 0;
}

static struct ps_mark *place_of(struct ps_store *store, const char *id)
{
    return &store->marks.at[ps_hash_bytes(id, strlen(id)) % PS_MARKS];
}

uint64_t ps_run_mark(struct ps_store *store, const char *id)
{
    struct ps_mark *place = place_of(store, id);
    int64_t now = ps_monotonic_ns() / 1000;
    uint64_t mark = 0;
    unsigned forgotten;

    pthread_mutex_lock(&store->marks.lock);
    if (now - place->since_us < PS_MARK_US && strcmp(place->id, id) == 0)
        mark = place->mark;
    forgotten = store->marks.forgotten;
    pthread_mutex_unlock(&store->marks.lock);
    if (mark)
        return mark;
    mark = mark_of(store, id);
    pthread_mutex_lock(&store->marks.lock);
    if (forgotten == store->marks.forgotten) { /* else it may be the mark of the old file */
        *place = (struct ps_mark){.mark = mark, .since_us = now};
        (void)snprintf(place->id, sizeof place->id, "%s", id);
    }
    pthread_mutex_unlock(&store->marks.lock);
    return mark;
}

void ps_run_mark_forget(struct ps_store *store, const char *id)
{
    pthread_mutex_lock(&store->marks.lock);
    place_of(store, id)->mark = 0;
    store->marks.forgotten++;
    pthread_mutex_unlock(&store->marks.lock);
}
