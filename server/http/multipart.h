/* SPDX-License-Identifier: MIT */
/*
 * multipart.h: multipart/form-data (RFC 7578) as a stream: bytes go in as they come, parts come
 * out. Holds no more than one header block or one boundary back. Knows nothing of HTTP or files.
 */
#ifndef PS_HTTP_MULTIPART_H
#define PS_HTTP_MULTIPART_H

#include "base/err.h"
#include "base/str.h"

struct ps_part {
    char name[128];
    char filename[256]; /* its last path component, control characters replaced; "" when there is
                           none */
    char path[1024];    /* the same with the directories the sender gave */
    bool is_file;       /* the part said filename=, or its name is "file" */
};

/* What a part turns into. A status other than PS_OK stops the parser, which returns it. */
struct ps_multipart_ops {
    enum ps_status (*begin)(void *user, const struct ps_part *part, struct ps_err *err);
    enum ps_status (*data)(void *user, struct ps_str bytes, struct ps_err *err);
    enum ps_status (*end)(void *user, struct ps_err *err);
};

struct ps_multipart;

bool ps_multipart_is(const char *content_type); /* NULL is not */

/* PS_BAD_REQUEST: the content type names no usable boundary. */
enum ps_status ps_multipart_create(const char *content_type, const struct ps_multipart_ops *ops,
                                   void *user, struct ps_multipart **out, struct ps_err *err);
enum ps_status ps_multipart_feed(struct ps_multipart *parser, struct ps_str bytes,
                                 struct ps_err *err);
/* The body ended. PS_BAD_REQUEST when its last boundary has not come. */
enum ps_status ps_multipart_finish(struct ps_multipart *parser, struct ps_err *err);
void ps_multipart_free(struct ps_multipart *parser); /* NULL is fine */

#endif
