/* SPDX-License-Identifier: MIT */
/*
 * mcp.c: `perfshelf mcp`, the Model Context Protocol on standard input and output: one message of
 * JSON-RPC a line.
 *
 * The main thread reads messages. A second thread answers requests in their order, so that the main
 * thread can cancel a request, or answer a ping, while a tool runs. Log messages are written to
 * stderr; stdout has messages alone.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/utf8.h"
#include "server/cli/cli.h"
#include "server/cli/client/client.h"
#include "server/cli/commands/agent_command.h"
#include "server/cli/tool_text.h"

#define WAITING_MAX 64 /* requests that may wait for the thread that answers */

/* A request that waits or runs. */
struct mcp_request {
    struct ps_rpc_message message;
    atomic_bool is_cancelled;
    struct mcp_request *next;
};

struct mcp_session {
    struct ps_agent agent;
    struct ps_buf report;        /* of the call that runs; of the thread that answers */
    pthread_mutex_t lock;        /* of the members below */
    pthread_cond_t wake;         /* the queue or is_closing changed */
    struct mcp_request *first;   /* waiting, in their order */
    struct mcp_request *running; /* NULL: none */
    bool is_closing;             /* no more requests will be added */
    pthread_mutex_t output_lock; /* a message is written at once */
};

/* --- Output --- */

static void send_reply(struct mcp_session *session, struct ps_buf *reply)
{
    if (!reply->len)
        return;
    ps_buf_puts(reply, "\n");
    pthread_mutex_lock(&session->output_lock);
    (void)fwrite(reply->ptr, 1, reply->len, stdout);
    (void)fflush(stdout);
    pthread_mutex_unlock(&session->output_lock);
}

/* --- The log of calls --- */

/* Writes a text as a label, which the API takes: short, without control characters. */
static void write_label(struct ps_json *json, const char *key, const char *text)
{
    char label[PS_LABEL_MAX + 1];

    (void)snprintf(label, sizeof label, "%s", text);
    ps_utf8_make_printable(label);
    ps_json_key_str(json, key, label);
}

/* For ps_agent.on_call: writes the report that log_call sends. */
static void write_report(void *user, const struct ps_agent_called *called)
{
    struct mcp_session *session = user;
    struct ps_json json = ps_json_writer(&session->report);

    ps_json_object(&json);
    ps_json_key_str(&json, "tool", called->tool);
    write_label(&json, "subject", called->subject);
    ps_json_key(&json, "seconds");
    ps_json_real(&json, called->seconds);
    if (called->err->code != PS_OK) {
        ps_json_key_str(&json, "code", ps_status_name(called->err->code));
        write_label(&json, "text", called->err->text);
    }
    ps_json_end(&json);
}

/* Logs the call that was answered, outside of its context: a call that was cancelled is logged too.
 * One that cannot be logged, on a shelf that cannot be written or an older server, is answered all
 * the same. */
static void log_call(struct mcp_session *session)
{
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};

    if (session->report.len)
        (void)ps_client_send(session->agent.user, "POST", "agent_calls",
                             ps_buf_slice(&session->report), &answer, PS_ERR_IGNORED);
    session->report.len = 0;
}

/* --- The thread that answers --- */

static enum ps_status poll_request(void *user, struct ps_err *err)
{
    struct mcp_request *request = user;

    return atomic_load(&request->is_cancelled)
               ? ps_fail(err, PS_CANCELLED, "the client cancelled the request")
               : PS_OK;
}

/* A cancelled request gets no response. */
static void answer(struct mcp_session *session, struct mcp_request *request)
{
    PS_AUTO(ps_buf_free) struct ps_buf reply = {0};
    struct ps_context context;

    if (!atomic_load(&request->is_cancelled)) {
        ps_context_begin(&context, 0, poll_request, request);
        ps_agent_reply(&session->agent, &request->message, &reply);
        (void)ps_context_end(&context);
        log_call(session);
    }
    if (!atomic_load(&request->is_cancelled))
        send_reply(session, &reply);
}

static void free_request(struct mcp_request *request)
{
    ps_rpc_free(&request->message);
    free(request);
}

/* Takes the next request; NULL: there will be none. */
static struct mcp_request *wait_for_request(struct mcp_session *session)
{
    struct mcp_request *request;

    pthread_mutex_lock(&session->lock);
    while (!session->first && !session->is_closing)
        pthread_cond_wait(&session->wake, &session->lock);
    request = session->first;
    session->running = request;
    session->first = request ? request->next : NULL;
    pthread_mutex_unlock(&session->lock);
    return request;
}

static void *answer_requests(void *user)
{
    struct mcp_session *session = user;
    struct mcp_request *request;

    while ((request = wait_for_request(session)) != NULL) {
        answer(session, request);
        pthread_mutex_lock(&session->lock);
        session->running = NULL;
        pthread_mutex_unlock(&session->lock);
        free_request(request);
    }
    return NULL;
}

/* --- The thread that reads --- */

/* Adds a request behind those that wait. Takes the message. False: too many wait. */
static bool add_request(struct mcp_session *session, struct ps_rpc_message *message)
{
    struct mcp_request *request = ps_alloc(sizeof *request), **end = &session->first;
    size_t n = 0;

    request->message = *message;
    atomic_init(&request->is_cancelled, false);
    pthread_mutex_lock(&session->lock);
    for (; *end; end = &(*end)->next)
        n++;
    if (n < WAITING_MAX)
        *end = request;
    pthread_cond_signal(&session->wake);
    pthread_mutex_unlock(&session->lock);
    if (n < WAITING_MAX)
        message->tree = NULL; /* the request owns it */
    else
        free(request);
    return n < WAITING_MAX;
}

static void cancel_if(struct mcp_request *request, const char *id)
{
    if (request && strcmp(request->message.id, id) == 0)
        atomic_store(&request->is_cancelled, true);
}

/* Handles notifications/cancelled: an id that is not known was answered already. */
static void cancel(struct mcp_session *session, const struct ps_rpc_message *message)
{
    char id[PS_RPC_ID_SIZE];

    if (!ps_rpc_format_id(ps_member(message->params, "requestId"), id))
        return;
    pthread_mutex_lock(&session->lock);
    cancel_if(session->running, id);
    for (struct mcp_request *request = session->first; request; request = request->next)
        cancel_if(request, id);
    pthread_mutex_unlock(&session->lock);
}

static void handle_line(struct mcp_session *session, struct ps_str line)
{
    PS_AUTO(ps_rpc_free) struct ps_rpc_message message = {.tree = NULL};
    PS_AUTO(ps_buf_free) struct ps_buf reply = {0};

    if (!ps_rpc_read(line, &message, &reply))
        ;
    else if (strcmp(message.method, "notifications/cancelled") == 0)
        cancel(session, &message);
    else if (strcmp(message.method, "ping") == 0)
        ps_agent_reply(&session->agent, &message, &reply);
    else if (message.kind == PS_RPC_REQUEST && !add_request(session, &message))
        ps_rpc_write_error(&reply, message.id, PS_RPC_INTERNAL_ERROR, "too many requests wait");
    send_reply(session, &reply);
}

/* Reads the next line, without its newline. Of a line that is longer than a message may be, only
 * the beginning is kept; it is still too long, so ps_rpc_read refuses it. False: the input has
 * ended. */
static bool read_line(struct ps_buf *line)
{
    int byte;

    line->len = 0;
    while ((byte = getc_unlocked(stdin)) != EOF && byte != '\n') {
        const char c = (char)byte;

        if (line->len <= PS_RPC_MESSAGE_MAX)
            ps_buf_add(line, &c, 1);
    }
    if (line->len && line->ptr[line->len - 1] == '\r')
        line->len--;
    return byte != EOF || line->len;
}

static void serve_input(struct mcp_session *session)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};

    while (read_line(&line))
        if (line.len)
            handle_line(session, ps_buf_slice(&line));
}

/* --- The command --- */

static void close_session(struct mcp_session *session, pthread_t thread)
{
    pthread_mutex_lock(&session->lock);
    session->is_closing = true;
    pthread_cond_signal(&session->wake);
    pthread_mutex_unlock(&session->lock);
    pthread_join(thread, NULL);
}

int ps_cli_mcp(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(options);
    PS_AUTO(ps_buf_free) struct ps_buf page = {0};
    struct mcp_session session = {.first = NULL};
    struct ps_err err = PS_ERR_INIT;
    pthread_t thread;
    int code;

    if (!client)
        return 1;
    session.agent = ps_cli_agent(client, options, &page);
    session.agent.on_call = write_report;
    session.agent.on_call_user = &session;
    if (options->allow_write)
        ps_cli_allow_write(&session.agent, options);
    pthread_mutex_init(&session.lock, NULL);
    pthread_mutex_init(&session.output_lock, NULL);
    pthread_cond_init(&session.wake, NULL);
    code = pthread_create(&thread, NULL, answer_requests, &session);
    if (code != 0) {
        ps_fail(&err, PS_IO, "cannot start a thread: %s", strerror(code));
        return ps_print_failure("mcp", &err);
    }
    serve_input(&session);
    close_session(&session, thread);
    ps_buf_free(&session.report);
    pthread_cond_destroy(&session.wake);
    pthread_mutex_destroy(&session.output_lock);
    pthread_mutex_destroy(&session.lock);
    return 0;
}
