/* SPDX-License-Identifier: MIT */
/*
 * guard.h: who may talk to us, by the headers a browser sends and a page cannot forge.
 *
 * Host: a page of a foreign site can make its own name resolve to our address (DNS rebinding) and
 * would then be "same origin" with us; its requests carry its name, so only names we know are
 * served. An address written as digits cannot be rebound. Origin: browsers name the page behind
 * every write; curl and scripts send none. Only our own pages may write. Sec-Fetch-Site: browsers
 * say of each request whether a page of another site caused it. Such a page cannot read the answer,
 * but it can make the server work and measure how long the answer takes, so it gets none. A link
 * that opens the shelf as a page of its own is what users send each other, and is served.
 */
#ifndef PS_HTTP_GUARD_H
#define PS_HTTP_GUARD_H

#include <stdbool.h>
#include <stddef.h>

struct ps_guard {
    const char *const
        *hosts; /* names without port that are ours, besides localhost, 127.0.0.1 and [::1] */
    size_t n_hosts;
    bool any_address; /* every Host in digits is ours: the server listens beyond the loopback */
};

/* host: the Host header, or NULL (HTTP/1.0). */
bool ps_guard_host(const struct ps_guard *guard, const char *host);
/* origin: the Origin header, or NULL (no browser, fine). */
bool ps_guard_origin(const char *origin, const char *host);

/* site, dest: the headers Sec-Fetch-Site and Sec-Fetch-Dest of a read; NULL where there is none. Of
 * a write dest is NULL. */
bool ps_guard_site(const char *site, const char *dest);

#endif
