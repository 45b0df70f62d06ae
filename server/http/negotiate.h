/* SPDX-License-Identifier: MIT */
/* negotiate.h: what a client accepts and what it has already, read from its headers. Pure
 * functions; every text may be NULL. */
#ifndef PS_HTTP_NEGOTIATE_H
#define PS_HTTP_NEGOTIATE_H

#include "base/buf.h"

/* Accept-Encoding names gzip (or *) and does not refuse it with q=0. */
bool ps_accepts_gzip(const char *accept_encoding);

/* If-None-Match names this tag (weakly compared) or is *. */
bool ps_etag_matches(const char *if_none_match, const char *etag);

/* True for types that shrink. */
bool ps_type_shrinks(const char *type);

/* The gzip form of `in`, or false when it would not be smaller. */
bool ps_gzip(struct ps_str in, struct ps_buf *out);

/* Content-Disposition of a download: `attachment` with the name in ASCII and, where needed, in
 * UTF-8 (RFC 6266). */
char *ps_attachment(struct ps_arena *arena, const char *name);

/* The name in such a header, of a server that need not be ours; NULL: it has none. May hold
 * slashes. */
const char *ps_attachment_name(struct ps_arena *arena, const char *disposition);

#endif
