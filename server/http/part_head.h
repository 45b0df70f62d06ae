/* SPDX-License-Identifier: MIT */
/* part_head.h: the headers of one part of a form. */
#ifndef PS_HTTP_PART_HEAD_H
#define PS_HTTP_PART_HEAD_H

#include "server/http/multipart.h"

/* The value of `key` among the parameters of a header such as `form-data; name="a"; filename="b"`,
 * without its quotes; {NULL, 0} when it is not there. A backslash before the closing quote's kind
 * is left in the slice. */
struct ps_str ps_header_param(struct ps_str value, const char *key);

/* `head`: the lines before the empty one. PS_BAD_REQUEST: the part has no name. */
enum ps_status ps_part_read(struct ps_str head, struct ps_part *out, struct ps_err *err);

#endif
