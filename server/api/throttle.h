/* SPDX-License-Identifier: MIT */
/*
 * throttle.h: how often an address may be wrong about who it is. After PS_THROTTLE_TRIES failures
 * within PS_THROTTLE_S it is not heard until that time is over. Remembers a bounded number of
 * addresses: of more at once, the one that failed longest ago is forgotten.
 */
#ifndef PS_API_THROTTLE_H
#define PS_API_THROTTLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define PS_THROTTLE_TRIES     10
#define PS_THROTTLE_S         60
#define PS_THROTTLE_ADDRESSES 256

struct ps_throttle {
    pthread_mutex_t lock;
    struct ps_throttled {
        char address[64];
        int64_t since_s; /* the first failure that counts */
        unsigned failures;
    } at[PS_THROTTLE_ADDRESSES];
};

void ps_throttle_init(struct ps_throttle *throttle);
void ps_throttle_done(struct ps_throttle *throttle);

/* Seconds to wait; 0: may try. now_s: any clock that only goes forward, from 1 on. */
unsigned ps_throttle_wait(struct ps_throttle *throttle, const char *address, int64_t now_s);
void ps_throttle_failed(struct ps_throttle *throttle, const char *address, int64_t now_s);

#endif
