/* SPDX-License-Identifier: MIT */
#include "server/http/router.h"

#include <assert.h>

struct raw_args {
    struct ps_str items[PS_PATH_ARGS];
    size_t n;
};

/* Whether the path matches the pattern; args: the texts that matched each {...}, not decoded. */
static bool match_path(const char *pattern, struct ps_str path, struct raw_args *args)
{
    size_t at = 0, from;

    args->n = 0;
    while (*pattern) {
        bool rest;

        if (*pattern != '{') {
            if (at == path.len || path.ptr[at++] != *pattern++)
                return false;
            continue;
        }
        pattern = strchr(pattern, '}') + 1;
        rest = pattern[-2] == '*';
        for (from = at; at < path.len && (rest || path.ptr[at] != '/');)
            at++;
        if (at == from && !rest)
            return false;
        assert(args->n < PS_PATH_ARGS);
        args->items[args->n++] = (struct ps_str){path.ptr + from, at - from};
    }
    return at == path.len;
}

static bool route_serves(const struct ps_route *route, const char *method)
{
    return strcmp(route->method, method) == 0 ||
           (strcmp(route->method, "GET") == 0 && strcmp(method, "HEAD") == 0);
}

static void allow_method(struct ps_arena *arena, struct ps_route_match *out, const char *method)
{
    const char *have = out->allow;
    const char *text = strcmp(method, "GET") == 0 ? "GET, HEAD" : method;

    if (have && strstr(have, method))
        return;
    out->allow = have ? ps_arena_printf(arena, "%s, %s", have, text) : text;
}

static enum ps_status decode_args(struct ps_arena *arena, const struct raw_args *raw,
                                  struct ps_route_match *out, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    for (size_t i = 0; i < raw->n && status == PS_OK; i++)
        status = ps_url_decode(arena, raw->items[i], false, &out->args[i], err);
    return status;
}

enum ps_status ps_router_find(const struct ps_route *routes, size_t n, const char *method,
                              struct ps_str path, struct ps_arena *arena,
                              struct ps_route_match *out, struct ps_err *err)
{
    struct raw_args raw;

    *out = (struct ps_route_match){0};
    for (size_t i = 0; i < n; i++) {
        if (!match_path(routes[i].path, path, &raw))
            continue;
        if (route_serves(&routes[i], method)) {
            out->route = &routes[i];
            return decode_args(arena, &raw, out, err);
        }
        allow_method(arena, out, routes[i].method);
    }
    if (out->allow)
        return ps_fail(err, PS_CONFLICT, "this address supports only %s", out->allow);
    return ps_fail(err, PS_NOT_FOUND, "page not found");
}
