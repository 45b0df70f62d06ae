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

void ps_reply_header(struct ps_reply *reply, const char *name, const char *value)
{
    assert(reply->n_headers < PS_REPLY_HEADERS);
    reply->headers[reply->n_headers].name = name;
    reply->headers[reply->n_headers++].value = value;
}

struct ps_json ps_reply_json(struct ps_reply *reply)
{
    return ps_json_to(&reply->body);
}

unsigned ps_http_code(enum ps_status status)
{
    switch (status) {
    case PS_OK:
        return 200;
    case PS_BAD_REQUEST:
        return 400;
    case PS_FORBIDDEN:
        return 403;
    case PS_NOT_FOUND:
        return 404;
    case PS_CONFLICT:
    case PS_CANCELLED:
    case PS_INTERRUPTED:
        return 409;
    case PS_LIMIT:
        return 413;
    case PS_UNKNOWN_KIND:
        return 415;
    case PS_BAD_INPUT:
        return 422;
    case PS_FULL:
        return 507;
    case PS_UNAVAILABLE:
        return 503;
    case PS_IO:
    case PS_INTERNAL:
        break;
    }
    return 500;
}

/* The words of docs/api.md; a shelf whose files cannot be read is our fault to whoever asks over
 * HTTP. */
static const char *word_of(enum ps_status status)
{
    if (status == PS_LIMIT)
        return "too_large";
    return status == PS_IO ? "internal" : ps_status_word(status);
}

static void error_object(struct ps_json *out, const char *word, const char *text,
                         const uint64_t *at, const char *hint)
{
    ps_json_object(out);
    ps_json_kstr(out, "code", word);
    ps_json_kstr(out, "text", text);
    ps_json_key(out, "at");
    if (at)
        ps_json_int(out, (int64_t)*at);
    else
        ps_json_null(out);
    ps_json_kstr(out, "hint", hint && hint[0] ? hint : NULL);
    ps_json_end(out);
}

void ps_error_json(struct ps_json *out, const struct ps_err *err)
{
    error_object(out, word_of(err->code), err->text, err->has_at ? &err->at : NULL, err->hint);
}

void ps_reply_error(struct ps_reply *reply, const struct ps_err *err)
{
    struct ps_json out;

    ps_reply_free(reply);
    reply->status = ps_http_code(err->code);
    if (reply->status == 503)
        ps_reply_header(reply, "Retry-After", "1");
    out = ps_reply_json(reply);
    ps_json_object(&out);
    ps_json_key(&out, "error");
    ps_error_json(&out, err);
    ps_json_end(&out);
}

void ps_reply_refuse(struct ps_reply *reply, unsigned http, const char *word, const char *text,
                     const char *hint)
{
    struct ps_json out;

    ps_reply_free(reply);
    reply->status = http;
    out = ps_reply_json(reply);
    ps_json_object(&out);
    ps_json_key(&out, "error");
    error_object(&out, word, text, NULL, hint);
    ps_json_end(&out);
}
