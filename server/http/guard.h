/* SPDX-License-Identifier: MIT */
/*
 * guard.h: which requests are accepted, by the headers that browsers send and pages cannot forge.
 *
 * Host: a page of another site can make its own name resolve to our address (DNS rebinding) and
 * would then have the same origin as we do. Its requests contain its name, so only known names are
 * served. A numeric address cannot be rebound.
 *
 * Origin: browsers send the origin of the page with every write; curl and scripts send none. Only
 * our own pages may write.
 *
 * Sec-Fetch-Site: browsers state for each request whether a page of another site caused it. Such a
 * page cannot read the response, but it could load the server and measure response times, so the
 * request is refused. A link that opens the shelf as a page is served, because users send each
 * other such links.
 *
 * The functions only compare strings: they have no state and may be called from any thread.
 *
 *     const struct ps_guard guard = {.hosts = names, .n_hosts = 1};      names: {"shelf.lan"}
 *
 *     ps_guard_accepts_host(&guard, "shelf.lan:7700")                     true
 *     ps_guard_accepts_host(&guard, "evil.example")                       false
 *     ps_guard_accepts_origin("http://evil.example", "shelf.lan:7700")    false
 *     ps_guard_accepts_site("cross-site", "document")                     true: a link
 */
#ifndef PS_HTTP_GUARD_H
#define PS_HTTP_GUARD_H

#include <stdbool.h>
#include <stddef.h>

struct ps_guard {
    /* names of this server without port, in addition to localhost, 127.0.0.1 and [::1] */
    const char *const *hosts;
    size_t n_hosts;
    bool accepts_any_address; /* accepts every numeric Host: the server does not listen on loopback
                                 only */
};

/* Whether the Host header is accepted. host: its value, or NULL (HTTP/1.0), which is accepted. */
bool ps_guard_accepts_host(const struct ps_guard *guard, const char *host);
/* Whether the Origin header is accepted. origin: its value, or NULL (not sent by a browser), which
 * is accepted. */
bool ps_guard_accepts_origin(const char *origin, const char *host);

/* Whether a request that a page of this site caused is accepted. site, dest: the headers
 * Sec-Fetch-Site and Sec-Fetch-Dest of a read, NULL if absent. For a write, dest is NULL. */
bool ps_guard_accepts_site(const char *site, const char *dest);

#endif
