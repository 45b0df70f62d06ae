/* SPDX-License-Identifier: MIT */
/* share_test.c: copies of runs for people outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/query/query.h"
#include "server/share/redact.h"
#include "server/share/scrub.h"
#include "tests/unit/demo_shelf.h"

static char *run_of(struct ps_store *store, const char *id)
{
    struct ps_buf out = {0};
    struct ps_json json = ps_json_to(&out);
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_query_run(store, id, &json, &err), PS_OK);
    return out.at;
}

static char *view_of(struct ps_store *store, const char *id, const char *view)
{
    struct ps_answer answer = {.type = NULL};
    struct ps_err err = PS_ERR_INIT;

    (void)ps_query_view(store, id, view, (struct ps_params){NULL, 0}, &answer, &err);
    assert_string_equal(err.text, "");
    return answer.body.at;
}

/* A copy answers as the run does, also when that is gone; what was copied goes with it. */
static void test_plain_copy(void **state)
{
    struct ps_store *store = *state;
    char ids[1][PS_ID_SIZE], command[128];
    struct ps_share_copy copy;
    char *run, *same, *functions, *same_functions;

    add_demo(store, "bookshop-slow.prof", ids[0]);
    run = run_of(store, ids[0]);
    functions = view_of(store, ids[0], "functions");
    assert_int_equal(ps_share_copy(store, (const char(*)[PS_ID_SIZE])ids, 1, 0, &copy, NULL),
                     PS_OK);
    assert_int_equal(ps_store_remove(store, ids[0], "", NULL), PS_OK);
    same = run_of(copy.store, ids[0]);
    same_functions = view_of(copy.store, ids[0], "functions");
    assert_string_equal(run, same);
    assert_string_equal(functions, same_functions);
    free(run);
    free(same);
    free(functions);
    free(same_functions);
    ps_share_copy_free(&copy);
    (void)snprintf(command, sizeof command, "[ -z \"$(ls -A %s/spool)\" ]", demo_shelf);
    assert_int_equal(system(command), 0);
}

static void test_no_such_run(void **state)
{
    static const char ids[1][PS_ID_SIZE] = {"0123456789abcdef"};
    struct ps_share_copy copy;
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_share_copy(*state, ids, 1, 0, &copy, &err), PS_NOT_FOUND);
    assert_string_equal(err.text, "run 0123456789abcdef is not on this shelf");
}

/* What a process that died had copied is removed when the shelf is opened next. */
static void test_leftover(void **state)
{
    char ids[1][PS_ID_SIZE], command[128];
    struct ps_store *store = NULL;
    pid_t pid;

    add_demo(*state, "bookshop-slow.prof", ids[0]);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct ps_share_copy copy;

        _exit(ps_store_open(demo_shelf, &store, NULL) != PS_OK ||
              ps_share_copy(store, (const char(*)[PS_ID_SIZE])ids, 1, 0, &copy, NULL) != PS_OK);
    }
    int ended;

    assert_int_equal(waitpid(pid, &ended, 0), pid);
    assert_int_equal(ended, 0);
    (void)snprintf(command, sizeof command, "ls %s/spool | grep -q shelf", demo_shelf);
    assert_int_equal(system(command), 0);
    assert_int_equal(ps_store_open(demo_shelf, &store, NULL), PS_OK);
    ps_store_close(store);
    assert_int_not_equal(system(command), 0);
}

static void test_words(void **state)
{
    struct ps_err err = PS_ERR_INIT;
    unsigned bits = 99;

    (void)state;
    assert_int_equal(ps_reveal_parse("", &bits, NULL), PS_OK);
    assert_int_equal(bits, 0);
    assert_int_equal(ps_reveal_parse("hosts,paths", &bits, NULL), PS_OK);
    assert_int_equal(bits, PS_REVEAL_HOSTS | PS_REVEAL_PATHS);
    assert_int_equal(ps_reveal_parse("all", &bits, NULL), PS_OK);
    assert_int_equal(bits, PS_REVEAL_ALL);
    assert_int_equal(ps_reveal_parse("paths,path", &bits, &err), PS_BAD_REQUEST);
    assert_string_equal(err.text, "redact: path is nothing that can be redacted");
}

/* --- what becomes of texts -------------------------------------------------------------------- */

static void assert_becomes(struct ps_scrub *scrub, const char *text, const char *wanted,
                           void (*act)(struct ps_scrub *, struct ps_str, struct ps_buf *))
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};

    act(scrub, ps_str_of(text), &out);
    ps_buf_puts(&out, "");
    assert_string_equal(out.at, wanted);
}

static void test_paths(void **state)
{
    static const char *const rows[][2] = {
        {"/home/mei/shop/app.py", "~1/app.py"},
        {"/home/mei/shop/mail.py", "~1/mail.py"},
        {"/home/mei/shop/db/mail.py", "~2/mail.py"},
        {"C:\\Users\\mei\\shop\\app.py", "~3/app.py"},
        {"/home/mei/My Shop/app.py", "~4/app.py"},
        {"shop/app.py", "~5/app.py"},
        {"app.py", "app.py"},
        {"<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>"},
        {"~", "~"},
        {"/home/mei/v/lib/python3.11/site-packages/numpy/core.py",
         "~6/lib/python3.11/site-packages/numpy/core.py"},
        {"/home/mei/v/lib/python3.11/json/decoder.py", "~6/lib/python3.11/json/decoder.py"},
        {"/usr/lib/python3.11/json/decoder.py", "/usr/lib/python3.11/json/decoder.py"},
        {"/usr/local/lib/python3.11/site-packages/x.py",
         "/usr/local/lib/python3.11/site-packages/x.py"},
        {"/usr/src/app/main.py", "~7/main.py"},
        {"/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libc.so.6"},
        {"torch/nn/modules/module.py", "torch/nn/modules/module.py"},
        {"", ""},
        {"/", "/"},
    };
    struct ps_scrub scrub = {.redact = PS_REVEAL_PATHS};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_becomes(&scrub, rows[i][0], rows[i][1], ps_scrub_path);
    ps_scrub_free(&scrub);
}

static void test_texts(void **state)
{
    static const char *const rows[][2] = {
        {"main (/home/mei/shop/app.py:3)", "main (~1/app.py:3)"},
        {"/home/mei/shop/app.py(3): main", "~1/app.py(3): main"},
        {"/home/mei/My Shop/app.py(3): main", "~2/app.py(3): main"},
        {"/home/mei/shop/app.py:main:3", "~1/app.py:main:3"},
        {"open('/home/mei/My Shop/x.csv')", "open('~2/x.csv')"},
        {"ask mei at mei@shop.example.com", "ask person1 at person1@host3"},
        {"from 10.1.2.3, not 1.2.3", "from host4, not 1.2.3"},
        {"GET https://mei:5@build7.shop/x?y", "GET https://person1:5@host5/x?y"},
        {"build7 and build9, not build99", "build7 and host2, not build99"},
        {"a/b, 1/2, bytes/s, aten::mm", "a/b, 1/2, bytes/s, aten::mm"},
        {"meiosis", "meiosis"},
    };
    struct ps_scrub scrub = {.redact = PS_REVEAL_PATHS | PS_REVEAL_PEOPLE | PS_REVEAL_HOSTS};

    (void)state;
    ps_scrub_learn_host(&scrub, PS_STR("build9.lan"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ps_scrub_learn(&scrub, ps_str_of(rows[i][0]));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_becomes(&scrub, rows[i][0], rows[i][1], ps_scrub_text);
    ps_scrub_free(&scrub);
}

static void test_json_and_commands(void **state)
{
    struct ps_scrub scrub = {.redact = PS_REVEAL_ALL};

    (void)state;
    assert_becomes(&scrub, "{\"host\":\"b\",\"n\":1.50,\"f\":[\"/a/b/c.py\"],\"args\":{\"x\":[1]}}",
                   "{\"host\":\"host1\",\"n\":1.50,\"f\":[\"~1/c.py\"],\"args\":\"redacted\"}",
                   ps_scrub_json);
    assert_becomes(&scrub, "{\"k\":\1,\"s\":\"\\u002fa\\/b/c.py\"}", "{\"k\":\1,\"s\":\"~1/c.py\"}",
                   ps_scrub_json);
    assert_becomes(&scrub, "/a/b/run --key 5", "~1/run (arguments 1)", ps_scrub_command);
    assert_becomes(&scrub, "/a/b/run --key 6", "~1/run (arguments 2)", ps_scrub_command);
    assert_becomes(&scrub, "make", "make", ps_scrub_command);
    ps_scrub_free(&scrub);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_plain_copy, make_demo_shelf, remove_demo_shelf),
        cmocka_unit_test_setup_teardown(test_no_such_run, make_demo_shelf, remove_demo_shelf),
        cmocka_unit_test_setup_teardown(test_leftover, make_demo_shelf, remove_demo_shelf),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_json_and_commands),
    };

    return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
