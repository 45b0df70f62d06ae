/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
/* The command line: what is accepted, what is refused with which message, and its help. */
#include "base/format.h"
#include "base/nearest.h"
#include "server/cli/options/commands.h"
#include "server/cli/options/help.h"
#include "server/cli/options/options.h"
#include "server/text/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
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
        assert_non_null(strstr(err.text, "--from contains a password"));
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
    assert_int_equal(options.command, PS_COMMAND_ADD);
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
        assert_null(options.listen);
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

static void refused(char *a, char *b, char *c, const char *text, const char *hint)
{
    char *argv[] = {"perfshelf", a, b, c, NULL};
    struct ps_options options;
    struct ps_err err = PS_ERR_INIT;
    int argc = 1;
    while (argv[argc])
        argc++;
    assert_int_equal(ps_options_parse(argc, argv, &options, &err), PS_BAD_REQUEST);
    assert_string_equal(err.text, text);
    assert_string_equal(err.hint, hint);
    ps_options_free(&options);
}

static void refuses_wrong_usage(void **state)
{
    static const char commands[] = "`perfshelf help` lists the commands";
    static const char add[] = "see `perfshelf help add`", list[] = "see `perfshelf help list`";
    (void)state;
    refused("zzz", NULL, NULL, "unknown command 'zzz'", commands);
    refused("--json", NULL, NULL, "unknown command '--json'", commands);
    refused("help", "zzz", NULL, "unknown command 'zzz'", commands);
    refused("help", "add", "x", "unexpected argument 'x'", "usage: perfshelf help [COMMAND]");
    refused("add", NULL, NULL, "missing argument", "usage: perfshelf add FILE...");
    refused("sql", "@1", NULL, "missing argument", "usage: perfshelf sql RUN 'SELECT ...'");
    refused("list", "x", NULL, "unexpected argument 'x'", "usage: perfshelf list");
    refused("baseline", "x", "y", "unexpected argument 'y'",
            "usage: perfshelf baseline RUN, or perfshelf baseline --clear SERIES");
    refused("list", "--csv", NULL, "unknown option --csv",
            "it is an option of sql; see `perfshelf help list`");
    refused("list", "--of=x", NULL, "unknown option --of",
            "it is an option of show, diff and trend; see `perfshelf help list`");
    refused("add", "f", "--tag", "--tag needs a value: KEY=VALUE", add);
    refused("add", "f", "--tag=v", "invalid value 'v' for --tag: not KEY=VALUE", add);
    refused("add", "f", "--tag==v", "invalid value '=v' for --tag: not KEY=VALUE", add);
    refused("add", "f", "-x", "unknown option -x", add);
    refused("list", "--json=1", NULL, "--json takes no value", list);
}

static void suggests_what_was_meant(void **state)
{
    static const char commands[] = "? `perfshelf help` lists the commands";
    static const struct {
        char *typed;
        const char *meant;
    } words[] = {{"lst", "list"},      {"lits", "list"},         {"shwo", "show"},
                 {"Diff", "diff"},     {"undel", "undelete"},    {"exprot", "export"},
                 {"ls", "list"},       {"compare", "diff"},      {"delete", "rm"},
                 {"import", "add"},    {"recrod", "record"},     {"hlep", "help"},
                 {"whatfi", "whatif"}, {"baselines", "baseline"}};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[80], hint[120];
        (void)snprintf(text, sizeof text, "unknown command '%s'", words[i].typed);
        (void)snprintf(hint, sizeof hint, "did you mean `perfshelf %s`%s", words[i].meant,
                       commands);
        refused(words[i].typed, NULL, NULL, text, hint);
    }
    refused("list", "--jsn", NULL, "unknown option --jsn",
            "did you mean --json? See `perfshelf help list`");
    refused("list", "-json", NULL, "unknown option -json",
            "did you mean --json? See `perfshelf help list`");
    refused("serve", "--lisetn=x", NULL, "unknown option --lisetn",
            "did you mean --listen? See `perfshelf help serve`");
    refused("list", "--listne", NULL, "unknown option --listne", "see `perfshelf help list`");
}

static void finds_the_nearest_word(void **state)
{
    static const char *const words[] = {"paths", "hosts", "people", "arguments", "-o"};
    static const size_t n = sizeof words / sizeof *words;
    static const char long_word[] = "pathspathspathspathspathspathspathspathspathspathspaths";
    (void)state;
    assert_string_equal(ps_nearest_find("path", words, n), "paths");
    assert_string_equal(ps_nearest_find("hsots", words, n), "hosts");
    assert_string_equal(ps_nearest_find("pepole", words, n), "people");
    assert_string_equal(ps_nearest_find("arg", words, n), "arguments");
    assert_string_equal(ps_nearest_find("--o", words, n), "-o");
    assert_null(ps_nearest_find("", words, n));
    assert_null(ps_nearest_find("-x", words, n));
    assert_null(ps_nearest_find("labels", words, n));
    assert_null(ps_nearest_find("ar", words, n));
    assert_null(ps_nearest_find(long_word, words, n));
}

static void refuses_two_outputs(void **state)
{
    (void)state;
    PARSE("sql", "@1", "select 1", "--json", "--csv");
    assert_int_equal(status, PS_BAD_REQUEST);
    assert_string_equal(err.text, "--json and --csv cannot be combined");
    ps_options_free(&options);
}

static void help_lists_commands_and_options(void **state)
{
    static const char *const words[] = {"\n  serve  ", "\n  add  ", "\n  sql  ", "@1",
                                        "Exit status"};
    (void)state;
    struct ps_buf text = {0};
    ps_help_write(PS_COMMAND_NONE, &text);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_non_null(strstr(text.ptr, words[i]));
    assert_null(strstr(text.ptr, "--json"));
    text.len = 0;
    ps_help_write(PS_COMMAND_SQL, &text);
    assert_non_null(strstr(text.ptr, "Usage: perfshelf sql RUN 'SELECT ...' [OPTIONS]\n"));
    assert_non_null(strstr(text.ptr, "\n  --csv  "));
    assert_null(strstr(text.ptr, "--series"));
    text.len = 0;
    ps_help_write(PS_COMMAND_BASELINE, &text);
    assert_non_null(strstr(text.ptr, "Usage: perfshelf baseline RUN [OPTIONS]\n"
                                     "       perfshelf baseline --clear SERIES [OPTIONS]\n"));
    ps_buf_free(&text);
}

static void each_command_has_texts(void **state)
{
    (void)state;
    for (int i = PS_COMMAND_NONE + 1; i < PS_N_COMMANDS; i++) {
        assert_non_null(ps_commands[i].name);
        assert_non_null(ps_command_texts[i].summary);
        assert_non_null(ps_command_texts[i].examples);
        assert_non_null(ps_command_texts[i].synonyms);
    }
}

static void help_needs_nothing_else(void **state)
{
    (void)state;
    PARSE("sql", "--help");
    assert_int_equal(status, PS_OK);
    assert_true(options.help);
    assert_int_equal(options.command, PS_COMMAND_SQL);
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
        {-0.25, "-250.0 ms"}, {0.00099996, "1.000 ms"}, {1e308, "1e+308 s"},
        {-2e18, "-2e+18 s"},
    };
    char out[48], count[64];
    (void)state;
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        assert_string_equal(ps_format_seconds(seconds[i].value, out), seconds[i].text);
    assert_string_equal(ps_format_bytes(0, out), "0 B");
    assert_string_equal(ps_format_bytes(1023, out), "1023 B");
    assert_string_equal(ps_format_bytes(68608, out), "67.0 KiB");
    assert_string_equal(ps_format_bytes(2.6 * 1024 * 1024 * 1024, out), "2.60 GiB");
    assert_string_equal(ps_format_bytes(1048575, out), "1.00 MiB");
    assert_string_equal(ps_format_bytes(-1023, out), "-1023 B");
    assert_string_equal(ps_format_bytes(1e300, out), "9.09e+287 TiB");
    assert_string_equal(ps_format_bytes(-30511464, out), "-29.1 MiB");
    assert_string_equal(ps_format_digits(99.6, 2, out), "100");
    assert_string_equal(ps_format_digits(1234.5, 3, out), "1234");
    assert_string_equal(ps_format_digits(0.32, 2, out), "0.32");
    assert_string_equal(ps_format_digits(-0.0000123, 2, out), "-0.000012");
    assert_string_equal(ps_format_digits(10, 4, out), "10");
    assert_string_equal(ps_format_digits(3e18, 2, out), "3000000000000000000");
    assert_string_equal(ps_format_p(0.012345, out), "p = 0.012");
    assert_string_equal(ps_format_p(0.000123, out), "p = 0.00012");
    assert_string_equal(ps_format_p(0.00009, out), "p < 0.0001");
    assert_string_equal(ps_format_p(1, out), "p = 1");
    assert_string_equal(ps_format_value(0.000012345, "", count), "0.00001234");
    assert_string_equal(ps_format_value(2e18, "samples", count), "2000000000000000000 samples");
    assert_string_equal(ps_format_count(0, "run", count), "0 runs");
    assert_string_equal(ps_format_count(1, "more row", count), "1 more row");
    assert_string_equal(ps_format_count(UINT64_MAX, "file", count), "18446744073709551615 files");
}

static void terminal_is_safe(void **state)
{
    (void)state;
    struct ps_buf out = {0};
    ps_append_escaped(&out, PS_STR("a\x1b[2J\n\xff\u202e\u00e9\xc2\x9b"));
    assert_string_equal(out.ptr, "a\\x1b[2J\\n\\xff\\xe2\\x80\\xae\u00e9\\xc2\\x9b");
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
    assert_string_equal(out.ptr, "name   n  what\n\u00e9t\u00e9   12  x\nab     \u2013  y\n");
    ps_table_free(&table);
    ps_buf_free(&out);
}

int options_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_add),
        cmocka_unit_test(takes_copy),
        cmocka_unit_test(takes_record),
        cmocka_unit_test(leaves_the_command_alone),
        cmocka_unit_test(finds_the_shelf),
        cmocka_unit_test(refuses_wrong_usage),
        cmocka_unit_test(refuses_two_outputs),
        cmocka_unit_test(suggests_what_was_meant),
        cmocka_unit_test(finds_the_nearest_word),
        cmocka_unit_test(help_lists_commands_and_options),
        cmocka_unit_test(each_command_has_texts),
        cmocka_unit_test(help_needs_nothing_else),
        cmocka_unit_test(figures),
        cmocka_unit_test(terminal_is_safe),
        cmocka_unit_test(columns_align),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
