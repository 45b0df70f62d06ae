/* SPDX-License-Identifier: MIT */
/*
 * clock.h: the time, and waiting for it. No other code asks the system for the time or sleeps
 * (./dev test style), so that tests can let time pass without waiting.
 *
 * The monotonic clock measures durations: deadlines, intervals, ages within a process. The wall
 * clock dates stored and displayed values; an administrator may set it. All functions return the
 * time since the epoch of their clock, in the unit at the end of their name.
 *
 * To wait for a condition with a timeout:
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
/* Like ps_monotonic_ms(), but takes a few nanoseconds instead of about thirty, and may be up to 4
 * ms behind. */
int64_t ps_monotonic_coarse_ms(void);
/* Time since the machine was booted, including the time it was suspended. */
int64_t ps_boot_ms(void);

/* Returns early if a signal handler ran. */
void ps_sleep_ms(int64_t ms);
/* Waits until `cond` is signalled or until_ms (monotonic clock) is reached. `cond` must be
 * initialised without attributes; the caller holds the mutex. False: until_ms is reached. True:
 * check the condition again; the wakeup may be spurious. */
bool ps_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t until_ms);
/* Locks the mutex. False: until_ms (monotonic clock) was reached and the mutex is not locked. */
bool ps_mutex_lock_until(pthread_mutex_t *mutex, int64_t until_ms);

/* For tests: advances all clocks of this process by `ms` and makes the threads in
 * ps_cond_wait_until() check the time again. The caller must not hold a mutex of such a thread.
 * Sleeps and waits for locks are not shortened. */
void ps_clock_advance(int64_t ms);

#endif
