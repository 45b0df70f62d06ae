/* SPDX-License-Identifier: MIT */
/*
 * throttle.h: limits failed logins per address. After PS_THROTTLE_TRIES failures within
 * PS_THROTTLE_PERIOD_S seconds, the address is refused until that period is over. At most
 * PS_THROTTLE_ADDRESSES addresses are stored; a further one replaces the one whose period began
 * first.
 */
#ifndef PS_API_THROTTLE_H
#define PS_API_THROTTLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define PS_THROTTLE_TRIES     10
#define PS_THROTTLE_PERIOD_S  60
#define PS_THROTTLE_ADDRESSES 256

struct ps_throttle {
    pthread_mutex_t lock;
    struct ps_throttle_entry {
        char address[64];
        int64_t since_s; /* time of the first failure of the period */
        unsigned failures;
    } entries[PS_THROTTLE_ADDRESSES];
};

void ps_throttle_init(struct ps_throttle *throttle);
void ps_throttle_free(struct ps_throttle *throttle);

/* Seconds that the address has to wait; 0: it may try. now_s: seconds of any monotonic clock, at
 * least 1. */
unsigned ps_throttle_wait_s(struct ps_throttle *throttle, const char *address, int64_t now_s);
void ps_throttle_count_failure(struct ps_throttle *throttle, const char *address, int64_t now_s);

#endif
