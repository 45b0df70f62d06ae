/* SPDX-License-Identifier: MIT */
/* feed.h: a feed as the body of a reply, inside this folder only. */
#ifndef PS_HTTP_FEED_H
#define PS_HTTP_FEED_H

#include <microhttpd.h>

#include "server/http/hub.h"

/* The response owns the feed from now on; NULL when libmicrohttpd has no memory. */
struct MHD_Response *ps_feed_response(struct ps_feed *feed, struct MHD_Connection *connection);

#endif
