/* SPDX-License-Identifier: MIT */
/* pg_test.c: a real PostgreSQL: values there and back, transactions in one order, what is told when
 * it is away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/catalog/catalog_tables.h"
#include "server/replica/clock.h"
#include "server/replica/url.h"
#include "tests/unit/postgres.h"

static const struct ps_clock_table tag = {"tag", 3, 2, {"run", "k", "v"}, {0, 1}};
static const struct ps_clock_table saved = {
    "saved_query", 6, 1, {"id", "kind", "name", "sql", "who", "at"}, {0}};

/* Rows as lines of text, columns apart by a blank. */
static enum ps_status take_text(void *user, const struct ps_pg_value *values, size_t n,
                                struct ps_err *err)
{
    struct ps_buf *out = user;

    (void)err;
    for (size_t i = 0; i < n; i++) {
        ps_buf_puts(out, i ? " " : "");
        switch (values[i].type) {
        case PS_PG_NULL:
            ps_buf_puts(out, "null");
            break;
        case PS_PG_INT:
            ps_buf_printf(out, "%lld", (long long)values[i].i);
            break;
        case PS_PG_REAL:
            ps_buf_printf(out, "%.17g", values[i].real);
            break;
        case PS_PG_TEXT:
        case PS_PG_BYTES:
            ps_buf_add_str(out, values[i].text);
        }
    }
    ps_buf_puts(out, "\n");
    return PS_OK;
}

static void expect(struct ps_pg *pg, const char *sql, const struct ps_pg_value *params, size_t n,
                   const char *rows)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    struct ps_err err = PS_ERR_INIT;

    (void)ps_pg_run(pg, sql, params, n, take_text, &out, &err);
    assert_string_equal(err.text, "");
    assert_string_equal(out.ptr ? out.ptr : "", rows);
}

static void addresses_are_read(void **state)
{
    struct ps_err err = PS_ERR_INIT;
    bool secret = true;
    char *place = ps_pg_place("postgresql://mei:hidden@db.example:5433/shelf?sslmode=require");

    (void)state;
    assert_true(ps_pg_is_url("postgres://x/y"));
    assert_false(ps_pg_is_url("/srv/postgresql://"));
    assert_string_equal(place, "postgresql://db.example:5433/shelf");
    free(place);
    assert_int_equal(ps_pg_check("postgresql://mei@db/shelf", &secret, &err), PS_OK);
    assert_false(secret);
    assert_int_equal(ps_pg_check("postgresql://mei:x@db/shelf", &secret, &err), PS_OK);
    assert_true(secret);
    assert_int_equal(ps_pg_check("postgresql://db/shelf?password=x", &secret, &err), PS_OK);
    assert_true(secret);
    assert_int_equal(ps_pg_check("postgresql://db/shelf?colour=red", &secret, &err),
                     PS_BAD_REQUEST);
    assert_non_null(strstr(err.text, "colour"));
}

static void values_come_back_as_they_were(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    const struct ps_pg_value values[] = {
        ps_pg_int(INT64_MIN),
        {.type = PS_PG_REAL, .real = 0.1},
        {.type = PS_PG_REAL, .real = 4.9406564584124654e-324},
        ps_pg_text("Größe\n'\\ \xf0\x9f\x90\x8d"),
        {.type = PS_PG_BYTES, .text = {"a\0b", 3}},
        {.type = PS_PG_NULL},
    };
    const char bytes[] = "-9223372036854775808 0.10000000000000001 4.9406564584124654e-324 "
                         "Größe\n'\\ \xf0\x9f\x90\x8d a\0b null\n";
    struct ps_buf out = {0};

    assert_int_equal(ps_pg_run(pg,
                               "SELECT $1::bigint, $2::double precision, $3::double precision, "
                               "$4::text, $5::bytea, $6::text",
                               values, 6, take_text, &out, PS_ERR_IGNORED),
                     PS_OK);
    assert_int_equal(out.len, sizeof bytes - 1);
    assert_memory_equal(out.ptr, bytes, sizeof bytes - 1);
    ps_buf_free(&out);
    ps_pg_free(pg);
}

static void an_error_leaves_the_connection_usable(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_pg_run(pg, "SELECT nothing FROM nowhere", NULL, 0, NULL, NULL, &err),
                     PS_INTERNAL);
    assert_non_null(strstr(err.text, "nowhere"));
    expect(pg, "SELECT 7::bigint", NULL, 0, "7\n");
    ps_pg_free(pg);
}

/* What was said behind a statement that failed is not done, nor the commit. */
static void a_failure_among_many_undoes_all(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    const struct ps_pg_value row[] = {ps_pg_text("r"), ps_pg_text("k"), ps_pg_text("v")};
    struct ps_err err = PS_ERR_INIT;
    struct ps_clock clock;

    assert_int_equal(ps_clock_begin(pg, 0, &clock, &err), PS_OK);
    assert_int_equal(clock.transaction, 1);
    assert_int_equal(ps_clock_put(pg, &tag, clock.transaction, row, &err), PS_OK);
    assert_int_equal(ps_pg_queue(pg, "INSERT INTO nowhere VALUES (1)", NULL, 0, &err), PS_OK);
    assert_int_not_equal(ps_pg_commit(pg, &err), PS_OK);
    assert_non_null(strstr(err.text, "nowhere"));
    ps_pg_rollback(pg);
    expect(pg, "SELECT n FROM clock", NULL, 0, "0\n");
    expect(pg, "SELECT run FROM tag", NULL, 0, "");
    ps_pg_free(pg);
}

static enum ps_status stop_at_once(void *user, const struct ps_pg_value *values, size_t n,
                                   struct ps_err *err)
{
    (void)values;
    (void)n;
    ++*(int *)user;
    return ps_fail(err, PS_CANCELLED, "enough");
}

static void rows_nobody_wants_are_read_over(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    int rows = 0;

    assert_int_equal(ps_pg_run(pg, "SELECT generate_series(1::bigint, 5000)", NULL, 0, stop_at_once,
                               &rows, PS_ERR_IGNORED),
                     PS_CANCELLED);
    assert_int_equal(rows, 1);
    expect(pg, "SELECT 8::bigint", NULL, 0, "8\n");
    ps_pg_free(pg);
}

static enum ps_status change(struct ps_pg *pg, const char *key, const char *value,
                             struct ps_err *err)
{
    const struct ps_pg_value row[] = {ps_pg_text("run"), ps_pg_text(key),
                                      ps_pg_text(value ? value : "")};
    struct ps_clock clock;
    enum ps_status status = ps_clock_begin(pg, 5000, &clock, err);

    if (status == PS_OK)
        status = value ? ps_clock_put(pg, &tag, clock.transaction, row, err)
                       : ps_clock_remove(pg, &tag, clock.transaction, row, err);
    if (status == PS_OK)
        return ps_pg_commit(pg, err);
    ps_pg_rollback(pg);
    return status;
}

static void what_happened_since_is_found(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct ps_buf out = {0};
    const struct ps_pg_value query[] = {ps_pg_int(-5),          ps_pg_text(""),    ps_pg_text("n"),
                                        ps_pg_text("SELECT 1"), ps_pg_text("mei"), ps_pg_int(1)};
    struct ps_clock clock;

    assert_int_equal(change(pg, "a;t3:x", "1", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(change(pg, "b", "1", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(change(pg, "a;t3:x", "2", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(change(pg, "b", NULL, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_clock_read_changed(pg, &tag, 2, take_text, &out, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_clock_read_deleted(pg, &tag, 2, take_text, &out, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_clock_read_changed(pg, &tag, 4, take_text, &out, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_clock_read_deleted(pg, &tag, 4, take_text, &out, PS_ERR_IGNORED), PS_OK);
    assert_string_equal(out.ptr, "run a;t3:x 2\nrun b\n");
    out.len = 0;
    assert_int_equal(change(pg, "a;t3:x", NULL, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_clock_begin(pg, 0, &clock, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_clock_put(pg, &saved, clock.transaction, query, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_clock_remove(pg, &saved, clock.transaction, query, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_pg_commit(pg, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_clock_read_deleted(pg, &tag, 4, take_text, &out, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_clock_read_deleted(pg, &saved, 4, take_text, &out, PS_ERR_IGNORED), PS_OK);
    assert_string_equal(out.ptr, "run a;t3:x\n-5\n");
    ps_buf_free(&out);
    ps_pg_free(pg);
}

static void removals_are_forgotten_in_time(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct ps_clock clock;

    assert_int_equal(change(pg, "a", "1", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(change(pg, "a", NULL, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_clock_prune(pg, 1000, PS_ERR_IGNORED), PS_OK); /* of 1970 there are none */
    assert_int_equal(ps_clock_read(pg, &clock, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(clock.transaction, 2);
    assert_int_equal(clock.pruned_to, 0);
    assert_int_equal(strlen(clock.store), 32);
    assert_int_equal(ps_clock_prune(pg, INT64_MAX, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_clock_read(pg, &clock, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(clock.pruned_to, 2);
    expect(pg, "SELECT count(*) FROM gone", NULL, 0, "0\n");
    ps_pg_free(pg);
}

/* --- Concurrency --- */

struct crowd {
    const char *url;
    atomic_int failed;
};

static void *migrate_once(void *user)
{
    struct crowd *crowd = user;
    struct ps_pg *pg = ps_pg_new(crowd->url);

    crowd->failed += ps_pg_migrate(pg, PS_ERR_IGNORED) != PS_OK;
    ps_pg_free(pg);
    return NULL;
}

static void *count_up(void *user)
{
    struct crowd *crowd = user;
    struct ps_pg *pg = ps_pg_new(crowd->url);
    char seen[24];

    for (int i = 0; i < 50; i++) {
        struct ps_pg_value row[] = {ps_pg_text("run"), ps_pg_text(""), ps_pg_text("")};
        struct ps_clock clock;

        crowd->failed += ps_clock_begin(pg, 20000, &clock, PS_ERR_IGNORED) != PS_OK;
        (void)snprintf(seen, sizeof seen, "%lld", (long long)clock.transaction);
        row[1] = ps_pg_text(seen);
        crowd->failed += ps_clock_put(pg, &tag, clock.transaction, row, PS_ERR_IGNORED) != PS_OK;
        crowd->failed += ps_pg_commit(pg, PS_ERR_IGNORED) != PS_OK;
    }
    ps_pg_free(pg);
    return NULL;
}

static void together(struct crowd *crowd, void *(*work)(void *))
{
    pthread_t threads[6];

    for (size_t i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, crowd), 0);
    for (size_t i = 0; i < 6; i++)
        (void)pthread_join(threads[i], NULL);
    assert_int_equal(crowd->failed, 0);
}

static void many_lay_out_one_store(void **state)
{
    struct crowd crowd = {postgres_database(), 0};
    char steps[64];
    struct ps_pg *pg;

    (void)state;
    together(&crowd, migrate_once);
    pg = connect_to(crowd.url);
    (void)snprintf(steps, sizeof steps, "1 %d\n", ps_catalog_layout); /* one of them did it */
    expect(pg, "SELECT count(*), max(version) FROM migration", NULL, 0, steps);
    expect(pg, "SELECT count(*), max(n) FROM clock", NULL, 0, "1 0\n");
    ps_pg_free(pg);
    free((char *)crowd.url);
}

/* What the tables are made of, without the order of columns and their defaults, which differ. */
static char *structure_of(struct ps_pg *pg)
{
    struct ps_buf out = {0};
    struct ps_err err = PS_ERR_INIT;

    (void)ps_pg_run(pg,
                    "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || "
                    "is_nullable FROM information_schema.columns "
                    "WHERE table_schema = current_schema() "
                    "UNION SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() "
                    "ORDER BY 1",
                    NULL, 0, take_text, &out, &err);
    assert_string_equal(err.text, "");
    assert_true(out.len > 2000);
    return out.ptr;
}

static void run_file(struct ps_pg *pg, const char *path)
{
    FILE *file = fopen(path, "r");
    struct ps_err err = PS_ERR_INIT;
    char text[16384];
    size_t n;

    if (!file)
        fail_msg("cannot read %s", path);
    n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    (void)fclose(file);
    if (ps_pg_script(pg, text, &err) != PS_OK)
        fail_msg("%s: %s", path, err.text);
}

/* Older layouts are written as steps, one on top of the other. */
static void older_layouts_become_the_present_one(void **state)
{
    struct ps_pg *fresh = connect_to(*state);
    char *expected = structure_of(fresh), newest[16];
    glob_t steps;

    assert_int_equal(glob(PS_TESTS_DIR "/layouts/postgresql/*.sql", 0, NULL, &steps), 0);
    assert_true(steps.gl_pathc >= 5);
    (void)snprintf(newest, sizeof newest, "%d\n", ps_catalog_layout);
    for (size_t layout = 1; layout <= steps.gl_pathc; layout++) {
        char *url = postgres_database(), *found;
        struct ps_pg *pg = connect_to(url);

        for (size_t i = 0; i < layout; i++) {
            struct ps_pg_value version = ps_pg_int((int64_t)i + 1);

            run_file(pg, steps.gl_pathv[i]);
            expect(pg, "INSERT INTO migration VALUES ($1, 0)", &version, 1, "");
        }
        expect(pg, "INSERT INTO clock VALUES (1, 3, 0, 'name')", NULL, 0, "");
        expect(pg, "INSERT INTO tag VALUES ('0123456789abcdef', 'host', 'ci', 3)", NULL, 0, "");
        assert_int_equal(ps_pg_migrate(pg, PS_ERR_IGNORED), PS_OK);
        found = structure_of(pg);
        if (strcmp(found, expected) != 0)
            fail_msg("layout %zu became\n%s\nand not\n%s", layout, found, expected);
        expect(pg, "SELECT max(version) FROM migration", NULL, 0, newest);
        expect(pg, "SELECT n, store FROM clock", NULL, 0, "3 name\n");
        expect(pg, "SELECT v FROM tag", NULL, 0, "ci\n");
        free(found);
        free(url);
        ps_pg_free(pg);
    }
    globfree(&steps);
    free(expected);
    ps_pg_free(fresh);
}

static void transactions_have_one_order(void **state)
{
    struct crowd crowd = {*state, 0};
    struct ps_pg *pg;

    together(&crowd, count_up);
    pg = connect_to(crowd.url);
    expect(pg, "SELECT n FROM clock", NULL, 0, "300\n");
    expect(pg, "SELECT count(*), min(tx), max(tx), count(DISTINCT tx) FROM tag WHERE k = tx::text",
           NULL, 0, "300 1 300 300\n");
    ps_pg_free(pg);
}

static void a_newer_layout_is_refused(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct ps_err err = PS_ERR_INIT;

    expect(pg, "INSERT INTO migration(version, at) VALUES (900, 0)", NULL, 0, "");
    assert_int_equal(ps_pg_migrate(pg, &err), PS_CONFLICT);
    assert_non_null(strstr(err.text, "newer"));
    ps_pg_free(pg);
}

/* --- Lost connections --- */

static void *start_it_later(void *word)
{
    (void)usleep(300000); /* inside the wait of the other thread; how long does not matter */
    postgres_command(word);
    return NULL;
}

static void it_goes_and_comes_back(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct ps_err err = PS_ERR_INIT;
    pthread_t later;

    assert_int_equal(change(pg, "a", "1", PS_ERR_IGNORED), PS_OK);
    postgres_command("kill");
    assert_int_equal(ps_pg_run(pg, "SELECT 1::bigint", NULL, 0, NULL, NULL, &err), PS_UNAVAILABLE);
    assert_false(ps_pg_is_connected(pg));
    err = (struct ps_err)PS_ERR_INIT;
    assert_int_equal(ps_pg_connect(pg, 100, &err), PS_UNAVAILABLE);
    assert_string_not_equal(err.hint, "");
    (void)pthread_create(&later, NULL, start_it_later, "start");
    assert_int_equal(change(pg, "a", "2", PS_ERR_IGNORED), PS_OK); /* it waits for it */
    (void)pthread_join(later, NULL);
    expect(pg, "SELECT v FROM tag", NULL, 0, "2\n");
    ps_pg_free(pg);
}

static void a_transaction_that_it_ended_is_undone(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    const struct ps_pg_value row[] = {ps_pg_text("r"), ps_pg_text("k"), ps_pg_text("v")};
    struct ps_clock clock;

    assert_int_equal(ps_clock_begin(pg, 0, &clock, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_clock_put(pg, &tag, clock.transaction, row, PS_ERR_IGNORED), PS_OK);
    postgres_command("stop");
    assert_int_equal(ps_pg_commit(pg, PS_ERR_IGNORED), PS_UNAVAILABLE);
    ps_pg_rollback(pg);
    postgres_command("start");
    assert_int_equal(ps_pg_connect(pg, 5000, PS_ERR_IGNORED), PS_OK);
    expect(pg, "SELECT n FROM clock", NULL, 0, "0\n");
    ps_pg_free(pg);
}

/* Whoever holds the clock and does nothing loses it, so that one server that hangs stops no other.
 */
static void who_sleeps_on_the_clock_loses_it(void **state)
{
    struct ps_pg *asleep = connect_to(*state), *pg = connect_to(*state);
    struct ps_clock clock;

    assert_int_equal(
        ps_pg_script(asleep, "SET idle_in_transaction_session_timeout = 200", PS_ERR_IGNORED),
        PS_OK);
    assert_int_equal(ps_clock_begin(asleep, 0, &clock, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(change(pg, "a", "1", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_pg_commit(asleep, PS_ERR_IGNORED), PS_UNAVAILABLE);
    expect(pg, "SELECT n FROM clock", NULL, 0, "1\n");
    ps_pg_free(asleep);
    ps_pg_free(pg);
}

/* --- Portability --- */

/* Words of what PostgreSQL has and one of the others has not, or not so. */
static void the_layout_is_portable(void **state)
{
    static const char *const words[] = {"SERIAL",   "SEQUENCE", "TRIGGER",    "LISTEN", "JSON",
                                        "UNLOGGED", "advisory", "REFERENCES", "->"};

    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

    (void)state;
    ps_pg_layout_script(0, &sql);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(sql.ptr, words[i]))
            fail_msg("%s in the layout", words[i]);
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, make_store, drop_store)

int pg_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read),
        cmocka_unit_test(the_layout_is_portable),
        WITH_STORE(values_come_back_as_they_were),
        WITH_STORE(an_error_leaves_the_connection_usable),
        WITH_STORE(a_failure_among_many_undoes_all),
        WITH_STORE(rows_nobody_wants_are_read_over),
        WITH_STORE(what_happened_since_is_found),
        WITH_STORE(removals_are_forgotten_in_time),
        cmocka_unit_test(many_lay_out_one_store),
        WITH_STORE(older_layouts_become_the_present_one),
        WITH_STORE(transactions_have_one_order),
        WITH_STORE(a_newer_layout_is_refused),
        WITH_STORE(it_goes_and_comes_back),
        WITH_STORE(a_transaction_that_it_ended_is_undone),
        WITH_STORE(who_sleeps_on_the_clock_loses_it),
    };

    return postgres_start() ? cmocka_run_group_tests_name("pg", tests, NULL, NULL) : 0;
}
