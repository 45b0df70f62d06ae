/* SPDX-License-Identifier: MIT */
/* router.h: finds the route for a method and a path. Independent of handlers and of the server. */
#ifndef PS_HTTP_ROUTER_H
#define PS_HTTP_ROUTER_H

#include "server/http/request.h"

struct ps_match {
    const struct ps_route *route;
    const char *args[PS_PATH_ARGS];
    const char *allow; /* after PS_CONFLICT: methods of this path, such as "GET, HEAD" */
};

/*
 * Finds the first matching route. `path` is raw (percent-encoded); arguments are decoded into the
 * arena. PS_NOT_FOUND: no route has this path; PS_CONFLICT: the path exists only with other
 * methods, listed in out->allow; PS_BAD_REQUEST: invalid percent-encoding.
 */
enum ps_status ps_router_find(const struct ps_route *routes, size_t n, const char *method,
                              struct ps_str path, struct ps_arena *arena, struct ps_match *out,
                              struct ps_err *err);

#endif
