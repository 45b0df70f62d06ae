/* SPDX-License-Identifier: MIT */
/* feed.h: an event stream (hub.h) as the body of a response; for this folder only. */
#ifndef PS_HTTP_FEED_H
#define PS_HTTP_FEED_H

#include <microhttpd.h>

#include "server/http/hub.h"

/* The response owns the feed from now on. NULL if libmicrohttpd is out of memory. */
struct MHD_Response *ps_feed_response(struct ps_feed *feed, struct MHD_Connection *connection);

#endif
