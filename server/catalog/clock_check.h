/* SPDX-License-Identifier: MIT */
/*
 * clock_check.h: whether the wall clock can be trusted to tell how old things are.
 *
 * CLOCK_BOOTTIME runs on while the machine sleeps, and nobody can set it. While the machine is up,
 * CLOCK_REALTIME has to advance as it does. The file DIR/clock holds the last moment at which both
 * agreed, so that a jump while nothing ran is noticed at the next start. After a new boot only a
 * clock that is behind that moment, or that is still where a jump had put it, is not trusted.
 */
#ifndef PS_CATALOG_CLOCK_CHECK_H
#define PS_CATALOG_CLOCK_CHECK_H

#include "server/catalog/store.h"

#define PS_BOOT_ID_SIZE 37 /* /proc/sys/kernel/random/boot_id, and NUL */
/* ms: a larger difference is a jump. ntpd calls 1000 s its panic threshold. */
#define PS_CLOCK_TOLERANCE_MS ((int64_t)1000 * 1000)

struct ps_clocks {
    int64_t real_ms; /* since 1970 */
    int64_t boot_ms; /* since the machine was booted */
    char boot_id[PS_BOOT_ID_SIZE];
};
void ps_clocks_read(struct ps_clocks *out);

struct ps_clock_reference {
    char boot_id[PS_BOOT_ID_SIZE];
    int64_t offset_ms;  /* real_ms - boot_ms, when both agreed last */
    int64_t trusted_ms; /* real_ms at that moment */
    int64_t jumped_ms;  /* real_ms when a jump was noticed first; 0: both agree */
};
/* Whether the clocks agree with the reference, which is brought up to date. *jump_ms: by how much
 * the wall clock is ahead (as far as that is known), 0 when they agree. */
bool ps_clock_agrees(struct ps_clock_reference *reference, const struct ps_clocks *now,
                     int64_t *jump_ms);

/* The same with the reference of the shelf; a shelf without one trusts the clock. */
bool ps_clock_check(struct ps_store *store, int64_t *jump_ms);
/* A person vouches for the time that the clock shows now. */
void ps_clock_accept(struct ps_store *store);

#endif
