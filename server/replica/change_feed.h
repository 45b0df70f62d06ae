/* SPDX-License-Identifier: MIT */
/* change_feed.h: changes of rows as they come from the other servers (changes.h), inside this
 * folder only.
 */
#ifndef PS_REPLICA_CHANGE_FEED_H
#define PS_REPLICA_CHANGE_FEED_H

#include "server/catalog/changes.h"
#include "server/catalog/state.h"
#include "server/replica/clock.h"

#define PS_NEWS_MOST 1000 /* told one by one */

struct ps_change_feed {
    struct ps_change *at; /* malloc'ed */
    size_t n, cap;
    bool many;  /* and more */
    bool shelf; /* some of it is what the shelf shows; a job is not */
};

struct ps_change_feed_watch {
    struct ps_change_feed *news;
    const struct ps_clock_table *tables;
    size_t n_tables;
};

/* From now on each row that changes on this handle is news. The watch must stay until
 * ps_change_feed_unwatch. */
void ps_change_feed_watch(struct ps_change_feed_watch *watch, sqlite3 *db);
void ps_change_feed_unwatch(sqlite3 *db);

/* Adds what is in `from`, which is empty then, to `to`. */
void ps_change_feed_move(struct ps_change_feed *from, struct ps_change_feed *to);
void ps_change_feed_free(struct ps_change_feed *news); /* it is empty then */

#endif
