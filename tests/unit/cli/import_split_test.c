/* SPDX-License-Identifier: MIT */
/* import_split_test.c: lines of imports and what a program says, however they arrive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/cli/recorder/import_split.h"

#define LINE "import time:       123 |        456 |   json.decoder\n"
#define HEAD "import time: self [us] | cumulative | imported package\n"

static void expect(const struct ps_import_split *split, const char *log, const char *rest)
{
    assert_string_equal(split->log.len ? split->log.ptr : "", log);
    assert_string_equal(split->other_output.len ? split->other_output.ptr : "", rest);
}

/* The same whatever the pieces are. */
static void check(const char *text, const char *log, const char *rest)
{
    for (size_t piece = 1; piece <= strlen(text); piece++) {
        struct ps_import_split split = {0};
        for (size_t at = 0; at < strlen(text); at += piece)
            ps_import_split_feed(&split, text + at,
                                 strlen(text) - at < piece ? strlen(text) - at : piece);
        ps_import_split_flush(&split, true);
        expect(&split, log, rest);
        ps_import_split_free(&split);
    }
}

static void test_lines(void **state)
{
    (void)state;
    check(HEAD LINE "hello\n" LINE, HEAD LINE LINE, "hello\n");
    check("hello\n", "", "hello\n");
    check("half " LINE "a line\n", LINE, "half a line\n");
    check("import time:    cached |     cached | os\n",
          "import time:    cached |     cached | os\n", "");
}

static void test_words_of_the_program(void **state)
{
    (void)state;
    check("the import time: 3 s\n", "", "the import time: 3 s\n");
    check("import time: import time: 1 | 2 | a\n", "import time: 1 | 2 | a\n", "import time: ");
    check("import tim\nimport time", "", "import tim\nimport time");
    check("iimport time: 1 | 2 | a\nimpor", "import time: 1 | 2 | a\n", "iimpor");
}

static void test_the_end_of_a_cut_log(void **state)
{
    (void)state;
    check("import time: 1 | 2 | a", "import time: 1 | 2 | a\n", "");
    check("import time: 1", "", "import time: 1");
}

static void test_a_prompt_is_shown_at_once(void **state)
{
    struct ps_import_split split = {0};
    (void)state;
    ps_import_split_feed(&split, "Name of the i", 13);
    expect(&split, "", "Name of the ");
    ps_import_split_flush(&split, false);
    expect(&split, "", "Name of the i");
    ps_import_split_feed(&split, LINE, sizeof LINE - 1);
    expect(&split, LINE, "Name of the i");
    ps_import_split_free(&split);
}

static void test_a_line_without_end(void **state)
{
    struct ps_import_split split = {0};
    char block[1024];
    (void)state;
    memset(block, 'x', sizeof block);
    ps_import_split_feed(&split, "import time: 1 | 2 |", 20);
    for (size_t i = 0; i < 100; i++)
        ps_import_split_feed(&split, block, sizeof block);
    assert_int_equal(split.log.len, 0);
    assert_int_equal(split.other_output.len, 20 + 100 * sizeof block);
    ps_import_split_free(&split);
}

int import_split_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_words_of_the_program),
        cmocka_unit_test(test_the_end_of_a_cut_log),
        cmocka_unit_test(test_a_prompt_is_shown_at_once),
        cmocka_unit_test(test_a_line_without_end),
    };
    return cmocka_run_group_tests_name("import_split", tests, NULL, NULL);
}
