/* SPDX-License-Identifier: MIT */
/*
 * ready.h: LRU cache of complete responses, with their headers and the matching 304 response. Keys
 * are the URL and whether the client accepts gzip. The least recently used ones are removed when
 * the total exceeds PS_READY_TOTAL. Thread-safe; for this folder only.
 */
#ifndef PS_HTTP_READY_H
#define PS_HTTP_READY_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

#define PS_READY_TOTAL ((size_t)16 << 20) /* bytes of all bodies and headers */
#define PS_READY_MOST  ((size_t)4 << 20)  /* maximum bytes of one body */

struct ps_ready_set;
struct ps_route;

struct ps_ready {
    const struct ps_route *route;
    struct MHD_Response *whole;
    struct MHD_Response *unchanged; /* the 304 response; NULL without an ETag */
    const char *etag;               /* as in the response, or NULL */
    const char *subject; /* subject of the response, or NULL: the response is always valid */
    uint64_t mark; /* version number of the subject when the response was made (ps_reply_again) */
    size_t bytes;
};

struct ps_ready_set *ps_ready_create(void);
void ps_ready_free(struct ps_ready_set *set); /* no reference may be held; NULL is allowed */

/* The cached response to this URL, with a reference that ps_ready_release drops; NULL if there is
 * none. */
const struct ps_ready *ps_ready_find(struct ps_ready_set *set, struct ps_str address, bool gzip);
void ps_ready_release(const struct ps_ready *ready);

/* Adds a response, or replaces the cached one of this URL. Takes over one reference of each MHD
 * response and copies the strings. */
void ps_ready_put(struct ps_ready_set *set, struct ps_str address, bool gzip,
                  const struct ps_ready *ready);
/* Removes this response from the cache, if it is still there. */
void ps_ready_drop(struct ps_ready_set *set, const struct ps_ready *ready);

#endif
