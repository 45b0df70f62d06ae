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
    struct ps_heartbeat *is_alive = user;
    const int64_t now = ps_monotonic_ms();

    if (is_alive->has_begun && ps_pg_connect(is_alive->renew_pg, 0, PS_ERR_IGNORED) == PS_OK &&
        ps_lease_renew(is_alive->renew_pg, &is_alive->lease, PS_ERR_IGNORED) == PS_OK)
        is_alive->renewed_ms = now;
}

enum ps_status ps_heartbeat_start(struct ps_store *store, const char *url, struct ps_err *err)
{
    struct ps_heartbeat *is_alive = ps_alloc(sizeof *is_alive);
    char host[128] = "";

    (void)gethostname(host, sizeof host - 1);
    (void)snprintf(is_alive->lease.session, sizeof is_alive->lease.session, "%s", store->session);
    (void)snprintf(is_alive->lease.location, sizeof is_alive->lease.location, "%s %ld", host,
                   (long)getpid());
    is_alive->renew_pg = ps_pg_new(url);
    is_alive->check_pg = ps_pg_new(url);
    (void)pthread_mutex_init(&is_alive->begin_lock, NULL);
    (void)pthread_mutex_init(&is_alive->check_lock, NULL);
    store->replica->heartbeat = is_alive;
    return ps_ticker_start(&is_alive->ticker, PS_LEASE_BEAT_MS, renew_lease, is_alive, err);
}

void ps_heartbeat_stop(struct ps_store *store)
{
    struct ps_heartbeat *is_alive = store->replica->heartbeat;

    if (!is_alive)
        return;
    ps_ticker_stop(&is_alive->ticker);
    /* if it fails, the lease expires */
    if (is_alive->has_begun && ps_pg_connect(is_alive->renew_pg, 0, PS_ERR_IGNORED) == PS_OK)
        (void)ps_lease_end(is_alive->renew_pg, is_alive->lease.session, PS_ERR_IGNORED);
    ps_pg_free(is_alive->renew_pg);
    ps_pg_free(is_alive->check_pg);
    ps_lease_watch_free(&is_alive->watch);
    (void)pthread_mutex_destroy(&is_alive->begin_lock);
    (void)pthread_mutex_destroy(&is_alive->check_lock);
    free(is_alive);
    store->replica->heartbeat = NULL;
}

enum ps_status ps_heartbeat_confirm(struct ps_store *store, struct ps_pg *pg, struct ps_err *err)
{
    struct ps_heartbeat *is_alive = store->replica->heartbeat;
    const int64_t now = ps_monotonic_ms();

    if (is_alive->has_begun && now - is_alive->renewed_ms < FRESH_MS)
        return err->code;
    (void)pthread_mutex_lock(&is_alive->begin_lock);
    if ((is_alive->has_begun ? ps_lease_renew(pg, &is_alive->lease, err)
                             : ps_lease_begin(pg, &is_alive->lease, err)) == PS_OK) {
        is_alive->renewed_ms = now;
        is_alive->has_begun = true;
    }
    (void)pthread_mutex_unlock(&is_alive->begin_lock);
    return err->code;
}

/* --- Leases of others --- */

bool ps_heartbeat_is_alive(struct ps_store *store, const char *session)
{
    struct ps_heartbeat *is_alive = store->replica->heartbeat;
    const struct ps_lease_state *seen;
    bool is = true;

    if (strcmp(session, store->session) == 0)
        return true;
    (void)pthread_mutex_lock(&is_alive->check_lock);
    seen = ps_lease_find(&is_alive->watch, session);
    if (!seen && (ps_pg_connect(is_alive->check_pg, 0, PS_ERR_IGNORED) != PS_OK ||
                  ps_lease_exists(is_alive->check_pg, session, &is, PS_ERR_IGNORED) != PS_OK))
        is = true;
    (void)pthread_mutex_unlock(&is_alive->check_lock);
    return is;
}

bool ps_heartbeat_expire(struct ps_store *store, const char *session)
{
    struct ps_heartbeat *is_alive = store->replica->heartbeat;
    bool done;

    (void)pthread_mutex_lock(&is_alive->check_lock);
    done = ps_pg_connect(is_alive->check_pg, 0, PS_ERR_IGNORED) == PS_OK &&
           ps_lease_end(is_alive->check_pg, session, PS_ERR_IGNORED) == PS_OK;
    (void)pthread_mutex_unlock(&is_alive->check_lock);
    return done;
}

/* Deletes the expired leases. A session that renewed its lease, or that another server expired, is
 * removed from the list and observed anew. */
static enum ps_status break_dead(struct ps_heartbeat *is_alive, bool *died, struct ps_err *err)
{
    for (size_t i = is_alive->watch.n; err->code == PS_OK && i-- > 0;) {
        struct ps_lease_state *seen = &is_alive->watch.items[i];
        bool broken = false;

        if (seen->unchanged_since_ms < PS_LEASE_DEAD_MS ||
            strcmp(seen->session, is_alive->lease.session) == 0)
            continue;
        if (ps_lease_break(is_alive->check_pg, seen, &broken, err) == PS_OK)
            *seen = is_alive->watch.items[--is_alive->watch.n];
        *died |= broken;
    }
    return err->code;
}

enum ps_status ps_heartbeat_expire_dead(struct ps_store *store, bool *died, struct ps_err *err)
{
    struct ps_heartbeat *is_alive = store->replica->heartbeat;

    *died = false;
    (void)pthread_mutex_lock(&is_alive->check_lock);
    ps_pg_connect(is_alive->check_pg, 0, err);
    ps_lease_check_all(is_alive->check_pg, &is_alive->watch, ps_monotonic_ms(), err);
    break_dead(is_alive, died, err);
    (void)pthread_mutex_unlock(&is_alive->check_lock);
    return err->code;
}
