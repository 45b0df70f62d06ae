/* SPDX-License-Identifier: MIT */
/*
 * clock_check.h: checks whether the wall clock can be trusted for computing ages.
 *
 * CLOCK_BOOTTIME also advances while the machine is suspended, and cannot be set. While the machine
 * is up, CLOCK_REALTIME has to advance at the same rate. The file DIR/clock contains the last time
 * at which both agreed, so that a jump while nothing ran is noticed at the next start. After a
 * reboot the clock is not trusted only if it is earlier than that time, or still shows the time to
 * which it had jumped.
 */
#ifndef PS_CATALOG_CLOCK_CHECK_H
#define PS_CATALOG_CLOCK_CHECK_H

#include "server/catalog/store.h"

#define PS_BOOT_ID_SIZE 37 /* bytes of /proc/sys/kernel/random/boot_id, and a NUL */
/* ms: a larger difference is a jump. ntpd uses the same 1000 s as its panic threshold. */
#define PS_CLOCK_TOLERANCE_MS ((int64_t)1000 * 1000)

struct ps_clocks {
    int64_t real_ms; /* since 1970 */
    int64_t boot_ms; /* since the machine was booted */
    char boot_id[PS_BOOT_ID_SIZE];
};
void ps_clocks_read(struct ps_clocks *out);

struct ps_clock_reference {
    char boot_id[PS_BOOT_ID_SIZE];
    int64_t offset_ms;  /* real_ms - boot_ms, when both last agreed */
    int64_t trusted_ms; /* real_ms at that time */
    int64_t jumped_ms;  /* real_ms when a jump was first noticed; 0: both agree */
};
/* Whether the clocks agree with the reference, which is updated. *jump_ms: how far the wall clock
 * is ahead (as far as known), 0 if they agree. */
bool ps_clocks_agree(struct ps_clock_reference *reference, const struct ps_clocks *now,
                     int64_t *jump_ms);

/* Does the same with the reference of the shelf. A shelf without a reference trusts the clock. */
bool ps_clock_check(struct ps_store *store, int64_t *jump_ms);
/* Accepts the current wall clock time as correct, because an administrator confirmed it. */
void ps_clock_accept(struct ps_store *store);

#endif
