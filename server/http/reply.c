/* SPDX-License-Identifier: MIT */
#include "server/http/reply.h"

#include <assert.h>

#include "base/mem.h"
#include "server/http/hub.h"

void ps_reply_init(struct ps_reply *reply)
{
    *reply = (struct ps_reply){.status = 200, .type = "application/json", .stream_fd = -1};
}

static void drop_content(struct ps_reply *reply)
{
    ps_buf_free(&reply->body);
    ps_feed_free(reply->feed);
    ps_stream_free(reply->stream);
    ps_close_fd(&reply->stream_fd);
    reply->feed = NULL;
    reply->stream = NULL;
}

void ps_reply_free(struct ps_reply *reply)
{
    drop_content(reply);
    ps_reply_init(reply);
}

void ps_reply_add_header(struct ps_reply *reply, const char *name, const char *value)
{
    assert(reply->n_headers < PS_REPLY_HEADERS);
    reply->headers[reply->n_headers].name = name;
    reply->headers[reply->n_headers++].value = value;
}

void ps_reply_allow_caching(struct ps_reply *reply, const char *subject, uint64_t mark)
{
    reply->is_cacheable = true;
    reply->subject = subject;
    reply->mark = mark;
}

struct ps_json ps_reply_json_writer(struct ps_reply *reply)
{
    return ps_json_writer(&reply->body);
}

void ps_reply_set_error(struct ps_reply *reply, const struct ps_err *err)
{
    struct ps_json out;

    ps_reply_free(reply);
    reply->status = ps_http_status_of(err->code);
    if (err->code == PS_UNAVAILABLE) /* not PS_TOO_SLOW: a retry would be too slow again */
        ps_reply_add_header(reply, "Retry-After", "1");
    out = ps_reply_json_writer(reply);
    ps_json_object(&out);
    ps_json_key(&out, "error");
    ps_json_error(&out, err);
    ps_json_end(&out);
}

void ps_reply_set_error_fields(struct ps_reply *reply, unsigned http, const char *word,
                               const char *text, const char *hint)
{
    struct ps_json out;

    ps_reply_free(reply);
    reply->status = http;
    out = ps_reply_json_writer(reply);
    ps_json_object(&out);
    ps_json_key(&out, "error");
    ps_json_error_fields(&out, word, text, NULL, hint);
    ps_json_end(&out);
}
