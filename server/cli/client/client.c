/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/client/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/nearest.h"
#include "server/api/api.h"
#include "server/catalog/tokens.h"
#include "server/cli/cli.h"
#include "server/cli/commands/import_profile.h"
#include "server/http/local.h"

#define API "/api/v1/"

struct ps_client {
    struct ps_remote_http *http; /* for --server; NULL: the shelf is opened in this process */
    struct ps_store *store;
    struct ps_api *api;
    struct ps_local local;
};

/* --- Opening --- */

static struct ps_remote_http *open_remote(const struct ps_options *options)
{
    const struct ps_remote_config config = {options->server, options->token, options->ca};
    struct ps_remote_http *http = NULL;
    struct ps_err err = PS_ERR_INIT;

    if (ps_remote_http_open(&config, &http, &err) != PS_OK)
        ps_print_failure(options->server, &err);
    return http;
}

static bool open_local(struct ps_client *client, const struct ps_options *options)
{
    const struct ps_str shell = {(const char *)ps_offline_page,
                                 (size_t)(ps_offline_page_end - ps_offline_page)};

    client->store = ps_cli_open_store(options);
    if (!client->store)
        return false;
    client->api = ps_api_create_local(client->store, shell);
    client->local = (struct ps_local){ps_api_routes, ps_api_routes_count, client->api,
                                      ps_cli_login_name(), PS_ACCESS_ADMIN};
    return true;
}

struct ps_client *ps_client_open(const struct ps_options *options)
{
    struct ps_client *client = ps_alloc(sizeof *client);

    if (options->server)
        client->http = open_remote(options);
    if (options->server ? client->http != NULL : open_local(client, options))
        return client;
    ps_client_close(&client);
    return NULL;
}

void ps_client_close(struct ps_client **client)
{
    if (!*client)
        return;
    ps_remote_http_close((*client)->http);
    ps_api_free((*client)->api);
    ps_store_close((*client)->store);
    free(*client);
    *client = NULL;
}

struct ps_store *ps_client_store(struct ps_client *client)
{
    return client->store;
}

struct ps_remote_http *ps_client_http(struct ps_client *client)
{
    return client->http;
}

/* --- Requests --- */

/* Copies a streamed response to the file at fd, or to out if fd < 0. */
static enum ps_status copy_stream(struct ps_stream *stream, struct ps_buf *out, int fd,
                                  struct ps_err *err)
{
    for (;;) {
        struct ps_str bytes = ps_stream_peek(stream, 1);

        if (bytes.len == 0)
            return ps_stream_status(stream, err);
        if (fd < 0)
            ps_buf_add_str(out, bytes);
        else if (ps_write_all(fd, bytes, "the answer", err) != PS_OK)
            return err->code;
        ps_stream_skip(stream, bytes.len);
    }
}

static void read_headers(const struct ps_reply *reply, const struct ps_remote_request *request)
{
    for (size_t i = 0; i < request->n_headers; i++)
        for (size_t j = 0; j < reply->n_headers; j++)
            if (strcmp(reply->headers[j].name, request->headers[i].name) == 0)
                request->headers[i].value = ps_strdup(ps_str_from_c(reply->headers[j].value));
}

static enum ps_status call_local(struct ps_client *client, const struct ps_remote_request *request,
                                 struct ps_buf *out, int fd, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf target = {0};
    struct ps_local_result *answer = NULL;

    ps_buf_printf(&target, API "%s", request->path);
    if (ps_local_call(&client->local, request->method, target.ptr, request->body, &answer, err) ==
        PS_OK) {
        struct ps_reply *reply = ps_local_result_reply(answer);
        struct ps_str bytes = ps_buf_slice(&reply->body);

        read_headers(reply, request);
        if (reply->stream)
            copy_stream(reply->stream, out, fd, err);
        else if (fd >= 0)
            ps_write_all(fd, bytes, "the answer", err);
        else
            ps_buf_add_str(out, bytes);
    }
    ps_local_result_free(answer);
    return err->code;
}

#define NAMES_MAX 200 /* newest runs whose names are compared with a mistyped one */

/* Replaces the hint if the newest runs have a name that is similar to the word. */
static void hint_at_name(struct ps_client *client, const char *word, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    struct ps_nearest nearest = {.typed = word};
    struct ps_err ignored = PS_ERR_INIT;
    cJSON *answer = NULL;
    const cJSON *run;

    ps_buf_printf(&path, "runs?limit=%d", NAMES_MAX);
    if (ps_client_read(client, path.ptr, &answer, &ignored) == PS_OK) {
        cJSON_ArrayForEach(run, ps_member(answer, "rows"))
            ps_nearest_offer(&nearest, cJSON_GetStringValue(ps_member(run, "name")));
        if (nearest.word)
            (void)snprintf(err->hint, sizeof err->hint,
                           "did you mean '%s'? `perfshelf list` shows the runs", nearest.word);
    }
    cJSON_Delete(answer);
}

/* A word that names no run may be a file that is not on the shelf yet, or a mistyped name. */
static void improve_hint(struct ps_client *client, struct ps_err *err)
{
    static const char begin[] = "no run ", end[] = " on this shelf";
    const char *last = strstr(err->text, end);
    PS_AUTO(ps_free_ptr) char *word = NULL;

    if (strncmp(err->text, begin, sizeof begin - 1) != 0 || !last)
        return;
    word = ps_strdup((struct ps_str){err->text + sizeof begin - 1,
                                     (size_t)(last - err->text) - (sizeof begin - 1)});
    if (access(word, F_OK) == 0)
        (void)snprintf(
            err->hint, sizeof err->hint,
            "it is a file: add it with `perfshelf add`, then use the id that is printed");
    else
        hint_at_name(client, word, err);
}

static enum ps_status send_request(struct ps_client *client,
                                   const struct ps_remote_request *request, struct ps_buf *out,
                                   int fd, struct ps_err *err)
{
    if (err->code != PS_OK)
        return err->code;
    if (client->http)
        ps_remote_fetch(client->http, request, out, fd, err);
    else
        call_local(client, request, out, fd, err);
    if (err->code == PS_NOT_FOUND)
        improve_hint(client, err);
    return err->code;
}

enum ps_status ps_client_send(struct ps_client *client, const char *method, const char *path,
                              struct ps_str body, struct ps_buf *out, struct ps_err *err)
{
    /* A DELETE is not retried, because the second one would not find the run that the first
     * deleted. */
    const struct ps_remote_request request = {
        .method = method, .path = path, .body = body, .no_retry = strcmp(method, "DELETE") == 0};

    return send_request(client, &request, out, -1, err);
}

enum ps_status ps_client_save(struct ps_client *client, const char *method, const char *path,
                              struct ps_str body, int fd, struct ps_wanted_header *headers,
                              size_t n_headers, struct ps_err *err)
{
    const struct ps_remote_request request = {
        .method = method, .path = path, .body = body, .headers = headers, .n_headers = n_headers};

    return send_request(client, &request, NULL, fd, err);
}

enum ps_status ps_client_get(struct ps_client *client, const char *path, struct ps_buf *out,
                             struct ps_err *err)
{
    return ps_client_send(client, "GET", path, (struct ps_str){NULL, 0}, out, err);
}

enum ps_status ps_client_read(struct ps_client *client, const char *path, cJSON **out,
                              struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_client_get(client, path, &text, err);
    return ps_answer_parse(ps_buf_slice(&text), out, err);
}

enum ps_status ps_client_fail_empty_run(struct ps_err *err)
{
    return ps_fail(err, PS_BAD_REQUEST, "RUN is empty" PS_HINT "`perfshelf list` shows the runs");
}

enum ps_status ps_client_get_run(struct ps_client *client, const char *run, struct ps_buf *out,
                                 struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    if (!run[0])
        return ps_client_fail_empty_run(err);
    ps_buf_puts(&path, "runs");
    ps_url_add_segment(&path, run);
    return ps_client_get(client, path.ptr, out, err);
}

enum ps_status ps_client_read_run(struct ps_client *client, const char *run, cJSON **out,
                                  struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_client_get_run(client, run, &text, err);
    return ps_answer_parse(ps_buf_slice(&text), out, err);
}
