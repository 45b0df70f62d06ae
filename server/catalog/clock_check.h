/* SPDX-License-Identifier: MIT */
/*
 * clock_check.h: checks whether the wall clock can be trusted for computing ages.
 *
 * CLOCK_BOOTTIME also advances while the machine is suspended, and cannot be set. While the machine
 * is up, CLOCK_REALTIME has to advance at the same rate. The file DIR/clock contains the last time
 * at which both agreed, so the next start notices a jump that happened while perfshelf was not
 * running. After a reboot CLOCK_BOOTTIME begins anew. The wall clock is then trusted unless it is
 * earlier than the time in the file, or still shows the time to which it had jumped.
 */
#ifndef PS_CATALOG_CLOCK_CHECK_H
#define PS_CATALOG_CLOCK_CHECK_H

#include "server/catalog/store.h"

#define PS_BOOT_ID_SIZE 37 /* bytes of /proc/sys/kernel/random/boot_id, and a NUL */
/* ms: a larger difference is a jump. The panic threshold of ntpd is 1000 s, too. */
#define PS_CLOCK_TOLERANCE_MS ((int64_t)1000 * 1000)

struct ps_clocks {
    int64_t real_ms; /* ms since 1970 */
    int64_t boot_ms; /* ms since the machine was booted (CLOCK_BOOTTIME) */
    char boot_id[PS_BOOT_ID_SIZE];
};
void ps_clocks_read(struct ps_clocks *out);

struct ps_clock_reference {
    char boot_id[PS_BOOT_ID_SIZE];
    int64_t offset_ms;  /* real_ms - boot_ms when the clocks last agreed */
    int64_t trusted_ms; /* real_ms at that time */
    int64_t jumped_ms;  /* real_ms when a jump was first noticed; 0: the clocks agree */
};
/* Whether the clocks agree with the reference. Updates the reference. *jump_ms: how far the wall
 * clock is ahead, in ms (negative: behind); 0 if they agree. */
bool ps_clocks_agree(struct ps_clock_reference *reference, const struct ps_clocks *now,
                     int64_t *jump_ms);

/* Like ps_clocks_agree, with the current clocks and the reference in the file DIR/clock. A shelf
 * without that file trusts the clock. */
bool ps_clock_check(struct ps_store *store, int64_t *jump_ms);
/* Makes the current wall clock time the reference. Call it when an administrator confirms the time.
 */
void ps_clock_accept(struct ps_store *store);

#endif
