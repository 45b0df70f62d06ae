/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/frame_name.h"

static void names_are_parsed(void **state)
{
    static const struct {
        const char *text, *function, *file;
        int64_t line;
        const char *without_line;
    } cases[] = {
        {"filter_state (app.py:35)", "filter_state", "app.py", 35, "filter_state (app.py)"},
        {"filter_state (app.py)", "filter_state", "app.py", 0, "filter_state (app.py)"},
        {"f (app.py:35:7)", "f", "app.py", 35, "f (app.py)"},
        {"f [app.py:35]", "f", "app.py", 35, "f [app.py]"},
        {"f (/home/a (copy)/app.py:3)", "f", "/home/a (copy)/app.py", 3,
         "f (/home/a (copy)/app.py)"},
        {"<module> (<frozen runpy>:88)", "<module>", "<frozen runpy>", 88,
         "<module> (<frozen runpy>)"},
        {"C:\\app.py:f:3", "f", "C:\\app.py", 3, "C:\\app.py:f"},
        {"f (C:\\app.py:3)", "f", "C:\\app.py", 3, "f (C:\\app.py)"},
        {"/srv/my app.py:A.f.<locals>.<lambda>:12", "A.f.<locals>.<lambda>", "/srv/my app.py", 12,
         "/srv/my app.py:A.f.<locals>.<lambda>"},
        {"<frozen runpy>:_run_code:88", "_run_code", "<frozen runpy>", 88,
         "<frozen runpy>:_run_code"},
        {"module1:start:1", "start", "module1", 1, "module1:start"},
        {"~:<GC>:0", "<GC>", "~", 0, "~:<GC>"},
        {"/srv/app.py::13", "/srv/app.py::13", "/srv/app.py", 13, "/srv/app.py::13"},
        {"torch/nn/conv.py(438):_forward", "forward", "torch/nn/conv.py", 438,
         "torch/nn/conv.py(438):_forward"},
        {"/srv/app.py:14:small", "small", "/srv/app.py", 14, "/srv/app.py:small"},
        {"C:\\a.py:14:A.f", "A.f", "C:\\a.py", 14, "C:\\a.py:A.f"},
        {"<string>:1:<module>", "<module>", "<string>", 1, "<string>:<module>"},
        {"~:0:<built-in method builtins.len>", "<built-in method builtins.len>", "~", 0,
         "~:<built-in method builtins.len>"},
        {"app.py:14:7", "app.py:14:7", "", 0, "app.py:14:7"},
        {"memcpy+0x1f (libc.so.6)", "memcpy", "libc.so.6", 0, "memcpy (libc.so.6)"},
        {"memcpy+0x1f", "memcpy", "", 0, "memcpy"},
        {"brook::Vmm(unsigned long, short)+0x47b", "brook::Vmm(unsigned long, short)", "", 0,
         "brook::Vmm(unsigned long, short)"},
        {"run(int) (ext.cpp:12)", "run(int)", "ext.cpp", 12, "run(int) (ext.cpp)"},
        /* names that have no line */
        {"", "", "", 0, ""},
        {"main", "main", "", 0, "main"},
        {"f(int, char const*)", "f(int, char const*)", "", 0, "f(int, char const*)"},
        {"void f (int)", "void f (int)", "", 0, "void f (int)"},
        {"std::vector<int>::push_back", "std::vector<int>::push_back", "", 0,
         "std::vector<int>::push_back"},
        {"process 7:\"python app.py:f:3\"", "process 7:\"python app.py:f:3\"", "", 0,
         "process 7:\"python app.py:f:3\""},
        {"thread (0x7F01): main", "thread (0x7F01): main", "", 0, "thread (0x7F01): main"},
        {"T0:6270", "T0:6270", "", 0, "T0:6270"},
        {"tid:6202", "tid:6202", "", 0, "tid:6202"},
        {"C:\\app.py:3", "C:\\app.py:3", "", 0, "C:\\app.py:3"},
        {"nn.Module:_ResNet", "nn.Module:_ResNet", "", 0, "nn.Module:_ResNet"},
        {"go/build.(*importReader).readByte", "go/build.(*importReader).readByte", "", 0,
         "go/build.(*importReader).readByte"},
        {"do_idle_[k]", "do_idle_[k]", "", 0, "do_idle_[k]"},
        {"[unknown]", "[unknown]", "", 0, "[unknown]"},
        {"(unknown frame)", "(unknown frame)", "", 0, "(unknown frame)"},
        {"1e5", "1e5", "", 0, "1e5"},
        {"f (a.py:99999999999999999999)", "f", "a.py:99999999999999999999", 0,
         "f (a.py:99999999999999999999)"},
    };
    PS_AUTO(ps_buf_free) struct ps_buf buf = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ps_frame_name name = ps_frame_name_parse(ps_str_from_c(cases[i].text));

        buf.len = 0;
        ps_frame_name_write_function(&name, &buf);
        assert_true(ps_str_eq_c(ps_buf_slice(&buf), cases[i].without_line));
        assert_true(ps_str_eq_c(name.function, cases[i].function));
        assert_true(ps_str_eq_c(name.file, cases[i].file));
        assert_int_equal(name.line, cases[i].line);
    }
}

static void origins_and_packages(void **state)
{
    static const struct {
        const char *text;
        enum ps_origin origin;
        const char *package;
    } cases[] = {
        {"f (lastfm.py:87)", PS_ORIGIN_OWN, NULL},
        {"f (synapse/app/_base.py:114)", PS_ORIGIN_OWN, NULL},
        {"f (/srv/shop/app.py:1)", PS_ORIGIN_OWN, NULL},
        {"norm (numpy/linalg/linalg.py:2389)", PS_ORIGIN_THIRD_PARTY, "numpy"},
        {"f (/a/.venv/lib/python3.12/site-packages/omegaconf/nodes.py:135)", PS_ORIGIN_THIRD_PARTY,
         "omegaconf"},
        {"f (site-packages/torch/nn/conv.py:1)", PS_ORIGIN_THIRD_PARTY, "torch"},
        {"f (/u/Library/Frameworks/Python.framework/Versions/3.11/lib/python3.11/json/decoder.py:3)",
         PS_ORIGIN_STDLIB, "json"},
        {"f (C:\\Python311\\Lib\\json\\decoder.py:3)", PS_ORIGIN_STDLIB, "json"},
        {"f (/x/site-packages/foo-1.0-py3.7.egg/foo/bar.py:3)", PS_ORIGIN_THIRD_PARTY, "foo"},
        {"raw_decode (json/decoder.py:353)", PS_ORIGIN_STDLIB, "json"},
        {"sample (profiling/sampling/sample.py:9)", PS_ORIGIN_STDLIB, "profiling"},
        {"<module> (profiling/__init__.py:1)", PS_ORIGIN_STDLIB, "profiling"},
        {"batch_job (profiling/threads.py:27)", PS_ORIGIN_OWN, "profiling"},
        {"wait (threading.py:331)", PS_ORIGIN_STDLIB, "threading"},
        {"<frozen importlib._bootstrap>:_find_spec:1258", PS_ORIGIN_STDLIB, "importlib"},
        {"lock.acquire (<built-in>)", PS_ORIGIN_BUILTIN, NULL},
        {"~:<GC>:0", PS_ORIGIN_BUILTIN, NULL},
        {"__eq__ (<string>:12)", PS_ORIGIN_UNKNOWN, NULL},
        {"main", PS_ORIGIN_UNKNOWN, NULL},
        {"f (main.go:12)", PS_ORIGIN_UNKNOWN, NULL},
        {"main.(*gate).pass (/srv/depot/main.go:12)", PS_ORIGIN_OWN, "main"},
        {"example.org/depot/stock.Count (/srv/depot/stock/stock.go:3)", PS_ORIGIN_OWN,
         "example.org/depot/stock"},
        {"example.org/depot/stock.Count (example.org/depot/stock/stock.go:3)", PS_ORIGIN_OWN,
         "example.org/depot/stock"},
        {"stock.Map[example.org/other.T] (/srv/stock/map.go:3)", PS_ORIGIN_OWN, "stock"},
        {"log/shop.Add (/srv/log/shop/shop.go:3)", PS_ORIGIN_OWN, "log/shop"},
        {"runtime.mallocgc (/usr/local/go/src/runtime/malloc.go:1012)", PS_ORIGIN_STDLIB,
         "runtime"},
        {"runtime.memmove (/usr/local/go/src/runtime/memmove_amd64.s:1)", PS_ORIGIN_STDLIB,
         "runtime"},
        {"net/http.(*conn).serve (net/http/server.go:2102)", PS_ORIGIN_STDLIB, "net/http"},
        {"net/http.(*conn).serve (C:/Go/src/net/http/server.go:9)", PS_ORIGIN_STDLIB, "net/http"},
        {"gopkg.in/yaml%2ev3.Unmarshal (/root/go/pkg/mod/gopkg.in/yaml.v3@v3.0.1/yaml.go:89)",
         PS_ORIGIN_THIRD_PARTY, "gopkg.in/yaml%2ev3"},
        {"golang.org/x/net/http2.(*Framer).ReadFrame (golang.org/x/net@v0.30.0/http2/frame.go:5)",
         PS_ORIGIN_THIRD_PARTY, "golang.org/x/net/http2"},
        {"example.org/a.F (/srv/depot/vendor/example.org/a/a.go:5)", PS_ORIGIN_THIRD_PARTY,
         "example.org/a"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ps_frame_name name = ps_frame_name_parse(ps_str_from_c(cases[i].text));

        assert_int_equal(ps_frame_origin(&name, false, true), cases[i].origin);
        if (cases[i].package)
            assert_true(ps_str_eq_c(ps_frame_package(&name), cases[i].package));
    }
}

/* profiling.sampling writes "decoder.py" for json/decoder.py: only top-level modules are known. */
static void files_without_folders(void **state)
{
    struct ps_frame_name decode = ps_frame_name_parse(PS_STR("decoder.py:JSONDecoder.decode:359")),
                         wait = ps_frame_name_parse(PS_STR("threading.py:Event.wait:665")),
                         native = ps_frame_name_parse(PS_STR("f (ext.cpp:3)"));

    (void)state;
    assert_int_equal(ps_frame_origin(&decode, false, false), PS_ORIGIN_UNKNOWN);
    assert_int_equal(ps_frame_origin(&wait, false, false), PS_ORIGIN_STDLIB);
    assert_int_equal(ps_frame_origin(&native, true, true), PS_ORIGIN_BUILTIN);
}

int frame_name_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_parsed),
        cmocka_unit_test(origins_and_packages),
        cmocka_unit_test(files_without_folders),
    };

    return cmocka_run_group_tests_name("frame_name", tests, NULL, NULL);
}
