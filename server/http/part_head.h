/* SPDX-License-Identifier: MIT */
/* part_head.h: the headers of one part of a form. */
#ifndef PS_HTTP_PART_HEAD_H
#define PS_HTTP_PART_HEAD_H

#include "server/http/multipart.h"

/* The value of parameter `key` in a header such as `form-data; name="a"; filename="b"`, without its
 * quotes; {NULL, 0} if it is absent. Escapes such as \" are not decoded. */
struct ps_str ps_header_param(struct ps_str value, const char *key);

/* Reads the header lines of a part (`head`, without the empty line). PS_BAD_REQUEST: the part has
 * no name. */
enum ps_status ps_part_head_parse(struct ps_str head, struct ps_part *out, struct ps_err *err);

#endif
