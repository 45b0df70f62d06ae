/* SPDX-License-Identifier: MIT */
/* share_test.c: copies of runs for people outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/query/query.h"
#include "server/query/run_views.h"
#include "server/query/shelf.h"
#include "server/runwrite/run_tables.h"
#include "server/share/redact.h"
#include "server/share/redaction.h"
#include "server/share/scrub.h"
#include "tests/unit/demo_shelf.h"

static char *run_of(struct ps_store *store, const char *id)
{
    struct ps_buf out = {0};
    struct ps_json json = ps_json_writer(&out);
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_query_run(store, id, &json, &err), PS_OK);
    return out.ptr;
}

static char *view_of(struct ps_store *store, const char *id, const char *view)
{
    struct ps_answer answer = {.type = NULL};
    struct ps_err err = PS_ERR_INIT;

    (void)ps_query_view(store, id, view, (struct ps_params){NULL, 0}, &answer, &err);
    assert_string_equal(err.text, "");
    return answer.body.ptr;
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
    assert_int_equal(
        ps_share_copy_runs(store, (const char(*)[PS_ID_SIZE])ids, 1, 0, &copy, PS_ERR_IGNORED),
        PS_OK);
    assert_int_equal(ps_store_remove_run(store, ids[0], "", PS_ERR_IGNORED), PS_OK);
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

    assert_int_equal(ps_share_copy_runs(*state, ids, 1, 0, &copy, &err), PS_NOT_FOUND);
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

        _exit(ps_store_open(demo_shelf, &store, PS_ERR_IGNORED) != PS_OK ||
              ps_share_copy_runs(store, (const char(*)[PS_ID_SIZE])ids, 1, 0, &copy,
                                 PS_ERR_IGNORED) != PS_OK);
    }
    int ended;

    assert_int_equal(waitpid(pid, &ended, 0), pid);
    assert_int_equal(ended, 0);
    (void)snprintf(command, sizeof command, "ls %s/spool | grep -q shelf", demo_shelf);
    assert_int_equal(system(command), 0);
    assert_int_equal(ps_store_open(demo_shelf, &store, PS_ERR_IGNORED), PS_OK);
    ps_store_close(store);
    assert_int_not_equal(system(command), 0);
}

static void test_words(void **state)
{
    struct ps_err err = PS_ERR_INIT;
    unsigned bits;

    (void)state;
    assert_int_equal(ps_reveal_parse("", &bits, PS_ERR_IGNORED), PS_BAD_REQUEST);
    assert_int_equal(ps_reveal_parse("hosts,paths", &bits, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(bits, PS_REVEAL_HOSTS | PS_REVEAL_PATHS);
    assert_int_equal(ps_reveal_parse("all", &bits, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(bits, PS_REVEAL_ALL);
    assert_int_equal(ps_reveal_parse("paths,path", &bits, &err), PS_BAD_REQUEST);
    assert_string_equal(err.text, "unknown category to redact: path");
}

/* --- Scrubbing --- */

static void assert_becomes(struct ps_scrub *scrub, const char *text, const char *wanted,
                           void (*act)(struct ps_scrub *, struct ps_str, struct ps_buf *))
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};

    act(scrub, ps_str_from_c(text), &out);
    ps_buf_puts(&out, "");
    assert_string_equal(out.ptr, wanted);
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
    struct ps_scrub scrub = {.redacted_categories = PS_REVEAL_PATHS};

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
        {"GET https://mei:5@build7.shop/x?y", "GET https://person1:redacted@host5/x?y"},
        {"build7 and build9, not build99", "build7 and host2, not build99"},
        {"a/b, 1/2, bytes/s, aten::mm", "a/b, 1/2, bytes/s, aten::mm"},
        {"meiosis", "meiosis"},
    };
    struct ps_scrub scrub = {.redacted_categories =
                                 PS_REVEAL_PATHS | PS_REVEAL_PEOPLE | PS_REVEAL_HOSTS};

    (void)state;
    ps_scrub_learn_host(&scrub, PS_STR("build9.lan"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ps_scrub_learn(&scrub, ps_str_from_c(rows[i][0]));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_becomes(&scrub, rows[i][0], rows[i][1], ps_scrub_text);
    ps_scrub_free(&scrub);
}

static void test_json_and_commands(void **state)
{
    struct ps_scrub scrub = {.redacted_categories = PS_REVEAL_ALL};

    (void)state;
    assert_becomes(&scrub, "{\"host\":\"b\",\"n\":1.50,\"f\":[\"/a/b/c.py\"],\"args\":{\"x\":[1]}}",
                   "{\"host\":\"host1\",\"n\":1.50,\"f\":[\"~1/c.py\"],\"args\":\"redacted\"}",
                   ps_scrub_json);
    assert_becomes(&scrub, "{\"k\":\1,\"s\":\"\\u002fa\\/b/c.py\"}", "{\"k\":\1,\"s\":\"~1/c.py\"}",
                   ps_scrub_json);
    assert_becomes(&scrub, "{\"n\":10,\"a \\\" b\":\"x: y\",\"f\":\"\"}",
                   "{\"n\":10,\"a \\\" b\":\"redacted\",\"f\":\"redacted\"}", ps_scrub_parameters);
    assert_becomes(&scrub, "/a/b/run --key 5", "~1/run (arguments 1)", ps_scrub_command);
    assert_becomes(&scrub, "/a/b/run --key 6", "~1/run (arguments 2)", ps_scrub_command);
    assert_becomes(&scrub, "make", "make", ps_scrub_command);
    ps_scrub_free(&scrub);
}

/* One path written in other ways becomes the same; none of them shows a folder. */
static void test_paths_are_normalised(void **state)
{
    static const char *const rows[][2] = {
        {"/home/mei/shop/app.py", "~1/app.py"},
        {"/home/mei/x/../shop//./app.py", "~1/app.py"},
        {"/proc/12/cwd/home/mei/shop/app.py", "~1/app.py"},
        {"/proc/self/root/home/mei/shop/app.py", "~1/app.py"},
        {"file:///home/mei/shop/app.py", "~1/app.py"},
        {"file://localhost/home/mei/shop/app.py", "~1/app.py"},
        {"vscode-notebook-cell:/home/mei/shop/app.py", "~1/app.py"},
        {"%2Fhome%2Fmei%2Fshop%2Fapp.py", "~1/app.py"},
        {"\xe2\x80\xae/home/mei/shop/app.py", "~1/app.py"},
        {"<frozen /home/mei/shop/app.py>", "<frozen ~1/app.py>"},
        {"numpy/../home/mei/app.py", "~2/app.py"},
        {"numpy/../../home/mei/app.py", "~3/app.py"},
        {"numpy/core/../linalg/x.py", "numpy/linalg/x.py"},
        {"numpy/core/x.py", "numpy/core/x.py"},
        {"/usr/local/lib/shop/app.py", "~4/app.py"},
        {"/usr/local/lib/libz.so", "/usr/local/lib/libz.so"},
        {"/dev/shm/shop/app.py", "~5/app.py"},
        {"/proc/self/maps", "/proc/self/maps"},
        {"/scratch/v/lib/python3.11/shop/x.py", "~6/x.py"},
        {"/scratch/v/lib/python3.11/json/x.py", "~7/lib/python3.11/json/x.py"},
        {"\\\\build7\\share\\shop\\x.py", "~8/x.py"},
        {"C:\\Users\\mei\\AppData\\Lib\\site-packages\\numpy\\x.py",
         "~9/Lib\\site-packages\\numpy\\x.py"},
        {"/tmp/ipykernel_mei/1.py", "~10/1.py"},
        {"/home/mei/conda/envs/shop/lib/python3.11/site-packages/numpy/x.py",
         "~11/lib/python3.11/site-packages/numpy/x.py"},
        {"<ipython-input-3-0123456789ab>", "<ipython-input-3-0123456789ab>"},
        {"<ipython-input-3-shop>", "<ipython-input-3-~12>"},
        {"<string shop>", "<string ~12>"},
        {"<__array_function__ internals>", "<__array_function__ internals>"},
        {"<decorator-gen-12>", "<decorator-gen-12>"},
        {"<attrs generated init shop.Book>", "<attrs generated init shop.Book>"},
        {"<eval_with_key>.12", "<eval_with_key>.12"},
    };
    struct ps_scrub scrub = {.redacted_categories = PS_REVEAL_PATHS};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_becomes(&scrub, rows[i][0], rows[i][1], ps_scrub_path);
    ps_scrub_free(&scrub);
}

/* Paths, addresses and values of secrets where they stand inside of other texts. */
static void test_texts_hide_what_they_quote(void **state)
{
    static const char *const rows[][2] = {
        {"cannot open /home/mei/shop", "cannot open ~1"},
        {"gcc: -I/home/mei/shop/inc", "gcc: -I~2"},
        {"see src/home/mei/shop/data", "see ~3"},
        {"see file:///home/mei/shop/app.py:3", "see file://~1/app.py:3"},
        {"see file%3A%2F%2F%2Fhome%2Fmei%2Fshop%2Fapp.py", "see ~1/app.py"},
        {"read ~wei/plans/x.txt", "read ~4/x.txt"},
        {"at @/opt/shop/x.py", "at @~5/x.py"},
        {"from \\\\build7\\share\\x.csv", "from ~6/x.csv"},
        {"Mei and MEI, build7", "person1 and person1, host1"},
        {"GET https://shop.example/a/b?token=5#c", "GET https://host2/(arguments 1)"},
        {"postgres://wei:pw9@db.example/shop", "postgres://person2:redacted@host3/(arguments 2)"},
        {"api_key=abc, password: \"abc\"", "api_key=redacted, password: \"redacted\""},
        {"{\"auth_token\":\"abc\"}", "{\"auth_token\":\"redacted\"}"},
        {"Authorization: Bearer abc.def", "Authorization: redacted"},
        {"use ghp_012345678901234567890123456789012345", "use redacted"},
        {"python a.py --pw 5", "python (arguments 3)"},
        {"/home/mei/bin/tool --pw 5", "~7/tool (arguments 4)"},
        {"PW=5 python a.py", "python (arguments 5)"},
        {" python a.py --pw 5", "(arguments 6)"},
        {" - -x", " - -x"},
        {"process 12:\"python a.py --pw 5\"", "process 12:\"python (arguments 3)\""},
        {"Process 12 Thread 1 \"shop\" (x)", "Process 12 Thread 1 (arguments 7)"},
        {"thread (0x7F1C): \"MainThread\"", "thread (0x7F1C): \"MainThread\""},
        {"main (<string shop>:3)", "main (<string ~8>:3)"},
        {"std::secret<int> f(int, char)", "std::secret<int> f(int, char)"},
        {"<method 'update' of 'dict' objects>", "<method 'update' of 'dict' objects>"},
        {"<built-in method builtins.max>", "<built-in method builtins.max>"},
        {"secrets.py:token_hex:3", "secrets.py:token_hex:3"},
        {"Optimizer.step#Adam.step", "Optimizer.step#Adam.step"},
        {"operator new(unsigned long)", "operator new(unsigned long)"},
        {"numpy/core/fromnumeric.py(86): _wrapreduction",
         "numpy/core/fromnumeric.py(86): _wrapreduction"},
    };
    struct ps_scrub scrub = {.redacted_categories = PS_REVEAL_ALL};

    (void)state;
    ps_scrub_learn_person(&scrub, PS_STR("mei"));
    ps_scrub_learn_host(&scrub, PS_STR("build7"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ps_scrub_learn(&scrub, ps_str_from_c(rows[i][0]));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_becomes(&scrub, rows[i][0], rows[i][1], ps_scrub_text);
    ps_scrub_free(&scrub);
}

/* Of a label the first word stays, and what profilers write of themselves. */
static void test_labels(void **state)
{
    static const char *const rows[][2] = {
        {"python train.py --api-key=5", "python (arguments 1)"},
        {"python", "python"},
        {"python 123", "python 123"},
        {"GPU 0", "GPU 0"},
        {"stream 7", "stream 7"},
        {"thread 123 (python)", "thread 123 (python)"},
        {"MainThread", "MainThread"},
        {"Thread-1 (worker)", "Thread-1 (worker)"},
        {"ThreadPoolExecutor-0_0", "ThreadPoolExecutor-0_0"},
        {"MainThread of mei", "MainThread (arguments 2)"},
        {"ProfilerStep#3", "ProfilerStep#3"},
        {"Torch-Compiled Region: 0/0", "Torch-Compiled Region: 0/0"},
        {"## forward ##", "## forward ##"},
        {"step of customer", "step (arguments 3)"},
        {"token=5", "(arguments 4)"},
        {"-s \"pw=5\" \"f()\"", "(arguments 5)"},
        {"[Callback]Save{'by': 'a}.b'}.on_fit_end", "[Callback]Save{arguments 6}.on_fit_end"},
        {"[Callback]Save{arguments 6}.on_fit_end", "[Callback]Save{arguments 6}.on_fit_end"},
        {"[Callback]Save{'by': 'mei'} of li", "(arguments 7)"},
        {"[Strategy]SingleDevice.training_step", "[Strategy]SingleDevice.training_step"},
        {"", ""},
    };
    struct ps_scrub scrub = {.redacted_categories = PS_REVEAL_ALL};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_becomes(&scrub, rows[i][0], rows[i][1], ps_scrub_label);
    assert_becomes(&scrub, "f('pw')", "f (arguments 8)", ps_scrub_command);
    assert_becomes(&scrub, "-c 'x = 5'", "-c (arguments 9)", ps_scrub_command);
    assert_becomes(&scrub, "-m x", "(arguments 10)", ps_scrub_command);
    assert_becomes(&scrub, "\"C:\\a b\\x.exe\" --pw 5", "~1/x.exe (arguments 11)",
                   ps_scrub_command);
    ps_scrub_free(&scrub);
}

/* --- Classes of columns --- */

/* What a column may hold besides numbers: those with a type that is none. */
static bool holds_texts(const char *type)
{
    return strcmp(type, "TEXT") == 0 || strcmp(type, "BLOB") == 0;
}

static void test_each_column_has_a_class(void **state)
{
    char id[PS_ID_SIZE], path[160];
    sqlite3 *db = NULL;
    sqlite3_stmt *columns = NULL;
    int n = 0;

    add_demo(*state, "bookshop-slow.prof", id);
    (void)snprintf(path, sizeof path, "%s/runs/%s.db", demo_shelf, id);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT t.name, c.name, c.type FROM sqlite_schema t, "
                                        "pragma_table_info(t.name) c WHERE t.type = 'table' "
                                        "AND t.name <> 'origin'",
                                        -1, &columns, NULL),
                     SQLITE_OK);
    while (sqlite3_step(columns) == SQLITE_ROW) {
        const char *table = (const char *)sqlite3_column_text(columns, 0);
        const char *column = (const char *)sqlite3_column_text(columns, 1);

        if (holds_texts((const char *)sqlite3_column_text(columns, 2)) &&
            ps_run_find_column(table, column)->redaction_class == PS_REDACT_NONE)
            fail_msg("no redaction class for column %s.%s", table, column);
        n++;
    }
    sqlite3_finalize(columns);
    sqlite3_close(db);
    assert_true(n > 200);
}

/* Only what run.sql describes is copied. */
static void test_an_unknown_column_is_not_copied(void **state)
{
    char ids[1][PS_ID_SIZE], path[160], command[128];
    struct ps_share_copy copy;
    sqlite3 *db = NULL;

    add_demo(*state, "bookshop-slow.prof", ids[0]);
    (void)snprintf(path, sizeof path, "%s/runs/%s.db", demo_shelf, ids[0]);
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "ALTER TABLE package ADD COLUMN why TEXT;"
                                  "ALTER TABLE function ADD COLUMN why TEXT;"
                                  "UPDATE function SET why = 'nobody-knows'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(ps_share_copy_runs(*state, (const char(*)[PS_ID_SIZE])ids, 1, PS_REVEAL_HOSTS,
                                        &copy, PS_ERR_IGNORED),
                     PS_OK);
    (void)snprintf(command, sizeof command, "! grep -rq nobody-knows %s/spool", demo_shelf);
    assert_int_equal(system(command), 0);
    ps_share_copy_free(&copy);
}

int share_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_plain_copy, make_demo_shelf, remove_demo_shelf),
        cmocka_unit_test_setup_teardown(test_no_such_run, make_demo_shelf, remove_demo_shelf),
        cmocka_unit_test_setup_teardown(test_leftover, make_demo_shelf, remove_demo_shelf),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_json_and_commands),
        cmocka_unit_test(test_paths_are_normalised),
        cmocka_unit_test(test_texts_hide_what_they_quote),
        cmocka_unit_test(test_labels),
        cmocka_unit_test_setup_teardown(test_each_column_has_a_class, make_demo_shelf,
                                        remove_demo_shelf),
        cmocka_unit_test_setup_teardown(test_an_unknown_column_is_not_copied, make_demo_shelf,
                                        remove_demo_shelf),
    };

    return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
