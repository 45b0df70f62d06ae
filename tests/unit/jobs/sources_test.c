/* SPDX-License-Identifier: MIT */
/* Which measured file a name means. */
#include "server/jobs/sources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static char *const recorded[] = {
    "/srv/app/main.py",       "/srv/app/views/main.py", "lib/util.py",
    "C:\\work\\lib\\text.py", "/usr/lib/a/__init__.py", "/usr/lib/b/__init__.py",
};

static struct ps_measured_list list(struct ps_measured_file *rows)
{
    size_t n = sizeof recorded / sizeof *recorded;

    for (size_t i = 0; i < n; i++)
        rows[i] = (struct ps_measured_file){recorded[i], false};
    return (struct ps_measured_list){rows, n, n};
}

static enum ps_status find(const char *name, size_t *index)
{
    struct ps_measured_file rows[sizeof recorded / sizeof *recorded];
    struct ps_measured_list measured = list(rows);
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status = ps_measured_list_find(&measured, name, index, &err);

    assert_int_equal(err.code, status);
    return status;
}

static void means(const char *name, size_t wanted)
{
    size_t index = 99;

    assert_int_equal(find(name, &index), PS_OK);
    assert_int_equal(index, wanted);
}

static void finds_the_same_path(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++)
        means(recorded[i], i);
}

static void finds_what_ends_alike(void **state)
{
    (void)state;
    means("util.py", 2);
    means("/home/mei/project/lib/util.py", 2);
    means("D:\\other\\lib\\util.py", 2);
    means("lib/text.py", 3);
    means("views/main.py", 1);
    means("a/__init__.py", 4);
}

static void refuses_what_is_none_or_several(void **state)
{
    size_t index;

    (void)state;
    assert_int_equal(find("main.py", &index), PS_CONFLICT);
    assert_int_equal(find("__init__.py", &index), PS_CONFLICT);
    assert_int_equal(find("tiny_util.py", &index), PS_NOT_FOUND);
    assert_int_equal(find("other/util.py", &index), PS_NOT_FOUND);
    assert_int_equal(find("util.py/", &index), PS_NOT_FOUND);
    assert_int_equal(find("", &index), PS_NOT_FOUND);
    assert_int_equal(find("/", &index), PS_NOT_FOUND);
}

static void sets_are_held(void **state)
{
    struct ps_source_set *set = ps_source_set_create(NULL);

    (void)state;
    ps_source_set_add(set, ps_strdup(PS_STR("/nonexistent/spooled")), "app.py");
    assert_ptr_equal(ps_source_set_retain(set), set);
    ps_source_set_release(set);
    ps_source_set_release(set);
    ps_source_set_release(NULL);
    assert_null(ps_source_set_retain(NULL));
}

int sources_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_same_path),
        cmocka_unit_test(finds_what_ends_alike),
        cmocka_unit_test(refuses_what_is_none_or_several),
        cmocka_unit_test(sets_are_held),
    };

    return cmocka_run_group_tests_name("sources", tests, NULL, NULL);
}
