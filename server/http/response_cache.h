/* SPDX-License-Identifier: MIT */
/*
 * response_cache.h: LRU cache of complete responses, with their headers and the matching 304
 * response. Keys are the URL and whether the client accepts gzip. The least recently used entries
 * are removed when the total exceeds PS_RESPONSE_CACHE_BYTES. Thread-safe. Private to this
 * folder.
 */
#ifndef PS_HTTP_RESPONSE_CACHE_H
#define PS_HTTP_RESPONSE_CACHE_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

#define PS_RESPONSE_CACHE_BYTES    ((size_t)16 << 20) /* maximum bytes of all entries */
#define PS_RESPONSE_CACHE_BODY_MAX ((size_t)4 << 20)  /* maximum bytes of one body */

struct ps_response_cache;
struct ps_route;

struct ps_cached_response {
    const struct ps_route *route;
    struct MHD_Response *response;
    struct MHD_Response *not_modified; /* the 304 response; NULL without an ETag */
    const char *etag;                  /* value of the ETag header, or NULL */
    const char *subject; /* subject of the response, or NULL: the response is always valid */
    uint64_t mark;       /* argument of ps_reply_allow_caching */
    size_t bytes;
};

struct ps_response_cache *ps_response_cache_create(void);
void ps_response_cache_free(
    struct ps_response_cache *cache); /* no reference may be held; NULL is allowed */

/* The cached response to this URL, with a reference that ps_response_cache_release drops; NULL if
 * there is none. */
const struct ps_cached_response *ps_response_cache_find(struct ps_response_cache *cache,
                                                        struct ps_str url, bool gzip);
void ps_response_cache_release(const struct ps_cached_response *ready);

/* Adds a response, or replaces the cached one of this URL. Takes over one reference of each MHD
 * response and copies the strings. */
void ps_response_cache_put(struct ps_response_cache *cache, struct ps_str url, bool gzip,
                           const struct ps_cached_response *ready);
/* Removes this response from the cache unless it was removed before. */
void ps_response_cache_drop(struct ps_response_cache *cache,
                            const struct ps_cached_response *ready);

#endif
