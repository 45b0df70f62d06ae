/* SPDX-License-Identifier: MIT */
/*
 * clock.h: the time, and waiting for it. No other code asks the system for the time or sleeps
 * (./dev test style), so that tests can let time pass without waiting.
 *
 * The monotonic clock measures durations: deadlines, intervals, ages within a process. The wall
 * clock dates what is stored or shown; somebody may set it. All values are since an epoch of their
 * clock, in the unit that ends the name.
 *
 * A thread that waits for a condition, but only for a while:
 *
 *     const int64_t until_ms = ps_monotonic_ms() + 500;
 *
 *     pthread_mutex_lock(&lock);
 *     while (!ready && ps_cond_wait_until(&changed, &lock, until_ms))
 *         ;
 *
 * All functions may be called from any thread.
 */
#ifndef PS_BASE_CLOCK_H
#define PS_BASE_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Wall clock, since 1970, UTC. */
int64_t ps_wall_clock_ms(void);
int64_t ps_wall_clock_ns(void);

int64_t ps_monotonic_ms(void);
int64_t ps_monotonic_ns(void);
/* Takes a few nanoseconds instead of about thirty, and is up to 4 ms late. */
int64_t ps_monotonic_coarse_ms(void);
/* Since the machine was booted; also advances while it is suspended. */
int64_t ps_boot_ms(void);

/* Returns early if a signal handler ran. */
void ps_sleep_ms(int64_t ms);
/* Waits until cond is signalled or until_ms (monotonic). cond: initialised without attributes; the
 * caller holds the mutex. False: the time has come. True: check the condition again; like any wait
 * for a condition it may also wake for nothing. */
bool ps_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t until_ms);
/* Locks the mutex. False: the time has come, and it is not locked. */
bool ps_mutex_lock_until(pthread_mutex_t *mutex, int64_t until_ms);

/* For tests: all clocks of this process are ahead by ms more, and threads in ps_cond_wait_until()
 * check their time again. The caller holds no mutex that they wait with. Sleeps and waits for locks
 * are not shortened. */
void ps_clock_advance(int64_t ms);

#endif
