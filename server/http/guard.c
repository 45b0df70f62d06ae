/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* strncasecmp, inet_pton */
#include "server/http/guard.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

/* Splits "name:port" and sets *name to the part before the colon; false if the part after it is not
 * a port. */
static bool split_port(const char *host, struct ps_str *name)
{
    const char *end = host[0] == '[' ? strchr(host, ']') : NULL;
    const char *colon;

    if (host[0] == '[' && !end)
        return false;
    colon = strchr(end ? end : host, ':');
    *name = (struct ps_str){host, colon ? (size_t)(colon - host) : strlen(host)};
    return !colon || strspn(colon + 1, "0123456789") == strlen(colon + 1);
}

static bool same_name(struct ps_str name, const char *known)
{
    return name.len == strlen(known) && strncasecmp(name.ptr, known, name.len) == 0;
}

/* Whether a name is a numeric address: 192.168.0.7 or [fe80::1]. */
static bool is_address(struct ps_str name)
{
    char text[INET6_ADDRSTRLEN];
    unsigned char bytes[16];
    bool six = name.len > 2 && name.ptr[0] == '[' && name.ptr[name.len - 1] == ']';

    if (six)
        name = (struct ps_str){name.ptr + 1, name.len - 2};
    if (name.len >= sizeof text)
        return false;
    memcpy(text, name.ptr, name.len);
    text[name.len] = '\0';
    return inet_pton(six ? AF_INET6 : AF_INET, text, bytes) == 1;
}

bool ps_guard_accepts_host(const struct ps_guard *guard, const char *host)
{
    static const char *const local[] = {"localhost", "127.0.0.1", "[::1]"};
    struct ps_str name;

    if (!host || !split_port(host, &name))
        return !host;
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (same_name(name, local[i]))
            return true;
    for (size_t i = 0; i < guard->n_hosts; i++)
        if (same_name(name, guard->hosts[i]))
            return true;
    return guard->accepts_any_address && is_address(name);
}

bool ps_guard_accepts_origin(const char *origin, const char *host)
{
    const char *at;

    if (!origin)
        return true;
    if (!host)
        return false;
    at = strstr(origin, "://");
    if (!at || (strncmp(origin, "http:", 5) != 0 && strncmp(origin, "https:", 6) != 0))
        return false;
    return strcasecmp(at + 3, host) == 0;
}

bool ps_guard_accepts_site(const char *site, const char *dest)
{
    if (!site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0)
        return true;
    return dest && strcmp(dest, "document") == 0;
}
