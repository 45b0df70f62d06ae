/* SPDX-License-Identifier: MIT */
/* router.h: from a method and a path to the row of the table. Knows no handler and no server. */
#ifndef PS_HTTP_ROUTER_H
#define PS_HTTP_ROUTER_H

#include "server/http/request.h"

struct ps_match {
    const struct ps_route *route;
    const char *args[PS_PATH_ARGS];
    const char *allow; /* "GET, HEAD, POST": the methods of a path whose method is wrong */
};

/*
 * Finds the first row that fits. `path` is raw (still percent-encoded); arguments are decoded into
 * the arena. PS_NOT_FOUND: no row has this path; PS_CONFLICT: rows have it with other methods,
 * out->allow lists them; PS_BAD_REQUEST: a broken escape.
 */
enum ps_status ps_router_find(const struct ps_route *routes, size_t n, const char *method,
                              struct ps_str path, struct ps_arena *arena, struct ps_match *out,
                              struct ps_err *err);

#endif
