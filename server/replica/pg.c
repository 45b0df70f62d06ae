/* SPDX-License-Identifier: MIT */
/* pg.c: a connection to PostgreSQL, and statements sent over it. */
#include "server/replica/pg.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/context.h"
#include "server/replica/libpq.h"

struct ps_pg {
    char *url;
    PGconn *link;        /* NULL: not connected */
    size_t n_unanswered; /* queued statements without a result yet (ps_pg_queue) */
    int64_t silence_ms;
};

/* Maximum silence of the database while waiting for a result; longer than lock_timeout. */
#define PS_PG_SILENCE_MS 12000

/* --- Connection --- */

#define TRY_AGAIN_MS      50
#define TRY_AGAIN_MOST_MS 500

/* A server that stops or is disconnected within a transaction must not keep its locks: the database
 * ends such a transaction. Waiting for a lock times out before PS_PG_SILENCE_MS. */
#define SESSION "SET idle_in_transaction_session_timeout = 10000; SET lock_timeout = 8000"

/* Length of the first line. Messages of libpq end with a newline and may have several lines; the
 * first one names the cause. */
static int first_line(const char *text)
{
    return (int)strcspn(text, "\n");
}

struct ps_pg *ps_pg_new(const char *url)
{
    struct ps_pg *pg = ps_alloc(sizeof *pg);

    pg->url = ps_strdup(ps_str_from_c(url));
    pg->silence_ms = PS_PG_SILENCE_MS;
    return pg;
}

/* Closes the connection. */
static void close_connection(struct ps_pg *pg)
{
    if (pg->link)
        ps_pq.PQfinish(pg->link);
    pg->link = NULL;
    pg->n_unanswered = 0;
}

void ps_pg_free(struct ps_pg *pg)
{
    if (!pg)
        return;
    close_connection(pg);
    free(pg->url);
    free(pg);
}

void ps_pg_set_timeout(struct ps_pg *pg, int64_t ms)
{
    pg->silence_ms = ms ? ms : PS_PG_SILENCE_MS;
}

bool ps_pg_is_connected(const struct ps_pg *pg)
{
    return pg->link && ps_pq.PQstatus(pg->link) == CONNECTION_OK;
}

/* Connects. Parameters in the URL override our defaults, except for the encoding. */
static PGconn *connect_to_url(const char *url)
{
    static const char *const keys[] = {
        "connect_timeout",  "keepalives_idle",  "keepalives_interval",
        "keepalives_count", "tcp_user_timeout", "fallback_application_name",
        "dbname",           "client_encoding",  NULL};
    const char *const values[] = {"3", "5", "2", "3", "8000", "perfshelf", url, "UTF8", NULL};

    return ps_pq.PQconnectdbParams(keys, values, 1);
}

static enum ps_status report_lost(struct ps_pg *pg, struct ps_err *err)
{
    const char *why = ps_pq.PQerrorMessage(pg->link);

    return ps_fail(err, PS_UNAVAILABLE,
                   "the store cannot be reached: %.*s" PS_HINT "try again in a moment",
                   first_line(why), why);
}

/* Whether a statement may be retried after this SQLSTATE: connection lost, lock timeout,
 * serialization failure, shutdown or startup of the server. */
static bool is_passing(const char *state)
{
    static const char *const words[] = {"08", "40", "53", "55P03", "57P", "57014", "25P0", "25006"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(state, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

static enum ps_status status_of(const char *state)
{
    if (strcmp(state, "53100") == 0)
        return PS_FULL;
    if (is_passing(state))
        return PS_UNAVAILABLE;
    if (strncmp(state, "42501", 5) == 0 || strncmp(state, "28", 2) == 0)
        return PS_FORBIDDEN;
    return strncmp(state, "22", 2) == 0 ? PS_BAD_REQUEST : PS_INTERNAL;
}

/* Whether the connection is useless for further statements after this state: the server shuts down
 * or is read-only. */
static bool is_fatal_state(const char *state)
{
    return strncmp(state, "57P", 3) == 0 || strcmp(state, "25006") == 0;
}

static enum ps_status fail_pg(struct ps_pg *pg, const PGresult *result, struct ps_err *err)
{
    const char *state = result ? ps_pq.PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    const char *text = result ? ps_pq.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    const char *link = ps_pq.PQerrorMessage(pg->link);
    enum ps_status status = state ? status_of(state) : PS_UNAVAILABLE;

    if (!text || !text[0])
        text = link && link[0] ? link : "the connection was lost";
    ps_fail(err, status, "the store: %.*s" PS_HINT "%s", (int)strcspn(text, "\n"), text,
            status == PS_UNAVAILABLE ? "try again in a moment" : "");
    if (ps_pq.PQstatus(pg->link) != CONNECTION_OK || !state || is_fatal_state(state))
        close_connection(pg);
    return err->code;
}

/* Whether err is empty and the connection open; else err says why no statement is sent. */
static bool can_send(const struct ps_pg *pg, struct ps_err *err)
{
    if (!pg->link)
        (void)ps_fail(err, PS_UNAVAILABLE, "the store cannot be reached");
    return err->code == PS_OK;
}

#define SLICE_MS   50
#define QUEUED_MAX 256 /* maximum queued statements whose results are pending */

/* Waits for the socket, in slices, so that it notices the end of the request's context. */
static bool wait_for(struct ps_pg *pg, bool to_write)
{
    struct pollfd at = {ps_pq.PQsocket(pg->link), (short)(POLLIN | (to_write ? POLLOUT : 0)), 0};
    const int64_t until = ps_monotonic_ms() + pg->silence_ms;
    int got;

    do {
        int64_t left = until - ps_monotonic_ms();

        got = poll(&at, 1, left > SLICE_MS ? SLICE_MS : left > 0 ? (int)left : 0);
    } while ((got < 0 && errno == EINTR) ||
             (got == 0 && ps_monotonic_ms() < until && !ps_context_has_ended()));
    return got > 0;
}

static enum ps_status fail_timeout(struct ps_pg *pg, struct ps_err *err)
{
    close_connection(pg);
    if (ps_context_check(err) != PS_OK || err->code != PS_OK)
        return err->code;
    return ps_fail(err, PS_UNAVAILABLE,
                   "the store did not answer within %d s" PS_HINT "try again in a moment",
                   (int)(pg->silence_ms / 1000));
}

static enum ps_status flush_output(struct ps_pg *pg, struct ps_err *err)
{
    int left;

    while ((left = ps_pq.PQflush(pg->link)) > 0) {
        if (!wait_for(pg, true))
            return fail_timeout(pg, err);
        if (!ps_pq.PQconsumeInput(pg->link))
            return fail_pg(pg, NULL, err);
    }
    return left == 0 ? PS_OK : fail_pg(pg, NULL, err);
}

/* Waits for the next result; *out NULL: no further result of this statement. */
static enum ps_status next_result(struct ps_pg *pg, PGresult **out, struct ps_err *err)
{
    while (ps_pq.PQisBusy(pg->link)) {
        if (!wait_for(pg, false))
            return fail_timeout(pg, err);
        if (!ps_pq.PQconsumeInput(pg->link))
            return fail_pg(pg, NULL, err);
    }
    *out = ps_pq.PQgetResult(pg->link);
    return PS_OK;
}

/* Type OIDs of PostgreSQL's system catalog, the same in all databases. */
enum {
    OID_BYTEA = 17,
    OID_INT8 = 20,
    OID_INT2 = 21,
    OID_INT4 = 23,
    OID_FLOAT8 = 701,
    OID_TEXT = 25
};

static enum ps_status read_value(const PGresult *result, int row, int column,
                                 struct ps_pg_value *out, struct ps_err *err)
{
    const char *at = ps_pq.PQgetvalue(result, row, column);
    const size_t len = (size_t)ps_pq.PQgetlength(result, row, column);
    const Oid type = ps_pq.PQftype(result, column);
    uint64_t bits;

    *out = (struct ps_pg_value){.type = PS_PG_NULL};
    if (ps_pq.PQgetisnull(result, row, column))
        return PS_OK;
    if ((type == OID_INT8 || type == OID_FLOAT8) && len == 8) {
        memcpy(&bits, at, sizeof bits);
        bits = be64toh(bits);
        out->type = type == OID_INT8 ? PS_PG_INT : PS_PG_REAL;
        out->i = (int64_t)bits;
        memcpy(&out->real, &bits, sizeof bits);
    } else if (type == OID_TEXT || type == OID_BYTEA) {
        out->type = type == OID_TEXT ? PS_PG_TEXT : PS_PG_BYTES;
        out->text = (struct ps_str){at, len};
    } else {
        return ps_fail(err, PS_INTERNAL, "the store: column %s has the unexpected type %u",
                       ps_pq.PQfname(result, column), type);
    }
    return PS_OK;
}

static enum ps_status read_result_rows(const PGresult *result, ps_pg_row *row, void *user,
                                       struct ps_err *err)
{
    struct ps_pg_value values[PS_PG_COLUMNS];
    const int n = ps_pq.PQnfields(result);

    if (n > PS_PG_COLUMNS)
        return ps_fail(err, PS_INTERNAL, "the store: unexpected row of %d columns", n);
    for (int i = 0; err->code == PS_OK && i < ps_pq.PQntuples(result); i++) {
        for (int c = 0; c < n; c++)
            read_value(result, i, c, &values[c], err);
        if (err->code == PS_OK)
            row(user, values, (size_t)n, err);
    }
    return err->code;
}

/* Passes the rows of one result to `row`, or reports its error. */
static enum ps_status read_result(struct ps_pg *pg, const PGresult *result, ps_pg_row *row,
                                  void *user, struct ps_err *err)
{
    switch (ps_pq.PQresultStatus(result)) {
    case PGRES_SINGLE_TUPLE:
    case PGRES_TUPLES_OK:
        return row ? read_result_rows(result, row, user, err) : PS_OK;
    case PGRES_COMMAND_OK:
    case PGRES_EMPTY_QUERY:
    case PGRES_PIPELINE_SYNC:
        return PS_OK;
    default:
        return fail_pg(pg, result, err);
    }
}

/* Reads all results of one statement, even after a failure, so that the connection remains usable.
 */
static enum ps_status read_results(struct ps_pg *pg, ps_pg_row *row, void *user, struct ps_err *err)
{
    PGresult *result = NULL;

    while (pg->link && next_result(pg, &result, err) == PS_OK && result) {
        if (err->code == PS_OK)
            read_result(pg, result, row, user, err);
        ps_pq.PQclear(result);
    }
    return err->code;
}

enum ps_status ps_pg_script(struct ps_pg *pg, const char *sql, struct ps_err *err)
{
    if (!can_send(pg, err))
        return err->code;
    if (!ps_pq.PQsendQuery(pg->link, sql))
        return fail_pg(pg, NULL, err);
    return flush_output(pg, err) == PS_OK ? read_results(pg, NULL, NULL, err) : err->code;
}

/* Ignores notices such as "relation already exists, skipping". */
static void ignore_notice(void *user, const char *text)
{
    (void)user;
    (void)text;
}

static enum ps_status connect_once(struct ps_pg *pg, struct ps_err *err)
{
    const char *encoding;

    close_connection(pg);
    if (ps_pq_load(err) != PS_OK)
        return err->code;
    pg->link = connect_to_url(pg->url);
    if (ps_pq.PQstatus(pg->link) != CONNECTION_OK)
        return report_lost(pg, err);
    (void)ps_pq.PQsetNoticeProcessor(pg->link, ignore_notice, NULL);
    encoding = ps_pq.PQparameterStatus(pg->link, "server_encoding");
    if (encoding && strcmp(encoding, "UTF8") != 0)
        return ps_fail(err, PS_BAD_REQUEST,
                       "the store's database has the encoding %s; it must be UTF8" PS_HINT
                       "CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0",
                       encoding);
    if (ps_pq.PQsetnonblocking(pg->link, 1) != 0)
        return report_lost(pg, err);
    return ps_pg_script(pg, SESSION, err);
}

bool ps_pg_sleep(int64_t *ms, int64_t until)
{
    *ms = *ms ? *ms * 2 : TRY_AGAIN_MS;
    *ms = *ms < TRY_AGAIN_MOST_MS ? *ms : TRY_AGAIN_MOST_MS;
    if (ps_context_has_ended() || ps_monotonic_ms() + *ms > until)
        return false;
    ps_sleep_ms(*ms);
    return true;
}

enum ps_status ps_pg_connect(struct ps_pg *pg, int64_t wait_ms, struct ps_err *err)
{
    const int64_t until = ps_monotonic_ms() + wait_ms;
    int64_t pause = 0;

    while (err->code == PS_OK) {
        struct ps_err own = PS_ERR_INIT;

        if (ps_pg_is_connected(pg) || connect_once(pg, &own) == PS_OK)
            return PS_OK;
        if (own.code != PS_UNAVAILABLE || !ps_pg_sleep(&pause, until)) {
            close_connection(pg);
            (void)ps_fail_copy(err, &own);
        }
    }
    return err->code;
}

/* Statements, parameters and rows use the binary format of the protocol: numbers are exact, bytes
 * are not hex-encoded. */

/* --- Parameters --- */

struct params {
    Oid types[PS_PG_COLUMNS];
    const char *values[PS_PG_COLUMNS];
    int lengths[PS_PG_COLUMNS], formats[PS_PG_COLUMNS];
    uint64_t numbers[PS_PG_COLUMNS];
};

static void put_number(struct params *out, size_t i, Oid type, uint64_t bits)
{
    out->types[i] = type;
    out->numbers[i] = htobe64(bits);
    out->values[i] = (const char *)&out->numbers[i];
    out->lengths[i] = 8;
}

static void set_param(struct params *out, size_t i, const struct ps_pg_value *value)
{
    uint64_t bits;

    out->formats[i] = 1;
    switch (value->type) {
    case PS_PG_NULL:
        break;
    case PS_PG_INT:
        put_number(out, i, OID_INT8, (uint64_t)value->i);
        break;
    case PS_PG_REAL:
        memcpy(&bits, &value->real, sizeof bits);
        put_number(out, i, OID_FLOAT8, bits);
        break;
    case PS_PG_TEXT:
    case PS_PG_BYTES:
        out->types[i] = value->type == PS_PG_TEXT ? OID_TEXT : OID_BYTEA;
        out->values[i] = value->text.ptr ? value->text.ptr : "";
        out->lengths[i] = (int)value->text.len;
        break;
    }
}

static enum ps_status send(struct ps_pg *pg, const char *sql, const struct ps_pg_value *values,
                           size_t n, struct ps_err *err)
{
    struct params params = {{0}, {0}, {0}, {0}, {0}};

    for (size_t i = 0; i < n; i++)
        set_param(&params, i, &values[i]);
    if (!ps_pq.PQsendQueryParams(pg->link, sql, (int)n, params.types, params.values, params.lengths,
                                 params.formats, 1))
        return fail_pg(pg, NULL, err);
    return PS_OK;
}

/* --- Rows --- */

enum ps_status ps_pg_run(struct ps_pg *pg, const char *sql, const struct ps_pg_value *params,
                         size_t n, ps_pg_row *row, void *user, struct ps_err *err)
{
    if (!can_send(pg, err) || send(pg, sql, params, n, err) != PS_OK)
        return err->code;
    (void)ps_pq.PQsetSingleRowMode(pg->link);
    return flush_output(pg, err) == PS_OK ? read_results(pg, row, user, err) : err->code;
}

/* --- Pipelined statements --- */

/* Reads the results of queued statements. Those after a failed one are reported as aborted: returns
 * the first error. */
static enum ps_status read_queued_results(struct ps_pg *pg, ps_pg_row *row, void *user,
                                          struct ps_err *err)
{
    PGresult *result = NULL;
    bool ended = false; /* a second NULL in a row: no sync result will follow */
    bool synced = false;

    while (pg->link && !synced && next_result(pg, &result, err) == PS_OK) {
        if (!result && ended)
            return fail_pg(pg, NULL, err);
        ended = !result;
        if (result && err->code == PS_OK)
            read_result(pg, result, row, user, err);
        synced = result && ps_pq.PQresultStatus(result) == PGRES_PIPELINE_SYNC;
        ps_pq.PQclear(result);
    }
    return err->code;
}

enum ps_status ps_pg_flush(struct ps_pg *pg, ps_pg_row *row, void *user, struct ps_err *err)
{
    if (!can_send(pg, err) || pg->n_unanswered == 0)
        return err->code;
    pg->n_unanswered = 0;
    if (!ps_pq.PQpipelineSync(pg->link))
        return fail_pg(pg, NULL, err);
    if (flush_output(pg, err) == PS_OK)
        read_queued_results(pg, row, user, err);
    if (pg->link && !ps_pq.PQexitPipelineMode(pg->link))
        close_connection(pg);
    return err->code;
}

enum ps_status ps_pg_queue(struct ps_pg *pg, const char *sql, const struct ps_pg_value *params,
                           size_t n, struct ps_err *err)
{
    if (pg->n_unanswered == QUEUED_MAX)
        ps_pg_flush(pg, NULL, NULL, err);
    if (!can_send(pg, err))
        return err->code;
    if (pg->n_unanswered == 0 && !ps_pq.PQenterPipelineMode(pg->link))
        return fail_pg(pg, NULL, err);
    if (send(pg, sql, params, n, err) == PS_OK)
        pg->n_unanswered += flush_output(pg, err) == PS_OK;
    return err->code;
}

/* --- End of a transaction --- */

/* Queues COMMIT after the other statements: it succeeds only if all of them did, and takes one
 * round trip. */
enum ps_status ps_pg_commit(struct ps_pg *pg, struct ps_err *err)
{
    ps_pg_queue(pg, "COMMIT", NULL, 0, err);
    return ps_pg_flush(pg, NULL, NULL, err);
}

void ps_pg_rollback(struct ps_pg *pg)
{
    if (!pg->link)
        return;
    if (pg->n_unanswered)
        (void)ps_pg_flush(pg, NULL, NULL, PS_ERR_IGNORED); /* nothing of it is committed */
    if (pg->link && ps_pq.PQtransactionStatus(pg->link) != PQTRANS_IDLE &&
        ps_pg_script(pg, "ROLLBACK", PS_ERR_IGNORED) != PS_OK)
        close_connection(pg); /* the database rolls back then */
}
