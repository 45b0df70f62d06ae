/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/shared_library.h"

static double (*loaded[2])(double);
static const char *const functions[] = {"floor", "ceil"};
static const char *const missing[] = {"floor", "no_such_function"};

static struct ps_shared_library library_of(const char *file, const char *const *names)
{
    memset(loaded, 0, sizeof loaded);
    return (struct ps_shared_library){file, "libc6", names, 2, loaded, false};
}

static void fills_the_table(void **state)
{
    struct ps_shared_library library = library_of("libm.so.6", functions);
    struct ps_err err = PS_ERR_INIT;

    (void)state;
    assert_int_equal(ps_shared_library_load(&library, &err), PS_OK);
    assert_true(loaded[0](1.5) == 1 && loaded[1](1.5) == 2);
    loaded[0] = NULL;
    assert_int_equal(ps_shared_library_load(&library, &err),
                     PS_OK); /* a second load does nothing */
    assert_null(loaded[0]);
}

static void names_the_file_and_the_package(void **state)
{
    struct ps_shared_library library = library_of("libno-such.so.1", functions);
    struct ps_err err = PS_ERR_INIT;

    (void)state;
    assert_int_equal(ps_shared_library_load(&library, &err), PS_IO);
    assert_non_null(strstr(err.text, "cannot load a library: libno-such.so.1: "));
    assert_string_equal(err.hint, "on Debian, install the package libc6");
}

static void names_a_missing_function(void **state)
{
    struct ps_shared_library library = library_of("libm.so.6", missing);
    struct ps_err err = PS_ERR_INIT, again = PS_ERR_INIT;

    (void)state;
    assert_int_equal(ps_shared_library_load(&library, &err), PS_IO);
    assert_non_null(strstr(err.text, "no_such_function"));
    assert_int_equal(ps_shared_library_load(&library, &again), PS_IO);
}

static void keeps_an_earlier_error(void **state)
{
    struct ps_shared_library library = library_of("libm.so.6", functions);
    struct ps_err err = PS_ERR_INIT;

    (void)state;
    ps_fail(&err, PS_LIMIT, "earlier");
    assert_int_equal(ps_shared_library_load(&library, &err), PS_LIMIT);
    assert_null(loaded[0]);
}

static void *load_and_call(void *shared)
{
    struct ps_err err = PS_ERR_INIT;

    if (ps_shared_library_load(shared, &err) != PS_OK)
        return NULL;
    return loaded[1](0.5) == 1 ? shared : NULL;
}

static void threads_may_load_at_once(void **state)
{
    struct ps_shared_library library = library_of("libm.so.6", functions);
    pthread_t threads[8];
    void *result;

    (void)state;
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load_and_call, &library), 0);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, &library);
    }
}

int shared_library_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_the_table),
        cmocka_unit_test(names_the_file_and_the_package),
        cmocka_unit_test(names_a_missing_function),
        cmocka_unit_test(keeps_an_earlier_error),
        cmocka_unit_test(threads_may_load_at_once),
    };

    return cmocka_run_group_tests_name("shared library", tests, NULL, NULL);
}
