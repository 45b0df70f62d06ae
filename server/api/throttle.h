/* SPDX-License-Identifier: MIT */
/*
 * throttle.h: limits failed logins per address. After PS_THROTTLE_TRIES failures within
 * PS_THROTTLE_PERIOD_S seconds, the address is refused until that period is over. At most
 * PS_THROTTLE_ADDRESSES addresses are stored; a further address replaces the address whose period
 * began first. Thread-safe.
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
        int64_t since_s; /* time of the first failure of the period, in seconds */
        unsigned failures;
    } entries[PS_THROTTLE_ADDRESSES];
};

void ps_throttle_init(struct ps_throttle *throttle);
void ps_throttle_free(struct ps_throttle *throttle);

/* Returns the seconds that the address has to wait before it may log in; 0: none. now_s: seconds of
 * any monotonic clock, at least 1. */
unsigned ps_throttle_wait_s(struct ps_throttle *throttle, const char *address, int64_t now_s);
void ps_throttle_count_failure(struct ps_throttle *throttle, const char *address, int64_t now_s);

#endif
