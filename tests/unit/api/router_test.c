/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/api/api.h"
#include "server/http/router.h"

static const struct ps_route table[] = {
    {"GET", "/", NULL, 1, 0},
    {"GET", "/a", NULL, 2, 0},
    {"POST", "/a", NULL, 3, 0},
    {"GET", "/a/{x}", NULL, 4, 0},
    {"DELETE", "/a/{x}", NULL, 5, 0},
    {"GET", "/a/{x}/fixed", NULL, 6, 0},
    {"GET", "/a/{x}/{rest*}", NULL, 7, 0},
    {"GET", "/{rest*}", NULL, 8, 0},
};

struct found {
    enum ps_status status;
    unsigned row; /* its flags, which number it here */
    struct ps_route_match match;
    struct ps_arena arena;
};

static struct found find(const char *method, const char *path)
{
    struct found found = {0};
    struct ps_err err = PS_ERR_INIT;

    found.status = ps_router_find(table, sizeof table / sizeof *table, method, ps_str_from_c(path),
                                  &found.arena, &found.match, &err);
    found.row = found.match.route ? found.match.route->flags : 0;
    return found;
}

static void expect(const char *method, const char *path, unsigned row, const char *first,
                   const char *second)
{
    struct found found = find(method, path);

    assert_int_equal(found.status, PS_OK);
    assert_int_equal(found.row, row);
    if (first)
        assert_string_equal(found.match.args[0], first);
    if (second)
        assert_string_equal(found.match.args[1], second);
    ps_arena_free(&found.arena);
}

static void expect_not(const char *method, const char *path, enum ps_status status,
                       const char *allow)
{
    struct found found = find(method, path);

    assert_int_equal(found.status, status);
    if (allow)
        assert_string_equal(found.match.allow, allow);
    ps_arena_free(&found.arena);
}

static void first_row_that_fits(void **state)
{
    (void)state;
    expect("GET", "/", 1, NULL, NULL);
    expect("HEAD", "/", 1, NULL, NULL);
    expect("GET", "/a", 2, NULL, NULL);
    expect("POST", "/a", 3, NULL, NULL);
    expect("GET", "/a/b", 4, "b", NULL);
    expect("DELETE", "/a/b", 5, "b", NULL);
    expect("GET", "/a/b/fixed", 6, "b", NULL);
    expect("GET", "/a/b/c", 7, "b", "c");
    expect("GET", "/a/b/c/d", 7, "b", "c/d");
    expect("GET", "/a/b/", 7, "b", "");
    expect("GET", "/x/y", 8, "x/y", NULL);
    expect("GET", "/a/", 8, "a/", NULL);
}

static void arguments_are_decoded_after_the_cut(void **state)
{
    (void)state;
    expect("GET", "/a/b%2Fc", 4, "b/c", NULL);
    expect("GET", "/a/%41+%20", 4, "A+ ", NULL);
    expect_not("GET", "/a/%", PS_BAD_REQUEST, NULL);
    expect_not("GET", "/a/%00", PS_BAD_REQUEST, NULL);
    expect_not("GET", "/a/%4", PS_BAD_REQUEST, NULL);
}

static void other_methods_are_listed(void **state)
{
    (void)state;
    expect_not("PUT", "/a", PS_CONFLICT, "GET, HEAD, POST");
    expect_not("POST", "/a/b", PS_CONFLICT, "GET, HEAD, DELETE");
    expect_not("GET", "a", PS_NOT_FOUND, NULL);
    expect_not("GET", "", PS_NOT_FOUND, NULL);
    expect_not("GET", "http://host/a", PS_NOT_FOUND, NULL);
}

/* Every row of the real table can be reached: none hides behind one before it. */
static void no_row_is_shadowed(void **state)
{
    (void)state;
    for (size_t i = 0; i < ps_api_routes_count; i++) {
        struct ps_arena arena = {0};
        struct ps_route_match match;
        struct ps_err err = PS_ERR_INIT;

        assert_int_equal(ps_router_find(ps_api_routes, ps_api_routes_count, ps_api_routes[i].method,
                                        ps_str_from_c(ps_api_routes[i].path), &arena, &match, &err),
                         PS_OK);
        assert_ptr_equal(match.route, &ps_api_routes[i]);
        ps_arena_free(&arena);
    }
}

int router_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_row_that_fits),
        cmocka_unit_test(arguments_are_decoded_after_the_cut),
        cmocka_unit_test(other_methods_are_listed),
        cmocka_unit_test(no_row_is_shadowed),
    };

    return cmocka_run_group_tests_name("router", tests, NULL, NULL);
}
