/* SPDX-License-Identifier: MIT */
/* pthread.h: locks for a single thread; the libc has none. Waiting aborts, because no other thread
 * could wake the waiter. */
#ifndef PS_OFFLINE_PTHREAD_H
#define PS_OFFLINE_PTHREAD_H

#include <stdlib.h>
#include <time.h>

typedef int pthread_mutex_t, pthread_cond_t, pthread_once_t;

#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_COND_INITIALIZER  0
#define PTHREAD_ONCE_INIT         0

static inline int pthread_mutex_init(pthread_mutex_t *mutex, const void *attributes)
{
    (void)attributes;
    return *mutex = 0;
}

static inline int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    return *mutex = 0;
}

static inline int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    return *mutex = 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    return *mutex = 0;
}

static inline int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    (void)cond, (void)mutex;
    abort();
}

static inline int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                         clockid_t clock, const void *until)
{
    (void)cond, (void)mutex, (void)clock, (void)until;
    abort();
}

static inline int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                          const void *until)
{
    (void)clock, (void)until;
    return *mutex = 0;
}

static inline int pthread_cond_broadcast(pthread_cond_t *cond)
{
    return *cond = 0;
}

static inline int pthread_once(pthread_once_t *once, void (*routine)(void))
{
    if (!*once) {
        *once = 1;
        routine();
    }
    return 0;
}

#endif
