/* SPDX-License-Identifier: MIT */
/*
 * ambiguity.h: rejects requests that a proxy and this server could parse differently. Private to
 * this folder.
 *
 * A proxy in front of this server must agree with it on where a request ends and on its host.
 * Otherwise bytes that are a body for one of them are the next request for the other one (request
 * smuggling). libmicrohttpd resolves such ambiguities in its own way; this server rejects the
 * requests.
 */
#ifndef PS_HTTP_AMBIGUITY_H
#define PS_HTTP_AMBIGUITY_H

#include <microhttpd.h>

/* A message about the first ambiguity in the headers, or NULL. Static. */
const char *ps_request_find_ambiguity(struct MHD_Connection *connection);

#endif
