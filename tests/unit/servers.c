/* SPDX-License-Identifier: MIT */
#include "tests/unit/servers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/replica/replica.h"
#include "server/replica/state.h"
#include "tests/unit/postgres.h"

int make(void **state)
{
    struct fixture *f = ps_alloc(sizeof *f);

    f->url = postgres_database();
    (void)snprintf(f->dir, sizeof f->dir, "/tmp/ps-mirror-test-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    *state = f;
    return 0;
}

int drop(void **state)
{
    struct fixture *f = *state;
    char command[128];

    (void)snprintf(command, sizeof command, "rm -rf %s", f->dir);
    assert_int_equal(system(command), 0);
    free(f->url);
    free(f);
    return 0;
}

/* Server `which` on the store of the test. */
struct ps_store *open_server(struct fixture *f, const char *which)
{
    struct ps_store *store = NULL;
    struct ps_err err = PS_ERR_INIT;
    char dir[80];

    (void)snprintf(dir, sizeof dir, "%s/%s", f->dir, which);
    (void)ps_store_open_shared(f->url, dir, 0, &store, &err);
    assert_string_equal(err.text, "");
    return store;
}

/* --- Runs and log entries --- */

/* A run without files; its id is the beginning of its hash. */
enum ps_status put_run(struct ps_store *store, unsigned n, const char *name, struct ps_err *err)
{
    char sha256[PS_SHA256_SIZE], *kept = NULL;
    struct ps_catalog_row row = {.sha256 = sha256,
                                 .kind = "pstats",
                                 .name = name,
                                 .series = "nightly",
                                 .user_name = "mei",
                                 .summary = "{\"a\":1}",
                                 .created_ms = 1000 + n,
                                 .bytes = 7,
                                 .ledger = {.unit = "entries", .stored = n},
                                 .headline = {0.1 * n, "s", "total"}};
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = ps_catalog_begin(store, PS_DURABLE, &own);

    (void)snprintf(sha256, sizeof sha256, "%016x%048x", n, n);
    (void)snprintf(row.id, sizeof row.id, "%016x", n);
    if (status == PS_OK)
        status = ps_catalog_put_run(store->catalog, &row, &kept, &own);
    free(kept);
    status = ps_catalog_end(store, status, &own);
    return status == PS_OK ? PS_OK : ps_fail_copy(err, &own);
}

void id_of(unsigned n, char out[PS_ID_SIZE])
{
    (void)snprintf(out, PS_ID_SIZE, "%016x", n);
}

enum ps_status tag_run(struct ps_store *store, unsigned n, const char *value, struct ps_err *err)
{
    const struct ps_tag tags[] = {{"branch", "main"}, {"value", value}};
    const struct ps_run_edit edit = {.name = value, .tags = tags, .n_tags = 2, .set_tags = true};
    char id[PS_ID_SIZE];

    id_of(n, id);
    return ps_store_edit_run(store, id, &edit, err);
}

enum ps_status log_one(struct ps_store *store, const char *name)
{
    const struct ps_log_entry entry = {
        .name = name, .sha256 = "", .user_name = "mei", .run_id = "", .seconds = 0.25};

    return ps_store_log_import(store, &entry, PS_ERR_IGNORED);
}

/* --- Comparison of shelves --- */

static void dump_table(struct ps_store *store, const char *name, struct ps_buf *out)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    struct ps_json json = ps_json_writer(out);

    ps_buf_printf(&sql, "SELECT * FROM \"%s\" ORDER BY 1, 2", name);
    assert_int_equal(ps_db_prepare(store->catalog, sql.ptr, &stmt, PS_ERR_IGNORED), PS_OK);
    ps_json_array(&json);
    ps_json_str(&json, ps_str_from_c(name));
    while (ps_stmt_step(stmt, PS_ERR_IGNORED))
        for (int i = 0; i < ps_col_count(stmt); i++)
            ps_col_write_json(stmt, i, &json);
    ps_json_end(&json);
}

/* All that is shared, brought up to date; malloc'ed. */
static char *dump(struct ps_store *store)
{
    struct ps_buf out = {0};
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status = ps_catalog_begin(store, PS_NOT_DURABLE, &err);

    for (size_t i = 0; status == PS_OK && i < store->replica->mirror->tables.n; i++)
        dump_table(store, store->replica->mirror->tables.items[i].name, &out);
    if (status == PS_OK) {
        dump_table(store, "tally", &out); /* what each makes of it */
        dump_table(store, "run_text", &out);
        dump_table(store, "tagged", &out);
    }
    (void)ps_catalog_end(store, status, &err);
    assert_string_equal(err.text, "");
    return out.ptr;
}

void expect_same(struct ps_store *a, struct ps_store *b)
{
    PS_AUTO(ps_free_ptr) char *of_a = dump(a);
    PS_AUTO(ps_free_ptr) char *of_b = dump(b);

    assert_string_equal(of_a, of_b);
}

/* One number of the catalog as it stands here, without catching up. */
int64_t count(struct ps_store *store, const char *sql)
{
    struct ps_db *db = ps_catalog_lock(store);
    struct ps_stmt *stmt = NULL;
    int64_t n = -1;

    if (ps_db_prepare(db, sql, &stmt, PS_ERR_IGNORED) == PS_OK &&
        ps_stmt_step(stmt, PS_ERR_IGNORED))
        n = ps_col_int(stmt, 0);
    ps_stmt_release(stmt);
    ps_catalog_unlock(store);
    return n;
}

/* Waits until the mirror says so by itself. */
void wait_until(struct ps_store *store, const char *sql, int64_t wanted)
{
    for (int i = 0; i < 3000 && count(store, sql) != wanted; i++)
        (void)usleep(10000);
    assert_int_equal(count(store, sql), wanted);
}
