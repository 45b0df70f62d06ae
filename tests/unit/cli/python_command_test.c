/* SPDX-License-Identifier: MIT */
/* python_command_test.c: what of a command line is Python's, what the program's. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/cli/commands/python_command.h"

static char folder[] = "/tmp/perfshelf-python-XXXXXX";
static char *path_before;

static void write_file(const char *name, const char *text, mode_t mode)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    write_file("python", "", 0755);
    write_file("python3.12", "", 0755);
    write_file("tool", "#!/usr/bin/env python3.12\nimport sys\n", 0755);
    write_file("flags", "#!/usr/bin/env -S A=1 python -I -X dev\n", 0755);
    write_file("long", "#!/bin/sh\n'''exec' \"/a b/python\" \"$0\" \"$@\"\n' '''\n", 0755);
    write_file("cut", "#!", 0755);
    write_file("shell", "#!/bin/sh\nexit\n", 0755);
    write_file("empty", "", 0755);
    write_file("app.py", "print(1)\n", 0755);
    path_before = strdup(getenv("PATH"));
    return setenv("PATH", folder, 1);
}

static int tear_down(void **state)
{
    static const char *const names[] = {"python", "python3.12", "tool",  "flags", "long",
                                        "cut",    "shell",      "empty", "app.py"};
    char path[128];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    (void)setenv("PATH", path_before, 1);
    free(path_before);
    return rmdir(folder);
}

/* "python [-X dev] module:pkg.mod (a b)", or what is wrong */
static void describe(const struct ps_python_command *c, struct ps_buf *out)
{
    static const char *const kinds[] = {"file", "module", "code"};
    ps_buf_printf(out, "%s [", c->python);
    for (size_t i = 0; i < c->flags.n; i++)
        ps_buf_printf(out, "%s%s", i ? " " : "", c->flags.items[i]);
    const char *target = c->target;
    if (strncmp(target, folder, strlen(folder)) == 0)
        target += strlen(folder);
    ps_buf_printf(out, "] %s:%s (", kinds[c->kind], target);
    for (size_t i = 0; i < c->n_args; i++)
        ps_buf_printf(out, "%s%s", i ? " " : "", c->args[i]);
    ps_buf_puts(out, ")");
}

static void check_words(const char *expected, const char *const *words)
{
    struct ps_python_command command;
    struct ps_err err = PS_ERR_INIT;
    struct ps_buf out = {0};
    size_t n = 0;
    while (words[n])
        n++;
    if (ps_python_command_read(words, n, &command, &err) == PS_OK)
        describe(&command, &out);
    else
        ps_buf_puts(&out, err.text);
    assert_string_equal(out.ptr, expected);
    ps_buf_free(&out);
    ps_python_command_free(&command);
}

#define CHECK(expected, ...) check_words(expected, (const char *const[]){__VA_ARGS__, NULL})

static void test_files_modules_code(void **state)
{
    (void)state;
    CHECK("python [] file:app.py (-m b)", "python", "app.py", "-m", "b");
    CHECK("python [] module:pkg.mod (--x y)", "python", "-m", "pkg.mod", "--x", "y");
    CHECK("python3.12 [] code:import a (b)", "python3.12", "-c", "import a", "b");
    CHECK("python [] module:pkg ()", "python", "-mpkg");
    CHECK("python [] file:-odd.py ()", "python", "--", "-odd.py");
}

static void test_flags_of_python(void **state)
{
    (void)state;
    CHECK("python [-X dev -u -Werror] file:a.py ()", "python", "-X", "dev", "-u", "-Werror",
          "a.py");
    CHECK("python [-W ignore -Xutf8] file:a.py ()", "python", "-W", "ignore", "-Xutf8", "a.py");
    CHECK("python [-I] module:pkg (z)", "python", "-Im", "pkg", "z");
    CHECK("python [-bb -BX dev] file:a.py ()", "python", "-bb", "-BX", "dev", "a.py");
    CHECK("python [--check-hash-based-pycs always] file:a ()", "python", "--check-hash-based-pycs",
          "always", "a");
}

static void test_scripts(void **state)
{
    (void)state;
    CHECK("python3.12 [] file:/tool (-x a)", "tool", "-x", "a");
    CHECK("python [-I -X dev] file:/flags ()", "flags");
}

static void test_refused(void **state)
{
    (void)state;
    CHECK("python: no program to run", "python");
    CHECK("python: no program to run", "python", "-i");
    CHECK("python: no program to run", "python", "-");
    CHECK("python: no program to run", "python", "-m");
    CHECK("python: no program to run", "python", "-W");
    CHECK("python9: not found in PATH", "python9", "a.py");
    CHECK("/no/python: not an executable file", "/no/python", "a.py");
    CHECK("nothing: not found in PATH", "nothing");
    CHECK("/a b/python: not an executable file", "long");
    CHECK("shell: neither a Python interpreter nor a script whose first line names one", "shell");
    CHECK("cut: neither a Python interpreter nor a script whose first line names one", "cut");
    CHECK("empty: neither a Python interpreter nor a script whose first line names one", "empty");
    CHECK("app.py: neither a Python interpreter nor a script whose first line names one", "app.py");
    CHECK(": not found in PATH", "");
    CHECK("uv starts other programs and cannot be recorded", "uv", "run", "app.py");
    CHECK("/usr/bin/env starts other programs and cannot be recorded", "/usr/bin/env", "python");
}

int python_command_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_modules_code),
        cmocka_unit_test(test_flags_of_python),
        cmocka_unit_test(test_scripts),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("python_command", tests, set_up, tear_down);
}
