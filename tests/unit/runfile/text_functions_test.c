/* SPDX-License-Identifier: MIT */
/* Our instr, replace, trim, like and glob answer what SQLite's own do, in linear time, or stop when
 * the context of the thread ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/context.h"
#include "server/catalog/state.h"

static sqlite3 *plain, *ours;

static int open_both(void **state)
{
    (void)state;
    assert_int_equal(sqlite3_open(":memory:", &plain), SQLITE_OK);
    assert_int_equal(sqlite3_open(":memory:", &ours), SQLITE_OK);
    ps_register_text_functions(ours);
    return 0;
}

static int close_both(void **state)
{
    (void)state;
    sqlite3_close(plain);
    sqlite3_close(ours);
    return 0;
}

/* The result as text, in quotes where it has any; malloc'ed by SQLite. */
static char *result_of(sqlite3 *db, const char *call, char *const *arguments, int n)
{
    sqlite3_stmt *stmt;
    char *sql = sqlite3_mprintf("SELECT quote(%s)", call), *result;

    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    for (int i = 0; i < n; i++)
        sqlite3_bind_text(stmt, i + 1, arguments[i], -1, SQLITE_STATIC);
    result = sqlite3_step(stmt) == SQLITE_ROW ? sqlite3_mprintf("%s", sqlite3_column_text(stmt, 0))
                                              : sqlite3_mprintf("error: %s", sqlite3_errmsg(db));
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return result;
}

static void same(const char *call, char *const *arguments, int n)
{
    char *expected = result_of(plain, call, arguments, n);
    char *found = result_of(ours, call, arguments, n);

    if (strcmp(expected, found) != 0)
        fail_msg("%s of '%s', '%s', '%s': %s instead of %s", call, arguments[0], arguments[1],
                 arguments[2], found, expected);
    sqlite3_free(expected);
    sqlite3_free(found);
}

/* Up to seven characters out of those that mean something to one of the functions. */
static void random_text(char *out, unsigned *seed)
{
    static const char *const chars[] = {"a", "b", "A", "%", "_", "*", "?", "[",
                                        "]", "^", "-", "é", "ß", "€", "😀"};
    int n = rand_r(seed) % 8;

    out[0] = '\0';
    for (int i = 0; i < n; i++)
        strcat(out, chars[(size_t)rand_r(seed) % (sizeof chars / sizeof *chars)]);
}

static void random_arguments_have_the_results_of_sqlite(void **state)
{
    static const struct {
        const char *call;
        int arguments;
    } calls[] = {{"instr(?1, ?2)", 2},
                 {"replace(?1, ?2, ?3)", 3},
                 {"trim(?1)", 1},
                 {"trim(?1, ?2)", 2},
                 {"ltrim(?1, ?2)", 2},
                 {"rtrim(?1, ?2)", 2},
                 {"?1 LIKE ?2", 2},
                 {"like(?1, ?2)", 2},
                 {"?1 GLOB ?2", 2},
                 {"?1 LIKE ?2 ESCAPE 'a'", 2},
                 {"?1 LIKE ?2 ESCAPE '%'", 2},
                 {"?1 LIKE ?2 ESCAPE '_'", 2}};
    char texts[3][64], *arguments[3] = {texts[0], texts[1], texts[2]};
    unsigned seed = 1;

    (void)state;
    for (int i = 0; i < 8000; i++) {
        for (int t = 0; t < 3; t++)
            random_text(texts[t], &seed);
        for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
            same(calls[c].call, arguments, calls[c].arguments);
    }
}

static void other_types_have_the_results_of_sqlite(void **state)
{
    static const char *const values[] = {"NULL",  "1",  "2.5",   "x'61ff62'",
                                         "x'80'", "''", "'a1b'", "'é'"};
    static const char *const calls[] = {
        "instr(%s, %s)", "replace(%s, %s, 'x')", "replace('a1b', %s, %s)",
        "trim(%s, %s)",  "rtrim(%s, %s)",        "%s LIKE %s",
        "%s GLOB %s",    "like('a', %s, %s)"};

    (void)state;
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        for (size_t a = 0; a < sizeof values / sizeof *values; a++)
            for (size_t b = 0; b < sizeof values / sizeof *values; b++) {
                PS_AUTO(ps_buf_free) struct ps_buf call = {0};
                char none[] = "", *arguments[3] = {none, none, none};
                const bool is_like = strstr(calls[c], "LIKE") || strstr(calls[c], "GLOB") ||
                                     strstr(calls[c], "like");
                const char *first = strchr(calls[c], '%'), *second = strchr(first + 1, '%');

                if (is_like && (values[a][0] == 'x' || values[b][0] == 'x'))
                    continue; /* builds of SQLite differ there */
                ps_buf_printf(&call, "%.*s%s%.*s%s%s", (int)(first - calls[c]), calls[c], values[a],
                              (int)(second - first - 2), first + 2, values[b], second + 2);
                same(call.ptr, arguments, 0);
            }
}

/* With SQLite's own functions each of these takes hours. */
static void long_arguments_take_linear_time(void **state)
{
    static const struct {
        const char *call, *result;
    } calls[] = {{"length(trim(?1, ?1))", "0"},
                 {"ltrim(?1 || 'b', ?1)", "'b'"},
                 {"length(rtrim('b' || ?1, ?1 || 'é'))", "1"},
                 {"instr(?1, substr(?1, 1, 2000000) || 'b')", "0"},
                 {"length(replace(?1, substr(?1, 1, 2000000) || 'b', 'c'))", "4000000"}};
    char *text = malloc(4000001), *arguments[3] = {text, NULL, NULL};

    (void)state;
    assert_non_null(text);
    memset(text, 'a', 4000000);
    text[4000000] = '\0';
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        char *found = result_of(ours, calls[c].call, arguments, 1);

        assert_string_equal(found, calls[c].result);
        sqlite3_free(found);
    }
    free(text);
}

static enum ps_status stop_later(void *user, struct ps_err *err)
{
    int *polls = user;

    return ++*polls < 3 ? PS_OK : ps_fail(err, PS_CANCELLED, "stopped");
}

static void like_and_glob_stop_with_their_context(void **state)
{
    static const char *const calls[] = {"?1 LIKE '%' || substr(?1, 1, 900) || 'b'",
                                        "?1 GLOB '*[^b]*' || substr(?1, 1, 900) || 'b'"};
    char *text = malloc(4000001), *arguments[3] = {text, NULL, NULL};

    (void)state;
    assert_non_null(text);
    memset(text, 'a', 4000000);
    text[4000000] = '\0';
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        struct ps_context context;
        int polls = 0;
        char *found;

        ps_context_begin(&context, 0, stop_later, &polls);
        found = result_of(ours, calls[c], arguments, 1);
        assert_int_equal(ps_context_end(&context), PS_CANCELLED);
        assert_string_equal(found, "error: interrupted");
        sqlite3_free(found);
    }
    free(text);
}

int text_functions_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_arguments_have_the_results_of_sqlite),
        cmocka_unit_test(other_types_have_the_results_of_sqlite),
        cmocka_unit_test(long_arguments_take_linear_time),
        cmocka_unit_test(like_and_glob_stop_with_their_context),
    };

    return cmocka_run_group_tests_name("text_functions", tests, open_both, close_both);
}
