/* SPDX-License-Identifier: MIT */
/*
 * router.h: finds the route for a method and a path. It calls no handler and knows no connection,
 * so the server, commands without a server (local.h) and HTML exports share it. The tables are
 * server/api/routes.c and server/query/reads.h.
 *
 * The rows are tried from the first to the last, and the first one that fits is used. A row with a
 * fixed segment therefore stands before one with {name} in that place. The table is borrowed, and
 * any number of threads may search it.
 *
 *     static const struct ps_route routes[] = {{"GET", "/runs/{run}", get_run, 0, 0}};
 *     struct ps_route_match match;
 *
 *     if (ps_router_find(routes, 1, "GET", PS_STR("/runs/a%2Fb"), &arena, &match, err) == PS_OK)
 *         match.args[0] is "a/b"
 */
#ifndef PS_HTTP_ROUTER_H
#define PS_HTTP_ROUTER_H

#include "server/http/request.h"

struct ps_route_match {
    const struct ps_route *route;
    const char *args[PS_PATH_ARGS]; /* values of the {...} segments, in the arena */
    const char *allow; /* after PS_CONFLICT: methods of this path, such as "GET, HEAD" */
};

/*
 * Finds the first matching route. `path` is raw (percent-encoded); arguments are decoded into the
 * arena. PS_NOT_FOUND: no route has this path; PS_CONFLICT: the path exists only with other
 * methods, listed in out->allow; PS_BAD_REQUEST: invalid percent-encoding.
 */
enum ps_status ps_router_find(const struct ps_route *routes, size_t n, const char *method,
                              struct ps_str path, struct ps_arena *arena,
                              struct ps_route_match *out, struct ps_err *err);

#endif
