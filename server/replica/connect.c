/* SPDX-License-Identifier: MIT */
/* connect.c: the connection: made, lost, made again. */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/context.h"
#include "server/replica/pg_impl.h"

#define TRY_AGAIN_MS      50
#define TRY_AGAIN_MOST_MS 500

/* A server that stops, or is cut off, in the middle of a transaction must not hold its locks: the
 * database ends such a transaction. Who waits for a lock gives up before libpq's caller does. */
#define SESSION "SET idle_in_transaction_session_timeout = 10000; SET lock_timeout = 8000"

bool ps_pg_is_url(const char *text)
{
    return strncmp(text, "postgresql://", 13) == 0 || strncmp(text, "postgres://", 11) == 0;
}

/* libpq ends its sentences with a line's end, and may say several; the first is the cause. */
static int first_line(const char *text)
{
    return (int)strcspn(text, "\n");
}

enum ps_status ps_pg_check(const char *url, bool *secret, struct ps_err *err)
{
    char *why = NULL;
    PQconninfoOption *options = PQconninfoParse(url, &why);

    *secret = false;
    if (!options) {
        enum ps_status status =
            ps_fail(err, PS_BAD_REQUEST, "the store's address is malformed: %.*s",
                    why ? first_line(why) : 0, why ? why : "");

        PQfreemem(why);
        return status;
    }
    for (PQconninfoOption *at = options; at->keyword; at++)
        *secret |= strcmp(at->keyword, "password") == 0 && at->val;
    PQconninfoFree(options);
    return PS_OK;
}

static const char *option(const PQconninfoOption *options, const char *keyword)
{
    for (; options && options->keyword; options++)
        if (strcmp(options->keyword, keyword) == 0 && options->val && options->val[0])
            return options->val;
    return NULL;
}

char *ps_pg_place(const char *url)
{
    struct ps_buf out = {0};
    PQconninfoOption *options = PQconninfoParse(url, NULL);
    const char *host = option(options, "host"), *port = option(options, "port");
    const char *name = option(options, "dbname"), *service = option(options, "service");

    ps_buf_puts(&out, "postgresql://");
    ps_buf_puts(&out, host ? host : "");
    if (port)
        ps_buf_printf(&out, ":%s", port);
    ps_buf_printf(&out, "/%s", name ? name : "");
    if (service)
        ps_buf_printf(&out, "?service=%s", service);
    PQconninfoFree(options);
    return out.at;
}

struct ps_pg *ps_pg_new(const char *url)
{
    struct ps_pg *pg = ps_alloc(sizeof *pg);

    pg->url = ps_strdup(ps_str_of(url));
    pg->silence_ms = PS_PG_SILENCE_MS;
    return pg;
}

void ps_pg_drop(struct ps_pg *pg)
{
    PQfinish(pg->link);
    pg->link = NULL;
    pg->said = 0;
}

void ps_pg_free(struct ps_pg *pg)
{
    if (!pg)
        return;
    ps_pg_drop(pg);
    free(pg->url);
    free(pg);
}

void ps_pg_patience(struct ps_pg *pg, int64_t ms)
{
    pg->silence_ms = ms ? ms : PS_PG_SILENCE_MS;
}

bool ps_pg_is_up(const struct ps_pg *pg)
{
    return pg->link && PQstatus(pg->link) == CONNECTION_OK;
}

int64_t ps_pg_clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* What the address says goes before our defaults, but for the encoding. */
static PGconn *dial(const char *url)
{
    static const char *const keys[] = {
        "connect_timeout",  "keepalives_idle",  "keepalives_interval",
        "keepalives_count", "tcp_user_timeout", "fallback_application_name",
        "dbname",           "client_encoding",  NULL};
    const char *const values[] = {"3", "5", "2", "3", "8000", "perfshelf", url, "UTF8", NULL};

    return PQconnectdbParams(keys, values, 1);
}

static enum ps_status say_lost(struct ps_pg *pg, struct ps_err *err)
{
    const char *why = PQerrorMessage(pg->link);
    enum ps_status status =
        ps_fail(err, PS_UNAVAILABLE, "the store cannot be reached: %.*s", first_line(why), why);

    ps_hint(err, "try again in a moment");
    return status;
}

static enum ps_status dial_once(struct ps_pg *pg, struct ps_err *err)
{
    const char *encoding;
    enum ps_status status;

    ps_pg_drop(pg);
    pg->link = dial(pg->url);
    if (PQstatus(pg->link) != CONNECTION_OK)
        return say_lost(pg, err);
    (void)PQsetNoticeProcessor(pg->link, ps_pg_hush, NULL);
    encoding = PQparameterStatus(pg->link, "server_encoding");
    if (encoding && strcmp(encoding, "UTF8") != 0) {
        ps_hint(err, "CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0");
        return ps_fail(err, PS_BAD_REQUEST,
                       "the store's database has the encoding %s; it must be UTF8", encoding);
    }
    if (PQsetnonblocking(pg->link, 1) != 0)
        return say_lost(pg, err);
    status = ps_pg_script(pg, SESSION, err);
    return status;
}

/* Notices ("relation already exists, skipping") are nobody's news. */
void ps_pg_hush(void *user, const char *text)
{
    (void)user;
    (void)text;
}

bool ps_pg_pause(int64_t *ms, int64_t until)
{
    *ms = *ms ? *ms * 2 : TRY_AGAIN_MS;
    *ms = *ms < TRY_AGAIN_MOST_MS ? *ms : TRY_AGAIN_MOST_MS;
    if (ps_context_ended() || ps_pg_clock_ms() + *ms > until)
        return false;
    (void)nanosleep(&(struct timespec){*ms / 1000, *ms % 1000 * 1000000}, NULL);
    return true;
}

enum ps_status ps_pg_connect(struct ps_pg *pg, int64_t wait_ms, struct ps_err *err)
{
    const int64_t until = ps_pg_clock_ms() + wait_ms;
    int64_t pause = 0;

    for (;;) {
        struct ps_err own = PS_ERR_INIT;

        if (ps_pg_is_up(pg) || dial_once(pg, &own) == PS_OK)
            return PS_OK;
        if (own.code != PS_UNAVAILABLE || !ps_pg_pause(&pause, until)) {
            ps_pg_drop(pg);
            return ps_fail_as(err, &own);
        }
    }
}
