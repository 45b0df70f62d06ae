/* SPDX-License-Identifier: MIT */
/* feed.h: an event stream (hub.h) as the body of a response. Private to this folder. */
#ifndef PS_HTTP_FEED_H
#define PS_HTTP_FEED_H

#include <microhttpd.h>

#include "server/http/hub.h"

/* Makes a response that owns the feed. NULL if libmicrohttpd is out of memory. */
struct MHD_Response *ps_feed_create_response(struct ps_feed *feed,
                                             struct MHD_Connection *connection);

#endif
