/* SPDX-License-Identifier: MIT */
/* news.h: changes of rows as they come from the other servers (changes.h), inside this folder only.
 */
#ifndef PS_STORE_NEWS_H
#define PS_STORE_NEWS_H

#include "server/remote/clock.h"
#include "server/store/changes.h"
#include "server/store/db_impl.h"

#define PS_NEWS_MOST 1000 /* told one by one */

struct ps_news {
    struct ps_change *at; /* malloc'ed */
    size_t n, cap;
    bool many;  /* and more */
    bool shelf; /* some of it is what the shelf shows; a job is not */
};

struct ps_news_watch {
    struct ps_news *news;
    const struct ps_clock_table *tables;
    size_t n_tables;
};

/* From now on each row that changes on this handle is news. The watch must stay until
 * ps_news_unwatch. */
void ps_news_watch(struct ps_news_watch *watch, sqlite3 *db);
void ps_news_unwatch(sqlite3 *db);

/* Adds what is in `from`, which is empty then, to `to`. */
void ps_news_move(struct ps_news *from, struct ps_news *to);
void ps_news_free(struct ps_news *news); /* it is empty then */

#endif
