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
static void beat(void *user)
{
    struct ps_heartbeat *lives = user;
    const int64_t now = ps_monotonic_ms();

    if (lives->begun && ps_pg_connect(lives->beater, 0, NULL) == PS_OK &&
        ps_lease_beat(lives->beater, &lives->lease, NULL) == PS_OK)
        lives->beat_ms = now;
}

enum ps_status ps_heartbeat_start(struct ps_store *store, const char *url, struct ps_err *err)
{
    struct ps_heartbeat *lives = ps_alloc(sizeof *lives);
    char host[128] = "";

    (void)gethostname(host, sizeof host - 1);
    (void)snprintf(lives->lease.session, sizeof lives->lease.session, "%s", store->session);
    (void)snprintf(lives->lease.place, sizeof lives->lease.place, "%s %ld", host, (long)getpid());
    lives->beater = ps_pg_new(url);
    lives->asker = ps_pg_new(url);
    (void)pthread_mutex_init(&lives->begin_lock, NULL);
    (void)pthread_mutex_init(&lives->ask_lock, NULL);
    store->replica->heartbeat = lives;
    return ps_ticker_start(&lives->beats, PS_LEASE_BEAT_MS, beat, lives, err);
}

void ps_heartbeat_stop(struct ps_store *store)
{
    struct ps_heartbeat *lives = store->replica->heartbeat;

    if (!lives)
        return;
    ps_ticker_stop(&lives->beats);
    if (lives->begun && ps_pg_connect(lives->beater, 0, NULL) == PS_OK)
        (void)ps_lease_end(lives->beater, lives->lease.session, NULL);
    ps_pg_free(lives->beater);
    ps_pg_free(lives->asker);
    ps_lease_watch_free(&lives->watch);
    (void)pthread_mutex_destroy(&lives->begin_lock);
    (void)pthread_mutex_destroy(&lives->ask_lock);
    free(lives);
    store->replica->heartbeat = NULL;
}

enum ps_status ps_heartbeat_confirm(struct ps_store *store, struct ps_pg *pg, struct ps_err *err)
{
    struct ps_heartbeat *lives = store->replica->heartbeat;
    const int64_t now = ps_monotonic_ms();
    enum ps_status status = PS_OK;

    if (lives->begun && now - lives->beat_ms < FRESH_MS)
        return PS_OK;
    (void)pthread_mutex_lock(&lives->begin_lock);
    status = lives->begun ? ps_lease_beat(pg, &lives->lease, err)
                          : ps_lease_begin(pg, &lives->lease, err);
    if (status == PS_OK) {
        lives->beat_ms = now;
        lives->begun = true;
    }
    (void)pthread_mutex_unlock(&lives->begin_lock);
    return status;
}

/* --- Leases of others --- */

bool ps_heartbeat_is_alive(struct ps_store *store, const char *session)
{
    struct ps_heartbeat *lives = store->replica->heartbeat;
    const struct ps_lease_seen *seen;
    bool is = true;

    if (strcmp(session, store->session) == 0)
        return true;
    (void)pthread_mutex_lock(&lives->ask_lock);
    seen = ps_lease_seen(&lives->watch, session);
    if (!seen && (ps_pg_connect(lives->asker, 0, NULL) != PS_OK ||
                  ps_lease_is(lives->asker, session, &is, NULL) != PS_OK))
        is = true;
    (void)pthread_mutex_unlock(&lives->ask_lock);
    return is;
}

bool ps_heartbeat_expire(struct ps_store *store, const char *session)
{
    struct ps_heartbeat *lives = store->replica->heartbeat;
    bool done;

    (void)pthread_mutex_lock(&lives->ask_lock);
    done = ps_pg_connect(lives->asker, 0, NULL) == PS_OK &&
           ps_lease_end(lives->asker, session, NULL) == PS_OK;
    (void)pthread_mutex_unlock(&lives->ask_lock);
    return done;
}

/* Deletes the expired leases. A session that renewed its lease, or that another server expired, is
 * removed from the list and observed anew. */
static enum ps_status break_dead(struct ps_heartbeat *lives, bool *died, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    for (size_t i = lives->watch.n; status == PS_OK && i-- > 0;) {
        struct ps_lease_seen *seen = &lives->watch.at[i];
        bool broken = false;

        if (seen->still_ms < PS_LEASE_DEAD_MS || strcmp(seen->session, lives->lease.session) == 0)
            continue;
        status = ps_lease_break(lives->asker, seen, &broken, err);
        *died |= broken;
        if (status == PS_OK)
            *seen = lives->watch.at[--lives->watch.n];
    }
    return status;
}

enum ps_status ps_heartbeat_expire_dead(struct ps_store *store, bool *died, struct ps_err *err)
{
    struct ps_heartbeat *lives = store->replica->heartbeat;
    enum ps_status status;

    *died = false;
    (void)pthread_mutex_lock(&lives->ask_lock);
    status = ps_pg_connect(lives->asker, 0, err);
    if (status == PS_OK)
        status = ps_lease_look(lives->asker, &lives->watch, ps_monotonic_ms(), err);
    if (status == PS_OK)
        status = break_dead(lives, died, err);
    (void)pthread_mutex_unlock(&lives->ask_lock);
    return status;
}
