/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
/* The command line: what is taken, what is refused and how it is said, and that --help tells all of
 * it. */
#include "server/cli/options.h"
#include "server/cli/plain.h"
#include "server/cli/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define PARSE(...)                                                                                 \
    char *argv[] = {"perfshelf", __VA_ARGS__, NULL};                                               \
    struct ps_options options;                                                                     \
    struct ps_err err = PS_ERR_INIT;                                                               \
    enum ps_status status =                                                                        \
        ps_options_parse((int)(sizeof argv / sizeof *argv) - 1, argv, &options, &err)

static void takes_record(void **state)
{
    (void)state;
    PARSE("record", "--repeat", "3", "cprofile", "-o", "f", "--", "python", "--json", "-o", "x");
    assert_int_equal(status, PS_OK);
    assert_string_equal(options.repeat, "3");
    assert_string_equal(options.output, "f");
    assert_int_equal(options.n_operands, 5);
    assert_string_equal(options.operands[1], "python");
    assert_string_equal(options.operands[2], "--json");
    assert_false(options.json);
    ps_options_free(&options);
}

/* Words behind the command's first are the command's, also without --. */
static void leaves_the_command_alone(void **state)
{
    (void)state;
    PARSE("record", "cprofile", "python", "--json", "--help", "--", "x");
    assert_int_equal(status, PS_OK);
    assert_int_equal(options.n_operands, 6);
    assert_string_equal(options.operands[3], "--help");
    assert_string_equal(options.operands[4], "--");
    assert_false(options.json || options.help);
    ps_options_free(&options);
}

/* One side of a copy may stand in the environment, with a password too. */
static void takes_copy(void **state)
{
    static const char secret[] = "postgresql://mei:word@h/d";
    (void)state;
    setenv("PERFSHELF_STORE", secret, 1);
    {
        PARSE("copy", "--from", "/shelf");
        assert_int_equal(status, PS_OK);
        assert_string_equal(options.from, "/shelf");
        assert_string_equal(options.to, secret);
        ps_options_free(&options);
    }
    {
        PARSE("copy", "--to=/shelf");
        assert_int_equal(status, PS_OK);
        assert_string_equal(options.from, secret);
        ps_options_free(&options);
    }
    {
        PARSE("copy", "--from", "/a", "--to", "/b");
        assert_int_equal(status, PS_OK);
        assert_string_equal(options.to, "/b");
        ps_options_free(&options);
    }
    {
        PARSE("copy", "--from", (char *)secret, "--to", "/b");
        assert_int_equal(status, PS_BAD_REQUEST);
        assert_non_null(strstr(err.text, "--from holds a password"));
        assert_null(strstr(err.text, "word@"));
        ps_options_free(&options);
    }
    {
        PARSE("copy");
        assert_int_equal(status, PS_BAD_REQUEST);
        ps_options_free(&options);
    }
    unsetenv("PERFSHELF_STORE");
    {
        PARSE("copy", "--from", "/a");
        assert_int_equal(status, PS_BAD_REQUEST);
        ps_options_free(&options);
    }
    {
        PARSE("copy", "--from", "", "--to", "/b");
        assert_int_equal(status, PS_BAD_REQUEST);
        ps_options_free(&options);
    }
}

static void takes_add(void **state)
{
    (void)state;
    PARSE("add", "a.prof", "--tag", "branch=main", "--name=x=y", "-", "--tag", "k=", "--json",
          "--data", "/d", "--", "--b");
    assert_int_equal(status, PS_OK);
    assert_int_equal(options.verb, PS_VERB_ADD);
    assert_int_equal(options.n_operands, 3);
    assert_string_equal(options.operands[0], "a.prof");
    assert_string_equal(options.operands[1], "-");
    assert_string_equal(options.operands[2], "--b");
    assert_int_equal(options.n_tags, 2);
    assert_string_equal(options.tags[0].key, "branch");
    assert_string_equal(options.tags[0].value, "main");
    assert_string_equal(options.tags[1].value, "");
    assert_string_equal(options.name, "x=y");
    assert_string_equal(options.data, "/d");
    assert_true(options.json);
    assert_null(options.series);
    ps_options_free(&options);
}

static void finds_the_shelf(void **state)
{
    (void)state;
    setenv("XDG_DATA_HOME", "/xdg", 1);
    setenv("HOME", "/home/mei", 1);
    {
        PARSE("list");
        assert_int_equal(status, PS_OK);
        assert_string_equal(options.data, "/xdg/perfshelf");
        ps_options_free(&options);
    }
    setenv("XDG_DATA_HOME", "relative", 1); /* to be ignored, says the XDG standard */
    {
        PARSE("serve");
        assert_int_equal(status, PS_OK);
        assert_string_equal(options.data, "/home/mei/.local/share/perfshelf");
        assert_string_equal(options.listen, "127.0.0.1:7700");
        ps_options_free(&options);
    }
    unsetenv("XDG_DATA_HOME");
    unsetenv("HOME");
    {
        PARSE("list");
        assert_int_equal(status, PS_BAD_REQUEST);
        ps_options_free(&options);
    }
    {
        PARSE("formats");
        assert_int_equal(status, PS_OK);
        ps_options_free(&options);
    }
}

static void refused(char *a, char *b, char *c, const char *text)
{
    char *argv[] = {"perfshelf", a, b, c, NULL};
    struct ps_options options;
    struct ps_err err = PS_ERR_INIT;
    int argc = 1;
    while (argv[argc])
        argc++;
    assert_int_equal(ps_options_parse(argc, argv, &options, &err), PS_BAD_REQUEST);
    assert_string_equal(err.text, text);
    assert_non_null(strstr(err.hint, "--help"));
    ps_options_free(&options);
}

static void refuses_wrong_usage(void **state)
{
    (void)state;
    refused(NULL, NULL, NULL, "a verb is missing");
    refused("frobnicate", NULL, NULL, "frobnicate: no such verb");
    refused("--json", NULL, NULL, "--json: no such verb");
    refused("add", NULL, NULL, "add wants FILE|DIR|-...");
    refused("sql", "@1", NULL, "sql wants RUN 'SELECT ...'");
    refused("list", "x", NULL, "list: 'x' is one too many");
    refused("show", "x", "y", "show: 'y' is one too many");
    refused("list", "--csv", NULL, "--csv: no such option");
    refused("add", "f", "--tag", "--tag wants K=V");
    refused("add", "f", "--tag=v", "--tag wants KEY=VALUE, not 'v'");
    refused("add", "f", "--tag==v", "--tag wants KEY=VALUE, not '=v'");
    refused("add", "f", "-x", "-x: no such option");
    refused("list", "--json=1", NULL, "--json takes no value");
}

static void refuses_two_outputs(void **state)
{
    (void)state;
    PARSE("sql", "@1", "select 1", "--json", "--csv");
    assert_int_equal(status, PS_BAD_REQUEST);
    assert_string_equal(err.text, "--json and --csv exclude each other");
    ps_options_free(&options);
}

static void help_tells_everything(void **state)
{
    static const char *const words[] = {
        "serve",  "add FILE|DIR|-...", "list",   "show RUN", "rm RUN...",
        "sql",    "formats",           "--data", "--listen", "--open",
        "--name", "--series",          "--tag",  "--json",   "--csv",
        "@1",     "Exit status"};
    (void)state;
    struct ps_buf text = {0};
    ps_options_help(PS_VERB_NONE, &text);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_non_null(strstr(text.at, words[i]));
    text.len = 0;
    ps_options_help(PS_VERB_SQL, &text);
    assert_non_null(strstr(text.at, "--csv"));
    assert_null(strstr(text.at, "--series"));
    ps_buf_free(&text);
}

static void help_needs_nothing_else(void **state)
{
    (void)state;
    PARSE("sql", "--help");
    assert_int_equal(status, PS_OK);
    assert_true(options.help);
    assert_int_equal(options.verb, PS_VERB_SQL);
    ps_options_free(&options);
}

static void figures(void **state)
{
    static const struct {
        double value;
        const char *text;
    } seconds[] = {
        {0, "0 s"},           {1.5e-9, "1.500 ns"},     {0.0000123456, "12.35 \u00b5s"},
        {0.9999, "999.9 ms"}, {0.99996, "1.000 s"},     {9.9996, "10.00 s"},
        {119.9, "119.9 s"},   {124.2, "2 min 04 s"},    {3720, "1 h 02 min"},
        {-0.25, "-250.0 ms"}, {0.00099996, "1.000 ms"},
    };
    char out[48];
    (void)state;
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        assert_string_equal(ps_figure_seconds(seconds[i].value, out), seconds[i].text);
    assert_string_equal(ps_figure_bytes(0, out), "0 B");
    assert_string_equal(ps_figure_bytes(1023, out), "1023 B");
    assert_string_equal(ps_figure_bytes(68608, out), "67.0 KiB");
    assert_string_equal(ps_figure_bytes(2.6 * 1024 * 1024 * 1024, out), "2.60 GiB");
    assert_string_equal(ps_figure_bytes(1048575, out), "1.00 MiB");
    assert_string_equal(ps_figure_bytes(-1023, out), "-1023 B");
    assert_string_equal(ps_figure_bytes(-30511464, out), "-29.1 MiB");
}

static void terminal_is_safe(void **state)
{
    (void)state;
    struct ps_buf out = {0};
    ps_plain_text(&out, PS_STR("a\x1b[2J\n\xff\u202e\u00e9\xc2\x9b"));
    assert_string_equal(out.at, "a\\x1b[2J\\n\\xff\\xe2\\x80\\xae\u00e9\\xc2\\x9b");
    ps_buf_free(&out);
}

static void columns_align(void **state)
{
    (void)state;
    struct ps_table table = {.columns = 3, .right = 1U << 1};
    static const char *const cells[] = {"name", "n",  "what", "\u00e9t\u00e9", "12", "x",
                                        "ab",   NULL, "y"};
    struct ps_buf out = {0};
    for (size_t i = 0; i < 9; i++)
        ps_table_cell(&table, cells[i]);
    ps_table_print(&table, &out);
    assert_string_equal(out.at, "name   n  what\n\u00e9t\u00e9   12  x\nab     \u2013  y\n");
    ps_table_free(&table);
    ps_buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_add),
        cmocka_unit_test(takes_copy),
        cmocka_unit_test(takes_record),
        cmocka_unit_test(leaves_the_command_alone),
        cmocka_unit_test(finds_the_shelf),
        cmocka_unit_test(refuses_wrong_usage),
        cmocka_unit_test(refuses_two_outputs),
        cmocka_unit_test(help_tells_everything),
        cmocka_unit_test(help_needs_nothing_else),
        cmocka_unit_test(figures),
        cmocka_unit_test(terminal_is_safe),
        cmocka_unit_test(columns_align),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
