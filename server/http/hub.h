/* SPDX-License-Identifier: MIT */
/*
 * hub.h: server-sent events. A handler subscribes and puts the feed into its reply. Any thread can
 * send events to the hub without waiting for a client. A client that reads too slowly loses its
 * stream, reconnects, and fetches the events it missed.
 *
 * A feed that was put into a reply belongs to the reply, and is freed when its client disconnects
 * or the feed has ended. A feed that was not sent belongs to the caller.
 *
 *     ps_hub_subscribe(hub, job, &owner, &reply->feed, err);      in a handler
 *     ps_hub_send(hub, job, "progress", PS_STR("{\"done\":4}"));   in any thread
 *     ps_hub_end_topic(hub, job);
 */
#ifndef PS_HTTP_HUB_H
#define PS_HTTP_HUB_H

#include "base/err.h"
#include "base/str.h"

struct ps_hub;
struct ps_feed;

#define PS_TOPIC_ALL 0
#define PS_FEED_MAX  ((size_t)256 << 10) /* maximum number of bytes waiting for one client */

/* Maximum numbers of concurrent feeds; 0: no limit. A feed uses a connection for as long as the
 * client likes, so the limits reserve connections for ordinary requests. */
struct ps_hub_limits {
    size_t total, per_address, per_user;
};

/* The client of a feed; strings are copied. */
struct ps_feed_owner {
    const char *address;   /* "": unknown, then per_address does not apply */
    const char *user_name; /* user name of the token; "": unknown, then per_user does not apply */
    const char *secret;    /* the token or the session; "": none was required */
};

struct ps_hub *ps_hub_create(const struct ps_hub_limits *limits);
void ps_hub_free(struct ps_hub *hub); /* every feed must have ended; NULL is allowed */

/* Creates a feed of the events of a topic; PS_TOPIC_ALL: of all topics. PS_UNAVAILABLE: a limit is
 * reached, or ps_hub_close was called. */
enum ps_status ps_hub_subscribe(struct ps_hub *hub, uint64_t topic,
                                const struct ps_feed_owner *owner, struct ps_feed **out,
                                struct ps_err *err);
void ps_feed_free(struct ps_feed *feed); /* for a feed that was not sent; NULL is allowed */

/* Send an event to all feeds of a topic (PS_TOPIC_ALL: to all feeds), or to one feed. `data` must
 * be one line. */
void ps_hub_send(struct ps_hub *hub, uint64_t topic, const char *event, struct ps_str data);
void ps_feed_send(struct ps_feed *feed, const char *event, struct ps_str data);
/* End this feed, or all feeds of a topic (except those of PS_TOPIC_ALL), after the events that are
 * already queued. */
void ps_feed_end(struct ps_feed *feed);
void ps_hub_end_topic(struct ps_hub *hub, uint64_t topic);
/* Sends a comment to every feed, which detects clients that have disconnected. Ends the feeds whose
 * secret is no longer valid; is_valid is called once for each secret, without a lock. */
void ps_hub_ping(struct ps_hub *hub, bool (*is_valid)(void *user, const char *secret), void *user);
void ps_hub_close(struct ps_hub *hub); /* ends every feed and refuses new ones */
size_t ps_hub_count_feeds(struct ps_hub *hub);

#endif
