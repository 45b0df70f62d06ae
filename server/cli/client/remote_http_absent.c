/* SPDX-License-Identifier: MIT */
/* remote_http_absent.c: in place of remote_http.c in a build without libcurl (PERFSHELF_CURL=OFF).
 * No connection can be opened, so that the other functions are never called with one. */
#include "server/cli/client/remote_http.h"

static enum ps_status fail_absent(struct ps_err *err)
{
    return ps_fail(
        err, PS_BAD_REQUEST,
        "this perfshelf was built without libcurl, which requests to a server need" PS_HINT
        "use --data or --store, or another build of perfshelf");
}

enum ps_status ps_remote_http_open(const struct ps_remote_config *config,
                                   struct ps_remote_http **out, struct ps_err *err)
{
    (void)config;
    *out = NULL;
    return fail_absent(err);
}

void ps_remote_http_close(struct ps_remote_http *http)
{
    (void)http;
}

enum ps_status ps_remote_send(struct ps_remote_http *http, const struct ps_remote_request *request,
                              cJSON **out, struct ps_err *err)
{
    (void)http, (void)request;
    *out = NULL;
    return fail_absent(err);
}

enum ps_status ps_remote_fetch(struct ps_remote_http *http, const struct ps_remote_request *request,
                               struct ps_buf *out, int fd, struct ps_err *err)
{
    (void)http, (void)request, (void)out, (void)fd;
    return fail_absent(err);
}

enum ps_status ps_remote_post(const char *url, long timeout_s, long *status, struct ps_buf *answer,
                              struct ps_err *err)
{
    (void)url, (void)timeout_s, (void)status, (void)answer;
    return ps_fail(err, PS_BAD_REQUEST, "this perfshelf was built without libcurl");
}

void ps_remote_read_error(const cJSON *error, long http, struct ps_err *err)
{
    (void)error, (void)http;
    (void)fail_absent(err);
}

bool ps_remote_wait(struct ps_remote_http *http, unsigned n)
{
    (void)http, (void)n;
    return false;
}
