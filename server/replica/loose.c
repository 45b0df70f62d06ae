/* SPDX-License-Identifier: MIT */
/* loose.c: which bytes stay, and which go (blobs.h). */
#include <stdlib.h>

#include "server/replica/blobs_impl.h"
#include "server/replica/clock.h"
#include "server/replica/pg_impl.h"

/* --- what is there -----------------------------------------------------------------------------
 */

void ps_blob_forget(struct ps_blob_row *row)
{
    free(row->place);
    *row = (struct ps_blob_row){NULL, 0, 0};
}

static enum ps_status take_row(void *user, const struct ps_pg_value *values, size_t n,
                               struct ps_err *err)
{
    struct ps_blob_row *out = user;

    (void)n;
    (void)err;
    ps_blob_forget(out);
    *out = (struct ps_blob_row){ps_strdup(values[0].text), values[1].i, values[2].i};
    return PS_OK;
}

enum ps_status ps_blob_look(struct ps_pg *pg, const char *hash, struct ps_blob_row *out,
                            struct ps_err *err)
{
    const struct ps_pg_value value = ps_pg_text(hash);

    *out = (struct ps_blob_row){NULL, 0, 0};
    return ps_pg_run(pg, "SELECT place, bytes, chunks FROM blob WHERE hash = $1", &value, 1,
                     take_row, out, err);
}

enum ps_status ps_blob_missing(const char *hash, struct ps_err *err)
{
    return ps_fail(err, PS_NOT_FOUND, "the store has no file with hash %s", hash);
}

/* --- places ------------------------------------------------------------------------------------
 */

enum ps_status ps_blob_let_go(struct ps_pg *pg, const char *place, struct ps_err *err)
{
    const struct ps_pg_value value = ps_pg_text(place);

    return ps_pg_run(pg, "UPDATE loose SET owner = '' WHERE place = $1 AND owner <> ''", &value, 1,
                     NULL, NULL, err);
}

static enum ps_status take_range(void *user, const struct ps_pg_value *values, size_t n,
                                 struct ps_err *err)
{
    int64_t *range = user;

    (void)n;
    (void)err;
    range[0] = values[0].i;
    range[1] = values[1].i;
    return PS_OK;
}

enum ps_status ps_blob_remove(struct ps_pg *pg, const char *place, struct ps_err *err)
{
    struct ps_pg_value values[] = {ps_pg_text(place), ps_pg_int(0), ps_pg_int(0)};
    int64_t range[2] = {0, -1};
    enum ps_status status = ps_pg_run(
        pg, "SELECT coalesce(min(n), 0), coalesce(max(n), -1) FROM chunk WHERE place = $1", values,
        1, take_range, range, err);

    for (int64_t n = range[0]; status == PS_OK && n <= range[1]; n += PS_BLOB_WINDOW) {
        values[1] = ps_pg_int(n);
        values[2] = ps_pg_int(n + PS_BLOB_WINDOW);
        status = ps_pg_run(pg, "DELETE FROM chunk WHERE place = $1 AND n >= $2 AND n < $3", values,
                           3, NULL, NULL, err);
    }
    if (status == PS_OK)
        status = ps_pg_run(pg, "DELETE FROM loose WHERE place = $1", values, 1, NULL, NULL, err);
    return status;
}

/* --- who refers to it --------------------------------------------------------------------------
 */

enum ps_status ps_blob_tie(struct ps_pg *pg, const char *hash, struct ps_err *err)
{
    struct ps_blob_row row = {NULL, 0, 0};
    enum ps_status status = ps_pg_settle(pg, NULL, NULL, err);

    if (status == PS_OK)
        status = ps_blob_look(pg, hash, &row, err);
    if (status == PS_OK && !row.place) {
        status = ps_blob_missing(hash, err);
    } else if (status == PS_OK) {
        const struct ps_pg_value place = ps_pg_text(row.place);

        status = ps_pg_say(pg, "DELETE FROM loose WHERE place = $1", &place, 1, err);
    }
    ps_blob_forget(&row);
    return status;
}

enum ps_status ps_blob_untie(struct ps_pg *pg, const char *hash, struct ps_err *err)
{
    const struct ps_pg_value value = ps_pg_text(hash);

    return ps_pg_say(pg,
                     "INSERT INTO loose(place, hash, owner) SELECT place, hash, '' FROM blob "
                     "WHERE hash = $1 ON CONFLICT (place) DO NOTHING",
                     &value, 1, err);
}

/* --- sweeping ----------------------------------------------------------------------------------
 */

/* Of a row: place, hash and owner, each with a NUL behind it. */
static enum ps_status take_loose(void *user, const struct ps_pg_value *values, size_t n,
                                 struct ps_err *err)
{
    struct ps_buf *out = user;

    (void)err;
    for (size_t i = 0; i < n; i++) {
        ps_buf_str(out, values[i].text);
        ps_buf_add(out, "", 1);
    }
    return PS_OK;
}

struct state {
    bool reserved_bytes, here, kept;
};

static enum ps_status take_state(void *user, const struct ps_pg_value *values, size_t n,
                                 struct ps_err *err)
{
    struct state *out = user;

    (void)n;
    (void)err;
    *out = (struct state){values[0].i > 0, values[1].i > 0, values[2].i > 0};
    return PS_OK;
}

/* Inside a transaction of the clock: what is loose is either referred to, and stays, or no more to
 * be found. */
static enum ps_status judge(struct ps_pg *pg, const struct ps_pg_value values[2], struct state *out,
                            struct ps_err *err)
{
    enum ps_status status =
        ps_pg_run(pg,
                  "SELECT (SELECT count(*) FROM loose WHERE place = $1 AND owner = ''), "
                  "(SELECT count(*) FROM blob WHERE hash = $2 AND place = $1), "
                  "(SELECT count(*) FROM kept WHERE hash = $2)",
                  values, 2, take_state, out, err);

    if (status == PS_OK && out->reserved_bytes && out->here)
        status = out->kept ? ps_pg_say(pg, "DELETE FROM loose WHERE place = $1", values, 1, err)
                           : ps_pg_say(pg, "DELETE FROM blob WHERE place = $1 AND hash = $2",
                                       values, 2, err);
    return status;
}

static enum ps_status sweep_one(struct ps_pg *pg, const char *place, const char *hash,
                                struct ps_err *err)
{
    const struct ps_pg_value values[] = {ps_pg_text(place), ps_pg_text(hash)};
    struct state state = {false, false, false};
    enum ps_status status = ps_blob_let_go(pg, place, err);

    if (status == PS_OK)
        status = ps_clock_hold(pg, PS_BLOB_WAIT_MS, err);
    if (status == PS_OK)
        status = judge(pg, values, &state, err);
    if (status == PS_OK && state.reserved_bytes && state.here)
        status = ps_pg_commit(pg, err);
    ps_pg_rollback(pg);
    if (status == PS_OK && state.reserved_bytes && !(state.here && state.kept))
        status = ps_blob_remove(pg, place, err);
    return status;
}

enum ps_status ps_blob_sweep(struct ps_pg *pg, ps_blob_lives *lives, void *user, int64_t most_ms,
                             bool *more, size_t *out, struct ps_err *err)
{
    const int64_t until = ps_pg_clock_ms() + most_ms;
    PS_AUTO(ps_buf_free) struct ps_buf list = {0};
    struct ps_err own = PS_ERR_INIT;
    size_t n = 0;
    enum ps_status status = ps_pg_connect(pg, PS_BLOB_WAIT_MS, &own);
    const char *at;

    if (status == PS_OK)
        status =
            ps_pg_run(pg, "SELECT place, hash, owner FROM loose", NULL, 0, take_loose, &list, &own);
    at = list.at;
    *more = false;
    while (at && at < list.at + list.len && ps_pg_is_up(pg) && !*more) {
        const char *place = at, *hash = place + strlen(place) + 1, *owner = hash + strlen(hash) + 1;

        if (!owner[0] || !lives(user, owner, place))
            n += sweep_one(pg, place, hash, &own) == PS_OK;
        at = owner + strlen(owner) + 1;
        *more = ps_pg_clock_ms() >= until && at < list.at + list.len;
    }
    if (out)
        *out = n;
    return ps_fail_as(err, &own);
}
