/* SPDX-License-Identifier: MIT */
/*
 * client.h: the shelf a command works on, asked by the HTTP API (docs/api.md): the one of --data or
 * --store, whose handlers run in this process, or the one that is served at --server. Commands
 * cannot tell them apart. Imports are not asked this way: see shelve.h and remote.h.
 */
#ifndef PS_CLI_CLIENT_H
#define PS_CLI_CLIENT_H

#include "server/cli/options.h"
#include "server/cli/remote_http.h"

struct ps_client;

/* NULL after saying why. */
struct ps_client *ps_client_open(const struct ps_options *options);
void ps_client_close(struct ps_client **client); /* for PS_AUTO */
/* The shelf itself, for what the API does not do; NULL: it is served at --server. */
struct ps_store *ps_client_store(struct ps_client *client);
struct ps_remote_http *ps_client_http(struct ps_client *client); /* NULL: it is opened here */

/* Paths are those below /api/v1/, encoded: begin with ps_buf_puts, then append. */
void ps_path_add(struct ps_buf *path, const char *segment); /* a name of a run: any bytes */
/* "?key=value" or "&key=value"; nothing where value is NULL. */
void ps_path_param(struct ps_buf *path, const char *key, const char *value);

/* Sends a request; `body` is JSON, empty for none. The JSON of the answer is appended to out. */
enum ps_status ps_client_ask(struct ps_client *client, const char *method, const char *path,
                             struct ps_str body, struct ps_buf *out, struct ps_err *err);
enum ps_status ps_client_get(struct ps_client *client, const char *path, struct ps_buf *out,
                             struct ps_err *err);
/* The tree of an answer, to be freed with ps_run_free. PS_INTERNAL: it is not JSON. */
enum ps_status ps_client_parse(struct ps_str answer, cJSON **out, struct ps_err *err);
/* ps_client_get as a tree. */
enum ps_status ps_client_read(struct ps_client *client, const char *path, cJSON **out,
                              struct ps_err *err);
/* The body of the answer goes into the empty file at fd: it may be larger than memory. `headers`
 * of it are filled in. */
enum ps_status ps_client_save(struct ps_client *client, const char *method, const char *path,
                              struct ps_str body, int fd, struct ps_answer_header *headers,
                              size_t n_headers, struct ps_err *err);

/* Fails because a word that names a run is "". */
enum ps_status ps_client_empty_run(struct ps_err *err);
/* The RUN object of what the command line calls `run`, as it was sent. */
enum ps_status ps_client_run(struct ps_client *client, const char *run, struct ps_buf *out,
                             struct ps_err *err);
/* The same as a tree. */
enum ps_status ps_client_read_run(struct ps_client *client, const char *run, cJSON **out,
                                  struct ps_err *err);

#endif
