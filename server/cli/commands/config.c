/* SPDX-License-Identifier: MIT */
/* config.c: prints the value of each key of the configuration files, and where it is from. */
#include "base/format.h"
#include "server/cli/cli.h"
#include "server/cli/client/server_record.h"
#include "server/cli/options/commands.h"
#include "server/cli/options/config_file.h"
#include "server/cli/options/settings.h"
#include "server/replica/url.h"
#include "server/text/table.h"

#include "base/json_out.h"

#include <stdlib.h>

/* What commands would use with these arguments. */
struct effective {
    const struct ps_options *arguments; /* the command line alone */
    struct ps_options list, serve; /* what `perfshelf list` uses, and what `perfshelf serve` uses */
};

/* Where a value is from. All are unset for a default. */
struct origin {
    bool is_option;
    const char *variable;
    const struct ps_config_file *file;
    unsigned line;
};

/* --- Values --- */

/* Values are not copied when they are used, so equal pointers mean the same source. */
static struct origin find_origin(const struct effective *effective,
                                 const struct ps_option_row *option, const char *value)
{
    const struct ps_config *config = effective->arguments->config;

    if (!value)
        return (struct origin){.file = NULL};
    for (size_t i = 0; i < config->n; i++)
        for (size_t j = 0; j < config->files[i].n; j++)
            if (config->files[i].entries[j].value == value)
                return (struct origin){.file = &config->files[i],
                                       .line = config->files[i].entries[j].line};
    if (option->variable && value == getenv(option->variable))
        return (struct origin){.variable = option->variable};
    if (ps_settings_get(effective->arguments, option) == value)
        return (struct origin){.is_option = true};
    return (struct origin){.file = NULL};
}

/* What may be printed of a value. malloc'ed; NULL: there is no value. */
static char *printable_value(const struct ps_option_row *option, const char *value)
{
    if (value && strcmp(option->name, "--token") == 0)
        return ps_strdup(PS_STR("(hidden)"));
    if (value && strcmp(option->name, "--store") == 0)
        return ps_pg_place(value);
    return value ? ps_strdup(ps_str_from_c(value)) : NULL;
}

/* --- Rows --- */

struct printer {
    const struct effective *effective;
    struct ps_table *table; /* NULL: JSON */
    struct ps_json *json;
};

static void add_origin_text(struct ps_table *table, const struct origin *origin)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    if (origin->file)
        ps_buf_printf(&text, "%s:%u", origin->file->path, origin->line);
    else if (origin->variable)
        ps_buf_printf(&text, "$%s", origin->variable);
    else
        ps_buf_puts(&text, origin->is_option ? "option" : "default");
    ps_table_cell(table, text.ptr);
}

static void add_origin_json(struct ps_json *json, const struct origin *origin)
{
    ps_json_key_str(json, "origin",
                    origin->file        ? "file"
                    : origin->variable  ? "environment"
                    : origin->is_option ? "option"
                                        : "default");
    if (origin->variable)
        ps_json_key_str(json, "variable", origin->variable);
    if (origin->file) {
        ps_json_key_str(json, "file", origin->file->path);
        ps_json_key_int(json, "line", origin->line);
    }
}

static void print_value(const struct printer *printer, const struct ps_option_row *option,
                        const char *value)
{
    const struct origin origin = find_origin(printer->effective, option, value);
    PS_AUTO(ps_free_ptr) char *text = printable_value(option, value);

    if (printer->table) {
        ps_table_cell(printer->table, option->name + 2);
        ps_table_cell(printer->table, text);
        add_origin_text(printer->table, &origin);
        return;
    }
    ps_json_object(printer->json);
    ps_json_key_str(printer->json, "key", option->name + 2);
    ps_json_key_str(printer->json, "value", text);
    add_origin_json(printer->json, &origin);
    ps_json_end(printer->json);
}

/* Prints all values of an option, or that it has none. */
static void print_option(const struct printer *printer, const struct ps_option_row *option)
{
    const struct ps_options *list = &printer->effective->list, *serve = &printer->effective->serve;
    const char *value = ps_settings_get(list, option);
    size_t n = 0;

    if (option->type == PS_HOST)
        for (; n < serve->n_hosts; n++)
            print_value(printer, option, serve->hosts[n]);
    else if (option->type == PS_RULE)
        for (; n < serve->n_retention_rules; n++)
            print_value(printer, option, serve->retention_rules[n]);
    if (n == 0)
        print_value(printer, option,
                    value                            ? value
                    : ps_settings_get(serve, option) ? ps_settings_get(serve, option)
                                                     : option->default_value);
}

/* Options that are no key have a row only if they are set: --token. */
static bool has_row(const struct effective *effective, const struct ps_option_row *option)
{
    return ps_option_is_offered(option, PS_COMMAND_CONFIG) && option->arg &&
           (option->is_key || ps_settings_get(&effective->list, option));
}

static void print_options(const struct printer *printer)
{
    for (int shelf = 1; shelf >= 0; shelf--)
        for (size_t i = 0; i < ps_option_rows_count; i++)
            if (ps_option_rows[i].selects_shelf == (shelf == 1) &&
                has_row(printer->effective, &ps_option_rows[i]))
                print_option(printer, &ps_option_rows[i]);
}

/* Prints the lines of files that no command uses, because another place has precedence. */
static void print_unused(const struct effective *effective, struct ps_buf *out)
{
    const struct ps_config *config = effective->arguments->config;
    bool has_title = false;

    for (size_t i = 0; i < config->n; i++)
        for (size_t j = 0; j < config->files[i].n; j++) {
            const struct ps_config_entry *entry = &config->files[i].entries[j];
            const char *used[] = {ps_settings_get(&effective->list, entry->option),
                                  ps_settings_get(&effective->serve, entry->option)};
            bool is_used = entry->value == used[0] || entry->value == used[1];

            for (size_t k = 0; k < effective->serve.n_hosts; k++)
                is_used = is_used || effective->serve.hosts[k] == entry->value;
            for (size_t k = 0; k < effective->serve.n_retention_rules; k++)
                is_used = is_used || effective->serve.retention_rules[k] == entry->value;
            if (is_used)
                continue;
            ps_buf_puts(out, has_title ? "" : "\nNot used:\n");
            has_title = true;
            ps_buf_printf(out, "  %s of ", entry->option->name + 2);
            ps_append_escaped(out, ps_str_from_c(config->files[i].path));
            ps_buf_printf(out, ":%u\n", entry->line);
        }
}

/* --- Shelves --- */

/* The shelf that a command uses. malloc'ed. */
static char *shelf_of(const struct ps_options *options)
{
    if (options->server)
        return ps_strdup(ps_str_from_c(options->server));
    return options->store ? ps_pg_place(options->store) : ps_strdup(ps_str_from_c(options->data));
}

static const char *state_text(enum ps_config_state state)
{
    return state == PS_CONFIG_READ      ? "read"
           : state == PS_CONFIG_MISSING ? "not found"
                                        : "cannot be reached";
}

static void print_files(const struct ps_config *config, struct ps_buf *out)
{
    ps_buf_puts(out, "\nFiles, the first has precedence:\n");
    for (size_t i = 0; i < config->n; i++) {
        ps_buf_puts(out, "  ");
        ps_append_escaped(out, ps_str_from_c(config->files[i].path));
        ps_buf_printf(out, ": %s\n", state_text(config->files[i].state));
    }
    if (config->n == 0)
        ps_buf_puts(out, "  none, because $" PS_CONFIG_VARIABLE " is empty\n");
}

static void print_text(const struct effective *effective)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    PS_AUTO(ps_table_free) struct ps_table table = {.columns = 3};
    const struct printer printer = {.effective = effective, .table = &table};
    PS_AUTO(ps_free_ptr) char *shelf = shelf_of(&effective->list);
    PS_AUTO(ps_free_ptr) char *served = shelf_of(&effective->serve);

    ps_table_cell(&table, "key");
    ps_table_cell(&table, "value");
    ps_table_cell(&table, "origin");
    print_options(&printer);
    ps_table_print(&table, &out);
    ps_buf_puts(&out, "\nShelf of add, list and others: ");
    ps_append_escaped(&out, ps_str_from_c(shelf));
    ps_buf_puts(&out, "\nShelf of serve and others: ");
    ps_append_escaped(&out, ps_str_from_c(served));
    ps_buf_puts(&out, "\n");
    print_unused(effective, &out);
    print_files(effective->arguments->config, &out);
    ps_print(&out);
}

static void print_json(const struct effective *effective)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    struct ps_json json = ps_json_writer(&out);
    const struct printer printer = {.effective = effective, .json = &json};
    const struct ps_config *config = effective->arguments->config;
    PS_AUTO(ps_free_ptr) char *shelf = shelf_of(&effective->list);
    PS_AUTO(ps_free_ptr) char *served = shelf_of(&effective->serve);

    ps_json_object(&json);
    ps_json_key(&json, "values");
    ps_json_array(&json);
    print_options(&printer);
    ps_json_end(&json);
    ps_json_key_str(&json, "shelf", shelf);
    ps_json_key_str(&json, "served_shelf", served);
    ps_json_key(&json, "files");
    ps_json_array(&json);
    for (size_t i = 0; i < config->n; i++) {
        ps_json_object(&json);
        ps_json_key_str(&json, "path", config->files[i].path);
        ps_json_key_str(&json, "state", state_text(config->files[i].state));
        ps_json_end(&json);
    }
    ps_json_end(&json);
    ps_json_end(&json);
    ps_buf_puts(&out, "\n");
    ps_print(&out);
}

/* Finds what a command would use. */
static enum ps_status resolve(const struct ps_options *arguments, enum ps_command command,
                              struct ps_options *out, struct ps_err *err)
{
    *out = *arguments;
    out->command = command;
    out->arena = (struct ps_arena){0};
    if (ps_settings_apply(out, err) == PS_OK && ps_command_works_on_runs(command))
        ps_server_select_shelf(out);
    return err->code;
}

int ps_cli_config(const struct ps_options *options)
{
    struct effective effective = {.arguments = options};
    struct ps_options served = *options;
    struct ps_err err = PS_ERR_INIT;
    int status = 0;

    served.server = served.token = served.token_file = served.ca = NULL;
    if (resolve(options, PS_COMMAND_LIST, &effective.list, &err) != PS_OK ||
        resolve(&served, PS_COMMAND_SERVE, &effective.serve, &err) != PS_OK)
        status = ps_print_failure("config", &err) + (err.code == PS_BAD_REQUEST);
    else if (options->json)
        print_json(&effective);
    else
        print_text(&effective);
    ps_options_free(&effective.list);
    ps_options_free(&effective.serve);
    return status;
}
