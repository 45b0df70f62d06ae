/* SPDX-License-Identifier: MIT */
/*
 * ready.h: answers as they were sent, ready to be sent again: by address and by whether the client
 * takes gzip, with their headers, and the 304 beside. The least recently used go when all together
 * are larger than PS_READY_TOTAL. Thread-safe; inside this folder only.
 */
#ifndef PS_HTTP_READY_H
#define PS_HTTP_READY_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

#define PS_READY_TOTAL ((size_t)16 << 20) /* bytes of bodies and headers */
#define PS_READY_MOST  ((size_t)4 << 20)  /* of one */

struct ps_ready_set;
struct ps_route;

struct ps_ready {
    const struct ps_route *route;
    struct MHD_Response *whole;
    struct MHD_Response *unchanged; /* for who has it already; NULL without an etag */
    const char *etag;               /* as sent, or NULL */
    const char *subject;            /* what it is about, or NULL: it stays true */
    uint64_t mark;                  /* of the subject when the answer was made */
    size_t bytes;
};

struct ps_ready_set *ps_ready_create(void);
void ps_ready_free(struct ps_ready_set *set); /* nobody holds one any more; NULL is fine */

/* The answer to this address, held until its release, or NULL. */
const struct ps_ready *ps_ready_find(struct ps_ready_set *set, struct ps_str address, bool gzip);
void ps_ready_release(const struct ps_ready *ready);

/* Puts one in, in the place of what was there. Takes one reference of each response, and copies the
 * strings. */
void ps_ready_put(struct ps_ready_set *set, struct ps_str address, bool gzip,
                  const struct ps_ready *ready);
/* Takes out what stands there, if it is this one. */
void ps_ready_drop(struct ps_ready_set *set, const struct ps_ready *ready);

#endif
