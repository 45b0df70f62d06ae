/* SPDX-License-Identifier: MIT */
/*
 * mcp.c: the Model Context Protocol over HTTP (its transport "Streamable HTTP"). POST /mcp takes
 * one message and answers with JSON; the server sends no messages of its own, so there is no event
 * stream.
 *
 * Tools run on threads of their own. A tool ends when its client disconnects, when the client sends
 * notifications/cancelled, after TIMEOUT_MS, and when the server stops. Ids of requests are unique
 * in a session only, so each client gets a session id at the start, which it sends with its
 * messages. A session has no other state and gives no rights: any server of a shelf answers it.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/context.h"
#include "base/utf8.h"
#include "server/agent/agent.h"
#include "server/api/state.h"
#include "server/http/local.h"

#define TIMEOUT_MS   60000
#define PENDING_MAX  32 /* calls that run or wait */
#define SESSION_SIZE 33 /* 32 hexadecimal digits and NUL */

/* A call of a tool that runs or waits. */
struct ps_mcp_task {
    struct ps_request *req;
    struct ps_reply *reply;
    struct ps_rpc_message message;
    char session[SESSION_SIZE]; /* "": the client sent none, so its calls cannot be cancelled */
    atomic_bool is_cancelled;
    struct ps_mcp_task *next; /* in ps_api.mcp_tasks */
    struct ps_local local;
    const char *user_name;
};

/* --- Tasks --- */

/* False: too many are pending. */
static bool add_task(struct ps_api *api, struct ps_mcp_task *task)
{
    bool has_room;

    pthread_mutex_lock(&api->mcp_lock);
    has_room = api->mcp_pending < PENDING_MAX;
    if (has_room) {
        api->mcp_pending++;
        task->next = api->mcp_tasks;
        api->mcp_tasks = task;
    }
    pthread_mutex_unlock(&api->mcp_lock);
    return has_room;
}

static void remove_task(struct ps_api *api, struct ps_mcp_task *task)
{
    struct ps_mcp_task **at = &api->mcp_tasks;

    pthread_mutex_lock(&api->mcp_lock);
    while (*at && *at != task)
        at = &(*at)->next;
    if (*at)
        *at = task->next;
    api->mcp_pending--;
    pthread_mutex_unlock(&api->mcp_lock);
}

/* Handles notifications/cancelled. A call that is not found has ended, or runs on another server of
 * the shelf; there it ends when its client disconnects. */
static void cancel_task(struct ps_api *api, const char *session,
                        const struct ps_rpc_message *message)
{
    char id[PS_RPC_ID_SIZE];

    if (!session[0] ||
        !ps_rpc_format_id(cJSON_GetObjectItemCaseSensitive(message->params, "requestId"), id))
        return;
    pthread_mutex_lock(&api->mcp_lock);
    for (struct ps_mcp_task *task = api->mcp_tasks; task; task = task->next)
        if (strcmp(task->session, session) == 0 && strcmp(task->message.id, id) == 0)
            atomic_store(&task->is_cancelled, true);
    pthread_mutex_unlock(&api->mcp_lock);
}

static enum ps_status poll_task(void *user, struct ps_err *err)
{
    const struct ps_mcp_task *task = user;

    if (atomic_load(&ps_request_api(task->req)->is_closing))
        return ps_fail(err, PS_UNAVAILABLE, "the server is stopping");
    if (atomic_load(&task->is_cancelled))
        return ps_fail(err, PS_CANCELLED, "the client cancelled the call");
    return ps_request_is_disconnected(task->req)
               ? ps_fail(err, PS_CANCELLED, "the client closed its connection")
               : PS_OK;
}

/* --- Calls --- */

/* For ps_agent.ask: calls the handler with the rights of the client. */
static enum ps_status ask(void *user, const char *method, const char *path, struct ps_str body,
                          struct ps_buf *out, struct ps_err *err)
{
    const struct ps_mcp_task *task = user;
    PS_AUTO(ps_buf_free) struct ps_buf target = {0};
    struct ps_local_result *result = NULL;

    ps_buf_printf(&target, "/api/v1/%s", path);
    if (ps_local_call(&task->local, method, target.ptr, body, &result, err) == PS_OK)
        ps_buf_add_str(out, ps_buf_slice(&ps_local_result_reply(result)->body));
    ps_local_result_free(result);
    return err->code;
}

/* For ps_agent.on_call. */
static void log_call(void *user, const struct ps_agent_called *called)
{
    const struct ps_mcp_task *task = user;
    struct ps_agent_call call = {.user_name = task->user_name, .seconds = called->seconds};

    (void)snprintf(call.tool, sizeof call.tool, "%s", called->tool);
    (void)snprintf(call.run, sizeof call.run, "%s", called->subject);
    ps_utf8_make_printable(call.run); /* a character may have been cut */
    if (called->err->code != PS_OK) {
        call.code = ps_status_name(called->err->code);
        call.text = called->err->text;
    }
    /* A call does not fail because it cannot be logged: the shelf may be on a read-only disk. */
    ps_agent_call_log(ps_request_api(task->req)->store, &call, PS_ERR_IGNORED);
}

/* "https://perf.example.org/": as the client names this server. */
static const char *page_url(struct ps_request *req)
{
    const struct ps_access_config *config = &ps_request_api(req)->access.config;
    const char *host = ps_request_header(req, "Host");

    if (!host)
        return "";
    return ps_arena_printf(&req->arena, "http%s://%s/",
                           config->uses_tls || config->is_proxied ? "s" : "", host);
}

static void answer_task(void *arg)
{
    struct ps_mcp_task *task = arg;
    struct ps_api *api = ps_request_api(task->req);
    const struct ps_agent agent = {.ask = ask,
                                   .user = task,
                                   .on_call = log_call,
                                   .on_call_user = task,
                                   .page = page_url(task->req)};
    struct ps_context context;
    struct ps_err err = PS_ERR_INIT;

    ps_context_begin(&context, TIMEOUT_MS, poll_task, task);
    if (ps_context_check(&err) == PS_OK)
        ps_agent_reply(&agent, &task->message, &task->reply->body);
    (void)ps_context_end(&context);
    remove_task(api, task);
    ps_rpc_free(&task->message);
    ps_request_finish(task->req, err.code, &err);
}

/* Calls a tool on a thread of its own; the reply is sent later. Becomes the owner of the
 * message. */
static enum ps_status start_task(struct ps_request *req, struct ps_rpc_message *message,
                                 const char *session, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_api *api = ps_request_api(req);
    struct ps_mcp_task *task = ps_arena_alloc(&req->arena, sizeof *task);

    *task = (struct ps_mcp_task){.req = req, .reply = reply, .message = *message};
    (void)snprintf(task->session, sizeof task->session, "%s", session);
    atomic_init(&task->is_cancelled, false);
    task->user_name = req->user_name;
    task->local =
        (struct ps_local){api->routes, api->n_routes, api->mcp_api, req->user_name, req->right};
    if (!add_task(api, task))
        return ps_fail(err, PS_UNAVAILABLE,
                       "too many calls of tools are waiting" PS_HINT "try again in a few seconds");
    message->tree = NULL; /* the task owns it */
    ps_request_defer(req);
    ps_work_add(api->mcp_workers, answer_task, task);
    return PS_OK;
}

/* --- Messages --- */

/* Adds a session id to the reply of initialize. */
static enum ps_status add_session(struct ps_request *req, struct ps_reply *reply,
                                  struct ps_err *err)
{
    unsigned char bytes[(SESSION_SIZE - 1) / 2];
    char *text = ps_arena_alloc(&req->arena, SESSION_SIZE);

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return ps_fail_errno(err, "cannot read random bytes from", "the kernel");
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    ps_reply_add_header(reply, "Mcp-Session-Id", text);
    return PS_OK;
}

static enum ps_status answer_message(struct ps_request *req, struct ps_rpc_message *message,
                                     const char *session, struct ps_reply *reply,
                                     struct ps_err *err)
{
    /* Only tools ask the shelf. */
    const struct ps_agent agent = {.page = ""};

    if (strcmp(message->method, "tools/call") == 0 && message->kind == PS_RPC_REQUEST)
        return start_task(req, message, session, reply, err);
    if (strcmp(message->method, "notifications/cancelled") == 0)
        cancel_task(ps_request_api(req), session, message);
    ps_agent_reply(&agent, message, &reply->body);
    if (strcmp(message->method, "initialize") == 0 && add_session(req, reply, err) != PS_OK)
        return err->code;
    if (!reply->body.len)
        reply->status = 202; /* a notification or a response */
    return PS_OK;
}

/* The session id that the client sent; "": none, or none of ours. */
static const char *session_of(const struct ps_request *req)
{
    const char *sent = ps_request_header(req, "Mcp-Session-Id");

    return sent && strlen(sent) == SESSION_SIZE - 1 ? sent : "";
}

enum ps_status ps_post_mcp(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    const char *version = ps_request_header(req, "MCP-Protocol-Version");
    PS_AUTO(ps_rpc_free) struct ps_rpc_message message = {.tree = NULL};

    if (version && !ps_agent_supports_version(version))
        return ps_fail(err, PS_BAD_REQUEST,
                       "the protocol version %.40s is not supported" PS_HINT
                       "initialize tells which one is",
                       version);
    if (!ps_rpc_read(req->body, &message, &reply->body)) {
        reply->status = 400;
        return PS_OK;
    }
    return answer_message(req, &message, session_of(req), reply, err);
}

/* The transport asks for 405 where a server offers no event stream, and where clients cannot end a
 * session. */
enum ps_status ps_refuse_mcp(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    (void)req, (void)err;
    ps_reply_set_error_fields(reply, 405, "bad_request",
                              "this server sends no messages of its own: /mcp takes POST", NULL);
    ps_reply_add_header(reply, "Allow", "POST");
    return PS_OK;
}
