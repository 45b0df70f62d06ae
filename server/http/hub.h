/* SPDX-License-Identifier: MIT */
/*
 * hub.h: server-sent events. A handler subscribes and puts the feed into its reply; whoever has
 * news sends them to the hub, from any thread, without waiting for a client. A client that reads
 * too slowly loses its stream, reconnects, and fetches what it missed.
 */
#ifndef PS_HTTP_HUB_H
#define PS_HTTP_HUB_H

#include "base/err.h"
#include "base/str.h"

struct ps_hub;
struct ps_feed;

#define PS_TOPIC_ALL 0
#define PS_FEED_MAX  ((size_t)256 << 10) /* bytes waiting for one client */

/* How many feeds there may be at once. Each takes a connection for as long as its client likes, so
 * that they leave connections to ordinary requests. 0: any number. */
struct ps_hub_limits {
    size_t all, per_address, per_holder;
};

/* Who listens; strings are copied. */
struct ps_feed_owner {
    const char *address; /* "": unknown, not limited */
    const char *holder;  /* the name behind the token; "": nobody */
    const char *secret;  /* the token or the session; "": none was asked for */
};

struct ps_hub *ps_hub_create(const struct ps_hub_limits *limits);
void ps_hub_free(struct ps_hub *hub); /* once every feed has ended; NULL is fine */

/* A feed hears what is sent to its topic; one of PS_TOPIC_ALL hears everything. PS_UNAVAILABLE: a
 * limit is reached, or ps_hub_close was called. */
enum ps_status ps_hub_subscribe(struct ps_hub *hub, uint64_t topic, const struct ps_feed_owner *by,
                                struct ps_feed **out, struct ps_err *err);
void ps_feed_free(struct ps_feed *feed); /* of a feed that was never sent; NULL is fine */

/* `data` must be one line. */
void ps_hub_send(struct ps_hub *hub, uint64_t topic, const char *event, struct ps_str data);
void ps_feed_send(struct ps_feed *feed, const char *event, struct ps_str data);
/* Ends this feed, or all feeds of a topic (not those of PS_TOPIC_ALL), after what is on its way. */
void ps_feed_end(struct ps_feed *feed);
void ps_hub_end(struct ps_hub *hub, uint64_t topic);
/* A comment to everybody: finds the clients that are gone. Ends the feeds whose secret is not
 * valid any more; is_valid is asked once for each secret, without a lock. */
void ps_hub_ping(struct ps_hub *hub, bool (*is_valid)(void *user, const char *secret), void *user);
void ps_hub_close(struct ps_hub *hub); /* ends every feed, now and in future */
size_t ps_hub_feeds(struct ps_hub *hub);

#endif
