/* SPDX-License-Identifier: MIT */
/*
 * marks.c: caches the results of ps_run_mark, because it is called thousands of times a second and
 * needs several system calls. A cached mark is valid for PS_RUN_MARK_CACHE_US microseconds; when
 * this process removes or publishes the run, the mark becomes invalid at once.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/hash_table.h"
#include "server/catalog/backend.h"
#include "server/catalog/state.h"

static enum ps_status read_presence(struct ps_db *db, const char *id, void *unused,
                                    struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    (void)unused;
    ps_db_prepare(db, ps_query_sql("run_there"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    if (!ps_stmt_step(stmt, err))
        ps_fail(err, PS_NOT_FOUND, "no run %s", id);
    ps_stmt_release(stmt);
    return err->code;
}

static uint64_t mark_of(struct ps_store *store, const char *id)
{
    return ps_catalog_run_query(store, read_presence, id, NULL, PS_ERR_IGNORED) == PS_OK
               ? store->backend->run_mark(store, id)
               : 0;
}

static struct ps_mark *place_of(struct ps_store *store, const char *id)
{
    return &store->marks.slots[ps_hash_bytes(id, strlen(id)) % PS_MARK_SLOTS];
}

uint64_t ps_run_mark(struct ps_store *store, const char *id)
{
    struct ps_mark *place = place_of(store, id);
    int64_t now = ps_monotonic_ns() / 1000;
    uint64_t mark = 0;
    unsigned forgotten;

    pthread_mutex_lock(&store->marks.lock);
    if (now - place->cached_at_us < PS_RUN_MARK_CACHE_US && strcmp(place->id, id) == 0)
        mark = place->mark;
    forgotten = store->marks.n_invalidations;
    pthread_mutex_unlock(&store->marks.lock);
    if (mark)
        return mark;
    mark = mark_of(store, id);
    pthread_mutex_lock(&store->marks.lock);
    if (forgotten == store->marks.n_invalidations) { /* otherwise `mark` may be that of a file that
                                                        was replaced meanwhile */
        *place = (struct ps_mark){.mark = mark, .cached_at_us = now};
        (void)snprintf(place->id, sizeof place->id, "%s", id);
    }
    pthread_mutex_unlock(&store->marks.lock);
    return mark;
}

void ps_run_mark_invalidate(struct ps_store *store, const char *id)
{
    pthread_mutex_lock(&store->marks.lock);
    place_of(store, id)->mark = 0;
    store->marks.n_invalidations++;
    pthread_mutex_unlock(&store->marks.lock);
}
