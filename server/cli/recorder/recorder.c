/* SPDX-License-Identifier: MIT */
#include "server/cli/recorder/recorder.h"

#include "base/nearest.h"
#include "server/cli/launch/launch.h"

#include <stdio.h>
#include <unistd.h>

static const struct ps_recorder recorders[] = {
    {.name = "importtime",
     .ending = ".importtime.log",
     .module = "sys",
     .python_min = 307,
     .from_stderr = true},
    {.name = "cprofile", .ending = ".prof", .module = "cProfile", .launch = "cprofile"},
    {.name = "lines",
     .ending = ".lprof",
     .module = "line_profiler",
     .package = "line_profiler",
     .launch = "lines",
     .empty_hint = "put @profile before the functions to measure; `record` defines it, without an "
                   "import"},
    {.name = "memory",
     .ending = ".dat",
     .module = "memory_profiler",
     .package = "memory_profiler",
     .launch = "memory",
     .outer = "memory_samples"},
    {.name = "torch",
     .ending = ".pt.trace.json",
     .module = "torch",
     .package = "torch",
     .launch = "torch"},
    {.name = "serving", .ending = ".serving.tar", .any_program = true, .is_serving = true},
    {.name = "time", .ending = ".time.txt", .any_program = true},
};
/* `torch` with --memory */
static const struct ps_recorder torch_memory = {.name = "torch",
                                                .ending = ".memory.pickle",
                                                .module = "torch",
                                                .package = "torch",
                                                .launch = "torch_memory"};
#define N_RECORDERS (sizeof recorders / sizeof *recorders)

const struct ps_recorder *ps_recorder_find(const char *name, bool memory, struct ps_err *err)
{
    if (memory && strcmp(name, torch_memory.name) == 0)
        return &torch_memory;
    for (size_t i = 0; i < N_RECORDERS; i++)
        if (strcmp(recorders[i].name, name) == 0)
            return &recorders[i];
    struct ps_nearest nearest = {.typed = name};
    for (size_t i = 0; i < N_RECORDERS; i++)
        ps_nearest_offer(&nearest, recorders[i].name);
    PS_AUTO(ps_free_ptr) char *program = ps_find_program(name);
    if (program && access(program, X_OK) == 0)
        ps_fail(err, PS_BAD_REQUEST,
                "'%s' is a program, not a recorder" PS_HINT
                "write a recorder before it, such as `perfshelf record cprofile -- %s ...`; see "
                "`perfshelf help record`",
                name, name);
    else if (nearest.word)
        ps_fail(err, PS_BAD_REQUEST,
                "unknown recorder '%s'" PS_HINT "did you mean %s? See `perfshelf help record`",
                name, nearest.word);
    else
        ps_fail(err, PS_BAD_REQUEST,
                "unknown recorder '%s'" PS_HINT
                "the recorders are importtime, cprofile, lines, memory, torch, serving and time",
                name);
    return NULL;
}

static const char *launch_text(const char *name)
{
    const struct ps_launch_text *text = ps_launch_texts;
    while (text->name && strcmp(text->name, name) != 0)
        text++;
    return text->text;
}

/* --- Availability --- */

static void add_python(const struct ps_python_command *command, struct ps_words *words)
{
    ps_words_add(words, command->python);
    for (size_t i = 0; i < command->flags.n; i++)
        ps_words_add(words, command->flags.items[i]);
}

static enum ps_status fail_missing_module(const struct ps_recorder *recorder,
                                          const struct ps_python_command *command,
                                          struct ps_err *err)
{
    if (recorder->package)
        return ps_fail(err, PS_NOT_FOUND,
                       "%s has no module %s" PS_HINT "install it: %s -m pip install %s",
                       command->python, recorder->module, command->python, recorder->package);
    return ps_fail(err, PS_NOT_FOUND,
                   "%s has no module %s" PS_HINT "install all of Python's standard library",
                   command->python, recorder->module);
}

static enum ps_status check_python(const struct ps_recorder *recorder,
                                   const struct ps_python_command *command, const char *answer,
                                   struct ps_python_facts *out, struct ps_err *err)
{
    unsigned major = 0, minor = 0;
    char has[8] = "";
    if (sscanf(answer, "%23s %7s %199[^\n]", out->version, has, out->build) < 2 ||
        sscanf(out->version, "%u.%u", &major, &minor) != 2)
        return ps_fail(err, PS_IO,
                       "%s did not print the version of a Python" PS_HINT
                       "check that it is a Python",
                       command->python);
    if (major * 100 + minor < recorder->python_min)
        return ps_fail(
            err, PS_NOT_FOUND, "needs Python %u.%u or later, %s is %s" PS_HINT "use another Python",
            recorder->python_min / 100, recorder->python_min % 100, command->python, out->version);
    return strcmp(has, "has") == 0 ? PS_OK : fail_missing_module(recorder, command, err);
}

/* Whether the user passed -X importtime: Python then logs its imports also when it is only checked.
 */
static bool has_importtime(const struct ps_python_command *command)
{
    static const char name[] = "importtime";
    for (size_t i = 0; i < command->flags.n; i++) {
        const char *word = command->flags.items[i];
        size_t at = word[1] == '-' ? strlen(word) : strcspn(word, "WXQ"); /* letters with a value */
        const char *value = word[at] ? word + at + 1 : "";
        if (word[at] && !value[0] && i + 1 < command->flags.n)
            value = command->flags.items[++i];
        if (word[at] == 'X' && strncmp(value, name, sizeof name - 1) == 0 &&
            strchr("=", value[sizeof name - 1]))
            return true;
    }
    return false;
}

enum ps_status ps_recorder_check(const struct ps_recorder *recorder,
                                 const struct ps_python_command *command,
                                 struct ps_python_facts *out, struct ps_err *err)
{
    PS_AUTO(ps_words_free) struct ps_words words = {0};
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};
    int exit_status = 0;
    add_python(command, &words);
    ps_words_add(&words, "-c");
    ps_words_add(&words, launch_text("probe"));
    ps_words_add(&words, recorder->module);
    if (ps_child_capture(command->path, ps_words_end(&words), has_importtime(command), &answer,
                         &exit_status, err) != PS_OK)
        return err->code;
    ps_buf_puts(&answer, "");
    if (exit_status == 0)
        return check_python(recorder, command, answer.ptr, out, err);
    return ps_fail(err, PS_IO,
                   "%s exited with status %d when asked for its version" PS_HINT
                   "check that it is a Python that works",
                   command->python, exit_status);
}

/* --- Command line --- */

static void add_program(const struct ps_python_command *command, struct ps_words *words)
{
    for (size_t i = 0; i < command->n_args; i++)
        ps_words_add(words, command->args[i]);
}

/* Appends the command with -X importtime, unless the user passed that option already, for example
 * as -X importtime=2. */
static void add_importtime_command(const struct ps_python_command *command, struct ps_words *words)
{
    add_python(command, words);
    if (!has_importtime(command)) {
        ps_words_add(words, "-X");
        ps_words_add(words, "importtime");
    }
    if (command->kind != PS_PROGRAM_FILE)
        ps_words_add(words, command->kind == PS_PROGRAM_CODE ? "-c" : "-m");
    ps_words_add(words, command->target);
    add_program(command, words);
}

static void add_launch(const struct ps_recorder *recorder, const struct ps_python_command *command,
                       const char *out, struct ps_arena *arena, struct ps_words *words)
{
    static const char *const kinds[] = {
        [PS_PROGRAM_FILE] = "file", [PS_PROGRAM_MODULE] = "module", [PS_PROGRAM_CODE] = "code"};
    add_python(command, words);
    ps_words_add(words, "-c");
    ps_words_add(words, ps_arena_printf(arena, "%s\n%s", launch_text("program"),
                                        launch_text(recorder->launch)));
    ps_words_add(words, out);
    ps_words_add(words, kinds[command->kind]);
    ps_words_add(words, command->target);
    add_program(command, words);
}

void ps_recorder_add_command(const struct ps_recorder *recorder,
                             const struct ps_python_command *command, const char *out,
                             const char *typed, struct ps_arena *arena, struct ps_words *words)
{
    if (!recorder->launch) {
        add_importtime_command(command, words);
        return;
    }
    if (recorder->outer) {
        add_python(command, words);
        ps_words_add(words, "-c");
        ps_words_add(words, launch_text(recorder->outer));
        ps_words_add(words, out);
        ps_words_add(words, typed);
    }
    add_launch(recorder, command, out, arena, words);
}

void ps_recorder_add_importers_command(const struct ps_python_command *command, const char *out,
                                       struct ps_arena *arena, struct ps_words *words)
{
    add_launch(&(const struct ps_recorder){.launch = "importers"}, command, out, arena, words);
}
