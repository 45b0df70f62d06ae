/* SPDX-License-Identifier: MIT */
/* change_feed.h: collects the changes of rows that are received from other servers (changes.h).
 * Only files of server/replica include it. */
#ifndef PS_REPLICA_CHANGE_FEED_H
#define PS_REPLICA_CHANGE_FEED_H

#include "server/catalog/changes.h"
#include "server/catalog/state.h"
#include "server/replica/clock.h"

#define PS_CHANGE_FEED_MAX 1000 /* maximum number of changes that are reported one by one */

struct ps_change_feed {
    struct ps_row_change *items; /* malloc'ed */
    size_t n, cap;
    bool is_overflowed; /* there are more changes than PS_CHANGE_FEED_MAX */
    /* there is a change that the shelf shows; changes of jobs do not count */
    bool has_shelf_change;
};

struct ps_change_feed_watch {
    struct ps_change_feed *feed;
    const struct ps_clock_table *tables;
    size_t n_tables;
};

/* From now on, records each row that changes on this handle. The watch must stay valid until
 * ps_change_feed_unwatch. */
void ps_change_feed_watch(struct ps_change_feed_watch *watch, sqlite3 *db);
void ps_change_feed_unwatch(sqlite3 *db);

/* Moves all changes of `from` to `to`. `from` is empty afterwards. */
void ps_change_feed_move(struct ps_change_feed *from, struct ps_change_feed *to);
void ps_change_feed_free(struct ps_change_feed *feed); /* empty and reusable afterwards */

#endif
