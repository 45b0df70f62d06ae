/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* gethostname */
#include "server/replica/heartbeat.h"
#include "base/clock.h"
#include "server/replica/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Maximum age of the last beat before a write sends another one first. */
#define FRESH_MS ((int64_t)PS_LEASE_DEAD_MS / 3)

/* --- Own lease --- */

/* Ignores failures: the next beat retries. */
static void renew_lease(void *user)
{
    struct ps_heartbeat *heartbeat = user;
    const int64_t now = ps_monotonic_ms();

    if (heartbeat->has_begun && ps_pg_connect(heartbeat->renew_pg, 0, PS_ERR_IGNORED) == PS_OK &&
        ps_lease_renew(heartbeat->renew_pg, &heartbeat->lease, PS_ERR_IGNORED) == PS_OK)
        heartbeat->renewed_ms = now;
}

enum ps_status ps_heartbeat_start(struct ps_store *store, const char *url, struct ps_err *err)
{
    struct ps_heartbeat *heartbeat = ps_alloc(sizeof *heartbeat);
    char host[128] = "";

    (void)gethostname(host, sizeof host - 1);
    (void)snprintf(heartbeat->lease.session, sizeof heartbeat->lease.session, "%s", store->session);
    (void)snprintf(heartbeat->lease.location, sizeof heartbeat->lease.location, "%s %ld", host,
                   (long)getpid());
    heartbeat->renew_pg = ps_pg_new(url);
    heartbeat->check_pg = ps_pg_new(url);
    (void)pthread_mutex_init(&heartbeat->begin_lock, NULL);
    (void)pthread_mutex_init(&heartbeat->check_lock, NULL);
    store->replica->heartbeat = heartbeat;
    return ps_ticker_start(&heartbeat->ticker, PS_LEASE_BEAT_MS, renew_lease, heartbeat, err);
}

void ps_heartbeat_stop(struct ps_store *store)
{
    struct ps_heartbeat *heartbeat = store->replica->heartbeat;

    if (!heartbeat)
        return;
    ps_ticker_stop(&heartbeat->ticker);
    /* if it fails, the lease expires */
    if (heartbeat->has_begun && ps_pg_connect(heartbeat->renew_pg, 0, PS_ERR_IGNORED) == PS_OK)
        (void)ps_lease_end(heartbeat->renew_pg, heartbeat->lease.session, PS_ERR_IGNORED);
    ps_pg_free(heartbeat->renew_pg);
    ps_pg_free(heartbeat->check_pg);
    ps_lease_watch_free(&heartbeat->watch);
    (void)pthread_mutex_destroy(&heartbeat->begin_lock);
    (void)pthread_mutex_destroy(&heartbeat->check_lock);
    free(heartbeat);
    store->replica->heartbeat = NULL;
}

enum ps_status ps_heartbeat_confirm(struct ps_store *store, struct ps_pg *pg, struct ps_err *err)
{
    struct ps_heartbeat *heartbeat = store->replica->heartbeat;
    const int64_t now = ps_monotonic_ms();

    if (heartbeat->has_begun && now - heartbeat->renewed_ms < FRESH_MS)
        return err->code;
    (void)pthread_mutex_lock(&heartbeat->begin_lock);
    if ((heartbeat->has_begun ? ps_lease_renew(pg, &heartbeat->lease, err)
                              : ps_lease_begin(pg, &heartbeat->lease, err)) == PS_OK) {
        heartbeat->renewed_ms = now;
        heartbeat->has_begun = true;
    }
    (void)pthread_mutex_unlock(&heartbeat->begin_lock);
    return err->code;
}

/* --- Leases of others --- */

bool ps_heartbeat_is_alive(struct ps_store *store, const char *session)
{
    struct ps_heartbeat *heartbeat = store->replica->heartbeat;
    const struct ps_lease_state *seen;
    bool is = true;

    if (strcmp(session, store->session) == 0)
        return true;
    (void)pthread_mutex_lock(&heartbeat->check_lock);
    seen = ps_lease_find(&heartbeat->watch, session);
    if (!seen && (ps_pg_connect(heartbeat->check_pg, 0, PS_ERR_IGNORED) != PS_OK ||
                  ps_lease_exists(heartbeat->check_pg, session, &is, PS_ERR_IGNORED) != PS_OK))
        is = true;
    (void)pthread_mutex_unlock(&heartbeat->check_lock);
    return is;
}

bool ps_heartbeat_expire(struct ps_store *store, const char *session)
{
    struct ps_heartbeat *heartbeat = store->replica->heartbeat;
    bool done;

    (void)pthread_mutex_lock(&heartbeat->check_lock);
    done = ps_pg_connect(heartbeat->check_pg, 0, PS_ERR_IGNORED) == PS_OK &&
           ps_lease_end(heartbeat->check_pg, session, PS_ERR_IGNORED) == PS_OK;
    (void)pthread_mutex_unlock(&heartbeat->check_lock);
    return done;
}

/* Breaks the expired leases. A session is removed from the list even if its lease could not be
 * broken, because it was renewed or another server broke it: it is then observed anew. */
static enum ps_status break_expired(struct ps_heartbeat *heartbeat, bool *died, struct ps_err *err)
{
    for (size_t i = heartbeat->watch.n; err->code == PS_OK && i-- > 0;) {
        struct ps_lease_state *seen = &heartbeat->watch.items[i];
        bool broken = false;

        if (seen->unchanged_since_ms < PS_LEASE_DEAD_MS ||
            strcmp(seen->session, heartbeat->lease.session) == 0)
            continue;
        if (ps_lease_break(heartbeat->check_pg, seen, &broken, err) == PS_OK)
            *seen = heartbeat->watch.items[--heartbeat->watch.n];
        *died |= broken;
    }
    return err->code;
}

enum ps_status ps_heartbeat_expire_dead(struct ps_store *store, bool *died, struct ps_err *err)
{
    struct ps_heartbeat *heartbeat = store->replica->heartbeat;

    *died = false;
    (void)pthread_mutex_lock(&heartbeat->check_lock);
    ps_pg_connect(heartbeat->check_pg, 0, err);
    ps_lease_check_all(heartbeat->check_pg, &heartbeat->watch, ps_monotonic_ms(), err);
    break_expired(heartbeat, died, err);
    (void)pthread_mutex_unlock(&heartbeat->check_lock);
    return err->code;
}
