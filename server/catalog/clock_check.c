/* SPDX-License-Identifier: MIT */
#include "server/catalog/clock_check.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "server/catalog/state.h"

/* ms: minimum interval between writes of the file `clock` while the clocks agree */
#define SAVE_MS ((int64_t)60 * 1000)

void ps_clocks_read(struct ps_clocks *out)
{
    PS_AUTO(ps_close_fd) int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, out->boot_id, sizeof out->boot_id - 1);

    out->boot_id[got < 0 ? 0 : got] = '\0';
    out->boot_id[strcspn(out->boot_id, " \n")] = '\0';
    out->real_ms = ps_wall_clock_ms();
    out->boot_ms = ps_boot_ms();
}

/* Returns how far the wall clock is ahead of the expected time (ms; negative: behind). After a
 * reboot the expected time is unknown: 0 unless the clock is known to be wrong. */
static int64_t jump_of(const struct ps_clock_reference *reference, const struct ps_clocks *now)
{
    if (strcmp(reference->boot_id, now->boot_id) == 0)
        return now->real_ms - now->boot_ms - reference->offset_ms;
    if (reference->jumped_ms > reference->trusted_ms &&
        now->real_ms >= reference->jumped_ms - PS_CLOCK_TOLERANCE_MS)
        return now->real_ms - reference->trusted_ms;
    return now->real_ms < reference->trusted_ms ? now->real_ms - reference->trusted_ms : 0;
}

bool ps_clocks_agree(struct ps_clock_reference *reference, const struct ps_clocks *now,
                     int64_t *jump_ms)
{
    const int64_t jump = jump_of(reference, now);

    *jump_ms = 0;
    if (jump > PS_CLOCK_TOLERANCE_MS || jump < -PS_CLOCK_TOLERANCE_MS) {
        *jump_ms = jump;
        if (!reference->jumped_ms)
            reference->jumped_ms = now->real_ms;
        return false;
    }
    *reference = (struct ps_clock_reference){.offset_ms = now->real_ms - now->boot_ms,
                                             .trusted_ms = now->real_ms};
    memcpy(reference->boot_id, now->boot_id, sizeof reference->boot_id);
    return true;
}

/* Reads the reference from the file `clock` of the shelf. False: the file is missing or invalid. */
static bool load(struct ps_store *store, struct ps_clock_reference *out)
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_file_path(store, "clock");
    FILE *file = fopen(path, "re");
    int got;

    if (!file)
        return false;
    got = fscanf(file, "%36s %" SCNd64 " %" SCNd64 " %" SCNd64, out->boot_id, &out->offset_ms,
                 &out->trusted_ms, &out->jumped_ms);
    (void)fclose(file);
    return got == 4;
}

/* Writes the file `clock`. Ignores failures: the next check then uses the previous reference. */
static void save_reference(struct ps_store *store, const struct ps_clock_reference *reference)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_free_ptr) char *path = ps_store_file_path(store, "clock");
    PS_AUTO(ps_free_ptr) char *part = NULL;
    PS_AUTO(ps_close_fd) int fd = -1;

    ps_buf_printf(&text, "%s %" PRId64 " %" PRId64 " %" PRId64 "\n",
                  reference->boot_id[0] ? reference->boot_id : "-", reference->offset_ms,
                  reference->trusted_ms, reference->jumped_ms);
    /* if the file does not exist, the next check creates it */
    if (ps_new_part(store, "spool", &part, &fd, PS_ERR_IGNORED) != PS_OK)
        return;
    if (ps_write_all(fd, ps_buf_slice(&text), part, PS_ERR_IGNORED) != PS_OK ||
        rename(part, path) != 0)
        (void)unlink(part);
}

bool ps_clock_check(struct ps_store *store, int64_t *jump_ms)
{
    struct ps_clock_reference reference, before;
    struct ps_clocks now;
    bool agree;

    ps_clocks_read(&now);
    if (!load(store, &reference)) {
        *jump_ms = 0;
        ps_clock_accept(store);
        return true;
    }
    before = reference;
    agree = ps_clocks_agree(&reference, &now, jump_ms);
    if (strcmp(before.boot_id, reference.boot_id) != 0 || before.jumped_ms != reference.jumped_ms ||
        reference.trusted_ms - before.trusted_ms >= SAVE_MS)
        save_reference(store, &reference);
    return agree;
}

void ps_clock_accept(struct ps_store *store)
{
    struct ps_clock_reference reference = {.jumped_ms = 0};
    struct ps_clocks now;

    ps_clocks_read(&now);
    memcpy(reference.boot_id, now.boot_id, sizeof reference.boot_id);
    reference.offset_ms = now.real_ms - now.boot_ms;
    reference.trusted_ms = now.real_ms;
    save_reference(store, &reference);
}
