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

static void add(struct ps_change_feed *news, const struct ps_change *change)
{
    for (size_t i = 0; i < news->n; i++)
        if (news->at[i].job == change->job && strcmp(news->at[i].run, change->run) == 0)
            return;
    if (news->n == PS_NEWS_MOST) {
        news->many = true;
        return;
    }
    PS_PUSH_ROOM(news->at, news->n, news->cap);
    news->at[news->n++] = *change;
}

static void add_value(struct ps_change_feed *news, bool job, sqlite3_value *value)
{
    struct ps_change change = {.what = job ? PS_CHANGED_JOB : PS_CHANGED_RUN};

    if (job)
        change.job = (uint64_t)sqlite3_value_int64(value);
    else
        (void)snprintf(change.run, sizeof change.run, "%s",
                       (const char *)sqlite3_value_text(value));
    add(news, &change);
}

static int column_of(const struct ps_change_feed_watch *watch, const char *table,
                     const char *column)
{
    for (size_t i = 0; i < watch->n_tables; i++)
        for (size_t k = 0; strcmp(watch->tables[i].name, table) == 0 && k < watch->tables[i].n; k++)
            if (strcmp(watch->tables[i].columns[k], column) == 0)
                return (int)k;
    return -1;
}

static void on_row(void *user, sqlite3 *db, int op, const char *schema, const char *table,
                   sqlite3_int64 before, sqlite3_int64 after)
{
    const struct ps_change_feed_watch *watch = user;
    struct ps_change_feed *news = watch->news;
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
    news->shelf |= !job;
    if (!told[i].column || news->many)
        return;
    column = column_of(watch, table, told[i].column);
    if (op != SQLITE_INSERT && sqlite3_preupdate_old(db, column, &value) == SQLITE_OK)
        add_value(news, job, value);
    if (op != SQLITE_DELETE && sqlite3_preupdate_new(db, column, &value) == SQLITE_OK)
        add_value(news, job, value);
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
    for (size_t i = 0; i < from->n && !to->many; i++)
        add(to, &from->at[i]);
    to->many |= from->many;
    to->shelf |= from->shelf;
    ps_change_feed_free(from);
}

void ps_change_feed_free(struct ps_change_feed *news)
{
    free(news->at);
    *news = (struct ps_change_feed){.at = NULL};
}
