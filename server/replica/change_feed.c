/* SPDX-License-Identifier: MIT */
/*
 * change_feed.c: finds the runs and jobs that changed while the mirror catches up. SQLite's
 * pre-update hook provides each row before and after the change, so the run of a deleted baseline
 * is known as well.
 */
#include "server/replica/change_feed.h"

#include <stdio.h>
#include <stdlib.h>

/* Tables whose changes are reported, and the column with the id of the run or job. */
static const struct {
    const char *table, *column;
} told[] = {{"run", "id"},     {"tag", "run"}, {"baseline", "run"},
            {"source", "run"}, {"job", "id"},  {"saved_query", NULL}};

static void add_change(struct ps_change_feed *feed, const struct ps_row_change *change)
{
    for (size_t i = 0; i < feed->n; i++)
        if (feed->items[i].job_id == change->job_id &&
            strcmp(feed->items[i].run_id, change->run_id) == 0)
            return;
    if (feed->n == PS_CHANGE_FEED_MAX) {
        feed->is_overflowed = true;
        return;
    }
    PS_RESERVE_ONE(feed->items, feed->n, feed->cap);
    feed->items[feed->n++] = *change;
}

static void add_value(struct ps_change_feed *feed, bool job, sqlite3_value *value)
{
    struct ps_row_change change = {.kind = job ? PS_CHANGED_JOB : PS_CHANGED_RUN};

    if (job)
        change.job_id = (uint64_t)sqlite3_value_int64(value);
    else
        (void)snprintf(change.run_id, sizeof change.run_id, "%s",
                       (const char *)sqlite3_value_text(value));
    add_change(feed, &change);
}

static int column_of(const struct ps_change_feed_watch *watch, const char *table,
                     const char *column)
{
    for (size_t i = 0; i < watch->n_tables; i++)
        for (size_t k = 0;
             strcmp(watch->tables[i].name, table) == 0 && k < watch->tables[i].n_columns; k++)
            if (strcmp(watch->tables[i].columns[k], column) == 0)
                return (int)k;
    return -1;
}

static void on_row(void *user, sqlite3 *db, int op, const char *schema, const char *table,
                   sqlite3_int64 before, sqlite3_int64 after)
{
    const struct ps_change_feed_watch *watch = user;
    struct ps_change_feed *feed = watch->feed;
    size_t i = 0;
    bool job;
    int column;
    sqlite3_value *value;

    (void)schema, (void)before, (void)after;
    while (i < sizeof told / sizeof *told && strcmp(told[i].table, table) != 0)
        i++;
    if (i == sizeof told / sizeof *told)
        return;
    job = strcmp(table, "job") == 0;
    feed->has_shelf_change |= !job;
    if (!told[i].column || feed->is_overflowed)
        return;
    column = column_of(watch, table, told[i].column);
    if (op != SQLITE_INSERT && sqlite3_preupdate_old(db, column, &value) == SQLITE_OK)
        add_value(feed, job, value);
    if (op != SQLITE_DELETE && sqlite3_preupdate_new(db, column, &value) == SQLITE_OK)
        add_value(feed, job, value);
}

void ps_change_feed_watch(struct ps_change_feed_watch *watch, sqlite3 *db)
{
    (void)sqlite3_preupdate_hook(db, on_row, watch);
}

void ps_change_feed_unwatch(sqlite3 *db)
{
    (void)sqlite3_preupdate_hook(db, NULL, NULL);
}

void ps_change_feed_move(struct ps_change_feed *from, struct ps_change_feed *to)
{
    for (size_t i = 0; i < from->n && !to->is_overflowed; i++)
        add_change(to, &from->items[i]);
    to->is_overflowed |= from->is_overflowed;
    to->has_shelf_change |= from->has_shelf_change;
    ps_change_feed_free(from);
}

void ps_change_feed_free(struct ps_change_feed *feed)
{
    free(feed->items);
    *feed = (struct ps_change_feed){.items = NULL};
}
