/* SPDX-License-Identifier: MIT */
#include "server/http/local.h"

#include <stdlib.h>

#include "server/http/exchange.h"

/* An exchange without a connection (exchange.h). */
struct ps_local_result {
    struct ps_exchange exchange;
};

/* Runs the handler. No connection can wait for a deferred reply, so the handler must have finished
 * it when it returns. */
static enum ps_status run_handler(struct ps_exchange *x, struct ps_err *err)
{
    enum ps_status status = x->route->handle(&x->req, &x->reply, err);

    if (status == PS_OK && x->is_deferred && x->err.code != PS_OK)
        return ps_fail_copy(err, &x->err);
    if (status == PS_OK && x->is_deferred && atomic_load(&x->deferral) != PS_READY)
        return ps_fail(err, PS_INTERNAL, "the handler deferred a request that has no connection");
    return status;
}

enum ps_status ps_local_call(const struct ps_local *local, const char *method, const char *target,
                             struct ps_str body, struct ps_local_result **out, struct ps_err *err)
{
    struct ps_local_result *result = ps_alloc(sizeof *result);
    struct ps_exchange *x = &result->exchange;
    struct ps_str path = {target, strcspn(target, "?")};
    struct ps_route_match match;
    enum ps_status status;

    *out = result;
    x->req.app = local->app;
    x->req.method = method;
    x->req.user_name = local->user_name;
    x->req.right = local->right;
    ps_reply_init(&x->reply);
    atomic_init(&x->deferral, PS_RUNNING);
    status =
        ps_router_find(local->routes, local->n_routes, method, path, &x->req.arena, &match, err);
    if (status != PS_OK)
        return status;
    if (match.route->flags & PS_ROUTE_UPLOAD)
        return ps_fail(err, PS_BAD_REQUEST, "uploads need a server");
    x->route = match.route;
    memcpy(x->req.args, match.args, sizeof x->req.args);
    status = ps_url_parse_query(&x->req.arena, ps_str_skip(ps_str_from_c(target + path.len), 1),
                                &x->req.params, err);
    if (status != PS_OK)
        return status;
    x->req.body = ps_arena_copy(&x->req.arena, body);
    return run_handler(x, err);
}

struct ps_reply *ps_local_result_reply(struct ps_local_result *result)
{
    return &result->exchange.reply;
}

void ps_local_result_free(struct ps_local_result *result)
{
    if (!result)
        return;
    ps_reply_free(&result->exchange.reply);
    ps_arena_free(&result->exchange.req.arena);
    free(result);
}
