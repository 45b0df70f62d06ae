/* SPDX-License-Identifier: MIT */
/*
 * multipart.h: streaming parser for multipart/form-data (RFC 7578): it is fed with bytes and calls
 * back for parts. It buffers at most one header block or one boundary. It is independent of HTTP
 * and files.
 */
#ifndef PS_HTTP_MULTIPART_H
#define PS_HTTP_MULTIPART_H

#include "base/err.h"
#include "base/str.h"

struct ps_part {
    char name[128];
    /* last path component of the file name, control characters replaced; "" if there is none */
    char filename[256];
    char path[1024]; /* file name with the directories that the sender passed */
    bool is_file;    /* the part has filename=, or its name is "file" */
};

/* Callbacks for the parts. A status other than PS_OK stops the parser, which returns it. */
struct ps_multipart_ops {
    enum ps_status (*begin)(void *user, const struct ps_part *part, struct ps_err *err);
    enum ps_status (*data)(void *user, struct ps_str bytes, struct ps_err *err);
    enum ps_status (*end)(void *user, struct ps_err *err);
};

struct ps_multipart;

bool ps_is_multipart(const char *content_type); /* false for NULL */

/* Creates a parser. PS_BAD_REQUEST: the content type has no usable boundary. */
enum ps_status ps_multipart_create(const char *content_type, const struct ps_multipart_ops *ops,
                                   void *user, struct ps_multipart **out, struct ps_err *err);
enum ps_status ps_multipart_feed(struct ps_multipart *parser, struct ps_str bytes,
                                 struct ps_err *err);
/* Call this when the body has ended. PS_BAD_REQUEST: the final boundary is missing. */
enum ps_status ps_multipart_finish(struct ps_multipart *parser, struct ps_err *err);
void ps_multipart_free(struct ps_multipart *parser); /* NULL is allowed */

/* Reads the header lines of a part (`head`, without the empty line). PS_BAD_REQUEST: the part has
 * no name. */
enum ps_status ps_part_head_parse(struct ps_str head, struct ps_part *out, struct ps_err *err);

#endif
