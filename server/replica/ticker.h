/* SPDX-License-Identifier: MIT */
/* ticker.h: what is done again and again, in a thread of its own. */
#ifndef PS_REPLICA_TICKER_H
#define PS_REPLICA_TICKER_H

#include <pthread.h>

#include "base/err.h"

/* Zeroed: it does not run. */
struct ps_ticker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int64_t pause_ms;
    void (*tick)(void *user);
    void *user;
    bool runs, stop;
};

/* Calls tick pause_ms from now, and pause_ms after it has returned, and so on. */
enum ps_status ps_ticker_start(struct ps_ticker *ticker, int64_t pause_ms, void (*tick)(void *user),
                               void *user, struct ps_err *err);
/* Waits for the tick that is on its way. If it does not run nothing happens. */
void ps_ticker_stop(struct ps_ticker *ticker);

#endif
