/* SPDX-License-Identifier: MIT */
/*
 * local.h: a request to the route table without a connection: the handler runs in the calling
 * thread. There is no Host to check and nobody to admit: whoever may open the shelf's files may do
 * what the routes do. Uploads and event streams need a server.
 */
#ifndef PS_HTTP_LOCAL_H
#define PS_HTTP_LOCAL_H

#include "server/http/request.h"

struct ps_local {
    const struct ps_route *routes;
    size_t n_routes;
    void *app;       /* for handlers: req->app */
    const char *who; /* asks, as req->who */
    unsigned right;  /* as req->right */
};

struct ps_local_answer;

/* `target` as in a request line: "/api/v1/runs?limit=1". After PS_OK the reply holds what the
 * handler made; free the answer in any case. */
enum ps_status ps_local_ask(const struct ps_local *local, const char *method, const char *target,
                            struct ps_str body, struct ps_local_answer **out, struct ps_err *err);
struct ps_reply *ps_local_reply(struct ps_local_answer *answer);
void ps_local_free(struct ps_local_answer *answer); /* NULL is fine */

#endif
