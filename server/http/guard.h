/* SPDX-License-Identifier: MIT */
/*
 * guard.h: who may talk to us, by the two headers a browser sends and a page cannot forge.
 *
 * Host: a page of a foreign site can make its own name resolve to our address (DNS rebinding) and
 * would then be "same origin" with us; its requests carry its name, so only names we know are
 * served. An address written as digits cannot be rebound. Origin: browsers name the page behind
 * every write; curl and scripts send none. Only our own pages may write.
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

#endif
