/* SPDX-License-Identifier: MIT */
/* remote_http.h: requests to a shelf that is served elsewhere, tried again when the network or the
 * server fails. A failure names the server and the status it answered. The only libcurl caller. */
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
    const char *ca;     /* PEM: who may have signed the server's certificate; NULL: the system's */
};

/* Strings are copied. */
enum ps_status ps_remote_http_open(const struct ps_remote_config *config,
                                   struct ps_remote_http **out, struct ps_err *err);
void ps_remote_http_close(struct ps_remote_http *http); /* NULL is fine */

/* A header of the answer that the caller wants. */
struct ps_answer_header {
    const char *name;
    char *value; /* malloc'ed, the caller's; NULL: the answer has none */
};

struct ps_remote_request {
    const char *method, *path; /* below /api/v1/ */
    struct ps_str body;
    bool once; /* whoever asks tries again in its own way: a dropped connection is PS_IO at once */
    struct ps_progress *progress; /* NULL: none; of `total` bytes, `before` have gone already */
    uint64_t before, total;
    struct ps_answer_header *headers; /* filled in from a 2xx */
    size_t n_headers;
};

/* *out is the JSON of a 2xx, the caller's to delete, or NULL without any. Else err is what the
 * server says is wrong, or what the network does (PS_IO); PS_CANCELLED: the process was told to
 * stop. Waits longer after each failure, for a minute in all; not before the server was reached
 * once. */
enum ps_status ps_remote_ask(struct ps_remote_http *http, const struct ps_remote_request *request,
                             cJSON **out, struct ps_err *err);
/* The same without reading the answer: its body is appended to out, or with fd >= 0 written to that
 * file, which is emptied before each try. */
enum ps_status ps_remote_fetch(struct ps_remote_http *http, const struct ps_remote_request *request,
                               struct ps_buf *out, int fd, struct ps_err *err);
/* The error of an answer or a job ({"code","text","at","hint"}, or NULL) as ours. */
void ps_remote_error(const cJSON *error, long http, struct ps_err *err);
/* Waits a while before try `n` (1, 2, ...) of something; false once there is no more. */
bool ps_remote_wait(struct ps_remote_http *http, unsigned n);

#endif
