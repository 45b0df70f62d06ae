/* SPDX-License-Identifier: MIT */
/* agent_calls.c: the log of tools that AI agents called. */
#include "base/clock.h"
#include "server/catalog/state.h"

#define KEPT 10000 /* calls; catalog.sql states the number */

static enum ps_status insert_call(struct ps_db *db, const struct ps_agent_call *call,
                                  struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const struct ps_str none = {NULL, 0};

    ps_db_prepare(db, ps_query_sql("agent_call_add"), &stmt, err);
    ps_bind_int(stmt, ":at", ps_wall_clock_ms());
    ps_bind_text(stmt, ":tool", ps_str_from_c(call->tool));
    ps_bind_text(stmt, ":run", call->run[0] ? ps_str_from_c(call->run) : none);
    ps_bind_text(stmt, ":who", ps_str_from_c(call->user_name));
    ps_bind_text(stmt, ":code", call->code ? ps_str_from_c(call->code) : none);
    ps_bind_text(stmt, ":text", call->text ? ps_str_from_c(call->text) : none);
    ps_bind_real(stmt, ":seconds", call->seconds);
    (void)ps_stmt_step(stmt, err);
    return err->code;
}

static enum ps_status prune_calls(struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("agent_calls_prune"), &stmt, err);
    ps_bind_int(stmt, ":kept", KEPT);
    (void)ps_stmt_step(stmt, err);
    return err->code;
}

enum ps_status ps_agent_call_log(struct ps_store *store, const struct ps_agent_call *call,
                                 struct ps_err *err)
{
    ps_catalog_begin(store, PS_NOT_DURABLE, err);
    if (err->code == PS_OK && insert_call(store->catalog, call, err) == PS_OK)
        prune_calls(store->catalog, err);
    return ps_catalog_end(store, err->code, err);
}
