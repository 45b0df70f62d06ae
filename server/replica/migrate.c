/* SPDX-License-Identifier: MIT */
/*
 * migrate.c: the tables of a shelf in PostgreSQL: the shared tables of catalog.sql, and those of
 * remote.sql. Table migration stores the layout number of catalog.sql.
 *
 * All statements of a migration and the row that records it are one transaction. Some databases
 * cannot run DDL statements inside a transaction: YugabyteDB runs each DDL statement in its own
 * transaction, CockroachDB commits before each. There, an interrupted migration is repeated: all
 * its statements are idempotent, and the row is written last. The same holds for two servers that
 * migrate at once, of which one may fail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/clock.h"
#include "schema/schema.h"
#include "server/catalog/catalog_tables.h"
#include "server/replica/pg.h"

#define TRIES    20
#define PAUSE_MS 100

static void add_column(struct ps_buf *sql, const struct ps_catalog_column *column)
{
    static const struct {
        const char *ours, *theirs;
    } types[] = {{"INTEGER", "BIGINT"}, {"REAL", "DOUBLE PRECISION"}, {"TEXT", "TEXT"}};
    const char *type = NULL;

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].ours, column->type) == 0)
            type = types[i].theirs;
    ps_buf_printf(sql, "\"%s\" %s%s", column->name, type, column->is_nullable ? "" : " NOT NULL");
    if (column->default_literal)
        ps_buf_printf(sql, " DEFAULT %s", column->default_literal);
}

static void add_key(struct ps_buf *sql, const struct ps_catalog_table *table)
{
    ps_buf_puts(sql, "PRIMARY KEY(");
    for (int place = 1, left = 1; left; place++) {
        left = 0;
        for (size_t i = 0; i < table->n; i++) {
            if (table->columns[i].key == place)
                ps_buf_printf(sql, "%s\"%s\"", place > 1 ? ", " : "", table->columns[i].name);
            left += table->columns[i].key > place;
        }
    }
    ps_buf_puts(sql, ")");
}

/* Creates a table with the additional column tx (server/replica/clock.h), or adds its new columns.
 * New columns have defaults, so that a server of an older perfshelf can still insert rows without
 * them. */
static void add_table(struct ps_buf *sql, const struct ps_catalog_table *table, int64_t layout)
{
    ps_buf_printf(sql, "CREATE TABLE IF NOT EXISTS \"%s\"(", table->name);
    for (size_t i = 0; i < table->n; i++) {
        add_column(sql, &table->columns[i]);
        ps_buf_puts(sql, ", ");
    }
    ps_buf_puts(sql, "tx BIGINT NOT NULL, ");
    add_key(sql, table);
    ps_buf_printf(sql, ");\nCREATE INDEX IF NOT EXISTS \"%s_tx\" ON \"%s\"(tx);\n", table->name,
                  table->name);
    for (size_t i = 0; i < table->n; i++)
        if (table->columns[i].since_layout > layout) {
            ps_buf_printf(sql, "ALTER TABLE \"%s\" ADD COLUMN IF NOT EXISTS ", table->name);
            add_column(sql, &table->columns[i]);
            ps_buf_puts(sql, ";\n");
        }
}

void ps_pg_layout_script(int64_t layout, struct ps_buf *out)
{
    for (const struct ps_catalog_table *table = ps_catalog_tables; table->name; table++)
        if (table->is_shared)
            add_table(out, table, layout);
    for (const struct ps_schema_text *at = ps_schema_texts; at->name; at++)
        if (strcmp(at->name, "remote") == 0)
            ps_buf_puts(out, at->text);
}

static enum ps_status take_int(void *user, const struct ps_pg_value *values, size_t n,
                               struct ps_err *err)
{
    (void)n;
    (void)err;
    *(int64_t *)user = values[0].i;
    return PS_OK;
}

static enum ps_status read_layout(struct ps_pg *pg, int64_t *out, struct ps_err *err)
{
    int64_t tables = 0;

    *out = 0;
    ps_pg_run(pg,
              "SELECT count(*) FROM information_schema.tables "
              "WHERE table_schema = current_schema() AND table_name = 'migration'",
              NULL, 0, take_int, &tables, err);
    if (!tables)
        return err->code;
    return ps_pg_run(pg, "SELECT coalesce(max(version), 0) FROM migration", NULL, 0, take_int, out,
                     err);
}

static enum ps_status name_store(struct ps_pg *pg, struct ps_err *err)
{
    unsigned char random[16];
    char name[2 * sizeof random + 1];
    struct ps_pg_value value;

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return ps_fail_errno(err, "cannot read random bytes from", "the kernel");
    for (size_t i = 0; i < sizeof random; i++)
        (void)snprintf(name + 2 * i, 3, "%02x", random[i]);
    value = ps_pg_text(name);
    return ps_pg_run(pg,
                     "INSERT INTO clock(one, n, pruned, store) VALUES (1, 0, 0, $1) "
                     "ON CONFLICT (one) DO NOTHING",
                     &value, 1, NULL, NULL, err);
}

static enum ps_status migrate_from(struct ps_pg *pg, int64_t layout, struct ps_err *err)
{
    const struct ps_pg_value values[] = {ps_pg_int(ps_catalog_layout),
                                         ps_pg_int(ps_wall_clock_ms())};
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

    ps_pg_layout_script(layout, &sql);
    ps_pg_script(pg, "BEGIN", err);
    ps_pg_script(pg, sql.ptr, err);
    name_store(pg, err);
    ps_pg_run(pg,
              "INSERT INTO migration(version, at) VALUES ($1, $2) "
              "ON CONFLICT (version) DO NOTHING",
              values, 2, NULL, NULL, err);
    if (ps_pg_commit(pg, err) != PS_OK)
        ps_pg_rollback(pg);
    return err->code;
}

static enum ps_status migrate_tables(struct ps_pg *pg, struct ps_err *err)
{
    int64_t layout = 0;

    ps_pg_connect(pg, 0, err);
    if (read_layout(pg, &layout, err) != PS_OK || layout == ps_catalog_layout)
        return err->code;
    if (layout < ps_catalog_layout)
        return migrate_from(pg, layout, err);
    return ps_fail(err, PS_CONFLICT,
                   "the store was written by a newer perfshelf (layout %lld)" PS_HINT
                   "use that version or a newer one",
                   (long long)layout);
}

enum ps_status ps_pg_migrate(struct ps_pg *pg, struct ps_err *err)
{
    struct ps_err own = *err;

    for (unsigned failed = 0; err->code == PS_OK && failed < TRIES; failed++) {
        own = (struct ps_err)PS_ERR_INIT;
        (void)migrate_tables(pg, &own);
        if (own.code == PS_OK || own.code == PS_CONFLICT || own.code == PS_FORBIDDEN)
            break;
        ps_sleep_ms(PAUSE_MS);
    }
    return ps_fail_copy(err, &own);
}
