/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/options/config_file.h"

#include "base/nearest.h"
#include "server/cli/options/commands.h"
#include "server/cli/options/option_values.h"
#include "server/cli/options/settings.h"
#include "server/cli/options/trusted_file.h"

#include <stdlib.h>

#define FILE_MAX ((size_t)64 << 10)

/* What is read, for error messages. */
struct reader {
    struct ps_arena *arena;
    struct ps_config_file *file;
    unsigned line;
};

static enum ps_status fail_line(const struct reader *reader, struct ps_err *err, const char *text,
                                const char *hint)
{
    return ps_fail(err, PS_BAD_REQUEST, "%s:%u: %s" PS_HINT "%s", reader->file->path, reader->line,
                   text, hint);
}

/* --- Keys --- */

static bool can_repeat(const struct ps_option_row *option)
{
    return option->type == PS_HOST || option->type == PS_RULE;
}

/* Returns the option of a key. Several commands can have an option of this name; if it is a key for
 * only some of them, returns the row of one of these. NULL: no command has it. */
static const struct ps_option_row *find_option(struct ps_str key)
{
    const struct ps_option_row *found = NULL;

    for (size_t i = 0; i < ps_option_rows_count && !(found && found->is_key); i++)
        if (strncmp(ps_option_rows[i].name, "--", 2) == 0 &&
            ps_str_eq_c(key, ps_option_rows[i].name + 2))
            found = &ps_option_rows[i];
    return found;
}

static enum ps_status fail_key(const struct reader *reader, struct ps_str key, struct ps_err *err)
{
    struct ps_nearest nearest = {.typed = ps_arena_copy(reader->arena, key).ptr};
    const struct ps_option_row *option = find_option(key);
    const char *text;

    if (option && strcmp(option->name, "--token") == 0)
        return fail_line(reader, err, "a token cannot be written into this file",
                         "write it into a file of its own, and here token-file = FILE");
    if (option)
        return fail_line(reader, err,
                         ps_arena_printf(reader->arena, "%s is an option, but no key of this file",
                                         option->name),
                         "see `perfshelf help config`");
    for (size_t i = 0; i < ps_option_rows_count; i++)
        if (ps_option_rows[i].is_key)
            ps_nearest_offer(&nearest, ps_option_rows[i].name + 2);
    text = ps_arena_printf(reader->arena, "unknown key '%s'", nearest.typed);
    return fail_line(reader, err, text,
                     nearest.word ? ps_arena_printf(reader->arena,
                                                    "did you mean %s? See `perfshelf help config`",
                                                    nearest.word)
                                  : "`perfshelf help config` lists the keys");
}

/* --- Values --- */

static bool is_path(const struct ps_option_row *option)
{
    return strcmp(option->arg, "FILE") == 0 || strcmp(option->arg, "DIR") == 0;
}

static enum ps_status read_path(const struct reader *reader, struct ps_str text, const char **out,
                                struct ps_err *err)
{
    const char *home = getenv("HOME");

    if (!ps_str_starts_with(text, PS_STR("~/"))) {
        *out = ps_arena_copy(reader->arena, text).ptr;
        return text.ptr[0] == '/'
                   ? PS_OK
                   : fail_line(reader, err,
                               ps_arena_printf(reader->arena, "the path %s is relative", *out),
                               "write an absolute path, or one that begins with ~/");
    }
    if (!home || home[0] != '/')
        return fail_line(reader, err, "~/ is the home folder, but HOME is not set",
                         "set HOME, or write an absolute path");
    *out = ps_arena_printf(reader->arena, "%s%.*s", home, (int)text.len - 1, text.ptr + 1);
    return PS_OK;
}

/* Checks a value like that of the option on a command line. */
static enum ps_status check_value(const struct reader *reader, const struct ps_config_entry *entry,
                                  struct ps_err *err)
{
    struct ps_options options = {.command = PS_COMMAND_NONE};
    struct ps_err failure = PS_ERR_INIT;
    const char *value = entry->value;

    ps_settings_set(&options, entry->option, &value, 1);
    if (ps_options_check_values(&options, &failure) == PS_OK && options.store &&
        ps_feature_is_built(PS_FEATURE_POSTGRESQL))
        (void)ps_settings_check_store("store", options.store, true, &failure);
    if (failure.code == PS_OK)
        return PS_OK;
    return fail_line(reader, err, failure.text, failure.hint);
}

static enum ps_status add_entry(const struct reader *reader, struct ps_str key, struct ps_str value,
                                struct ps_err *err)
{
    struct ps_config_file *file = reader->file;
    struct ps_config_entry *entry = &file->entries[file->n];

    *entry = (struct ps_config_entry){find_option(key), NULL, reader->line};
    if (!entry->option || !entry->option->is_key)
        return fail_key(reader, key, err);
    for (size_t i = 0; i < file->n; i++)
        if (file->entries[i].option == entry->option && !can_repeat(entry->option))
            return fail_line(reader, err,
                             ps_arena_printf(reader->arena, "%s is already set in line %u",
                                             entry->option->name + 2, file->entries[i].line),
                             "remove one of the two lines");
    if (!value.len)
        return fail_line(reader, err,
                         ps_arena_printf(reader->arena, "%s has no value", entry->option->name + 2),
                         "write a value, or remove the line");
    if (is_path(entry->option) && read_path(reader, value, &entry->value, err) != PS_OK)
        return err->code;
    if (!entry->value)
        entry->value = ps_arena_copy(reader->arena, value).ptr;
    file->n++;
    return check_value(reader, entry, err);
}

/* --- Lines --- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct ps_str trim(struct ps_str text)
{
    while (text.len && is_space(text.ptr[0]))
        text = ps_str_skip(text, 1);
    while (text.len && is_space(text.ptr[text.len - 1]))
        text.len--;
    return text;
}

/* The part of a line before its comment. */
static struct ps_str without_comment(struct ps_str line)
{
    for (size_t i = 0; i < line.len; i++)
        if (line.ptr[i] == '#' && (i == 0 || is_space(line.ptr[i - 1])))
            return trim((struct ps_str){line.ptr, i});
    return line;
}

static enum ps_status read_line(const struct reader *reader, struct ps_str line, struct ps_err *err)
{
    const struct ps_str text = without_comment(trim(line));
    const char *equals = text.len ? memchr(text.ptr, '=', text.len) : NULL;

    for (size_t i = 0; i < text.len; i++)
        if (((unsigned char)text.ptr[i] < 0x20 && text.ptr[i] != '\t') || text.ptr[i] == 0x7f)
            return fail_line(reader, err, "the line contains a control character", "remove it");
    if (!text.len)
        return PS_OK;
    if (!equals)
        return fail_line(reader, err, "the line is not KEY = VALUE",
                         "see `perfshelf help config`; comments begin with #");
    return add_entry(reader, trim((struct ps_str){text.ptr, (size_t)(equals - text.ptr)}),
                     trim(ps_str_skip(text, (size_t)(equals - text.ptr) + 1)), err);
}

static enum ps_status read_lines(struct reader *reader, struct ps_str rest, struct ps_err *err)
{
    size_t lines = 1;

    if (ps_str_starts_with(rest, PS_STR("\xef\xbb\xbf"))) /* byte order mark */
        rest = ps_str_skip(rest, 3);
    for (size_t i = 0; i < rest.len; i++)
        lines += rest.ptr[i] == '\n';
    reader->file->entries = ps_arena_alloc(reader->arena, lines * sizeof *reader->file->entries);
    while (rest.len && err->code == PS_OK) {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        const size_t len = end ? (size_t)(end - rest.ptr) : rest.len;

        reader->line++;
        read_line(reader, (struct ps_str){rest.ptr, len}, err);
        rest = ps_str_skip(rest, len + (end != NULL));
    }
    return err->code;
}

/* --- Files --- */

static enum ps_status read_file(struct ps_arena *arena, struct ps_config *config, const char *path,
                                bool must_exist, struct ps_err *err)
{
    struct ps_config_file *file = &config->files[config->n++];
    struct reader reader = {arena, file, 0};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_err failure = PS_ERR_INIT;
    const enum ps_status status = ps_trusted_file_read(path, FILE_MAX, false, &text, &failure);

    *file = (struct ps_config_file){.path = path};
    if (status == PS_OK)
        return read_lines(&reader, ps_buf_slice(&text), err);
    if (must_exist || (status != PS_NOT_FOUND && status != PS_FORBIDDEN))
        return ps_fail_copy_hint(err, &failure,
                                 "perfshelf reads its configuration there; with " PS_CONFIG_VARIABLE
                                 "= (empty) it reads none");
    file->state = status == PS_NOT_FOUND ? PS_CONFIG_MISSING : PS_CONFIG_UNREACHABLE;
    return PS_OK;
}

enum ps_status ps_config_read(struct ps_arena *arena, struct ps_config *out, struct ps_err *err)
{
    const char *named = getenv(PS_CONFIG_VARIABLE), *xdg = getenv("XDG_CONFIG_HOME"),
               *home = getenv("HOME");
    const char *user = NULL;

    *out = (struct ps_config){.n = 0};
    if (named)
        return named[0] ? read_file(arena, out, named, true, err) : PS_OK;
    if (xdg && xdg[0] == '/')
        user = ps_arena_printf(arena, "%s/perfshelf/config", xdg);
    else if (home && home[0] == '/')
        user = ps_arena_printf(arena, "%s/.config/perfshelf/config", home);
    if (user && read_file(arena, out, user, false, err) != PS_OK)
        return err->code;
    return read_file(arena, out, PS_CONFIG_SYSTEM, false, err);
}

const char *ps_config_value(const struct ps_config_file *file, const char *option)
{
    for (size_t i = 0; i < file->n; i++)
        if (strcmp(file->entries[i].option->name, option) == 0)
            return file->entries[i].value;
    return NULL;
}
