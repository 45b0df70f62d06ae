/* SPDX-License-Identifier: MIT */
/* ticker.h: calls a function periodically, in a separate thread. */
#ifndef PS_REPLICA_TICKER_H
#define PS_REPLICA_TICKER_H

#include <pthread.h>

#include "base/err.h"

/* Zero-initialized: not running. */
struct ps_ticker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int64_t pause_ms;
    void (*tick)(void *user);
    void *user;
    bool is_running, is_stopping;
};

/* Starts a thread that calls tick after pause_ms, and again pause_ms after each return. */
enum ps_status ps_ticker_start(struct ps_ticker *ticker, int64_t pause_ms, void (*tick)(void *user),
                               void *user, struct ps_err *err);
/* Stops the thread; waits for a running tick. Does nothing if the ticker is not running. */
void ps_ticker_stop(struct ps_ticker *ticker);

#endif
