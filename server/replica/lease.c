/* SPDX-License-Identifier: MIT */
/* lease.c: implements lease.h in SQL. */
#include "server/replica/lease.h"

#include <stdio.h>
#include <stdlib.h>

#include "server/replica/pg.h"

/* Maximum time between two checks that counts as observed. */
#define OBSERVED_MAX_MS ((int64_t)2 * PS_LEASE_BEAT_MS)

static enum ps_status read_int(void *user, const struct ps_pg_value *values, size_t n,
                               struct ps_err *err)
{
    (void)n;
    (void)err;
    *(int64_t *)user = values[0].i;
    return PS_OK;
}

/* --- Own lease --- */

static enum ps_status assign_number(struct ps_pg *pg, int64_t *out, struct ps_err *err)
{
    return ps_pg_run(pg,
                     "INSERT INTO server_no(one, no) VALUES (1, 1) "
                     "ON CONFLICT (one) DO UPDATE SET no = server_no.no + 1 RETURNING no",
                     NULL, 0, read_int, out, err);
}

/* Inserts the row. If it exists, updates it and increments its beat. */
static enum ps_status insert_lease(struct ps_pg *pg, const struct ps_lease *lease,
                                   struct ps_err *err)
{
    const struct ps_pg_value values[] = {ps_pg_text(lease->session), ps_pg_int(lease->number),
                                         ps_pg_text(lease->location)};

    return ps_pg_run(pg,
                     "INSERT INTO server(\"session\", no, place, beat) VALUES ($1, $2, $3, 1) "
                     "ON CONFLICT (\"session\") DO UPDATE SET no = excluded.no, "
                     "place = excluded.place, beat = server.beat + 1",
                     values, 3, NULL, NULL, err);
}

enum ps_status ps_lease_begin(struct ps_pg *pg, struct ps_lease *lease, struct ps_err *err)
{
    ps_pg_script(pg, "BEGIN", err);
    assign_number(pg, &lease->number, err);
    insert_lease(pg, lease, err);
    if (ps_pg_commit(pg, err) != PS_OK)
        ps_pg_rollback(pg);
    return err->code;
}

enum ps_status ps_lease_renew(struct ps_pg *pg, const struct ps_lease *lease, struct ps_err *err)
{
    const struct ps_pg_value session = ps_pg_text(lease->session);
    int64_t beat = 0;

    ps_pg_run(pg, "UPDATE server SET beat = beat + 1 WHERE \"session\" = $1 RETURNING beat",
              &session, 1, read_int, &beat, err);
    return beat ? err->code : insert_lease(pg, lease, err);
}

enum ps_status ps_lease_end(struct ps_pg *pg, const char *session, struct ps_err *err)
{
    const struct ps_pg_value value = ps_pg_text(session);

    return ps_pg_run(pg, "DELETE FROM server WHERE \"session\" = $1", &value, 1, NULL, NULL, err);
}

enum ps_status ps_lease_exists(struct ps_pg *pg, const char *session, bool *out, struct ps_err *err)
{
    const struct ps_pg_value value = ps_pg_text(session);
    int64_t beat = 0;
    enum ps_status status = ps_pg_run(pg, "SELECT beat FROM server WHERE \"session\" = $1", &value,
                                      1, read_int, &beat, err);

    *out = beat > 0;
    return status;
}

/* --- Leases of others --- */

static struct ps_lease_state *find_lease(const struct ps_lease_watch *watch, struct ps_str session)
{
    for (size_t i = 0; i < watch->n; i++)
        if (ps_str_eq(ps_str_from_c(watch->items[i].session), session))
            return &watch->items[i];
    return NULL;
}

const struct ps_lease_state *ps_lease_find(const struct ps_lease_watch *watch, const char *session)
{
    return find_lease(watch, ps_str_from_c(session));
}

struct lease_check {
    struct ps_lease_watch *watch;
    int64_t elapsed_ms;
};

static enum ps_status read_row(void *user, const struct ps_pg_value *values, size_t n,
                               struct ps_err *err)
{
    const struct lease_check *check = user;
    struct ps_lease_watch *watch = check->watch;
    struct ps_lease_state *seen = find_lease(watch, values[0].text);

    (void)err;
    if (n != 2 || values[0].text.len >= PS_LEASE_SIZE)
        return PS_OK; /* not written by perfshelf */
    if (!seen) {
        PS_RESERVE_ONE(watch->items, watch->n, watch->cap);
        seen = &watch->items[watch->n++];
        *seen = (struct ps_lease_state){.beat = -1};
        memcpy(seen->session, values[0].text.ptr, values[0].text.len);
    }
    seen->unchanged_since_ms =
        seen->beat == values[1].i ? seen->unchanged_since_ms + check->elapsed_ms : 0;
    seen->beat = values[1].i;
    seen->exists = true;
    return PS_OK;
}

static void remove_missing(struct ps_lease_watch *watch)
{
    size_t n = 0;

    for (size_t i = 0; i < watch->n; i++)
        if (watch->items[i].exists)
            watch->items[n++] = watch->items[i];
    watch->n = n;
}

enum ps_status ps_lease_check_all(struct ps_pg *pg, struct ps_lease_watch *watch, int64_t now_ms,
                                  struct ps_err *err)
{
    struct lease_check check = {watch, watch->checked_ms ? now_ms - watch->checked_ms : 0};

    if (check.elapsed_ms > OBSERVED_MAX_MS)
        check.elapsed_ms = OBSERVED_MAX_MS;
    for (size_t i = 0; i < watch->n; i++)
        watch->items[i].exists = false;
    watch->checked_ms = 0;
    if (ps_pg_run(pg, "SELECT \"session\", beat FROM server", NULL, 0, read_row, &check, err) ==
        PS_OK) {
        watch->checked_ms = now_ms;
        remove_missing(watch);
    }
    return err->code;
}

enum ps_status ps_lease_break(struct ps_pg *pg, const struct ps_lease_state *seen, bool *broken,
                              struct ps_err *err)
{
    const struct ps_pg_value values[] = {ps_pg_text(seen->session), ps_pg_int(seen->beat)};
    int64_t beat = 0;
    enum ps_status status =
        ps_pg_run(pg, "DELETE FROM server WHERE \"session\" = $1 AND beat = $2 RETURNING beat",
                  values, 2, read_int, &beat, err);

    *broken = status == PS_OK && beat > 0;
    return status;
}

void ps_lease_watch_free(struct ps_lease_watch *watch)
{
    free(watch->items);
    *watch = (struct ps_lease_watch){.n = 0};
}
