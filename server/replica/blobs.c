/* SPDX-License-Identifier: MIT */
/* blobs.c: bytes there and back. */
#include "server/replica/blobs_impl.h"

#include <stdlib.h>
#include <unistd.h>

#define TRIES 4  /* without getting further */
#define GROUP 16 /* chunks that are sent in one transaction */

/* --- sending -----------------------------------------------------------------------------------
 */

struct sending {
    struct ps_pg *pg;
    const char *session, *place, *hash;
    int fd;
    uint64_t bytes;
    char *chunk;
    struct ps_content content; /* what was read */
    int64_t chunks;            /* said */
    bool away;                 /* nobody answers */
};

static enum ps_status count_row(void *user, const struct ps_pg_value *values, size_t n,
                                struct ps_err *err)
{
    (void)values;
    (void)n;
    (void)err;
    ++*(size_t *)user;
    return PS_OK;
}

/* Says the begin of a transaction that adds to the place. It holds the row of loose, so that nobody
 * takes it meanwhile; where it was taken, what is said selects nothing from it. */
static enum ps_status begin_own(struct sending *s, struct ps_err *err)
{
    const struct ps_pg_value values[] = {ps_pg_text(s->place), ps_pg_text(s->session)};
    enum ps_status status = ps_pg_say(s->pg, "BEGIN ISOLATION LEVEL READ COMMITTED", NULL, 0, err);

    if (status == PS_OK)
        status = ps_pg_say(s->pg,
                           "UPDATE loose SET owner = $2 WHERE place = $1 AND owner = $2 "
                           "RETURNING place",
                           values, 2, err);
    return status;
}

static enum ps_status end_own(struct sending *s, enum ps_status status, struct ps_err *err)
{
    size_t rows = 0;

    if (status == PS_OK)
        status = ps_pg_say(s->pg, "COMMIT", NULL, 0, err);
    if (status == PS_OK)
        status = ps_pg_settle(s->pg, count_row, &rows, err);
    if (status == PS_OK && rows == 0)
        status = ps_fail(err, PS_UNAVAILABLE, "the store: the lease of this server expired");
    if (status != PS_OK)
        ps_pg_rollback(s->pg);
    return status;
}

/* Reads the next chunk; *len 0: there is no more. */
static enum ps_status read_chunk(struct sending *s, size_t *len, struct ps_err *err)
{
    ssize_t got = 1;

    for (*len = 0; got > 0 && *len < PS_BLOB_CHUNK; *len += (size_t)got) {
        got = pread(s->fd, s->chunk + *len, PS_BLOB_CHUNK - *len, (off_t)(s->content.bytes + *len));
        if (got < 0)
            return ps_fail_errno(err, "cannot read", "the file to send");
    }
    ps_content_add(&s->content, (struct ps_str){s->chunk, *len});
    return PS_OK;
}

static enum ps_status say_chunk(struct sending *s, size_t len, struct ps_err *err)
{
    const struct ps_pg_value values[] = {
        ps_pg_text(s->place),
        ps_pg_int(s->chunks),
        {.type = PS_PG_BYTES, .text = {s->chunk, len}},
        ps_pg_text(s->session),
    };

    s->chunks++;
    return ps_pg_say(s->pg,
                     "INSERT INTO chunk(place, n, data) SELECT $1, $2, $3 FROM loose "
                     "WHERE place = $1 AND owner = $4",
                     values, 4, err);
}

/* *more: there may be more. */
static enum ps_status send_group(struct sending *s, bool *more, struct ps_err *err)
{
    enum ps_status status = begin_own(s, err);

    *more = true;
    for (size_t i = 0; status == PS_OK && *more && i < GROUP; i++) {
        size_t len = 0;

        status = read_chunk(s, &len, err);
        *more = len > 0;
        if (status == PS_OK && len)
            status = say_chunk(s, len, err);
    }
    return end_own(s, status, err);
}

static enum ps_status send_chunks(struct sending *s, struct ps_err *err)
{
    char found[PS_CONTENT_SIZE];
    bool more = true;
    enum ps_status status = PS_OK;

    ps_content_begin(&s->content);
    s->chunks = 0;
    while (status == PS_OK && more && s->content.bytes <= s->bytes)
        status = send_group(s, &more, err);
    ps_content_end(&s->content, found);
    if (status == PS_OK && (s->content.bytes != s->bytes || strcmp(found, s->hash) != 0))
        status = ps_fail(err, PS_BAD_INPUT,
                         "the file changed while it was sent: its hash is not %s", s->hash);
    return status;
}

/* The row that says that all are there. If another sending was first, ours was for nothing. */
static enum ps_status publish(struct sending *s, struct ps_err *err)
{
    const struct ps_pg_value values[] = {ps_pg_text(s->hash), ps_pg_text(s->place),
                                         ps_pg_int((int64_t)s->bytes), ps_pg_int(s->chunks),
                                         ps_pg_text(s->session)};
    struct ps_blob_row row = {NULL, 0, 0};
    enum ps_status status = begin_own(s, err);

    if (status == PS_OK)
        status =
            ps_pg_say(s->pg,
                      "INSERT INTO blob(hash, place, bytes, chunks) SELECT $1, $2, $3, $4 "
                      "FROM loose WHERE place = $2 AND owner = $5 ON CONFLICT (hash) DO NOTHING",
                      values, 5, err);
    status = end_own(s, status, err);
    if (status == PS_OK)
        status = ps_blob_look(s->pg, s->hash, &row, err);
    if (status == PS_OK && (!row.place || strcmp(row.place, s->place) != 0))
        status = ps_blob_remove(s->pg, s->place, err);
    ps_blob_forget(&row);
    return status;
}

/* `before`: the place of a try whose end is not known; NULL: there was none. *placed: that one is
 * done with, and there may be a row of this one. */
static enum ps_status send_once(struct sending *s, const char *before, bool *placed,
                                struct ps_err *err)
{
    const struct ps_pg_value values[] = {ps_pg_text(s->place), ps_pg_text(s->hash),
                                         ps_pg_text(s->session)};
    struct ps_blob_row row = {NULL, 0, 0};
    enum ps_status status = ps_pg_connect(s->pg, PS_BLOB_WAIT_MS, err);
    bool there;

    s->away = status != PS_OK;
    if (status == PS_OK)
        status = ps_blob_look(s->pg, s->hash, &row, err);
    there = row.place != NULL;
    if (status == PS_OK && before && !(there && strcmp(row.place, before) == 0))
        status = ps_blob_let_go(s->pg, before, err);
    ps_blob_forget(&row);
    if (status != PS_OK || there)
        return status;
    *placed = true;
    status = ps_pg_run(s->pg, "INSERT INTO loose(place, hash, owner) VALUES ($1, $2, $3)", values,
                       3, NULL, NULL, err);
    if (status == PS_OK)
        status = send_chunks(s, err);
    return status == PS_OK ? publish(s, err) : status;
}

enum ps_status ps_blob_send(struct ps_pg *pg, const char *session, const char *place, int fd,
                            const char *hash, uint64_t bytes, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *chunk = ps_grow(NULL, PS_BLOB_CHUNK, 1);
    PS_AUTO(ps_free_ptr) char *before = NULL;
    struct sending s = {pg, session, NULL, hash, fd, bytes, chunk, {.bytes = 0}, 0, false};
    struct ps_err own = PS_ERR_INIT;
    int places = 0;

    for (int i = 0; i < TRIES && !s.away && (i == 0 || own.code == PS_UNAVAILABLE); i++) {
        PS_AUTO(ps_buf_free) struct ps_buf here = {0};
        bool placed = false;

        ps_buf_printf(&here, places ? "%s.%d" : "%s", place, places);
        s.place = here.at;
        own = (struct ps_err)PS_ERR_INIT;
        if (send_once(&s, before, &placed, &own) == PS_OK)
            return PS_OK;
        if (placed) {
            places++;
            free(before);
            before = ps_strdup(ps_buf_slice(&here));
        }
    }
    if (before && ps_pg_is_up(pg))
        (void)ps_blob_let_go(pg, before, NULL); /* or it goes with the session */
    return ps_fail_as(err, &own);
}

/* --- fetching ----------------------------------------------------------------------------------
 */

struct fetching {
    struct ps_pg *pg;
    const char *hash;
    ps_blob_take *take;
    void *user;
    struct ps_blob_row row;
    int64_t next;  /* chunk */
    int64_t bytes; /* that were taken */
    bool over;     /* trying again is no use: who takes refused, or nobody answers */
};

static enum ps_status take_chunk(void *user, const struct ps_pg_value *values, size_t n,
                                 struct ps_err *err)
{
    struct fetching *f = user;
    enum ps_status status;

    (void)n;
    if (values[0].i != f->next)
        return PS_OK; /* it is behind one that is missing, which is seen at the end */
    status = f->take(f->user, values[1].text, err);
    f->over = status != PS_OK;
    f->next++;
    f->bytes += (int64_t)values[1].text.len;
    return status;
}

/* Those that are left, until one is missing. */
static enum ps_status fetch_on(struct fetching *f, struct ps_err *err)
{
    enum ps_status status = PS_OK;
    int64_t from = -1;

    while (status == PS_OK && f->next < f->row.chunks && f->next != from) {
        const struct ps_pg_value values[] = {ps_pg_text(f->row.place), ps_pg_int(f->next),
                                             ps_pg_int(f->next + PS_BLOB_WINDOW)};

        from = f->next;
        status = ps_pg_run(f->pg,
                           "SELECT n, data FROM chunk WHERE place = $1 AND n >= $2 AND n < $3 "
                           "ORDER BY n",
                           values, 3, take_chunk, f, err);
    }
    return status;
}

/* Chunks of one that was removed and sent again lie elsewhere, and are the same. */
static enum ps_status fetch_once(struct fetching *f, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *before = NULL;
    enum ps_status status = ps_pg_connect(f->pg, PS_BLOB_WAIT_MS, err);

    f->over = status != PS_OK;
    while (status == PS_OK) {
        ps_blob_forget(&f->row);
        status = ps_blob_look(f->pg, f->hash, &f->row, err);
        if (status == PS_OK && !f->row.place)
            status = ps_blob_missing(f->hash, err);
        if (status == PS_OK && before && strcmp(before, f->row.place) == 0)
            status = ps_fail(err, PS_IO, "the store: chunks of the file with hash %s are missing",
                             f->hash);
        if (status == PS_OK)
            status = fetch_on(f, err);
        if (status == PS_OK && f->next == f->row.chunks && f->bytes == f->row.bytes)
            return PS_OK;
        free(before);
        before = f->row.place ? ps_strdup(ps_str_of(f->row.place)) : NULL;
    }
    return status;
}

enum ps_status ps_blob_fetch(struct ps_pg *pg, const char *hash, ps_blob_take *take, void *user,
                             struct ps_err *err)
{
    struct fetching f = {.pg = pg, .hash = hash, .take = take, .user = user};
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status;
    int64_t at;
    int tries = 0;

    do {
        at = f.next;
        own = (struct ps_err)PS_ERR_INIT;
        status = fetch_once(&f, &own);
        tries = f.next > at ? 0 : tries + 1;
    } while (status == PS_UNAVAILABLE && !f.over && tries < TRIES);
    ps_blob_forget(&f.row);
    return ps_fail_as(err, &own);
}
