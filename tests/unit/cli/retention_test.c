/* SPDX-License-Identifier: MIT */
/* retention_test.c: what --keep says, which runs it lets go, and what happened in between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/cli/options/retention_options.h"
#include "tests/unit/postgres.h"
#include "tests/unit/servers.h"

#define DAY 86400000LL
#define NOW (100 * DAY)

/* --- Rules --- */

static enum ps_status read_rule(const char *text, struct ps_arena *arena,
                                struct ps_retention_rule *out, struct ps_err *err)
{
    const char *rules[] = {text};
    const struct ps_options options = {.retention_rules = rules, .n_retention_rules = 1};
    struct ps_retention keep;
    enum ps_status status = ps_retention_parse(&options, arena, &keep, err);

    if (status == PS_OK) {
        assert_int_equal(keep.n, 1);
        assert_string_equal(keep.rules[0].text, text);
        *out = keep.rules[0];
    }
    return status;
}

static void what_rules_say(void **state)
{
    static const struct {
        const char *text;
        enum ps_retention_scope of;
        enum ps_retention_unit by;
        const char *series;
        int64_t limit;
        const char *what;
    } rules[] = {
        {"500", PS_RETAIN_IN_SHELF, PS_RETAIN_BY_RUNS, NULL, 500, "500 runs"},
        {"1", PS_RETAIN_IN_SHELF, PS_RETAIN_BY_RUNS, NULL, 1, "1 run"},
        {"90d", PS_RETAIN_IN_SHELF, PS_RETAIN_BY_AGE, NULL, 90 * DAY, "90 days"},
        {"2w", PS_RETAIN_IN_SHELF, PS_RETAIN_BY_AGE, NULL, 14 * DAY, "14 days"},
        {"36h", PS_RETAIN_IN_SHELF, PS_RETAIN_BY_AGE, NULL, DAY + DAY / 2, "36 hours"},
        {"1.5d", PS_RETAIN_IN_SHELF, PS_RETAIN_BY_AGE, NULL, DAY + DAY / 2, "36 hours"},
        {"90s", PS_RETAIN_IN_SHELF, PS_RETAIN_BY_AGE, NULL, 90000, "90.00 s"},
        {"1.5GiB", PS_RETAIN_IN_SHELF, PS_RETAIN_BY_BYTES, NULL, 3LL << 29, "1.50 GiB"},
        {"2TiB", PS_RETAIN_IN_SHELF, PS_RETAIN_BY_BYTES, NULL, 2LL << 40, "2.00 TiB"},
        {"20/series", PS_RETAIN_IN_EACH_SERIES, PS_RETAIN_BY_RUNS, NULL, 20,
         "20 runs of each series"},
        {"30d/series", PS_RETAIN_IN_EACH_SERIES, PS_RETAIN_BY_AGE, NULL, 30 * DAY,
         "30 days of each series"},
        {"2GiB/series", PS_RETAIN_IN_EACH_SERIES, PS_RETAIN_BY_BYTES, NULL, 2LL << 30,
         "2.00 GiB of each series"},
        {"nightly=50", PS_RETAIN_IN_ONE_SERIES, PS_RETAIN_BY_RUNS, "nightly", 50,
         "50 runs of series nightly"},
        {"a=b/series=1d", PS_RETAIN_IN_ONE_SERIES, PS_RETAIN_BY_AGE, "a=b/series", DAY,
         "1 day of series a=b/series"},
        {"500=1kB", PS_RETAIN_IN_ONE_SERIES, PS_RETAIN_BY_BYTES, "500", 1000,
         "1000 B of series 500"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        PS_AUTO(ps_arena_free) struct ps_arena arena = {0};
        struct ps_retention_rule rule;

        assert_int_equal(read_rule(rules[i].text, &arena, &rule, PS_ERR_IGNORED), PS_OK);
        assert_int_equal(rule.scope, rules[i].of);
        assert_int_equal(rule.unit, rules[i].by);
        assert_int_equal(rule.limit, rules[i].limit);
        assert_string_equal(rule.description, rules[i].what);
        assert_string_equal(rule.series ? rule.series : "-",
                            rules[i].series ? rules[i].series : "-");
    }
}

static void what_is_no_rule(void **state)
{
    static const char *const texts[] = {"",
                                        "0",
                                        "-5",
                                        "+5",
                                        "1.5",
                                        "0d",
                                        "x",
                                        "d",
                                        "90x",
                                        "90%",
                                        "1e3",
                                        "0x10d",
                                        " 5",
                                        "5 d",
                                        "inf",
                                        "nan",
                                        "=20",
                                        "a=",
                                        "a=0",
                                        "a=20/series",
                                        "/series",
                                        "20/",
                                        "20/s",
                                        "series/20",
                                        "0.1B",
                                        "99e9",
                                        "9999999999999999999",
                                        "\xff\xfe=20",
                                        "0.9/series"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        PS_AUTO(ps_arena_free) struct ps_arena arena = {0};
        struct ps_err err = PS_ERR_INIT;
        struct ps_retention_rule rule;

        if (read_rule(texts[i], &arena, &rule, &err) != PS_BAD_REQUEST)
            fail_msg("'%s' is a rule", texts[i]);
        assert_non_null(strstr(err.text, "for --keep"));
        assert_non_null(strstr(err.hint, "20/series"));
    }
}

/* --- Test shelf --- */

static int open_shelf(void **state)
{
    char dir[] = "/tmp/ps-retention-XXXXXX";
    struct ps_store *store = NULL;

    assert_non_null(mkdtemp(dir));
    assert_int_equal(ps_store_open(dir, &store, PS_ERR_IGNORED), PS_OK);
    *state = store;
    return 0;
}

static int close_shelf(void **state)
{
    char command[128];

    (void)snprintf(command, sizeof command, "rm -r %s", ps_store_dir(*state));
    ps_store_close(*state);
    return system(command);
}

static void say(struct ps_store *store, const char *sql)
{
    enum ps_status status = ps_catalog_begin(store, PS_NOT_DURABLE, PS_ERR_IGNORED);

    if (status == PS_OK)
        status = ps_db_exec(store->catalog, sql, PS_ERR_IGNORED);
    assert_int_equal(ps_catalog_end(store, status, PS_ERR_IGNORED), PS_OK);
}

/* A run of one letter, whose file and original take 100 bytes; days: its age at NOW. */
static void put(struct ps_store *store, char name, const char *series, int64_t days)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

    ps_buf_printf(&sql,
                  "INSERT INTO run(id, sha256, kind, name, series, created_at, headline_value, "
                  "headline_unit, headline_label, bytes, db_bytes, rows, ledger_unit, read, "
                  "stored, repaired, rejected, other, summary) VALUES ('%016x', '%064x', 'pstats', "
                  "'%c', '%s', %lld, 0, '', '', 40, 60, 1, '', 1, 1, 0, 0, 0, '{}')",
                  (unsigned)name, (unsigned)name, name, series, NOW - (long long)(days * DAY));
    say(store, sql.ptr);
}

static void pin(struct ps_store *store, char name)
{
    char id[PS_ID_SIZE];

    id_of((unsigned)name, id);
    assert_int_equal(ps_store_set_baseline(store, id, PS_ERR_IGNORED), PS_OK);
}

/* Rules that words make, for one test. */
struct rules {
    struct ps_arena arena;
    struct ps_retention keep;
};

static struct rules rules_of(const char **texts, size_t n)
{
    struct rules rules = {.keep = {NULL, 0}};
    const struct ps_options options = {.retention_rules = texts, .n_retention_rules = n};

    assert_int_equal(ps_retention_parse(&options, &rules.arena, &rules.keep, PS_ERR_IGNORED),
                     PS_OK);
    return rules;
}

static struct ps_prune_list look(struct ps_store *store, const struct rules *rules)
{
    struct ps_prune_list list;
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_retention_find(store, &rules->keep, NOW, &list, &err), PS_OK);
    return list;
}

static void expect(struct ps_store *store, const char **texts, size_t n, const char *wanted)
{
    struct rules rules = rules_of(texts, n);
    struct ps_prune_list list = look(store, &rules);
    PS_AUTO(ps_buf_free) struct ps_buf seen = {0};

    ps_buf_puts(&seen, "");
    for (size_t i = 0; i < list.n; i++) {
        assert_int_equal(list.items[i].bytes, 100);
        ps_buf_printf(&seen, "%s%zu", list.items[i].name, list.items[i].rule_index);
    }
    assert_string_equal(seen.ptr, wanted);
    ps_prune_list_free(&list);
    ps_arena_free(&rules.arena);
}

/* The letters that go, the oldest first, each with the number of the rule. */
#define EXPECT(store, wanted, ...)                                                                 \
    expect(store, (const char *[]){__VA_ARGS__},                                                   \
           sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), wanted)

static void the_newest_stay(void **state)
{
    struct ps_store *store = *state;

    EXPECT(store, "", "1", "1d", "1B", "1/series", "x=1");
    put(store, 'd', "", 40); /* as a rebuilt or copied shelf may have them */
    put(store, 'a', "x", 70);
    put(store, 'b', "x", 60);
    put(store, 'c', "y", 50);
    put(store, 'e', "x", 30);
    EXPECT(store, "a0b0", "3");
    EXPECT(store, "a0b0c0d0", "1");
    EXPECT(store, "", "5");
    EXPECT(store, "a0b0", "55d");
    EXPECT(store, "a0", "60d"); /* not b, which is as old as that */
    EXPECT(store, "a0b0c0", "299B");
    EXPECT(store, "a0b0", "300B");
    EXPECT(store, "a0b0c0d0e0", "99B");
}

static void of_each_series(void **state)
{
    struct ps_store *store = *state;

    put(store, 'a', "x", 70);
    put(store, 'b', "x", 60);
    put(store, 'c', "y", 50);
    put(store, 'd', "", 90);
    put(store, 'e', "", 80);
    EXPECT(store, "a0", "1/series");
    EXPECT(store, "", "2/series");
    EXPECT(store, "a0b0", "55d/series");
    EXPECT(store, "a0", "100B/series");
    EXPECT(store, "a0b0c0", "99B/series");
    EXPECT(store, "a0", "x=1");
    EXPECT(store, "a0b0", "x=99B");
    EXPECT(store, "a0b0", "x=1h");
    EXPECT(store, "", "nobody=1", "nobody=1d", "nobody=1B");
    put(store, 'f', "y", 40);
    EXPECT(store, "a0c0", "1/series");
    EXPECT(store, "c0", "1/series", "x=5"); /* its own rule in place of that of each */
    EXPECT(store, "c0", "1/series", "x=1TiB");
    EXPECT(store, "a1c0", "1/series", "x=1");
    EXPECT(store, "a0b0", "55d/series", "y=1000d");
    EXPECT(store, "a0b0", "99B/series", "y=1GiB");
}

static void rules_add_up(void **state)
{
    struct ps_store *store = *state;

    put(store, 'a', "x", 70);
    put(store, 'b', "x", 60);
    put(store, 'c', "y", 50);
    put(store, 'd', "x", 5);
    EXPECT(store, "a0b1", "65d", "x=1");
    EXPECT(store, "a0b2", "x=2", "65d", "2");
    EXPECT(store, "a0b0c0", "10d", "1", "1/series");
}

static void of_one_moment_the_last_is_the_newest(void **state)
{
    struct ps_store *store = *state;

    for (const char *name = "dbac"; *name; name++)
        put(store, *name, "x", 1);
    EXPECT(store, "d0b0a0", "1");
    EXPECT(store, "d0b0", "2/series");
    EXPECT(store, "d0b0a0", "x=199B");
    EXPECT(store, "d0b0a0c0", "12h");
}

static void a_baseline_stays(void **state)
{
    struct ps_store *store = *state;

    put(store, 'a', "x", 70);
    put(store, 'b', "x", 60);
    put(store, 'c', "x", 50);
    put(store, 'd', "x", 40);
    pin(store, 'b');
    EXPECT(store, "a0", "2"); /* and is not counted: c and d stay */
    EXPECT(store, "a0", "2/series");
    EXPECT(store, "a0c0", "x=1");
    EXPECT(store, "a0", "55d");
    EXPECT(store, "a0c0d0", "1h/series");
    EXPECT(store, "a0", "200B");
    EXPECT(store, "a0", "x=200B");
    say(store, "UPDATE run SET series = 'y' WHERE name = 'b'"); /* it is none of y */
    EXPECT(store, "a0b0", "2");
    EXPECT(store, "a0b0", "55d");
    pin(store, 'a');
    EXPECT(store, "b0c0d0", "1h");
}

/* --- Concurrent changes --- */

static enum ps_status remove_named(struct ps_store *store, const struct rules *rules,
                                   const struct ps_prune_list *list, char name)
{
    struct ps_err err = PS_ERR_INIT;

    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].name[0] == name)
            return ps_retention_remove(store, &rules->keep, &list->items[i],
                                       name == 'a' ? "mei" : "", &err);
    return PS_INTERNAL;
}

static void what_changed_since_stays(void **state)
{
    struct ps_store *store = *state;
    const char *texts[] = {"x=1B"};
    struct rules rules = rules_of(texts, 1);
    struct ps_prune_list list;
    char id[PS_ID_SIZE];

    for (const char *name = "abcde"; *name; name++)
        put(store, *name, "x", 1);
    list = look(store, &rules);
    assert_int_equal(list.n, 5);
    pin(store, 'b');
    say(store, "UPDATE run SET series = 'y' WHERE name = 'c'");
    id_of('d', id);
    assert_int_equal(ps_store_remove_run(store, id, "", PS_ERR_IGNORED), PS_OK);
    put(store, 'd', "x", 0); /* the same bytes once more */
    for (const char *name = "bcd"; *name; name++)
        assert_int_equal(remove_named(store, &rules, &list, *name), PS_NOT_FOUND);
    assert_int_equal(remove_named(store, &rules, &list, 'a'), PS_OK);
    assert_int_equal(remove_named(store, &rules, &list, 'a'), PS_NOT_FOUND);
    assert_int_equal(remove_named(store, &rules, &list, 'e'), PS_OK);
    assert_int_equal(count(store, "SELECT count(*) FROM run WHERE name IN ('b', 'c', 'd')"), 3);
    assert_int_equal(count(store, "SELECT count(*) FROM run"), 3);
    assert_int_equal(count(store, "SELECT count(*) FROM removal_log"), 3);
    assert_int_equal(count(store, "SELECT count(*) FROM removal_log WHERE name = 'a' AND "
                                  "who = 'mei (--keep x=1B)'"),
                     1);
    assert_int_equal(
        count(store, "SELECT count(*) FROM removal_log WHERE name = 'e' AND who = '--keep x=1B'"),
        1);
    ps_prune_list_free(&list);
    ps_arena_free(&rules.arena);
}

/* Another server pins one, and takes another, while this one still thinks that they go. */
static void what_others_changed_stays(void **state)
{
    struct ps_store *a = open_server(*state, "a"), *b = open_server(*state, "b");
    const char *texts[] = {"1/series"};
    struct rules rules = rules_of(texts, 1);
    struct ps_prune_list list;
    char id[PS_ID_SIZE];

    for (const char *name = "abcd"; *name; name++)
        put(a, *name, "x", 1);
    list = look(a, &rules);
    assert_int_equal(list.n, 3);
    pin(b, 'a');
    id_of('b', id);
    assert_int_equal(ps_store_remove_run(b, id, "", PS_ERR_IGNORED), PS_OK);
    for (const char *name = "ab"; *name; name++)
        assert_int_equal(remove_named(a, &rules, &list, *name), PS_NOT_FOUND);
    assert_int_equal(remove_named(a, &rules, &list, 'c'), PS_OK);
    expect_same(a, b);
    EXPECT(b, "", "1/series");
    assert_int_equal(count(b, "SELECT count(*) FROM run"), 2);
    ps_prune_list_free(&list);
    ps_arena_free(&rules.arena);
    ps_store_close(a);
    ps_store_close(b);
}

#define ON_SHELF(test) cmocka_unit_test_setup_teardown(test, open_shelf, close_shelf)

int retention_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_rules_say), cmocka_unit_test(what_is_no_rule),
        ON_SHELF(the_newest_stay),        ON_SHELF(of_each_series),
        ON_SHELF(rules_add_up),           ON_SHELF(of_one_moment_the_last_is_the_newest),
        ON_SHELF(a_baseline_stays),       ON_SHELF(what_changed_since_stays),
    };
    const struct CMUnitTest shared[] = {
        cmocka_unit_test_setup_teardown(what_others_changed_stays, make, drop),
    };
    const int failed = cmocka_run_group_tests_name("retention", tests, NULL, NULL);

    return failed +
           (postgres_start() ? cmocka_run_group_tests_name("retention", shared, NULL, NULL) : 0);
}
