/* SPDX-License-Identifier: MIT */
/* remote_http.h: requests to a remote server, with retries after failures of the network or the
 * server. Errors contain the server and the HTTP status. The only user of libcurl. */
#ifndef PS_CLI_REMOTE_HTTP_H
#define PS_CLI_REMOTE_HTTP_H

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "server/cli/progress.h"

struct ps_remote_http;

struct ps_remote_config {
    const char *server; /* http[s]://HOST[:PORT][/PATH] */
    const char *token;  /* NULL: none */
    const char *ca; /* PEM file of accepted certificate authorities; NULL: those of the system */
};

/* Strings are copied. */
enum ps_status ps_remote_http_open(const struct ps_remote_config *config,
                                   struct ps_remote_http **out, struct ps_err *err);
void ps_remote_http_close(struct ps_remote_http *http); /* NULL is allowed */

/* A response header that the caller wants. */
struct ps_wanted_header {
    const char *name;
    char *value; /* malloc'ed, owned by the caller; NULL if it is absent */
};

struct ps_remote_request {
    const char *method, *path; /* path: below /api/v1/ */
    struct ps_str body;
    /* no retry after a dropped connection (PS_IO), because the caller has its own retries */
    bool no_retry;
    /* progress bar for `total` bytes, of which earlier requests sent `bytes_before`; NULL: none */
    struct ps_progress *progress;
    uint64_t bytes_before, total;
    struct ps_wanted_header *headers; /* filled in from a 2xx response */
    size_t n_headers;
};

/* Sends a request. After a 2xx response *out is its JSON, which the caller deletes, or NULL if it
 * has no body. Otherwise err is the error of the server or of the network (PS_IO); PS_CANCELLED:
 * the process was interrupted. Ends with the error of the ps_context of the thread
 * (base/context.h). Retries with increasing delays, about 50 s in total; at most two
 * times if the server was never reached. */
enum ps_status ps_remote_send(struct ps_remote_http *http, const struct ps_remote_request *request,
                              cJSON **out, struct ps_err *err);
/* Like ps_remote_send, without parsing: the body of the response is appended to out or, if fd >= 0,
 * written to that file, which is truncated before each attempt. */
enum ps_status ps_remote_fetch(struct ps_remote_http *http, const struct ps_remote_request *request,
                               struct ps_buf *out, int fd, struct ps_err *err);
/* Sends one POST without a body to a server of another kind, without retries. *status: of its
 * answer, which is appended to `answer`. PS_IO: there is none. */
enum ps_status ps_remote_post(const char *url, long timeout_s, long *status, struct ps_buf *answer,
                              struct ps_err *err);
/* Converts the error object of a response or a job ({"code","text","at","hint"}, or NULL) to err.
 * http: the HTTP status. */
void ps_remote_read_error(const cJSON *error, long http, struct ps_err *err);
/* Waits before attempt `n` (1, 2, ...); false if there are no more attempts. */
bool ps_remote_wait(struct ps_remote_http *http, unsigned n);

#endif
