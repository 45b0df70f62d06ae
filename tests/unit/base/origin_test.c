/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/python_origin.h"

static void test_modules(void **state)
{
    static const struct {
        const char *name;
        enum ps_origin origin;
    } cases[] = {
        {"sys", PS_ORIGIN_BUILTIN},
        {"builtins", PS_ORIGIN_BUILTIN},
        {"_io", PS_ORIGIN_BUILTIN},
        {"posix", PS_ORIGIN_BUILTIN},
        {"nt", PS_ORIGIN_BUILTIN},
        {"marshal", PS_ORIGIN_BUILTIN},
        {"os", PS_ORIGIN_STDLIB},
        {"encodings", PS_ORIGIN_STDLIB},
        {"asyncio", PS_ORIGIN_STDLIB},
        {"_frozen_importlib_external", PS_ORIGIN_STDLIB},
        {"Queue", PS_ORIGIN_STDLIB},
        {"distutils", PS_ORIGIN_STDLIB},
        {"annotationlib", PS_ORIGIN_STDLIB},
        {"_sysconfigdata__linux_x86_64-linux-gnu", PS_ORIGIN_STDLIB},
        {"numpy", PS_ORIGIN_THIRD_PARTY},
        {"torch", PS_ORIGIN_THIRD_PARTY},
        {"PIL", PS_ORIGIN_THIRD_PARTY},
        {"snodo", PS_ORIGIN_UNKNOWN},
        {"", PS_ORIGIN_UNKNOWN},
        {"num", PS_ORIGIN_UNKNOWN},
        {"os sys", PS_ORIGIN_UNKNOWN},
        {" os", PS_ORIGIN_UNKNOWN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(ps_python_module_origin(ps_str_from_c(cases[i].name)), cases[i].origin);
    assert_true(ps_str_eq_c(ps_python_top_level(PS_STR("a.b.c")), "a"));
    assert_true(ps_str_eq_c(ps_python_top_level(PS_STR("a")), "a"));
    assert_int_equal(ps_python_top_level(PS_STR(".a")).len, 0);
}

static void test_files(void **state)
{
    static const struct {
        const char *path;
        enum ps_origin origin;
    } cases[] = {
        {"~", PS_ORIGIN_BUILTIN},
        {"", PS_ORIGIN_BUILTIN},
        {"<frozen importlib._bootstrap>", PS_ORIGIN_STDLIB},
        {"<string>", PS_ORIGIN_UNKNOWN},
        {"<ipython-input-3-1a2b>", PS_ORIGIN_UNKNOWN},
        {"app.py", PS_ORIGIN_UNKNOWN},
        {"/srv/app/main.py", PS_ORIGIN_OWN},
        {"src/app/main.py", PS_ORIGIN_OWN},
        {"/usr/lib/python3.11/json/decoder.py", PS_ORIGIN_STDLIB},
        {"/usr/lib64/python2.7/os.py", PS_ORIGIN_STDLIB},
        {"/home/u/.pyenv/versions/3.12.1/lib/python3.12/re/__init__.py", PS_ORIGIN_STDLIB},
        {"/usr/local/Cellar/python3/3.5.2/Frameworks/Python.framework/Versions/3.5/lib/python3.5/"
         "re.py",
         PS_ORIGIN_STDLIB},
        {"/opt/conda/envs/x/lib/python3.9/typing.py", PS_ORIGIN_STDLIB},
        {"/usr/lib/pypy3.9/lib/pypy3.9/re.py", PS_ORIGIN_STDLIB},
        {"/usr/lib/python3/dist-packages/sympy/core/add.py", PS_ORIGIN_THIRD_PARTY},
        {"/srv/venv/lib/python3.11/site-packages/numpy/__init__.py", PS_ORIGIN_THIRD_PARTY},
        {"C:\\Users\\u\\AppData\\Local\\Programs\\Python\\Python310\\lib\\typing.py",
         PS_ORIGIN_STDLIB},
        {"C:\\Python\\Lib\\os.py", PS_ORIGIN_STDLIB},
        {"C:\\Users\\u\\anaconda3\\Lib\\os.py", PS_ORIGIN_STDLIB},
        {"C:\\Users\\user\\anaconda3\\envs\\python312\\Lib\\typing.py", PS_ORIGIN_STDLIB},
        {"C:\\Users\\u\\anaconda3\\Lib\\site-packages\\pandas\\core\\frame.py",
         PS_ORIGIN_THIRD_PARTY},
        {"C:\\Users\\u\\AppData\\Local\\Python\\pythoncore-3.14-64\\Lib\\inspect.py",
         PS_ORIGIN_STDLIB},
        {"C:\\Users\\u\\AppData\\Roaming\\uv\\python\\cpython-3.12.3-windows-x86_64-none\\Lib"
         "\\ast.py",
         PS_ORIGIN_STDLIB},
        {"C:\\WinPython-32bit-3.6.2.0Qt5\\python-3.6.2\\lib\\os.py", PS_ORIGIN_STDLIB},
        {"/usr/lib/pymodules/python2.6/dateutil/tz.py", PS_ORIGIN_THIRD_PARTY},
        {"/System/Library/Frameworks/Python.framework/Versions/2.7/Extras/lib/python/numpy/core/"
         "numeric.py",
         PS_ORIGIN_THIRD_PARTY},
        {"C:\\Users\\u\\Documents\\lib\\tool.py", PS_ORIGIN_OWN},
        {"C:\\Users\\u\\python-course\\lib\\tool.py", PS_ORIGIN_OWN},
        {"D:\\work\\python-tools\\lib\\x.py", PS_ORIGIN_OWN},
        {"/home/u/python-tools/lib/x.py", PS_ORIGIN_OWN},
        {"/", PS_ORIGIN_OWN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(ps_python_file_origin(ps_str_from_c(cases[i].path)), cases[i].origin);
}

int origin_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modules),
        cmocka_unit_test(test_files),
    };

    return cmocka_run_group_tests_name("origin", tests, NULL, NULL);
}
