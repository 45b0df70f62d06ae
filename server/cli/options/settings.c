/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/options/settings.h"

#include "server/cli/options/commands.h"
#include "server/cli/options/config_file.h"
#include "server/cli/options/trusted_file.h"
#include "server/replica/url.h"

#include <stdlib.h>
#include <string.h>

#define TOKEN_FILE_MAX ((size_t)1 << 10)

/* The value of an environment variable; NULL: it is empty or not set. */
static const char *variable_value(const char *name)
{
    const char *value = name ? getenv(name) : NULL;

    return value && value[0] ? value : NULL;
}

static const char *variable_of(enum ps_command command, const char *option)
{
    const struct ps_option_row *row = ps_option_find(command, option);

    return row ? variable_value(row->variable) : NULL;
}

static const char *value_of(enum ps_command command, const struct ps_config_file *file,
                            const char *option)
{
    const struct ps_option_row *row = ps_option_find(command, option);

    return row && row->is_key ? ps_config_value(file, option) : NULL;
}

/* --- Options of any type --- */

void ps_settings_set(struct ps_options *options, const struct ps_option_row *option,
                     const char **values, size_t n)
{
    if (option->type == PS_HOST) {
        options->hosts = values;
        options->n_hosts = n;
    } else if (option->type == PS_RULE) {
        options->retention_rules = values;
        options->n_retention_rules = n;
    } else {
        *(const char **)(void *)((char *)options + option->field) = values[0];
    }
}

const char *ps_settings_get(const struct ps_options *options, const struct ps_option_row *option)
{
    if (option->type == PS_HOST)
        return options->n_hosts ? options->hosts[0] : NULL;
    if (option->type == PS_RULE)
        return options->n_retention_rules ? options->retention_rules[0] : NULL;
    return *(const char *const *)(const void *)((const char *)options + option->field);
}

/* --- Shelves --- */

/* Sets the default folder: $XDG_DATA_HOME/perfshelf, else ~/.local/share/perfshelf; the samples of
 * `demo` have a folder of their own beside it. The XDG specification requires that a relative
 * XDG_DATA_HOME is ignored. */
static enum ps_status set_default_data(struct ps_options *out, struct ps_err *err)
{
    const char *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    const char *suffix = out->command == PS_COMMAND_DEMO ? "-demo" : "";
    if (xdg && xdg[0] == '/')
        out->data = ps_arena_printf(&out->arena, "%s/perfshelf%s", xdg, suffix);
    else if (home && home[0])
        out->data = ps_arena_printf(&out->arena, "%s/.local/share/perfshelf%s", home, suffix);
    if (out->data && out->data[0])
        return PS_OK;
    return ps_fail(err, PS_BAD_REQUEST,
                   "no folder for the shelf: neither XDG_DATA_HOME nor HOME is set" PS_HINT
                   "name one with --data DIR");
}

/* Sets the folder of the cache for a store: $XDG_CACHE_HOME/perfshelf/<host and database>, else
 * ~/.cache/perfshelf/<host and database>. */
static enum ps_status set_default_cache(struct ps_options *out, struct ps_err *err)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    PS_AUTO(ps_free_ptr) char *place = ps_pg_place(out->store);
    char *name = place + strcspn(place, "/") + 2;
    for (char *at = name; *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._", *at))
            *at = '-';
    if (xdg && xdg[0] == '/')
        out->data = ps_arena_printf(&out->arena, "%s/perfshelf/%s", xdg, name);
    else if (home && home[0])
        out->data = ps_arena_printf(&out->arena, "%s/.cache/perfshelf/%s", home, name);
    if (out->data)
        return PS_OK;
    return ps_fail(err, PS_BAD_REQUEST,
                   "no folder for the cache: neither XDG_CACHE_HOME nor HOME is set" PS_HINT
                   "name one with --data DIR");
}

enum ps_status ps_settings_check_store(const char *what, const char *url, bool can_be_seen,
                                       struct ps_err *err)
{
    bool has_password;

    if (!ps_pg_is_url(url))
        return ps_fail(err, PS_BAD_REQUEST,
                       "%s is not a URL of PostgreSQL" PS_HINT
                       "write postgresql://HOST/DATABASE, or use --data DIR for a folder",
                       what);
    if (ps_pg_check(url, &has_password, err) != PS_OK || !can_be_seen || !has_password)
        return err->code;
    return ps_fail(err, PS_BAD_REQUEST,
                   "%s contains a password, which other users of this machine can see" PS_HINT
                   "put the URL into $PERFSHELF_STORE, or the password into the file $PGPASSFILE",
                   what);
}

/* Selects the shelf that the options or environment variables name; false: they name none. A folder
 * of --data is the cache of a store in the environment. */
static bool select_named_shelf(struct ps_options *out)
{
    const char *server = variable_of(out->command, "--server"),
               *store = variable_of(out->command, "--store");

    if (out->server || out->store)
        return true;
    if (out->data || !server)
        out->store = store;
    else
        out->server = server;
    return out->data || out->store || out->server;
}

static bool select_shelf_of_file(struct ps_options *out, const struct ps_config_file *file)
{
    out->server = value_of(out->command, file, "--server");
    if (out->server)
        return true;
    out->store = value_of(out->command, file, "--store");
    out->data = value_of(out->command, file, "--data");
    return out->store || out->data;
}

/* The server that the environment or a file names for commands that work on runs; NULL: none. */
static const char *named_server(const struct ps_options *options)
{
    const char *server = variable_of(PS_COMMAND_LIST, "--server");

    for (size_t i = 0; i < options->config->n && !server; i++)
        server = value_of(PS_COMMAND_LIST, &options->config->files[i], "--server");
    return server;
}

/* A command that manages a shelf must not use the default folder in silence while all others use a
 * server. */
static enum ps_status check_managed_shelf(const struct ps_options *options, struct ps_err *err)
{
    const char *server = options->is_default_shelf && ps_command_manages_shelf(options->command)
                             ? named_server(options)
                             : NULL;

    if (!server)
        return PS_OK;
    return ps_fail(err, PS_BAD_REQUEST,
                   "this command cannot be used over %s" PS_HINT
                   "run it on the machine of that server, or name a shelf of this machine with "
                   "--data DIR",
                   server);
}

static enum ps_status select_shelf(struct ps_options *out, struct ps_err *err)
{
    const bool is_argument = out->store != NULL;

    if (out->server && (out->data || out->store))
        return ps_fail(err, PS_BAD_REQUEST,
                       "--server and %s cannot be combined: each names a shelf" PS_HINT
                       "see `perfshelf help %s`",
                       out->data ? "--data" : "--store", ps_command_name(out->command));
    out->is_shelf_named = select_named_shelf(out);
    out->is_default_shelf = !out->is_shelf_named;
    for (size_t i = 0; i < out->config->n && out->is_default_shelf; i++)
        out->is_default_shelf = !select_shelf_of_file(out, &out->config->files[i]);
    if (out->server || check_managed_shelf(out, err) != PS_OK)
        return err->code;
    if (out->store && ps_settings_check_store(is_argument ? "--store" : "$PERFSHELF_STORE",
                                              out->store, is_argument, err) != PS_OK)
        return err->code;
    if (out->data)
        return PS_OK;
    return out->store ? set_default_cache(out, err) : set_default_data(out, err);
}

/* --- Access to a server --- */

static bool is_same_url(const char *a, const char *b)
{
    size_t a_len = strlen(a), b_len = strlen(b);

    while (a_len && a[a_len - 1] == '/')
        a_len--;
    while (b_len && b[b_len - 1] == '/')
        b_len--;
    return a_len == b_len && memcmp(a, b, a_len) == 0;
}

/* Whether the token and the certificate of a file are for the server in use: for the server that
 * the file names, else for the one that the other file names, else for all. */
static bool is_for_server(const struct ps_options *options, const struct ps_config_file *file)
{
    const char *server = ps_config_value(file, "--server");

    for (size_t i = 0; i < options->config->n && !server; i++)
        server = ps_config_value(&options->config->files[i], "--server");
    return !server || is_same_url(server, options->server);
}

static enum ps_status select_access(struct ps_options *out, struct ps_err *err)
{
    const char *token = variable_of(out->command, "--token");

    if (out->token && out->token_file)
        return ps_fail(err, PS_BAD_REQUEST,
                       "--token and --token-file cannot be combined" PS_HINT
                       "use --token-file, which other users cannot see");
    if (!out->server)
        return PS_OK;
    if (!out->token && !out->token_file)
        out->token = token;
    for (size_t i = 0; i < out->config->n; i++) {
        const struct ps_config_file *file = &out->config->files[i];

        if (!is_for_server(out, file))
            continue;
        if (!out->token && !out->token_file)
            out->token_file = ps_config_value(file, "--token-file");
        if (!out->ca)
            out->ca = ps_config_value(file, "--ca");
    }
    return PS_OK;
}

enum ps_status ps_settings_read_token(struct ps_options *options, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    if (!options->token_file || options->token || !options->server)
        return PS_OK;
    if (ps_trusted_file_read(options->token_file, TOKEN_FILE_MAX, true, &text, err) != PS_OK)
        return err->code;
    while (text.len && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\r'))
        text.len--;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] <= ' ' || text.ptr[i] >= 0x7f)
            return ps_fail(err, PS_BAD_REQUEST,
                           "%s: not a token on a single line" PS_HINT
                           "write the token that `perfshelf token add` printed, and nothing else",
                           options->token_file);
    if (!text.len)
        return ps_fail(err, PS_BAD_REQUEST,
                       "%s: the file is empty" PS_HINT
                       "write the token that `perfshelf token add` printed into it",
                       options->token_file);
    options->token = ps_arena_copy(&options->arena, ps_buf_slice(&text)).ptr;
    return PS_OK;
}

/* --- All options --- */

/* Sets an option to its values in the file; false: the file has none. */
static bool apply_file(struct ps_options *out, const struct ps_option_row *option,
                       const struct ps_config_file *file)
{
    const char **values = ps_arena_alloc(&out->arena, (file->n + 1) * sizeof *values);
    size_t n = 0;

    for (size_t i = 0; i < file->n; i++)
        if (strcmp(file->entries[i].option->name, option->name) == 0)
            values[n++] = file->entries[i].value;
    if (n)
        ps_settings_set(out, option, values, n);
    return n > 0;
}

static void apply_option(struct ps_options *out, const struct ps_option_row *option)
{
    const bool deletes_runs = option->type == PS_RULE;

    if (ps_settings_get(out, option))
        return;
    for (size_t i = 0; i < out->config->n && !(deletes_runs && out->is_shelf_named); i++)
        if (apply_file(out, option, &out->config->files[i])) {
            out->has_rules_of_file |= deletes_runs;
            return;
        }
    if (option->default_value)
        *(const char **)(void *)((char *)out + option->field) = option->default_value;
}

enum ps_status ps_settings_apply(struct ps_options *options, struct ps_err *err)
{
    if (ps_option_find(options->command, "--data") && select_shelf(options, err) != PS_OK)
        return err->code;
    if (ps_option_find(options->command, "--server") && select_access(options, err) != PS_OK)
        return err->code;
    if (ps_option_find(options->command, "--cache-size"))
        apply_option(options, ps_option_find(options->command, "--cache-size"));
    for (size_t i = 0; i < ps_option_rows_count; i++) {
        const struct ps_option_row *option = &ps_option_rows[i];

        if (option->is_key && !option->selects_shelf &&
            ps_option_applies_to(option, options->command))
            apply_option(options, option);
    }
    return PS_OK;
}
