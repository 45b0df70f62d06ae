/* SPDX-License-Identifier: MIT */
#include "server/replica/ticker.h"

#include "base/clock.h"

static void *run_ticker(void *arg)
{
    struct ps_ticker *ticker = arg;

    (void)pthread_mutex_lock(&ticker->lock);
    while (!ticker->is_stopping) {
        const int64_t until_ms = ps_monotonic_ms() + ticker->pause_ms;

        while (!ticker->is_stopping && ps_cond_wait_until(&ticker->wake, &ticker->lock, until_ms))
            ;
        if (ticker->is_stopping)
            break;
        (void)pthread_mutex_unlock(&ticker->lock);
        ticker->tick(ticker->user);
        (void)pthread_mutex_lock(&ticker->lock);
    }
    (void)pthread_mutex_unlock(&ticker->lock);
    return NULL;
}

static void destroy_ticker(struct ps_ticker *ticker)
{
    (void)pthread_cond_destroy(&ticker->wake);
    (void)pthread_mutex_destroy(&ticker->lock);
    *ticker = (struct ps_ticker){.is_running = false};
}

enum ps_status ps_ticker_start(struct ps_ticker *ticker, int64_t pause_ms, void (*tick)(void *user),
                               void *user, struct ps_err *err)
{
    *ticker =
        (struct ps_ticker){.pause_ms = pause_ms, .tick = tick, .user = user, .is_running = true};
    (void)pthread_mutex_init(&ticker->lock, NULL);
    (void)pthread_cond_init(&ticker->wake, NULL);
    if (pthread_create(&ticker->thread, NULL, run_ticker, ticker) == 0)
        return PS_OK;
    destroy_ticker(ticker);
    return ps_fail(err, PS_INTERNAL, "cannot start a thread");
}

void ps_ticker_stop(struct ps_ticker *ticker)
{
    if (!ticker->is_running)
        return;
    (void)pthread_mutex_lock(&ticker->lock);
    ticker->is_stopping = true;
    (void)pthread_cond_signal(&ticker->wake);
    (void)pthread_mutex_unlock(&ticker->lock);
    (void)pthread_join(ticker->thread, NULL);
    destroy_ticker(ticker);
}
