/* SPDX-License-Identifier: MIT */
#include "server/cli/options/help.h"

#include "base/format.h"
#include "server/cli/options/commands.h"

#include <ctype.h>

#define WIDTH    80
#define TERM_MAX 22 /* columns; the description of a longer term begins on the next line */
#define INDENT   2  /* columns before a term */
#define GAP      2  /* minimum number of columns between a term and its description */

/* --- Text --- */

/* Appends a paragraph, wrapped at WIDTH columns. */
static void add_wrapped(struct ps_buf *out, struct ps_str text, unsigned column, unsigned indent)
{
    ps_append_wrapped(out, text, WIDTH, column, indent);
}

/* Removes the first line from a text and returns it. */
static struct ps_str next_line(struct ps_str *text)
{
    const char *end = text->len ? memchr(text->ptr, '\n', text->len) : NULL;
    struct ps_str line = {text->ptr, end ? (size_t)(end - text->ptr) : text->len};
    *text = ps_str_skip(*text, line.len + (end != NULL));
    return line;
}

/* --- Lists --- */

/* Returns `column`, the column of the descriptions, or a greater one if the term needs more space.
 * Terms longer than TERM_MAX are ignored. */
static unsigned widen_column(unsigned column, size_t term)
{
    const unsigned needed = INDENT + (unsigned)term + GAP;
    return term <= TERM_MAX && needed > column ? needed : column;
}

static void add_entry(struct ps_buf *out, unsigned column, struct ps_str term, struct ps_str what)
{
    const size_t width = INDENT + term.len;
    ps_buf_printf(out, "%*s", INDENT, "");
    ps_buf_add_str(out, term);
    if (width + GAP > column)
        ps_buf_printf(out, "\n%*s", (int)column, "");
    else
        ps_buf_printf(out, "%*s", (int)(column - width), "");
    add_wrapped(out, what, column, column);
}

/* Appends a list of lines "TERM\tDESCRIPTION"; spaces before a term are kept. */
static void add_list(struct ps_buf *out, struct ps_str lines)
{
    unsigned column = 0;
    for (struct ps_str rest = lines; rest.len;) {
        struct ps_str line = next_line(&rest);
        column = widen_column(column,
                              (size_t)((const char *)memchr(line.ptr, '\t', line.len) - line.ptr));
    }
    while (lines.len) {
        struct ps_str line = next_line(&lines);
        const size_t term = (size_t)((const char *)memchr(line.ptr, '\t', line.len) - line.ptr);
        add_entry(out, column, (struct ps_str){line.ptr, term}, ps_str_skip(line, term + 1));
    }
}

/* Appends paragraphs and lists, separated by empty lines. */
static void add_paragraphs(struct ps_buf *out, const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        struct ps_str part = {text, end ? (size_t)(end - text) : strlen(text)};
        if (memchr(part.ptr, '\t', part.len))
            add_list(out, part);
        else
            add_wrapped(out, part, 0, 0);
        text = end ? end + 2 : part.ptr + part.len;
        ps_buf_puts(out, *text ? "\n" : "");
    }
}

/* --- Help of a command --- */

/* Appends the summary as a sentence: "List the runs on the shelf, newest first." */
static void add_summary(const char *summary, struct ps_buf *out)
{
    ps_buf_printf(out, "%c%s.\n\n", toupper((unsigned char)summary[0]), summary + 1);
}

/* Appends "Usage: perfshelf show RUN [OPTIONS]", one line for each form. */
static void add_usage(const char *command, const char *usage, struct ps_buf *out)
{
    struct ps_str forms = ps_str_from_c(usage);
    const char *title = "Usage:";
    do {
        struct ps_str form = next_line(&forms);
        ps_buf_printf(out, "%-6s perfshelf %s", title, command);
        ps_buf_puts(out, form.len ? " " : "");
        ps_buf_add_str(out, form);
        ps_buf_puts(out, strstr(usage, "[OPTIONS]") ? "\n" : " [OPTIONS]\n");
        title = "";
    } while (forms.len);
}

static void add_spelling(const struct ps_option_row *option, struct ps_buf *out)
{
    ps_buf_puts(out, option->name);
    if (option->arg)
        ps_buf_printf(out, " %s", option->arg);
}

/* Appends the options of the command that select the shelf or, if selects_shelf is false, its other
 * options. Appends nothing if there are none. */
static void add_options(enum ps_command command, bool selects_shelf, struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf lines = {0};
    for (size_t i = 0; i < ps_option_rows_count; i++) {
        const struct ps_option_row *option = &ps_option_rows[i];
        if (!ps_option_is_offered(option, command) || option->selects_shelf != selects_shelf)
            continue;
        add_spelling(option, &lines);
        ps_buf_printf(&lines, "\t%s\n", option->description);
    }
    if (!selects_shelf)
        ps_buf_puts(&lines, "--help\tshow this help\n");
    if (!lines.len)
        return;
    ps_buf_printf(out, "\n%s:\n", selects_shelf ? "Shelf options" : "Options");
    add_list(out, ps_buf_slice(&lines));
}

/* Whether the text names an option of the command that this build lacks. */
static bool names_absent_option(enum ps_command command, struct ps_str text)
{
    for (size_t i = 0; i < ps_option_rows_count; i++) {
        const struct ps_option_row *option = &ps_option_rows[i];
        const char *at =
            ps_option_applies_to(option, command) && !ps_option_is_offered(option, command)
                ? ps_str_find(text, ps_str_from_c(option->name))
                : NULL;
        const char *end = at ? at + strlen(option->name) : NULL;
        if (end && (end == text.ptr + text.len || strchr(" =,", *end)))
            return true;
    }
    return false;
}

static void add_examples(enum ps_command command, struct ps_buf *out)
{
    struct ps_str rest = ps_str_from_c(ps_command_texts[command].examples);
    ps_buf_puts(out, "\nExamples:\n");
    while (rest.len) {
        const struct ps_str line = next_line(&rest);
        if (names_absent_option(command, line))
            continue;
        ps_buf_puts(out, "  ");
        ps_buf_add_str(out, line);
        ps_buf_puts(out, "\n");
    }
}

static void add_command_help(enum ps_command command, struct ps_buf *out)
{
    const struct ps_command_text *text = &ps_command_texts[command];
    add_summary(text->summary, out);
    add_usage(ps_command_name(command), text->usage, out);
    ps_buf_puts(out, "\n");
    add_paragraphs(out, text->description);
    if (text->arguments) {
        ps_buf_puts(out, "\nArguments:\n");
        add_list(out, ps_str_from_c(text->arguments));
    }
    add_options(command, false, out);
    add_options(command, true, out);
    add_examples(command, out);
    if (text->exit_status) {
        ps_buf_puts(out, "\nExit status:\n  ");
        add_wrapped(out, ps_str_from_c(text->exit_status), INDENT, INDENT);
    }
}

/* --- List of commands --- */

static void add_group(enum ps_command_group group, struct ps_buf *out)
{
    for (size_t i = PS_COMMAND_NONE + 1; i < PS_N_COMMANDS; i++)
        if (ps_commands[i].group == group)
            ps_buf_printf(out, "  %-10s%s\n", ps_commands[i].name, ps_command_texts[i].summary);
}

static void add_all_commands(struct ps_buf *out)
{
    const struct ps_command_text *text = &ps_command_texts[PS_COMMAND_NONE];
    ps_buf_printf(out, "perfshelf " PS_VERSION ": %s\n\nUsage: perfshelf %s\n", text->summary,
                  text->usage);
    for (unsigned group = 0; group < PS_N_GROUPS; group++) {
        ps_buf_printf(out, "\n%s\n", ps_command_groups[group]);
        add_group((enum ps_command_group)group, out);
    }
    ps_buf_puts(out, "\n");
    add_paragraphs(out, text->description);
    ps_buf_printf(out, "Exit status: %s\n", text->exit_status);
}

void ps_help_write(enum ps_command command, struct ps_buf *out)
{
    if (command == PS_COMMAND_NONE)
        add_all_commands(out);
    else
        add_command_help(command, out);
}
