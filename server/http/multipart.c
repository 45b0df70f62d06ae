/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* strncasecmp */
#include "server/http/multipart.h"

#include <stdlib.h>
#include <strings.h>

#include "base/buf.h"
#include "server/http/part_head.h"

#define BOUNDARY_MAX 70 /* RFC 2046 */
#define HEAD_MAX     ((size_t)8 << 10)

enum state { FIND_FIRST, AFTER_BOUNDARY, IN_HEAD, DATA_BEGINS, IN_DATA, DONE };

struct ps_multipart {
    const struct ps_multipart_ops *ops;
    void *user;
    enum state state;
    char boundary[BOUNDARY_MAX + 5]; /* "\r --" and the boundary */
    size_t boundary_len;
    struct ps_buf hold; /* input that cannot be parsed yet */
};

bool ps_is_multipart(const char *content_type)
{
    static const char name[] = "multipart/form-data";

    return content_type && strncasecmp(content_type, name, sizeof name - 1) == 0;
}

enum ps_status ps_multipart_create(const char *content_type, const struct ps_multipart_ops *ops,
                                   void *user, struct ps_multipart **out, struct ps_err *err)
{
    struct ps_str name = ps_header_param(ps_str_from_c(content_type), "boundary");
    struct ps_multipart *parser;

    *out = NULL;
    if (name.len == 0 || name.len > BOUNDARY_MAX)
        return ps_fail(err, PS_BAD_REQUEST,
                       "the Content-Type of the multipart form has no boundary");
    parser = ps_alloc(sizeof *parser);
    parser->ops = ops;
    parser->user = user;
    memcpy(parser->boundary, "\r\n--", 4);
    memcpy(parser->boundary + 4, name.ptr, name.len);
    parser->boundary_len = name.len + 4;
    /* The first boundary may be at the very start of the body, without a preceding line break. */
    ps_buf_add(&parser->hold, "\r\n", 2);
    *out = parser;
    return PS_OK;
}

void ps_multipart_free(struct ps_multipart *parser)
{
    if (parser)
        ps_buf_free(&parser->hold);
    free(parser);
}

static struct ps_str boundary_of(const struct ps_multipart *parser)
{
    return (struct ps_str){parser->boundary, parser->boundary_len};
}

/* Number of bytes of `in` before the boundary if it is found, else the bytes that cannot be part of
 * a boundary that is incomplete. */
static size_t before_boundary(const struct ps_multipart *parser, struct ps_str in, bool *found)
{
    const char *at = ps_str_find(in, boundary_of(parser));

    *found = at != NULL;
    if (at)
        return (size_t)(at - in.ptr);
    return in.len < parser->boundary_len ? 0 : in.len - parser->boundary_len + 1;
}

static enum ps_status step_data(struct ps_multipart *parser, struct ps_str *in, bool *more,
                                struct ps_err *err)
{
    bool found;
    struct ps_str data = {in->ptr, before_boundary(parser, *in, &found)};
    enum ps_status status = PS_OK;

    if (parser->state == IN_DATA && data.len > 0)
        status = parser->ops->data(parser->user, data, err);
    if (status == PS_OK && parser->state == IN_DATA && found)
        status = parser->ops->end(parser->user, err);
    *in = ps_str_skip(*in, data.len + (found ? parser->boundary_len : 0));
    if (found)
        parser->state = AFTER_BOUNDARY;
    *more = found;
    return status;
}

/* "--" ends the form, a line break begins a part; spaces may precede either. */
static enum ps_status step_after_boundary(struct ps_multipart *parser, struct ps_str *in,
                                          bool *more, struct ps_err *err)
{
    while (in->len > 0 && (in->ptr[0] == ' ' || in->ptr[0] == '\t'))
        *in = ps_str_skip(*in, 1);
    *more = in->len >= 2;
    if (!*more)
        return PS_OK;
    if (memcmp(in->ptr, "--", 2) == 0)
        parser->state = DONE;
    else if (memcmp(in->ptr, "\r\n", 2) == 0)
        parser->state = IN_HEAD;
    else
        return ps_fail(err, PS_BAD_REQUEST, "the multipart form is malformed after a boundary");
    /* Keeps the line break: a part without headers ends its header block with this one and the
     * next. */
    *in = ps_str_skip(*in, parser->state == DONE ? 2 : 0);
    return PS_OK;
}

static enum ps_status step_head(struct ps_multipart *parser, struct ps_str *in, bool *more,
                                struct ps_err *err)
{
    static const struct ps_str empty_line = {"\r\n\r\n", 4};
    const char *at = ps_str_find(*in, empty_line);
    struct ps_part part;
    enum ps_status status;

    *more = at != NULL;
    if (!at && in->len > HEAD_MAX)
        return ps_fail(err, PS_BAD_REQUEST,
                       "a part of the multipart form has a header that is too long");
    if (!at)
        return PS_OK;
    status = ps_part_head_parse((struct ps_str){in->ptr, (size_t)(at - in->ptr)}, &part, err);
    if (status != PS_OK)
        return status;
    *in = ps_str_skip(*in, (size_t)(at - in->ptr) + 2);
    parser->state = DATA_BEGINS;
    return parser->ops->begin(parser->user, &part, err);
}

/* For a part without a body, the line break of the empty line may be the first one of the
 * boundary. */
static enum ps_status step_data_begins(struct ps_multipart *parser, struct ps_str *in, bool *more)
{
    *more = in->len >= parser->boundary_len;
    if (!*more)
        return PS_OK;
    if (!ps_str_starts_with(*in, boundary_of(parser)))
        *in = ps_str_skip(*in, 2);
    parser->state = IN_DATA;
    return PS_OK;
}

static enum ps_status parse_step(struct ps_multipart *parser, struct ps_str *in, bool *more,
                                 struct ps_err *err)
{
    switch (parser->state) {
    case FIND_FIRST:
    case IN_DATA:
        return step_data(parser, in, more, err);
    case AFTER_BOUNDARY:
        return step_after_boundary(parser, in, more, err);
    case IN_HEAD:
        return step_head(parser, in, more, err);
    case DATA_BEGINS:
        return step_data_begins(parser, in, more);
    case DONE:
        *in = ps_str_skip(*in, in->len);
        *more = false;
    }
    return PS_OK;
}

enum ps_status ps_multipart_feed(struct ps_multipart *parser, struct ps_str bytes,
                                 struct ps_err *err)
{
    enum ps_status status = PS_OK;
    struct ps_str in;
    bool more = true;

    ps_buf_add(&parser->hold, bytes.ptr, bytes.len);
    in = ps_buf_slice(&parser->hold);
    while (more && status == PS_OK)
        status = parse_step(parser, &in, &more, err);
    memmove(parser->hold.ptr, in.ptr, in.len);
    parser->hold.len = in.len;
    return status;
}

enum ps_status ps_multipart_finish(struct ps_multipart *parser, struct ps_err *err)
{
    if (parser->state != DONE)
        return ps_fail(err, PS_BAD_REQUEST, "the multipart form ends before its last boundary");
    return PS_OK;
}
