/* SPDX-License-Identifier: MIT */
/*
 * client.h: access to the shelf of a command through the HTTP API (docs/api.md). For --data and
 * --store the handlers run in this process; for --server they run on that server. Commands need not
 * distinguish the two cases. Imports use other functions: see import_profile.h and remote_import.h.
 */
#ifndef PS_CLI_CLIENT_H
#define PS_CLI_CLIENT_H

#include "server/cli/client/remote_http.h"
#include "server/cli/options/options.h"
#include "server/http/url.h"
#include "server/text/answer.h"

struct ps_client;

/* Opens the shelf that the options select. NULL after reporting a failure. */
struct ps_client *ps_client_open(const struct ps_options *options);
void ps_client_close(struct ps_client **client); /* for PS_AUTO */
/* The shelf itself, for functions that are not in the API; NULL with --server. */
struct ps_store *ps_client_store(struct ps_client *client);
struct ps_remote_http *ps_client_http(struct ps_client *client); /* NULL without --server */

/* The functions below do nothing and return the code of err if err contains a failure already, so a
 * caller may check only the last of several calls. */

/* Sends a request; `body` is JSON or empty. Appends the JSON of the response to out. */
enum ps_status ps_client_send(struct ps_client *client, const char *method, const char *path,
                              struct ps_str body, struct ps_buf *out, struct ps_err *err);
enum ps_status ps_client_get(struct ps_client *client, const char *path, struct ps_buf *out,
                             struct ps_err *err);
/* Like ps_client_get, but parses the JSON into a tree; free it with ps_json_free. */
enum ps_status ps_client_read(struct ps_client *client, const char *path, cJSON **out,
                              struct ps_err *err);
/* Writes the body of the response, which may be larger than memory, to the empty file at fd. The
 * values of `headers` are filled in. */
enum ps_status ps_client_save(struct ps_client *client, const char *method, const char *path,
                              struct ps_str body, int fd, struct ps_wanted_header *headers,
                              size_t n_headers, struct ps_err *err);

/* Fails because a RUN argument is "". */
enum ps_status ps_client_fail_empty_run(struct ps_err *err);
/* Appends the RUN object (JSON) of the run that a RUN argument names. */
enum ps_status ps_client_get_run(struct ps_client *client, const char *run, struct ps_buf *out,
                                 struct ps_err *err);
/* Like ps_client_get_run, but returns a tree; free it with ps_json_free. */
enum ps_status ps_client_read_run(struct ps_client *client, const char *run, cJSON **out,
                                  struct ps_err *err);

#endif
