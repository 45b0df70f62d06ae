/* SPDX-License-Identifier: MIT */
/*
 * local.h: calls a handler of the route table without a connection, in the calling thread. Host and
 * access checks are skipped: a process that can open the files of the shelf may do everything that
 * the routes do. Uploads and event streams need a server.
 *
 *     struct ps_local_result *result = NULL;
 *
 *     if (ps_local_call(&local, "GET", "/api/v1/runs?limit=1", body, &result, err) == PS_OK)
 *         ps_local_result_reply(result)->body is the JSON
 *     ps_local_result_free(result);
 */
#ifndef PS_HTTP_LOCAL_H
#define PS_HTTP_LOCAL_H

#include "server/http/request.h"

struct ps_local {
    const struct ps_route *routes;
    size_t n_routes;
    void *app;             /* for handlers: req->app */
    const char *user_name; /* user, for req->user_name */
    unsigned right;        /* for req->right */
};

struct ps_local_result;

/* Calls the handler of `target`, which has the form of a request target: "/api/v1/runs?limit=1".
 * After PS_OK the reply contains the result. Call ps_local_result_free in any case. */
enum ps_status ps_local_call(const struct ps_local *local, const char *method, const char *target,
                             struct ps_str body, struct ps_local_result **out, struct ps_err *err);
struct ps_reply *ps_local_result_reply(struct ps_local_result *result);
void ps_local_result_free(struct ps_local_result *result); /* NULL is allowed */

#endif
