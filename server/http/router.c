/* SPDX-License-Identifier: MIT */
#include "server/http/router.h"

#include <assert.h>

/* Cuts the segment before the next slash off the front of *path, which starts with one. */
static struct ps_str next_segment(struct ps_str *path)
{
    struct ps_str rest = ps_str_skip(*path, 1), segment = rest;
    const char *slash = rest.len ? memchr(rest.at, '/', rest.len) : NULL;

    if (slash)
        segment.len = (size_t)(slash - rest.at);
    *path = ps_str_skip(rest, segment.len);
    return segment;
}

struct raw_args {
    struct ps_str at[PS_PATH_ARGS];
    size_t n;
};

/* True when the path has the shape of the pattern; `args` gets what the braces stood for. */
static bool fits(struct ps_str pattern, struct ps_str path, struct raw_args *args)
{
    args->n = 0;
    while (pattern.len > 0 && path.len > 0 && path.at[0] == '/') {
        struct ps_str whole = ps_str_skip(path, 1);
        struct ps_str want = next_segment(&pattern), have = next_segment(&path);
        bool brace = want.len > 0 && want.at[0] == '{';
        bool rest = brace && want.at[want.len - 2] == '*';

        if (!brace && !ps_str_eq(want, have))
            return false;
        if (brace && !rest && have.len == 0)
            return false;
        assert(!brace || args->n < PS_PATH_ARGS);
        if (brace)
            args->at[args->n++] = rest ? whole : have;
        if (rest)
            return true;
    }
    return pattern.len == 0 && path.len == 0;
}

static bool serves(const struct ps_route *route, const char *method)
{
    return strcmp(route->method, method) == 0 ||
           (strcmp(route->method, "GET") == 0 && strcmp(method, "HEAD") == 0);
}

static void allow(struct ps_arena *arena, struct ps_match *out, const char *method)
{
    const char *have = out->allow;
    const char *text = strcmp(method, "GET") == 0 ? "GET, HEAD" : method;

    if (have && strstr(have, method))
        return;
    out->allow = have ? ps_arena_printf(arena, "%s, %s", have, text) : text;
}

static enum ps_status decode_args(struct ps_arena *arena, const struct raw_args *raw,
                                  struct ps_match *out, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    for (size_t i = 0; i < raw->n && status == PS_OK; i++)
        status = ps_url_decode(arena, raw->at[i], false, &out->args[i], err);
    return status;
}

enum ps_status ps_router_find(const struct ps_route *routes, size_t n, const char *method,
                              struct ps_str path, struct ps_arena *arena, struct ps_match *out,
                              struct ps_err *err)
{
    struct raw_args raw;

    *out = (struct ps_match){0};
    for (size_t i = 0; i < n; i++) {
        if (!fits(ps_str_of(routes[i].path), path, &raw))
            continue;
        if (serves(&routes[i], method)) {
            out->route = &routes[i];
            return decode_args(arena, &raw, out, err);
        }
        allow(arena, out, routes[i].method);
    }
    if (out->allow)
        return ps_fail(err, PS_CONFLICT, "this address knows only %s", out->allow);
    return ps_fail(err, PS_NOT_FOUND, "there is nothing at this address");
}
