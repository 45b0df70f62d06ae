/* SPDX-License-Identifier: MIT */
/* blobs.c: sends, fetches and deletes bytes stored in the database. */
#include "server/replica/blobs.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/replica/clock.h"
#include "server/replica/pg.h"

#define PS_BLOB_WAIT_MS 5000 /* how long to wait for an unreachable database */
#define PS_BLOB_WINDOW  64   /* chunks that one statement fetches or deletes */

/* A row of blob. */
struct ps_blob_row {
    char *place; /* NULL: there is no row */
    int64_t bytes, chunks;
};

/* --- Lookup --- */

static void ps_blob_forget(struct ps_blob_row *row)
{
    free(row->place);
    *row = (struct ps_blob_row){NULL, 0, 0};
}

static enum ps_status read_row(void *user, const struct ps_pg_value *values, size_t n,
                               struct ps_err *err)
{
    struct ps_blob_row *out = user;

    (void)n;
    (void)err;
    ps_blob_forget(out);
    *out = (struct ps_blob_row){ps_strdup(values[0].text), values[1].i, values[2].i};
    return PS_OK;
}

/* Reads the row of a blob. Free it with ps_blob_forget. */
static enum ps_status ps_blob_look(struct ps_pg *pg, const char *hash, struct ps_blob_row *out,
                                   struct ps_err *err)
{
    const struct ps_pg_value value = ps_pg_text(hash);

    *out = (struct ps_blob_row){NULL, 0, 0};
    return ps_pg_run(pg, "SELECT place, bytes, chunks FROM blob WHERE hash = $1", &value, 1,
                     read_row, out, err);
}

/* Sets and returns PS_NOT_FOUND. */
static enum ps_status ps_blob_missing(const char *hash, struct ps_err *err)
{
    return ps_fail(err, PS_NOT_FOUND, "the store has no file with hash %s", hash);
}

/* --- Removal --- */

/* Clears the owner of a place, and waits for its current transaction: afterwards nobody adds
 * chunks. */
static enum ps_status ps_blob_let_go(struct ps_pg *pg, const char *place, struct ps_err *err)
{
    const struct ps_pg_value value = ps_pg_text(place);

    return ps_pg_run(pg, "UPDATE loose SET owner = '' WHERE place = $1 AND owner <> ''", &value, 1,
                     NULL, NULL, err);
}

static enum ps_status read_range_row(void *user, const struct ps_pg_value *values, size_t n,
                                     struct ps_err *err)
{
    int64_t *range = user;

    (void)n;
    (void)err;
    range[0] = values[0].i;
    range[1] = values[1].i;
    return PS_OK;
}

/* Deletes the chunks, then the row of loose, so that an interrupted deletion can be resumed. */
static enum ps_status ps_blob_remove(struct ps_pg *pg, const char *place, struct ps_err *err)
{
    struct ps_pg_value values[] = {ps_pg_text(place), ps_pg_int(0), ps_pg_int(0)};
    int64_t range[2] = {0, -1};

    ps_pg_run(pg, "SELECT coalesce(min(n), 0), coalesce(max(n), -1) FROM chunk WHERE place = $1",
              values, 1, read_range_row, range, err);
    for (int64_t n = range[0]; err->code == PS_OK && n <= range[1]; n += PS_BLOB_WINDOW) {
        values[1] = ps_pg_int(n);
        values[2] = ps_pg_int(n + PS_BLOB_WINDOW);
        ps_pg_run(pg, "DELETE FROM chunk WHERE place = $1 AND n >= $2 AND n < $3", values, 3, NULL,
                  NULL, err);
    }
    return ps_pg_run(pg, "DELETE FROM loose WHERE place = $1", values, 1, NULL, NULL, err);
}

/* --- References --- */

enum ps_status ps_blob_add_reference(struct ps_pg *pg, const char *hash, struct ps_err *err)
{
    struct ps_blob_row row = {NULL, 0, 0};
    struct ps_pg_value place;

    ps_pg_flush(pg, NULL, NULL, err);
    ps_blob_look(pg, hash, &row, err);
    if (!row.place)
        ps_blob_missing(hash, err);
    place = ps_pg_text(row.place);
    ps_pg_queue(pg, "DELETE FROM loose WHERE place = $1", &place, 1, err);
    ps_blob_forget(&row);
    return err->code;
}

enum ps_status ps_blob_remove_reference(struct ps_pg *pg, const char *hash, struct ps_err *err)
{
    const struct ps_pg_value value = ps_pg_text(hash);

    return ps_pg_queue(pg,
                       "INSERT INTO loose(place, hash, owner) SELECT place, hash, '' FROM blob "
                       "WHERE hash = $1 ON CONFLICT (place) DO NOTHING",
                       &value, 1, err);
}

/* --- Sweeping --- */

/* Appends place, hash and owner of a row, each followed by a NUL. */
static enum ps_status append_loose_row(void *user, const struct ps_pg_value *values, size_t n,
                                       struct ps_err *err)
{
    struct ps_buf *out = user;

    (void)err;
    for (size_t i = 0; i < n; i++) {
        ps_buf_add_str(out, values[i].text);
        ps_buf_add(out, "", 1);
    }
    return PS_OK;
}

struct blob_state {
    bool reserved_bytes, has_bytes, has_row;
};

static enum ps_status read_state_row(void *user, const struct ps_pg_value *values, size_t n,
                                     struct ps_err *err)
{
    struct blob_state *out = user;

    (void)n;
    (void)err;
    *out = (struct blob_state){values[0].i > 0, values[1].i > 0, values[2].i > 0};
    return PS_OK;
}

/* Inside a transaction of the clock: a complete loose blob is either referenced, and is no longer
 * loose, or its row is deleted, so that it cannot be found any more. The update changes nothing, it
 * locks the row of loose: no sender becomes its owner in between. */
static enum ps_status check_complete(struct ps_pg *pg, const struct ps_pg_value values[2],
                                     struct blob_state *out, struct ps_err *err)
{
    ps_pg_run(pg, "UPDATE loose SET owner = '' WHERE place = $1 AND owner = ''", values, 1, NULL,
              NULL, err);
    ps_pg_run(pg,
              "SELECT (SELECT count(*) FROM loose WHERE place = $1 AND owner = ''), "
              "(SELECT count(*) FROM blob WHERE hash = $2 AND place = $1), "
              "(SELECT count(*) FROM kept WHERE hash = $2)",
              values, 2, read_state_row, out, err);
    if (!out->reserved_bytes || !out->has_bytes)
        return err->code;
    return out->has_row
               ? ps_pg_queue(pg, "DELETE FROM loose WHERE place = $1", values, 1, err)
               : ps_pg_queue(pg, "DELETE FROM blob WHERE place = $1 AND hash = $2", values, 2, err);
}

static enum ps_status sweep_one(struct ps_pg *pg, const char *place, const char *hash,
                                struct ps_err *err)
{
    const struct ps_pg_value values[] = {ps_pg_text(place), ps_pg_text(hash)};
    struct blob_state state = {false, false, false};

    ps_blob_let_go(pg, place, err);
    ps_clock_begin_without_tick(pg, PS_BLOB_WAIT_MS, err);
    check_complete(pg, values, &state, err);
    if (state.reserved_bytes && state.has_bytes)
        ps_pg_commit(pg, err);
    ps_pg_rollback(pg);
    if (state.reserved_bytes && !(state.has_bytes && state.has_row))
        ps_blob_remove(pg, place, err);
    return err->code;
}

enum ps_status ps_blob_sweep(struct ps_pg *pg, ps_blob_is_needed *is_alive, void *user,
                             int64_t most_ms, bool *more, size_t *out, struct ps_err *err)
{
    const int64_t until = ps_monotonic_ms() + most_ms;
    PS_AUTO(ps_buf_free) struct ps_buf list = {0};
    size_t n = 0;
    const char *at;

    ps_pg_connect(pg, PS_BLOB_WAIT_MS, err);
    ps_pg_run(pg, "SELECT place, hash, owner FROM loose", NULL, 0, append_loose_row, &list, err);
    at = list.ptr;
    *more = false;
    while (at && at < list.ptr + list.len && ps_pg_is_connected(pg) && !*more) {
        const char *place = at, *hash = place + strlen(place) + 1, *owner = hash + strlen(hash) + 1;
        struct ps_err own = PS_ERR_INIT; /* the next place is swept after a failure, too */

        if (!owner[0] || !is_alive(user, owner, hash))
            n += sweep_one(pg, place, hash, &own) == PS_OK;
        (void)ps_fail_copy(err, &own);
        at = owner + strlen(owner) + 1;
        *more = ps_monotonic_ms() >= until && at < list.ptr + list.len;
    }
    if (out)
        *out = n;
    return err->code;
}

#define TRIES 4  /* maximum attempts without progress */
#define GROUP 16 /* chunks per transaction */

/* --- Sending --- */

struct blob_upload {
    struct ps_pg *pg;
    const char *session, *place, *hash;
    int fd;
    uint64_t bytes;
    char *chunk;
    struct ps_content_hash content; /* hash of the bytes read so far */
    int64_t chunks;                 /* number of chunks queued */
    bool is_unreachable;            /* the database is unreachable */
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

/* Queues the begin of a transaction that adds to the place. It locks the row of loose, so that no
 * sweep can clear its owner. If the owner is cleared already, the queued statements insert nothing.
 */
static enum ps_status begin_transfer(struct blob_upload *s, struct ps_err *err)
{
    const struct ps_pg_value values[] = {ps_pg_text(s->place), ps_pg_text(s->session)};

    ps_pg_queue(s->pg, "BEGIN ISOLATION LEVEL READ COMMITTED", NULL, 0, err);
    return ps_pg_queue(s->pg,
                       "UPDATE loose SET owner = $2 WHERE place = $1 AND owner = $2 "
                       "RETURNING place",
                       values, 2, err);
}

static enum ps_status end_transfer(struct blob_upload *s, struct ps_err *err)
{
    size_t rows = 0;

    ps_pg_queue(s->pg, "COMMIT", NULL, 0, err);
    if (ps_pg_flush(s->pg, count_row, &rows, err) == PS_OK && rows == 0)
        (void)ps_fail(err, PS_UNAVAILABLE, "the store: the lease of this server expired");
    if (err->code != PS_OK)
        ps_pg_rollback(s->pg);
    return err->code;
}

/* Reads the next chunk; *len 0: end of file. */
static enum ps_status read_chunk(struct blob_upload *s, size_t *len, struct ps_err *err)
{
    ssize_t got = 1;

    for (*len = 0; got > 0 && *len < PS_BLOB_CHUNK; *len += (size_t)got) {
        got = pread(s->fd, s->chunk + *len, PS_BLOB_CHUNK - *len, (off_t)(s->content.bytes + *len));
        if (got < 0)
            return ps_fail_errno(err, "cannot read", "the file to send");
    }
    ps_content_hash_add(&s->content, (struct ps_str){s->chunk, *len});
    return PS_OK;
}

static enum ps_status queue_chunk(struct blob_upload *s, size_t len, struct ps_err *err)
{
    const struct ps_pg_value values[] = {
        ps_pg_text(s->place),
        ps_pg_int(s->chunks),
        {.type = PS_PG_BYTES, .text = {s->chunk, len}},
        ps_pg_text(s->session),
    };

    s->chunks++;
    return ps_pg_queue(s->pg,
                       "INSERT INTO chunk(place, n, data) SELECT $1, $2, $3 FROM loose "
                       "WHERE place = $1 AND owner = $4",
                       values, 4, err);
}

/* Sends up to GROUP chunks in one transaction. *more: the end of the file was not reached. */
static enum ps_status send_group(struct blob_upload *s, bool *more, struct ps_err *err)
{
    begin_transfer(s, err);
    *more = true;
    for (size_t i = 0; err->code == PS_OK && *more && i < GROUP; i++) {
        size_t len = 0;

        read_chunk(s, &len, err);
        *more = len > 0;
        if (len)
            queue_chunk(s, len, err);
    }
    return end_transfer(s, err);
}

static enum ps_status send_chunks(struct blob_upload *s, struct ps_err *err)
{
    char found[PS_CONTENT_HASH_SIZE];
    bool more = true;

    ps_content_hash_begin(&s->content);
    s->chunks = 0;
    while (err->code == PS_OK && more && s->content.bytes <= s->bytes)
        send_group(s, &more, err);
    ps_content_hash_end(&s->content, found);
    if (s->content.bytes != s->bytes || strcmp(found, s->hash) != 0)
        (void)ps_fail(err, PS_BAD_INPUT, "the file changed while it was sent: its hash is not %s",
                      s->hash);
    return err->code;
}

/* Inserts the row of blob, which makes the bytes visible. If another server inserted it first,
 * deletes our chunks. */
static enum ps_status publish_blob(struct blob_upload *s, struct ps_err *err)
{
    const struct ps_pg_value values[] = {ps_pg_text(s->hash), ps_pg_text(s->place),
                                         ps_pg_int((int64_t)s->bytes), ps_pg_int(s->chunks),
                                         ps_pg_text(s->session)};
    struct ps_blob_row row = {NULL, 0, 0};

    begin_transfer(s, err);
    ps_pg_queue(s->pg,
                "INSERT INTO blob(hash, place, bytes, chunks) SELECT $1, $2, $3, $4 "
                "FROM loose WHERE place = $2 AND owner = $5 ON CONFLICT (hash) DO NOTHING",
                values, 5, err);
    end_transfer(s, err);
    ps_blob_look(s->pg, s->hash, &row, err);
    if (!row.place || strcmp(row.place, s->place) != 0)
        ps_blob_remove(s->pg, s->place, err);
    ps_blob_forget(&row);
    return err->code;
}

/* Becomes the owner of a complete blob, unless another session is sending it or has found it too:
 * no sweep deletes it then. *row: row of the blob, empty if there is none. */
static enum ps_status claim_blob(struct blob_upload *s, struct ps_blob_row *row, struct ps_err *err)
{
    const struct ps_pg_value values[] = {ps_pg_text(s->hash), ps_pg_text(s->session)};

    ps_blob_look(s->pg, s->hash, row, err);
    if (!row->place)
        return err->code;
    ps_pg_run(s->pg,
              "INSERT INTO loose(place, hash, owner) SELECT place, hash, $2 FROM blob "
              "WHERE hash = $1 ON CONFLICT (place) DO UPDATE SET owner = excluded.owner "
              "WHERE loose.owner = ''",
              values, 2, NULL, NULL, err);
    ps_blob_forget(row);
    return ps_blob_look(s->pg, s->hash, row, err);
}

/* Makes one attempt. `before`: place of an earlier attempt with unknown result, or NULL. *placed:
 * that place was released, and the place of this attempt may have a row. */
static enum ps_status send_once(struct blob_upload *s, const char *before, bool *placed,
                                struct ps_err *err)
{
    const struct ps_pg_value values[] = {ps_pg_text(s->place), ps_pg_text(s->hash),
                                         ps_pg_text(s->session)};
    struct ps_blob_row row = {NULL, 0, 0};
    bool there;

    s->is_unreachable = ps_pg_connect(s->pg, PS_BLOB_WAIT_MS, err) != PS_OK;
    claim_blob(s, &row, err);
    there = row.place != NULL;
    if (before && !(there && strcmp(row.place, before) == 0))
        ps_blob_let_go(s->pg, before, err);
    ps_blob_forget(&row);
    if (err->code != PS_OK || there)
        return err->code;
    *placed = true;
    ps_pg_run(s->pg, "INSERT INTO loose(place, hash, owner) VALUES ($1, $2, $3)", values, 3, NULL,
              NULL, err);
    send_chunks(s, err);
    return publish_blob(s, err);
}

enum ps_status ps_blob_send(struct ps_pg *pg, const char *session, const char *place, int fd,
                            const char *hash, uint64_t bytes, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *chunk = ps_grow(NULL, PS_BLOB_CHUNK, 1);
    PS_AUTO(ps_free_ptr) char *before = NULL;
    struct blob_upload s = {pg, session, NULL, hash, fd, bytes, chunk, {.bytes = 0}, 0, false};
    struct ps_err own = PS_ERR_INIT;
    int places = 0;

    for (int i = 0; i < TRIES && !s.is_unreachable && (i == 0 || own.code == PS_UNAVAILABLE); i++) {
        PS_AUTO(ps_buf_free) struct ps_buf here = {0};
        bool placed = false;

        ps_buf_printf(&here, places ? "%s.%d" : "%s", place, places);
        s.place = here.ptr;
        own = (struct ps_err)PS_ERR_INIT;
        if (send_once(&s, before, &placed, &own) == PS_OK)
            return PS_OK;
        if (placed) {
            places++;
            free(before);
            before = ps_strdup(ps_buf_slice(&here));
        }
    }
    if (before && ps_pg_is_connected(pg))
        /* if it fails, the end of the session releases it */
        (void)ps_blob_let_go(pg, before, PS_ERR_IGNORED);
    return ps_fail_copy(err, &own);
}

/* --- Fetching --- */

struct blob_fetch {
    struct ps_pg *pg;
    const char *hash;
    ps_blob_receive *receive;
    void *user;
    struct ps_blob_row row;
    int64_t next;  /* number of the next chunk */
    int64_t bytes; /* bytes passed to receive */
    bool is_over;  /* no further attempt: receive failed, or the database is unreachable */
};

static enum ps_status receive_chunk(void *user, const struct ps_pg_value *values, size_t n,
                                    struct ps_err *err)
{
    struct blob_fetch *f = user;
    enum ps_status status;

    (void)n;
    if (values[0].i != f->next)
        return PS_OK; /* a chunk before it is missing, which is detected at the end */
    status = f->receive(f->user, values[1].text, err);
    f->is_over = status != PS_OK;
    f->next++;
    f->bytes += (int64_t)values[1].text.len;
    return status;
}

/* Fetches the remaining chunks, up to the first missing one. */
static enum ps_status fetch_on(struct blob_fetch *f, struct ps_err *err)
{
    int64_t from = -1;

    while (err->code == PS_OK && f->next < f->row.chunks && f->next != from) {
        const struct ps_pg_value values[] = {ps_pg_text(f->row.place), ps_pg_int(f->next),
                                             ps_pg_int(f->next + PS_BLOB_WINDOW)};

        from = f->next;
        ps_pg_run(f->pg,
                  "SELECT n, data FROM chunk WHERE place = $1 AND n >= $2 AND n < $3 "
                  "ORDER BY n",
                  values, 3, receive_chunk, f, err);
    }
    return err->code;
}

/* Makes one attempt. If the blob was deleted and sent again, it continues with the chunks of the
 * new place, which are identical. */
static enum ps_status fetch_once(struct blob_fetch *f, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *before = NULL;

    f->is_over = ps_pg_connect(f->pg, PS_BLOB_WAIT_MS, err) != PS_OK;
    while (err->code == PS_OK) {
        ps_blob_forget(&f->row);
        ps_blob_look(f->pg, f->hash, &f->row, err);
        if (!f->row.place)
            ps_blob_missing(f->hash, err);
        else if (before && strcmp(before, f->row.place) == 0)
            (void)ps_fail(err, PS_IO, "the store: chunks of the file with hash %s are missing",
                          f->hash);
        if (fetch_on(f, err) == PS_OK && f->next == f->row.chunks && f->bytes == f->row.bytes)
            return PS_OK;
        free(before);
        before = f->row.place ? ps_strdup(ps_str_from_c(f->row.place)) : NULL;
    }
    return err->code;
}

enum ps_status ps_blob_fetch(struct ps_pg *pg, const char *hash, ps_blob_receive *take, void *user,
                             struct ps_err *err)
{
    struct blob_fetch f = {.pg = pg, .hash = hash, .receive = take, .user = user};
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status;
    int64_t at;
    int tries = 0;

    do {
        at = f.next;
        own = (struct ps_err)PS_ERR_INIT;
        status = fetch_once(&f, &own);
        tries = f.next > at ? 0 : tries + 1;
    } while (status == PS_UNAVAILABLE && !f.is_over && tries < TRIES);
    ps_blob_forget(&f.row);
    return ps_fail_copy(err, &own);
}
