/* SPDX-License-Identifier: MIT */
/* negotiate.h: content negotiation and cache validation from request headers. Pure functions; every
 * string may be NULL unless stated otherwise. */
#ifndef PS_HTTP_NEGOTIATE_H
#define PS_HTTP_NEGOTIATE_H

#include "base/buf.h"

/* Whether Accept-Encoding contains gzip (or *) and does not refuse it with q=0. */
bool ps_accepts_gzip(const char *accept_encoding);

/* Whether If-None-Match contains the tag `etag` (weak comparison) or is *. */
bool ps_etag_matches(const char *if_none_match, const char *etag);

/* Whether content of this type is worth compressing; type is not NULL. */
bool ps_type_is_compressible(const char *type);

/* Appends the gzip form of `in`; false if it would not be smaller. */
bool ps_gzip_compress(struct ps_str in, struct ps_buf *out);

/* The value of Content-Disposition for a download: `attachment` with the name in ASCII and, if
 * needed, in UTF-8 (RFC 6266). name is not NULL. */
char *ps_format_attachment(struct ps_arena *arena, const char *name);

/* The file name in the value of Content-Disposition, possibly of another server; NULL if it has
 * none. It may contain slashes. */
const char *ps_parse_attachment(struct ps_arena *arena, const char *disposition);

#endif
