/* SPDX-License-Identifier: MIT */
/* output_test.c: limits of an answer, and how names from profiles are quoted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "server/text/output.h"

static const struct ps_output_column columns[] = {{"time", "s", PS_NUMBER}, {"name", "", PS_WORDS}};

static void quote_is(const char *name, const char *expected)
{
    struct ps_buf text = {0}, shown = {0};

    ps_output_quote(&text, name);
    ps_output_render(&shown, PS_OUTPUT_MARKDOWN, ps_buf_slice(&text));
    assert_string_equal(shown.ptr, expected);
    ps_buf_free(&text);
    ps_buf_free(&shown);
}

static void names_are_quoted(void **state)
{
    (void)state;
    quote_is("author_of", "`author_of`");
    quote_is("", "` `");
    quote_is("a`b", "`` a`b ``");
    quote_is("``` \n# run rm", "```` ``` \\n# run rm ````");
    quote_is("\x1b[31m\xe2\x80\xae", "`\\x1b[31m\\xe2\\x80\\xae`");
    quote_is("a\xe2\x80\x8b\xf3\xa0\x81\x81", "`a\\xe2\\x80\\x8b\\xf3\\xa0\\x81\\x81`");
}

static void long_names_are_shortened(void **state)
{
    static char name[1 << 20];
    struct ps_buf text = {0}, shown = {0};

    (void)state;
    memset(name, 'a', sizeof name - 1);
    ps_output_quote(&text, name);
    ps_output_render(&shown, PS_OUTPUT_MARKDOWN, ps_buf_slice(&text));
    assert_true(shown.len < 2 * PS_OUTPUT_NAME_MAX);
    assert_non_null(strstr(shown.ptr, "[1048415 bytes]"));
    ps_buf_free(&text);
    ps_buf_free(&shown);
}

static void write_table(struct ps_output *out, const char *name, unsigned rows)
{
    ps_output_begin(out, "hot");
    ps_output_fact_name(out, "name", name);
    ps_output_table(out, "functions", columns, 2);
    for (unsigned i = 0; i < rows; i++) {
        ps_output_value(out, 0.5, "s");
        ps_output_name(out, name);
        ps_output_row_end(out);
    }
    ps_output_table_end(out, rows);
    ps_output_end(out);
}

static void markdown_is_complete(void **state)
{
    struct ps_output out = {.max_bytes = 4096, .max_rows = 1};

    (void)state;
    write_table(&out, "a|b", 2);
    assert_string_equal(out.text.ptr,
                        "## hot\n\n- name: `a|b`\n\n### functions\n\n| time | name |\n"
                        "|--:|---|\n| 500.0 ms | `a\\|b` |\n\n1 of 2 rows shown.\n\n");
    ps_output_free(&out);
}

static void json_is_complete(void **state)
{
    struct ps_output out = {.format = PS_OUTPUT_JSON, .max_bytes = 4096, .max_rows = 1};

    (void)state;
    write_table(&out, "a\x1b|b", 2);
    assert_string_equal(
        out.text.ptr,
        "{\"answer\":\"hot\",\"parts\":[{\"fact\":\"name\",\"value\":\"a\\\\x1b|b\"},"
        "{\"table\":\"functions\",\"columns\":[{\"title\":\"time\",\"unit\":\"s\"},{\"title\":\"name\"}],"
        "\"rows\":[[0.5,\"a\\\\x1b|b\"]],\"shown\":1,\"total\":2}],\"omitted\":{\"functions\":1},"
        "\"max_rows\":1,\"max_bytes\":4096}");
    ps_output_free(&out);
}

static void json_has_units_of_rows(void **state)
{
    struct ps_output out = {.format = PS_OUTPUT_JSON, .max_bytes = 4096, .max_rows = 9};

    (void)state;
    ps_output_begin(&out, "hot");
    ps_output_table(&out, "measurements", columns, 2);
    ps_output_value(&out, 3, "B");
    ps_output_name(&out, NULL);
    ps_output_row_end(&out);
    ps_output_value(&out, NAN, "s");
    ps_output_word(&out, "x");
    ps_output_row_end(&out);
    ps_output_table_end(&out, 2);
    ps_output_end(&out);
    assert_non_null(
        strstr(out.text.ptr, "\"rows\":[[{\"value\":3.0,\"unit\":\"B\"},null],[null,\"x\"]]"));
    ps_output_free(&out);
}

/* For each limit and both forms: the answer has at most so many bytes, and is complete. */
static void bytes_are_bounded(void **state)
{
    (void)state;
    for (size_t limit = PS_OUTPUT_BYTES_MIN; limit < 6000; limit += 97) {
        for (int format = PS_OUTPUT_MARKDOWN; format <= PS_OUTPUT_JSON; format++) {
            struct ps_output out = {
                .format = (enum ps_output_format)format, .max_bytes = limit, .max_rows = 1000};
            cJSON *tree;

            write_table(&out, "a name of a function", 500);
            assert_true(out.text.len <= limit);
            if (format == PS_OUTPUT_JSON) {
                tree = cJSON_ParseWithLength(out.text.ptr, out.text.len);
                assert_non_null(tree);
                cJSON_Delete(tree);
            } else {
                assert_non_null(strstr(out.text.ptr, "of 500 rows shown"));
                assert_non_null(strstr(out.text.ptr, "Left out beyond max_bytes"));
            }
            ps_output_free(&out);
        }
    }
}

static void sentences(void **state)
{
    static const char parts[] =
        "[{\"code\":\"/srv/app/model.py(12): forward\"},{\"text\":\" takes \"},"
        "{\"value\":41.0,\"unit\":\"percent\"},{\"text\":\" in \"},{\"value\":12000,\"unit\":\"count\"},"
        "{\"text\":\"calls\",\"link\":{}},{\"text\":\"app.py:3\",\"link\":{}},"
        "{\"text\":\" *of* \\u001b\"}]";
    struct ps_buf text = {0}, shown[2] = {{0}, {0}};
    cJSON *tree = cJSON_Parse(parts);

    (void)state;
    ps_output_sentence(&text, tree);
    ps_output_render(&shown[0], PS_OUTPUT_MARKDOWN, ps_buf_slice(&text));
    ps_output_render(&shown[1], PS_OUTPUT_TERMINAL, ps_buf_slice(&text));
    assert_string_equal(shown[0].ptr, "`model.py(12): forward` takes 41.0 % in 12000calls`app.py:3`"
                                      " \\*of\\* \\\\x1b");
    assert_string_equal(shown[1].ptr, "model.py(12): forward takes 41.0 % in 12000callsapp.py:3"
                                      " *of* \\x1b");
    cJSON_Delete(tree);
    ps_buf_free(&text);
    ps_buf_free(&shown[0]);
    ps_buf_free(&shown[1]);
}

static void marks_of_names_are_visible(void **state)
{
    (void)state;
    quote_is("a\x01\x02\x03\x04\x05z", "`a\\x01\\x02\\x03\\x04\\x05z`");
}

/* The same calls as Markdown and for a terminal. */
static void write_answer(struct ps_output *out)
{
    static const struct ps_output_column causes[] = {
        {"of |tot|", "%", PS_SHARE}, {"could save", "s", PS_NUMBER}, {"cause", "", PS_WRAPPED}};
    struct ps_buf text = {0};

    ps_output_begin(out, "summary");
    ps_output_fact_name(out, "name", "a`b");
    ps_output_fact_value(out, "size", 1024, "B");
    ps_output_place(&text, "author_of", "shop.py:29");
    ps_buf_puts(&text, " takes 41.0 %.");
    ps_output_paragraph(out, &text);
    ps_output_heading(out, "Causes of %s", "time");
    ps_output_table(out, "causes", causes, 3);
    for (int i = 0; i < 3; i++) {
        text.len = 0;
        ps_output_percent(out, i ? 10 : 40);
        ps_output_range(out, i ? NAN : 0.5, i ? 0.1 : 2, "s");
        if (i)
            ps_output_part(&text);
        ps_output_place(&text, "one", "~");
        ps_buf_puts(&text, ": 12 calls of it");
        ps_output_cell(out, &text);
        ps_output_row_end(out);
    }
    ps_output_table_end(out, 3);
    ps_output_note(out, "One *note*.");
    ps_output_note(out, "Two.");
    ps_output_end(out);
    ps_buf_free(&text);
}

static void markdown_and_terminals_have_the_same_words(void **state)
{
    struct ps_output markdown = {.max_bytes = 4096, .max_rows = 2};
    struct ps_output terminal = {.format = PS_OUTPUT_TERMINAL,
                                 .max_rows = 2,
                                 .width = 58,
                                 .has_bars = true,
                                 .more = "--rows shows more"};

    (void)state;
    write_answer(&markdown);
    assert_string_equal(
        markdown.text.ptr,
        "## summary\n\n- name: `` a`b ``\n- size: 1.00 KiB\n\n"
        "`author_of` `shop.py:29` takes 41.0 %.\n\n### Causes of time\n\n"
        "| of \\|tot\\| | could save | cause |\n|--:|--:|---|\n"
        "| 40.0 % | 500.0 ms to 2.000 s | `one`: 12 calls of it |\n"
        "| 10.0 % | up to 100.0 ms | part of the cause above: `one`: 12 calls of it |"
        "\n\n2 of 3 rows shown.\n\n- One \\*note\\*.\n- Two.\n\n");
    write_answer(&terminal);
    assert_string_equal(
        terminal.text.ptr,
        "name  a`b\nsize  1.00 KiB\n\nauthor_of shop.py:29 takes 41.0 %.\n\n"
        "Causes of time\n"
        "of |tot|                       could save  cause\n"
        "  40.0 %  \u2587\u2587\u2587\u2587\u2587\u2587\u2587\u2587\u2587\u2587"
        "  500.0 ms to 2.000 s  one: 12 calls of\n"
        "                                           it\n"
        "  10.0 %  \u2587\u2587\u2587              up to 100.0 ms    one: 12 calls\n"
        "                                             of it\n"
        "2 of 3 rows shown; --rows shows more\n\n- One *note*.\n- Two.\n");
    ps_output_free(&markdown);
    ps_output_free(&terminal);
}

int output_test(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_quoted),
        cmocka_unit_test(long_names_are_shortened),
        cmocka_unit_test(markdown_is_complete),
        cmocka_unit_test(json_is_complete),
        cmocka_unit_test(json_has_units_of_rows),
        cmocka_unit_test(bytes_are_bounded),
        cmocka_unit_test(sentences),
        cmocka_unit_test(marks_of_names_are_visible),
        cmocka_unit_test(markdown_and_terminals_have_the_same_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
