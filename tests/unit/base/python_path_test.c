/* SPDX-License-Identifier: MIT */
/* python_path_test.c: which recorded paths mean the same source file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/python_path.h"

static void compares(const char *a, const char *b, enum ps_same_file want, const char *want_shared)
{
    const char *const pairs[2][2] = {{a, b}, {b, a}};

    for (size_t i = 0; i < 2; i++) {
        struct ps_str shared;
        enum ps_same_file same =
            ps_python_same_file(ps_str_from_c(pairs[i][0]), ps_str_from_c(pairs[i][1]), &shared);

        if (same != want || (same && !ps_str_eq_c(shared, want_shared)))
            fail_msg("%s, %s: %d (%.*s)", a, b, same, (int)shared.len, shared.ptr);
    }
}

static void test_same_file(void **state)
{
    (void)state;
    compares("/srv/app.py", "/srv/app.py", PS_SAME_PATH, "/srv/app.py");
    compares("src/app.py", "src/app.py", PS_SAME_PATH, "src/app.py");
    compares("/app.py", "/app.py", PS_SAME_PATH, "/app.py");
    /* installed packages and the standard library */
    compares("/a/lib/python3.11/site-packages/jinja2/lexer.py",
             "/b/python3.12/site-packages/jinja2/lexer.py", PS_SAME_PACKAGE, "jinja2/lexer.py");
    compares("/a/site-packages/six.py", "/b/site-packages/six.py", PS_SAME_PACKAGE, "six.py");
    compares("/a/site-packages/jinja2/lexer.py", "/git/jinja/src/jinja2/lexer.py", PS_SAME_PACKAGE,
             "jinja2/lexer.py");
    compares("/a/site-packages/one/util/text.py", "/a/site-packages/two/util/text.py",
             PS_SAME_NOTHING, "");
    compares("/a/site-packages/jinja2/lexer.py", "/srv/shop/lexer.py", PS_SAME_NOTHING, "");
    compares("/a/site-packages/six.py", "/git/six/six.py", PS_SAME_NAME, "six.py");
    /* folders of projects */
    compares("src/app.py", "/srv/shop/src/app.py", PS_SAME_ROOT, "src/app.py");
    compares("/home/mei/shop/src/app.py", "/srv/shop/src/app.py", PS_SAME_ROOT, "shop/src/app.py");
    compares("/shop/src/app.py", "/srv/shop/src/app.py", PS_SAME_ROOT, "shop/src/app.py");
    /* only the names */
    compares("/one/src/app.py", "/two/src/app.py", PS_SAME_NAME, "src/app.py");
    compares("app.py", "app.py", PS_SAME_NAME, "app.py");
    compares("app.py", "/srv/app.py", PS_SAME_NAME, "app.py");
    /* no folder boundary, another case, _ is no wildcard */
    compares("pkg/mod.py", "/srv/otherpkg/mod.py", PS_SAME_NAME, "mod.py");
    compares("my_pkg/mod.py", "/srv/my-pkg/mod.py", PS_SAME_NAME, "mod.py");
    compares("pkg/Mod.py", "/srv/pkg/mod.py", PS_SAME_NOTHING, "");
    compares("mod.py", "submod.py", PS_SAME_NOTHING, "");
    compares("", "app.py", PS_SAME_NOTHING, "");
}

static void test_both_slashes(void **state)
{
    struct ps_str shared;

    (void)state;
    assert_int_equal(ps_python_same_file(PS_STR("src\\app.py"), PS_STR("D:/x/src/app.py"), &shared),
                     PS_SAME_ROOT);
    assert_true(ps_str_eq_c(shared, "src\\app.py"));
}

static void assert_installed(const char *path, const char *part)
{
    const struct ps_str found = ps_python_installed_part(ps_str_from_c(path));

    assert_true(ps_str_eq_c(found, part));
    assert_int_equal(found.ptr != NULL, part[0] != 0);
}

static void test_installed_part(void **state)
{
    (void)state;
    assert_installed("/usr/lib/python3.12/contextlib.py", "contextlib.py");
    assert_installed("/opt/lib/python3.14t/json/decoder.py", "json/decoder.py");
    assert_installed("/opt/lib/pypy3.9/json/decoder.py", "json/decoder.py");
    assert_installed("/opt/lib/python3.14t/site-packages/six.py", "six.py");
    assert_installed("C:\\Python\\Lib\\site-packages\\torch\\_ops.py", "torch\\_ops.py");
    assert_installed("/home/mei/python/app.py", "");
    assert_installed("/home/mei/python3.12", "");
    assert_installed("/home/mei/pythont/app.py", "");
    assert_installed("/home/mei/python3.12tools/app.py", "");
}

int python_path_test(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_file),
                                       cmocka_unit_test(test_installed_part),
                                       cmocka_unit_test(test_both_slashes)};

    return cmocka_run_group_tests_name("python_path", tests, NULL, NULL);
}
