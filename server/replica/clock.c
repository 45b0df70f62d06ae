/* SPDX-License-Identifier: MIT */
/* clock.c: implements clock.h in SQL. Names are quoted because some are SQL keywords. */
#include "server/replica/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "server/replica/pg.h"

/* --- Change counter --- */

static enum ps_status read_clock_row(void *user, const struct ps_pg_value *values, size_t n,
                                     struct ps_err *err)
{
    struct ps_clock *out = user;

    if (n != 3)
        return ps_fail(err, PS_INTERNAL, "the store: table clock was not made by perfshelf");
    out->transaction = values[0].i;
    out->pruned_to = values[1].i;
    (void)snprintf(out->store, sizeof out->store, "%.*s", (int)values[2].text.len,
                   values[2].text.ptr);
    return PS_OK;
}

static enum ps_status check_clock(const struct ps_clock *clock, struct ps_err *err)
{
    return clock->transaction >= 0 ? err->code
                                   : ps_fail(err, PS_CONFLICT, "the store: table clock is empty");
}

enum ps_status ps_clock_read(struct ps_pg *pg, struct ps_clock *out, struct ps_err *err)
{
    *out = (struct ps_clock){.transaction = -1};
    ps_pg_run(pg, "SELECT n, pruned, store FROM clock WHERE one = 1", NULL, 0, read_clock_row, out,
              err);
    return check_clock(out, err);
}

static enum ps_status read_number_row(void *user, const struct ps_pg_value *values, size_t n,
                                      struct ps_err *err)
{
    (void)err;
    *(int64_t *)user = n ? values[0].i : 0;
    return PS_OK;
}

static enum ps_status begin_once(struct ps_pg *pg, int64_t step, struct ps_clock *out,
                                 struct ps_err *err)
{
    const struct ps_pg_value value = ps_pg_int(step);
    *out = (struct ps_clock){.transaction = -1};
    ps_pg_queue(pg, "BEGIN ISOLATION LEVEL READ COMMITTED", NULL, 0, err);
    ps_pg_queue(pg, "UPDATE clock SET n = n + $1 WHERE one = 1 RETURNING n, pruned, store", &value,
                1, err);
    ps_pg_flush(pg, read_clock_row, out, err);
    return check_clock(out, err);
}

static enum ps_status begin_transaction(struct ps_pg *pg, int64_t wait_ms, int64_t step,
                                        struct ps_clock *out, struct ps_err *err)
{
    const int64_t until = ps_monotonic_ms() + wait_ms;
    int64_t pause = 0;

    while (err->code == PS_OK) {
        struct ps_err own = PS_ERR_INIT;

        ps_pg_connect(pg, until - ps_monotonic_ms(), &own);
        if (begin_once(pg, step, out, &own) == PS_OK)
            return PS_OK;
        ps_pg_rollback(pg);
        if (own.code != PS_UNAVAILABLE || !ps_pg_sleep(&pause, until))
            (void)ps_fail_copy(err, &own);
    }
    return err->code;
}

enum ps_status ps_clock_begin(struct ps_pg *pg, int64_t wait_ms, struct ps_clock *out,
                              struct ps_err *err)
{
    return begin_transaction(pg, wait_ms, 1, out, err);
}

enum ps_status ps_clock_begin_without_tick(struct ps_pg *pg, int64_t wait_ms, struct ps_err *err)
{
    struct ps_clock clock;

    return begin_transaction(pg, wait_ms, 0, &clock, err);
}

enum ps_status ps_clock_begin_read(struct ps_pg *pg, struct ps_err *err)
{
    return ps_pg_script(pg, "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", err);
}

/* --- Keys as text --- */

/* Encodes a key: i<number>; or t<bytes>:<text> for each column. */
static void write_key(struct ps_buf *out, const struct ps_pg_value *key, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (key[i].type == PS_PG_INT) {
            ps_buf_printf(out, "i%" PRId64 ";", key[i].i);
        } else {
            ps_buf_printf(out, "t%zu:", key[i].text.len);
            ps_buf_add_str(out, key[i].text);
        }
    }
}

/* Parses the next part of a key. False: the key is at its end or invalid. The string must be
 * NUL-terminated. */
static bool read_part(struct ps_str *at, struct ps_pg_value *out)
{
    char *end;
    unsigned long long len;

    if (at->len < 2)
        return false;
    if (at->ptr[0] == 'i') {
        *out = ps_pg_int(strtoll(at->ptr + 1, &end, 10));
        if (*end != ';')
            return false;
        end++;
    } else {
        len = strtoull(at->ptr + 1, &end, 10);
        if (at->ptr[0] != 't' || *end != ':' || len > at->len - (size_t)(end + 1 - at->ptr))
            return false;
        *out = (struct ps_pg_value){.type = PS_PG_TEXT, .text = {end + 1, (size_t)len}};
        end += 1 + len;
    }
    at->len -= (size_t)(end - at->ptr);
    at->ptr = end;
    return true;
}

/* --- Rows --- */

static void add_names(struct ps_buf *sql, const struct ps_clock_table *table)
{
    for (size_t i = 0; i < table->n_columns; i++)
        ps_buf_printf(sql, "%s\"%s\"", i ? ", " : "", table->columns[i]);
}

static bool is_key(const struct ps_clock_table *table, size_t column)
{
    for (size_t i = 0; i < table->n_key_columns; i++)
        if (table->key[i] == column)
            return true;
    return false;
}

static void put_upsert(struct ps_buf *sql, const struct ps_clock_table *table)
{
    ps_buf_printf(sql, "INSERT INTO \"%s\"(", table->name);
    add_names(sql, table);
    ps_buf_puts(sql, ", tx) VALUES (");
    for (size_t i = 0; i <= table->n_columns; i++)
        ps_buf_printf(sql, "%s$%zu", i ? ", " : "", i + 1);
    ps_buf_puts(sql, ") ON CONFLICT (");
    for (size_t i = 0; i < table->n_key_columns; i++)
        ps_buf_printf(sql, "%s\"%s\"", i ? ", " : "", table->columns[table->key[i]]);
    ps_buf_puts(sql, ") DO UPDATE SET tx = excluded.tx");
    for (size_t i = 0; i < table->n_columns; i++)
        if (!is_key(table, i))
            ps_buf_printf(sql, ", \"%s\" = excluded.\"%s\"", table->columns[i], table->columns[i]);
}

enum ps_status ps_clock_put(struct ps_pg *pg, const struct ps_clock_table *table, int64_t n,
                            const struct ps_pg_value *values, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    struct ps_pg_value all[PS_PG_COLUMNS];

    memcpy(all, values, table->n_columns * sizeof *values);
    all[table->n_columns] = ps_pg_int(n);
    put_upsert(&sql, table);
    return ps_pg_queue(pg, sql.ptr, all, table->n_columns + 1, err);
}

enum ps_status ps_clock_remove(struct ps_pg *pg, const struct ps_clock_table *table, int64_t n,
                               const struct ps_pg_value *key, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_pg_value gone[4];

    ps_buf_printf(&sql, "DELETE FROM \"%s\" WHERE ", table->name);
    for (size_t i = 0; i < table->n_key_columns; i++)
        ps_buf_printf(&sql, "%s\"%s\" = $%zu", i ? " AND " : "", table->columns[table->key[i]],
                      i + 1);
    write_key(&text, key, table->n_key_columns);
    gone[0] = ps_pg_text(table->name);
    gone[1] = (struct ps_pg_value){.type = PS_PG_TEXT, .text = ps_buf_slice(&text)};
    gone[2] = ps_pg_int(n);
    gone[3] = ps_pg_int(ps_wall_clock_ms());
    ps_pg_queue(pg, sql.ptr, key, table->n_key_columns, err);
    return ps_pg_queue(pg,
                       "INSERT INTO gone(tbl, \"key\", tx, at) VALUES ($1, $2, $3, $4) "
                       "ON CONFLICT (tbl, \"key\") DO UPDATE SET tx = excluded.tx, "
                       "at = excluded.at",
                       gone, 4, err);
}

enum ps_status ps_clock_read_changed(struct ps_pg *pg, const struct ps_clock_table *table,
                                     int64_t after, ps_pg_row *row, void *user, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    const struct ps_pg_value since = ps_pg_int(after);

    ps_buf_puts(&sql, "SELECT ");
    add_names(&sql, table);
    ps_buf_printf(&sql, " FROM \"%s\" WHERE tx > $1", table->name);
    return ps_pg_run(pg, sql.ptr, &since, 1, row, user, err);
}

struct keys {
    const struct ps_clock_table *table;
    ps_pg_row *on_row;
    void *user;
};

static enum ps_status read_key_row(void *user, const struct ps_pg_value *values, size_t n,
                                   struct ps_err *err)
{
    const struct keys *keys = user;
    PS_AUTO(ps_free_ptr) char *text = ps_strdup(values[0].text);
    struct ps_str at = {text, values[0].text.len};
    struct ps_pg_value key[PS_CLOCK_KEY];

    (void)n;
    for (size_t i = 0; i < keys->table->n_key_columns; i++)
        if (!read_part(&at, &key[i]))
            return ps_fail(err, PS_INTERNAL,
                           "the store: table gone has an invalid key of %s: %.60s",
                           keys->table->name, text);
    return keys->on_row(keys->user, key, keys->table->n_key_columns, err);
}

enum ps_status ps_clock_read_deleted(struct ps_pg *pg, const struct ps_clock_table *table,
                                     int64_t after, ps_pg_row *key, void *user, struct ps_err *err)
{
    const struct ps_pg_value of[] = {ps_pg_text(table->name), ps_pg_int(after)};
    struct keys keys = {table, key, user};

    return ps_pg_run(pg, "SELECT \"key\" FROM gone WHERE tbl = $1 AND tx > $2", of, 2, read_key_row,
                     &keys, err);
}

enum ps_status ps_clock_prune(struct ps_pg *pg, int64_t before, struct ps_err *err)
{
    const struct ps_pg_value at = ps_pg_int(before);
    struct ps_pg_value up_to;
    struct ps_clock clock;
    int64_t last = 0;

    ps_clock_begin(pg, 0, &clock, err);
    ps_pg_run(pg, "SELECT coalesce(max(tx), 0) FROM gone WHERE at < $1", &at, 1, read_number_row,
              &last, err);
    if (last) {
        up_to = ps_pg_int(last);
        ps_pg_queue(pg, "DELETE FROM gone WHERE tx <= $1", &up_to, 1, err);
        ps_pg_queue(pg, "UPDATE clock SET pruned = $1 WHERE one = 1", &up_to, 1, err);
        ps_pg_commit(pg, err);
    }
    ps_pg_rollback(pg);
    return err->code;
}
