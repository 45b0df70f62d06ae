/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/commands/python_command.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLANK " \t"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether a path names a Python: python, python3.12, python3.13t, python3-dbg, pypy3. */
static bool is_python(const char *path)
{
    static const char *const names[] = {"python", "pypy"};
    const char *name = base_name(path);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len = strlen(names[i]);
        if (strncmp(name, names[i], len) == 0)
            return strspn(name + len, "0123456789.dtmw-bg") == strlen(name + len);
    }
    return false;
}

/* --- Options of the interpreter --- */

/* State of the parser of interpreter options. Each function parses words[i] and its value, and
 * returns true once the program is found. */
struct option_parser {
    const char *const *words;
    size_t n, i;
};

static const char *value_of(struct option_parser *flags, const char *attached_value)
{
    if (attached_value[0])
        return attached_value;
    return flags->i + 1 < flags->n ? flags->words[++flags->i] : NULL;
}

static bool set_program(struct option_parser *flags, enum ps_program_kind kind, const char *target,
                        struct ps_python_command *out)
{
    out->kind = kind;
    out->target = target;
    out->args = flags->words + flags->i + 1;
    out->n_args = flags->i < flags->n ? flags->n - flags->i - 1 : 0;
    return true;
}

/* Parses short options such as "-X", "-Xdev", "-Im"; some letters have a value. */
static bool parse_short_options(struct option_parser *flags, struct ps_python_command *out)
{
    const char *word = flags->words[flags->i];
    size_t at = 1 + strcspn(word + 1, "cmWXQ");
    const char *value;
    if (word[at] != 'c' && word[at] != 'm') {
        ps_words_add(&out->flags, word);
        if (word[at] && !word[at + 1] && flags->i + 1 < flags->n)
            ps_words_add(&out->flags, flags->words[++flags->i]);
        return false;
    }
    if (at > 1)
        ps_words_add(&out->flags, ps_arena_copy(&out->arena, (struct ps_str){word, at}).ptr);
    value = value_of(flags, word + at + 1);
    return set_program(flags, word[at] == 'c' ? PS_PROGRAM_CODE : PS_PROGRAM_MODULE, value, out);
}

static bool parse_word(struct option_parser *flags, struct ps_python_command *out)
{
    const char *word = flags->words[flags->i];
    if (word[0] != '-')
        return set_program(flags, PS_PROGRAM_FILE, word, out);
    if (!word[1])
        return set_program(flags, PS_PROGRAM_FILE, NULL, out);
    if (word[1] != '-')
        return parse_short_options(flags, out);
    if (!word[2]) /* -- */
        return set_program(flags, PS_PROGRAM_FILE, value_of(flags, ""), out);
    ps_words_add(&out->flags, word);
    if (strcmp(word, "--check-hash-based-pycs") == 0 && flags->i + 1 < flags->n)
        ps_words_add(&out->flags, flags->words[++flags->i]);
    return false;
}

/* Parses a command line whose words[0] is a Python interpreter. */
static enum ps_status parse_words(const char *const *words, size_t n, struct ps_python_command *out,
                                  struct ps_err *err)
{
    struct option_parser flags = {words, n, 1};
    PS_AUTO(ps_free_ptr) char *path = ps_find_program(words[0]);
    if (!path || access(path, X_OK) != 0)
        return ps_fail(err, PS_NOT_FOUND,
                       "%s: %s" PS_HINT
                       "name the Python that runs the program, by its path or its name in PATH",
                       words[0], path ? "not an executable file" : "not found in PATH");
    out->python = words[0];
    out->path = ps_arena_copy(&out->arena, ps_str_from_c(path)).ptr;
    while (flags.i < n && !parse_word(&flags, out))
        flags.i++;
    if (out->target)
        return PS_OK;
    return ps_fail(err, PS_BAD_REQUEST,
                   "%s: no program to run" PS_HINT "add a file, -m MODULE or -c CODE", words[0]);
}

/* --- Scripts --- */

/* Cuts the next word off a line; "" at the end. A word may be in quotes. */
static char *next_word(char **line)
{
    char *word = *line + strspn(*line, BLANK);
    char ends[] = BLANK;
    if (*word == '"' || *word == '\'') {
        ends[0] = ends[1] = *word;
        word++;
    }
    size_t len = strcspn(word, ends);
    *line = word + len + (word[len] ? 1 : 0);
    word[len] = '\0';
    return word;
}

/* Skips env and its arguments: "/usr/bin/env -S A=1 python3 -u". */
static char *skip_env(char *word, char **line)
{
    if (strcmp(base_name(word), "env") != 0)
        return word;
    do
        word = next_word(line);
    while (word[0] == '-' || strchr(word, '='));
    return word;
}

/* The command after '''exec' in the second line; NULL if there is none. If a path is too long for
 * #!, installers write #!/bin/sh and '''exec' PYTHON "$0" "$@". */
static char *find_exec(char *second)
{
    static const char exec[] = "'''exec' ";
    if (strncmp(second, exec, sizeof exec - 1) != 0)
        return NULL;
    second[strcspn(second, "\n")] = '\0';
    return second + sizeof exec - 1;
}

/* Reads the interpreter command from the first lines of a script; false if it is not Python. */
static bool read_first_lines(char *text, struct ps_words *words)
{
    size_t end = strcspn(text, "\n");
    char *line = text + 2, *word, *second = text[end] ? text + end + 1 : text + end;
    if (text[0] != '#' || text[1] != '!')
        return false;
    text[end > 0 && text[end - 1] == '\r' ? end - 1 : end] = '\0';
    word = skip_env(next_word(&line), &line);
    if (!is_python(word)) {
        line = find_exec(second);
        word = line ? next_word(&line) : NULL;
        if (!word || !is_python(word))
            return false;
        line = NULL; /* ignore "$0" "$@" */
    }
    ps_words_add(words, word);
    while (line && *(word = next_word(&line)))
        ps_words_add(words, word);
    return true;
}

static enum ps_status fail_not_python(const char *word, const char *path, struct ps_err *err)
{
    size_t len = strlen(path);
    bool is_script = len > 3 && strcmp(path + len - 3, ".py") == 0;
    return ps_fail(err, PS_BAD_REQUEST,
                   "%s: neither a Python interpreter nor a script whose first line names "
                   "one" PS_HINT "%s%s`",
                   word,
                   is_script ? "write `python "
                             : "start the command with a Python interpreter, such as `python -m ",
                   is_script ? word : base_name(word));
}

static enum ps_status read_beginning(const char *path, char *head, size_t size, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd >= 0 ? read(fd, head, size - 1) : -1;
    head[n > 0 ? n : 0] = '\0';
    return n >= 0 ? PS_OK : ps_fail_errno(err, "cannot read", path);
}

static enum ps_status read_script(const char *const *words, size_t n, const char *path,
                                  struct ps_python_command *out, struct ps_err *err)
{
    char *head = ps_arena_alloc(&out->arena, 4096);
    struct ps_words all = {0};
    if (read_beginning(path, head, 4096, err) != PS_OK)
        return err->code;
    if (!read_first_lines(head, &all)) {
        ps_words_free(&all);
        return fail_not_python(words[0], path, err);
    }
    ps_words_add(&all, path);
    for (size_t i = 1; i < n; i++)
        ps_words_add(&all, words[i]);
    const char **all_words = ps_arena_alloc(&out->arena, all.n * sizeof *all_words);
    memcpy(all_words, all.items, all.n * sizeof *all_words);
    n = all.n;
    ps_words_free(&all);
    return parse_words(all_words, n, out, err);
}

/* Whether the command starts other programs. Some such commands are Python scripts, and would be
 * profiled instead of the program that they start. */
static bool starts_programs(const char *word)
{
    static const char *const names[] = {
        "uv",         "uvx",     "poetry",  "pipenv", "pipx", "conda",    "mamba",
        "micromamba", "pdm",     "rye",     "hatch",  "pixi", "torchrun", "accelerate",
        "deepspeed",  "mpirun",  "srun",    "sudo",   "env",  "time",     "nice",
        "taskset",    "numactl", "timeout", "sh",     "bash", "stdbuf"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(base_name(word), names[i]) == 0)
            return true;
    return false;
}

enum ps_status ps_python_command_read(const char *const *words, size_t n,
                                      struct ps_python_command *out, struct ps_err *err)
{
    *out = (struct ps_python_command){.kind = PS_PROGRAM_FILE};
    if (starts_programs(words[0]))
        return ps_fail(err, PS_BAD_REQUEST,
                       "%s starts other programs and cannot be recorded" PS_HINT
                       "let it start perfshelf: %s ... perfshelf record ... -- python ...",
                       words[0], base_name(words[0]));
    if (is_python(words[0]))
        return parse_words(words, n, out, err);
    PS_AUTO(ps_free_ptr) char *path = ps_find_program(words[0]);
    if (!path && access(words[0], R_OK) == 0)
        return ps_fail(err, PS_NOT_FOUND, "%s: not found in PATH" PS_HINT "write `python %s`",
                       words[0], words[0]);
    if (!path)
        return ps_fail(err, PS_NOT_FOUND,
                       "%s: not found in PATH" PS_HINT
                       "check that %s is installed for the Python in use",
                       words[0], words[0]);
    return read_script(words, n, ps_arena_copy(&out->arena, ps_str_from_c(path)).ptr, out, err);
}

void ps_python_command_free(struct ps_python_command *command)
{
    ps_words_free(&command->flags);
    ps_arena_free(&command->arena);
}

const char *ps_python_command_name(const struct ps_python_command *command)
{
    return command->kind == PS_PROGRAM_CODE ? "code" : base_name(command->target);
}
