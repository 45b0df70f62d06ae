/* SPDX-License-Identifier: MIT */
/* output_test.c: limits of an answer, and how names from profiles are quoted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "server/agent/output.h"

static const struct ps_output_column columns[] = {{"time", "s", true}, {"name", "", false}};

static void quote_is(const char *name, const char *expected)
{
    struct ps_buf text = {0};

    ps_output_quote(&text, name);
    assert_string_equal(text.ptr, expected);
    ps_buf_free(&text);
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
    struct ps_buf text = {0};

    (void)state;
    memset(name, 'a', sizeof name - 1);
    ps_output_quote(&text, name);
    assert_true(text.len < 2 * PS_OUTPUT_NAME_MAX);
    assert_non_null(strstr(text.ptr, "[1048415 bytes]"));
    ps_buf_free(&text);
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
    struct ps_buf text = {0};
    cJSON *tree = cJSON_Parse(parts);

    (void)state;
    ps_output_sentence(&text, tree);
    assert_string_equal(text.ptr, "`model.py(12): forward` takes 41.0 % in 12000calls`app.py:3`"
                                  " \\*of\\* \\\\x1b");
    cJSON_Delete(tree);
    ps_buf_free(&text);
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
