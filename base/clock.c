/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* pthread_cond_clockwait, CLOCK_BOOTTIME */
#include "base/clock.h"

#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)

#ifndef CLOCK_MONOTONIC_COARSE
#define CLOCK_MONOTONIC_COARSE CLOCK_MONOTONIC
#endif
#ifndef CLOCK_BOOTTIME
#define CLOCK_BOOTTIME CLOCK_MONOTONIC
#endif

/* A thread that waits in ps_cond_wait_until(); stored on its stack. */
struct waiter {
    pthread_cond_t *cond;
    pthread_mutex_t *mutex;
    unsigned advances; /* value of the global `advances` when the thread last read the clock */
    struct waiter *next;
};

static _Atomic int64_t advance_ns;
static pthread_mutex_t waiters_lock = PTHREAD_MUTEX_INITIALIZER;
static struct waiter *waiters;
static unsigned advances; /* number of calls of ps_clock_advance() */

static int64_t read_ns(clockid_t clock)
{
    struct timespec now;

    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec +
           atomic_load_explicit(&advance_ns, memory_order_relaxed);
}

int64_t ps_wall_clock_ms(void)
{
    return ps_wall_clock_ns() / NS_PER_MS;
}

int64_t ps_wall_clock_ns(void)
{
    return read_ns(CLOCK_REALTIME);
}

int64_t ps_monotonic_ms(void)
{
    return ps_monotonic_ns() / NS_PER_MS;
}

int64_t ps_monotonic_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

int64_t ps_monotonic_coarse_ms(void)
{
    return read_ns(CLOCK_MONOTONIC_COARSE) / NS_PER_MS;
}

int64_t ps_boot_ms(void)
{
    return read_ns(CLOCK_BOOTTIME) / NS_PER_MS;
}

/* --- Waiting --- */

/* Converts a time of ps_monotonic_ms(), which tests may advance, to CLOCK_MONOTONIC. */
static struct timespec to_monotonic_timespec(int64_t until_ms)
{
    int64_t ns = until_ms * NS_PER_MS - atomic_load(&advance_ns);

    if (ns < 0)
        ns = 0;
    return (struct timespec){(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
}

void ps_sleep_ms(int64_t ms)
{
    (void)nanosleep(&(struct timespec){(time_t)(ms / 1000), (long)(ms % 1000 * NS_PER_MS)}, NULL);
}

bool ps_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t until_ms)
{
    struct waiter self = {.cond = cond, .mutex = mutex};
    struct timespec until;

    /* Add this thread to the list before it reads the time, so that ps_clock_advance() wakes it. */
    (void)pthread_mutex_lock(&waiters_lock);
    self.next = waiters;
    self.advances = advances;
    waiters = &self;
    (void)pthread_mutex_unlock(&waiters_lock);
    until = to_monotonic_timespec(until_ms);
    (void)pthread_cond_clockwait(cond, mutex, CLOCK_MONOTONIC, &until);
    (void)pthread_mutex_lock(&waiters_lock);
    for (struct waiter **link = &waiters; *link; link = &(*link)->next)
        if (*link == &self) {
            *link = self.next;
            break;
        }
    (void)pthread_mutex_unlock(&waiters_lock);
    return ps_monotonic_ms() < until_ms;
}

bool ps_mutex_lock_until(pthread_mutex_t *mutex, int64_t until_ms)
{
    const struct timespec until = to_monotonic_timespec(until_ms);

    return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until) == 0;
}

/* --- Tests --- */

/* Wakes the waiting threads that have not checked their time since the n-th advance. While a thread
 * is in the list, its condition variable is valid. False: some mutexes were locked, so their
 * threads were not woken and may be about to wait. */
static bool wake_waiters(unsigned n)
{
    bool all = true;

    (void)pthread_mutex_lock(&waiters_lock);
    for (struct waiter *w = waiters; w; w = w->next)
        if (w->advances != n && pthread_mutex_trylock(w->mutex) == 0) {
            (void)pthread_cond_broadcast(w->cond);
            (void)pthread_mutex_unlock(w->mutex);
            w->advances = n;
        } else {
            all &= w->advances == n;
        }
    (void)pthread_mutex_unlock(&waiters_lock);
    return all;
}

void ps_clock_advance(int64_t ms)
{
    unsigned n;

    (void)pthread_mutex_lock(&waiters_lock);
    (void)atomic_fetch_add(&advance_ns, ms * NS_PER_MS);
    n = ++advances;
    (void)pthread_mutex_unlock(&waiters_lock);
    while (!wake_waiters(n))
        ps_sleep_ms(1);
}
