/* SPDX-License-Identifier: MIT */
#include "server/text/output.h"

#include "base/format.h"
#include "server/text/answer.h"
#include "server/text/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes that the end of an answer may take: the count of what was left out, the brackets of JSON.
 */
#define TAIL_BYTES 320

/* Marks in a text: they begin and end a name and a text of the server, part two names, and begin
 * the text of a part of a cause. Texts from elsewhere cannot have them. */
#define NAME "\x01"
#define TEXT "\x02"
#define END  "\x03"
#define GAP  "\x04"
#define PART "\x05"

static bool is_json(const struct ps_output *out)
{
    return out->format == PS_OUTPUT_JSON;
}

static bool is_html(const struct ps_output *out)
{
    return out->format == PS_OUTPUT_HTML;
}

static bool is_terminal(const struct ps_output *out)
{
    return out->format == PS_OUTPUT_TERMINAL;
}

/* --- Names --- */

/* Length of the longest beginning of `text` that has at most `max` bytes and ends with a complete
 * character. */
static size_t shorten(struct ps_str text, size_t max)
{
    size_t len = text.len < max ? text.len : max;

    while (len > 0 && len < text.len && ((unsigned char)text.ptr[len] & 0xc0) == 0x80)
        len--;
    return len;
}

/* Appends a name with hidden characters escaped. The middle of a long one is replaced by its
 * length, since both ends tell names apart. */
static void add_name(struct ps_buf *out, struct ps_str name, size_t max)
{
    const size_t head = max * 2 / 3, tail = max - head;
    size_t begin;

    if (name.len <= max) {
        ps_append_escaped(out, name);
        return;
    }
    begin = shorten(name, head);
    ps_append_escaped(out, (struct ps_str){name.ptr, begin});
    ps_buf_printf(out, "[%zu bytes]", name.len - begin - tail);
    ps_append_escaped(out, (struct ps_str){name.ptr + name.len - tail, tail});
}

/* Length of the longest run of backticks. */
static size_t count_backticks(struct ps_str text)
{
    size_t longest = 0, run = 0;

    for (size_t i = 0; i < text.len; i++) {
        run = text.ptr[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* A code span begins and ends with more backticks than the name has in a row, so the name cannot
 * end it. */
static void add_code_span(struct ps_buf *out, struct ps_str name, size_t max)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};
    size_t fence;

    add_name(&plain, name, max);
    fence = count_backticks(ps_buf_slice(&plain)) + 1;
    for (size_t i = 0; i < fence; i++)
        ps_buf_puts(out, "`");
    ps_buf_puts(out, fence > 1 || plain.len == 0 ? " " : "");
    ps_buf_add_str(out, ps_buf_slice(&plain));
    ps_buf_puts(out, fence > 1 ? " " : "");
    for (size_t i = 0; i < fence; i++)
        ps_buf_puts(out, "`");
}

/* Appends a name as the format marks it; `max` bytes of it at most. A terminal shows all. */
static void add_marked_name(struct ps_buf *out, enum ps_output_format format, struct ps_str name,
                            size_t max)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};

    if (format == PS_OUTPUT_TERMINAL) {
        ps_append_escaped(out, name);
        return;
    }
    if (format != PS_OUTPUT_HTML) {
        add_code_span(out, name, max);
        return;
    }
    add_name(&plain, name, max);
    ps_buf_puts(out, "<code>");
    ps_html_escape(out, ps_buf_slice(&plain));
    ps_buf_puts(out, "</code>");
}

/* Appends a text between two marks, without the marks that it may have itself. */
static void add_marked(struct ps_buf *out, const char *mark, const char *text)
{
    ps_buf_puts(out, mark);
    for (; *text; text++)
        if (*text < *NAME || *text > *PART)
            ps_buf_add(out, text, 1);
        else
            ps_buf_printf(out, "\\x%02x", (unsigned)*text);
    ps_buf_puts(out, END);
}

void ps_output_quote(struct ps_buf *text, const char *name)
{
    add_marked(text, NAME, name);
}

void ps_output_escape(struct ps_buf *text, const char *words)
{
    add_marked(text, TEXT, words);
}

void ps_output_place(struct ps_buf *text, const char *name, const char *place)
{
    ps_output_quote(text, name);
    if (!place[0] || strcmp(place, "~") == 0)
        return;
    ps_buf_puts(text, GAP);
    ps_output_quote(text, place);
}

void ps_output_part(struct ps_buf *text)
{
    ps_buf_puts(text, PART);
}

/* Appends a text of the server. A few contain names, so the characters that begin or end something
 * in Markdown are escaped. */
static void add_server_text(struct ps_buf *out, struct ps_str text)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};

    ps_append_escaped(&plain, text);
    for (size_t i = 0; i < plain.len; i++) {
        ps_buf_puts(out, strchr("`*_[]<>|\\#!", plain.ptr[i]) && plain.ptr[i] ? "\\" : "");
        ps_buf_add(out, &plain.ptr[i], 1);
    }
}

/* Appends a text that has nothing to mark up. */
static void add_visible(struct ps_buf *to, enum ps_output_format format, struct ps_str text)
{
    if (format == PS_OUTPUT_HTML)
        ps_html_escape(to, text);
    else
        ps_append_escaped(to, text);
}

void ps_output_render(struct ps_buf *to, enum ps_output_format format, struct ps_str text)
{
    const bool plain = format == PS_OUTPUT_TERMINAL;

    for (size_t i = 0; i < text.len;) {
        const char *mark = &text.ptr[i];
        size_t n = 1;

        if (*mark == *NAME || *mark == *TEXT) {
            const char *end = memchr(mark, *END, text.len - i);
            const struct ps_str inner = {mark + 1,
                                         end ? (size_t)(end - mark) - 1 : text.len - i - 1};

            n = inner.len + (end ? 2 : 1);
            if (*mark == *NAME)
                add_marked_name(to, format, inner, PS_OUTPUT_NAME_MAX);
            else if (plain || format == PS_OUTPUT_HTML)
                add_visible(to, format, inner);
            else
                add_server_text(to, inner);
        } else if (*mark == *GAP) {
            ps_buf_puts(to, plain ? "  " : " ");
        } else if (*mark == *PART) {
            ps_buf_puts(to, plain ? "  " : "part of the cause above: ");
        } else {
            while (i + n < text.len && !(mark[n] >= *NAME && mark[n] <= *PART))
                n++;
            add_visible(to, format, (struct ps_str){mark, n});
        }
        i += n;
    }
    ps_buf_puts(to, "");
}

/* --- Sentences --- */

/* Texts of sentences are of this program, but their places ("model.py:12") are from the profile.
 * Places have a link, and characters that a word of this program lacks. */
static bool is_place(const cJSON *part, const char *text)
{
    if (!cJSON_HasObjectItem(part, "link"))
        return false;
    for (const char *at = text; *at; at++)
        if (!strchr(" ,()-%abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *at))
            return true;
    return false;
}

/* Frames of traces lose the folders of their file: "/srv/app/model.py(12): forward" becomes
 * "model.py(12): forward". */
static const char *without_folders(const char *name)
{
    const char *place = strstr(name, "): "), *slash = NULL;

    for (const char *at = name; place && at < place; at++)
        if (*at == '/' || *at == '\\')
            slash = at;
    return slash ? slash + 1 : name;
}

static char *format_part(double value, const char *unit, char out[64])
{
    if (strcmp(unit, "percent") == 0 || strcmp(unit, "%") == 0)
        (void)snprintf(out, 64, "%.1f %%", value);
    else
        ps_format_value(value, strcmp(unit, "count") == 0 ? "" : unit, out);
    return out;
}

void ps_output_sentence(struct ps_buf *text, const cJSON *parts)
{
    const cJSON *part;
    char number[64];

    cJSON_ArrayForEach(part, parts)
    {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(part, "value");
        const char *words = ps_member_text(part, "text");

        if (cJSON_IsNumber(value))
            ps_buf_puts(text,
                        format_part(value->valuedouble, ps_member_text(part, "unit"), number));
        else if (value)
            ps_buf_puts(text, "unknown");
        else if (cJSON_HasObjectItem(part, "code"))
            ps_output_quote(text, without_folders(ps_member_text(part, "code")));
        else if (is_place(part, words))
            ps_output_quote(text, words);
        else
            add_marked(text, TEXT, words);
    }
}

/* --- Parts of an answer --- */

/* Whether `more` bytes fit before the end of the answer. */
static bool fits(const struct ps_output *out, size_t more)
{
    return is_terminal(out) || out->text.len + more + TAIL_BYTES <= out->max_bytes;
}

/* Prints what was collected as a table of a terminal. */
static void print_lines(struct ps_output *out)
{
    out->lines.width = out->width;
    ps_table_print(&out->lines, &out->text);
    ps_table_free(&out->lines);
}

#define BOLD  "\x1b[1m"
#define PLAIN "\x1b[0m"

static void write_title(struct ps_output *out, const char *text)
{
    ps_buf_puts(&out->text, out->has_colours ? BOLD : "");
    ps_output_render(&out->text, out->format, ps_str_from_c(text));
    ps_buf_puts(&out->text, out->has_colours ? PLAIN "\n" : "\n");
}

/* Ends a list of facts or notes of HTML, and begins another one. */
static void begin_list(struct ps_output *out, enum ps_output_part kind)
{
    if (out->part == PS_OUTPUT_FACTS || out->part == PS_OUTPUT_NOTES)
        ps_buf_puts(&out->text, out->part == PS_OUTPUT_FACTS ? "</dl>\n" : "</ul>\n");
    if (kind == PS_OUTPUT_FACTS || kind == PS_OUTPUT_NOTES)
        ps_buf_puts(&out->text, kind == PS_OUTPUT_FACTS ? "<dl>\n" : "<ul>\n");
}

/* Begins a part of another kind than the one before, and ends a list of facts. A terminal separates
 * them by an empty line. */
static void begin_part(struct ps_output *out, enum ps_output_part kind)
{
    const bool is_next = kind != out->part || kind == PS_OUTPUT_TABLE;

    if (is_next && is_terminal(out) && out->part == PS_OUTPUT_FACTS)
        print_lines(out);
    else if (is_next && out->format == PS_OUTPUT_MARKDOWN &&
             (out->part == PS_OUTPUT_FACTS || out->part == PS_OUTPUT_NOTES))
        ps_buf_puts(&out->text, "\n");
    if (is_next && is_terminal(out) && out->text.len && kind != PS_OUTPUT_NO_PART)
        ps_buf_puts(&out->text, "\n");
    if (kind != out->part && is_html(out))
        begin_list(out, kind);
    out->part = kind;
}

/* Appends a text of this program or of the server. Control characters in it become visible, though
 * it should have none: a unit or a date of a server that we do not trust may have some. */
static void add_plain(struct ps_buf *out, const char *text)
{
    ps_append_escaped(out, ps_str_from_c(text));
}

/* Adds a part that must not be cut; counts it if it does not fit. */
static void add_part(struct ps_output *out, const struct ps_buf *part)
{
    if (!fits(out, part->len + 2)) {
        out->paragraphs_omitted++;
        return;
    }
    if (is_json(out))
        ps_json_raw(&out->json, ps_buf_slice(part));
    else
        ps_buf_add_str(&out->text, ps_buf_slice(part));
}

void ps_output_begin(struct ps_output *out, const char *title)
{
    if (is_terminal(out))
        return;
    if (is_html(out)) {
        ps_html_begin(&out->text, title);
        return;
    }
    if (!is_json(out)) {
        ps_buf_puts(&out->text, "## ");
        add_plain(&out->text, title);
        ps_buf_puts(&out->text, "\n\n");
        return;
    }
    out->json = ps_json_writer(&out->text);
    ps_json_object(&out->json);
    ps_json_key_str(&out->json, "answer", title);
    ps_json_key(&out->json, "parts");
    ps_json_array(&out->json);
}

/* text: as ps_output_paragraph expects it; plain: for JSON. unit: of a number; NULL: a text. */
static void add_fact(struct ps_output *out, const char *label, struct ps_str text,
                     struct ps_str plain, double value, const char *unit)
{
    PS_AUTO(ps_buf_free) struct ps_buf part = {0};
    PS_AUTO(ps_buf_free) struct ps_buf shown = {0};

    begin_part(out, PS_OUTPUT_FACTS);
    ps_output_render(&shown, out->format, text);
    if (is_terminal(out)) {
        out->lines.columns = 2;
        ps_table_cell(&out->lines, label);
        ps_table_cell(&out->lines, shown.ptr);
        return;
    }
    if (is_json(out)) {
        struct ps_json json = ps_json_writer(&part);

        ps_json_object(&json);
        ps_json_key_str(&json, "fact", label);
        ps_json_key(&json, "value");
        if (unit)
            ps_json_real(&json, value);
        else
            ps_json_str(&json, plain.ptr ? plain : ps_buf_slice(&shown));
        if (unit && unit[0])
            ps_json_key_str(&json, "unit", unit);
        ps_json_end(&json);
    } else if (is_html(out)) {
        ps_buf_puts(&part, "<dt>");
        ps_html_escape(&part, ps_str_from_c(label));
        ps_buf_printf(&part, "</dt><dd>%s</dd>\n", shown.ptr);
    } else {
        ps_buf_puts(&part, "- ");
        add_plain(&part, label);
        ps_buf_printf(&part, ": %s\n", shown.ptr);
    }
    add_part(out, &part);
}

#define NO_PLAIN ((struct ps_str){NULL, 0})

/* Adds a link to HTML, unless the page has no address. */
static void add_anchor(struct ps_output *out, struct ps_str url)
{
    PS_AUTO(ps_buf_free) struct ps_buf part = {0};

    if (!ps_str_starts_with(url, PS_STR("http://")) && !ps_str_starts_with(url, PS_STR("https://")))
        return;
    begin_part(out, PS_OUTPUT_FACTS);
    ps_buf_puts(&part, "<dt>page</dt><dd><a href=\"");
    ps_html_escape(&part, url);
    ps_buf_puts(&part, "\">");
    ps_html_escape(&part, url);
    ps_buf_puts(&part, "</a></dd>\n");
    add_part(out, &part);
}

void ps_output_link(struct ps_output *out, const char *route)
{
    PS_AUTO(ps_buf_free) struct ps_buf url = {0};

    ps_buf_printf(&url, "%s%s", out->page ? out->page : "", route);
    if (is_html(out))
        add_anchor(out, ps_buf_slice(&url));
    else if (!is_terminal(out))
        add_fact(out, "page", ps_buf_slice(&url), NO_PLAIN, 0, NULL);
}

void ps_output_fact(struct ps_output *out, const char *label, const char *fmt, ...)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    va_list args;

    va_start(args, fmt);
    ps_buf_vprintf(&text, fmt, args);
    va_end(args);
    add_fact(out, label, ps_buf_slice(&text), NO_PLAIN, 0, NULL);
}

void ps_output_fact_name(struct ps_output *out, const char *label, const char *name)
{
    PS_AUTO(ps_buf_free) struct ps_buf span = {0};
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};

    ps_output_quote(&span, name);
    add_name(&plain, ps_str_from_c(name), PS_OUTPUT_NAME_MAX);
    ps_buf_puts(&plain, "");
    add_fact(out, label, ps_buf_slice(&span), ps_buf_slice(&plain), 0, NULL);
}

void ps_output_fact_quoted(struct ps_output *out, const char *label, const struct ps_buf *text)
{
    add_fact(out, label, ps_buf_slice(text), NO_PLAIN, 0, NULL);
}

void ps_output_fact_value(struct ps_output *out, const char *label, double value, const char *unit)
{
    char number[64];

    add_fact(out, label, ps_str_from_c(ps_format_value(value, unit, number)), NO_PLAIN, value,
             unit);
}

/* key: the member of JSON; before: what Markdown and terminals show before the text. */
static void add_text(struct ps_output *out, const char *key, const char *before,
                     const struct ps_buf *text)
{
    PS_AUTO(ps_buf_free) struct ps_buf part = {0};
    PS_AUTO(ps_buf_free) struct ps_buf shown = {0};

    ps_output_render(&shown, out->format, ps_buf_slice(text));
    if (is_terminal(out)) {
        const unsigned indent = ps_text_width(ps_str_from_c(before));

        ps_buf_puts(&out->text, before);
        ps_append_wrapped(&out->text, ps_buf_slice(&shown), out->width, indent, indent);
        return;
    }
    if (is_json(out)) {
        struct ps_json json = ps_json_writer(&part);

        ps_json_object(&json);
        ps_json_key(&json, key);
        ps_json_str(&json, ps_buf_slice(&shown));
        ps_json_end(&json);
    } else if (is_html(out)) {
        const char *element = before[0] ? "li" : "p";

        ps_buf_printf(&part, "<%s>%s</%s>\n", element, shown.ptr, element);
    } else {
        ps_buf_printf(&part, "%s%s%s", before, shown.ptr, before[0] ? "\n" : "\n\n");
    }
    add_part(out, &part);
}

void ps_output_paragraph(struct ps_output *out, const struct ps_buf *text)
{
    if (text->len == 0)
        return;
    begin_part(out, PS_OUTPUT_TEXT);
    add_text(out, "text", "", text);
}

void ps_output_space(struct ps_output *out)
{
    if (out->part == PS_OUTPUT_TEXT)
        out->part = PS_OUTPUT_SPACE;
}

void ps_output_lines(struct ps_output *out, const char *title, const char *text)
{
    if (!text[0] || !is_terminal(out))
        return;
    begin_part(out, PS_OUTPUT_LINES);
    write_title(out, title);
    while (text[0]) {
        const size_t len = strcspn(text, "\n");

        ps_buf_puts(&out->text, len ? "  " : "");
        ps_append_escaped(&out->text, (struct ps_str){text, len});
        ps_buf_puts(&out->text, "\n");
        text += len + (text[len] == '\n');
    }
}

void ps_output_note(struct ps_output *out, const char *text)
{
    PS_AUTO(ps_buf_free) struct ps_buf marked = {0};

    begin_part(out, PS_OUTPUT_NOTES);
    add_marked(&marked, TEXT, text);
    add_text(out, "note", "- ", &marked);
}

void ps_output_text(struct ps_output *out, const char *fmt, ...)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    va_list args;

    va_start(args, fmt);
    ps_buf_vprintf(&text, fmt, args);
    va_end(args);
    ps_output_paragraph(out, &text);
}

void ps_output_section(struct ps_output *out, const char *title)
{
    PS_AUTO(ps_buf_free) struct ps_buf part = {0};

    if (is_json(out))
        return;
    begin_part(out, PS_OUTPUT_SECTION);
    if (is_terminal(out)) {
        write_title(out, title);
        return;
    }
    ps_buf_printf(&part, is_html(out) ? "<h2>%s</h2>\n" : "### %s\n\n", title);
    add_part(out, &part);
}

/* Adds a block of code; a text of JSON. */
static void add_code(struct ps_output *out, const struct ps_buf *code)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json json = ps_json_writer(&text);

    if (!is_json(out)) {
        add_part(out, code);
        return;
    }
    ps_json_object(&json);
    ps_json_key(&json, "code");
    ps_json_str(&json, ps_buf_slice(code));
    ps_json_end(&json);
    add_part(out, &text);
}

void ps_output_code(struct ps_output *out, const char *lines)
{
    PS_AUTO(ps_buf_free) struct ps_buf part = {0};
    PS_AUTO(ps_buf_free) struct ps_buf fence = {0};

    begin_part(out, PS_OUTPUT_CODE);
    for (size_t n = count_backticks(ps_str_from_c(lines)) + 1; n > 0 || fence.len<3; n -= n> 0)
        ps_buf_puts(&fence, "`");
    if (is_html(out))
        ps_buf_puts(&part, "<pre>");
    else if (!is_json(out) && !is_terminal(out))
        ps_buf_printf(&part, "%s\n", fence.ptr);
    while (lines[0]) {
        const size_t len = strcspn(lines, "\n");

        add_visible(&part, out->format, (struct ps_str){lines, len});
        ps_buf_puts(&part, "\n");
        lines += len + (lines[len] == '\n');
    }
    if (is_html(out))
        ps_buf_puts(&part, "</pre>\n");
    else if (!is_json(out) && !is_terminal(out))
        ps_buf_printf(&part, "%s\n\n", fence.ptr);
    add_code(out, &part);
}

/* --- Rows --- */

static void begin_row(struct ps_output *out)
{
    out->row.len = 0;
    out->column = 0;
    if (is_html(out))
        ps_buf_puts(&out->row, "<tr>");
    if (!is_json(out))
        return;
    out->row_json = ps_json_writer(&out->row);
    ps_json_array(&out->row_json);
}

static bool is_right(const struct ps_output_column *column)
{
    return column->kind == PS_NUMBER || column->kind == PS_SHARE;
}

/* Appends a text of a cell of Markdown, which a bar would end, even in a code span. */
static void add_with_bars(struct ps_buf *to, struct ps_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const bool is_bar = text.ptr[i] == '|' && !(i > 0 && text.ptr[i - 1] == '\\');

        ps_buf_puts(to, is_bar ? "\\" : "");
        ps_buf_add(to, &text.ptr[i], 1);
    }
}

static void add_title(struct ps_buf *head, const char *title)
{
    PS_AUTO(ps_buf_free) struct ps_buf shown = {0};

    ps_output_render(&shown, PS_OUTPUT_MARKDOWN, ps_str_from_c(title));
    add_with_bars(head, ps_buf_slice(&shown));
}

/* The head of a table, as it precedes its first row. */
static void write_head(struct ps_output *out, struct ps_buf *head)
{
    ps_buf_puts(head, "### ");
    ps_output_render(head, out->format, ps_str_from_c(out->heading[0] ? out->heading : out->table));
    ps_buf_puts(head, "\n\n|");
    for (size_t i = 0; i < out->n_columns; i++) {
        ps_buf_puts(head, " ");
        add_title(head, out->columns[i].title);
        ps_buf_puts(head, " |");
    }
    ps_buf_puts(head, "\n|");
    for (size_t i = 0; i < out->n_columns; i++)
        ps_buf_puts(head, is_right(&out->columns[i]) ? "--:|" : "---|");
    ps_buf_puts(head, "\n");
}

static void write_html_head(struct ps_output *out)
{
    struct ps_buf *head = &out->text;

    ps_buf_puts(head, "<h2>");
    ps_output_render(head, out->format, ps_str_from_c(out->heading[0] ? out->heading : out->table));
    ps_buf_puts(head, "</h2>\n<div class=\"wide\"><table>\n<thead><tr>");
    for (size_t i = 0; i < out->n_columns; i++) {
        ps_buf_puts(head, is_right(&out->columns[i]) ? "<th class=\"n\">" : "<th>");
        ps_output_render(head, out->format, ps_str_from_c(out->columns[i].title));
        ps_buf_puts(head, "</th>");
    }
    ps_buf_puts(head, "</tr></thead>\n<tbody>\n");
}

static void write_json_head(struct ps_output *out)
{
    struct ps_json *json = &out->json;

    ps_json_object(json);
    ps_json_key_str(json, "table", out->table);
    ps_json_key(json, "columns");
    ps_json_array(json);
    for (size_t i = 0; i < out->n_columns; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf title = {0};

        ps_output_render(&title, out->format, ps_str_from_c(out->columns[i].title));
        ps_json_object(json);
        ps_json_key_str(json, "title", title.ptr);
        if (out->columns[i].unit[0])
            ps_json_key_str(json, "unit", out->columns[i].unit);
        ps_json_end(json);
    }
    ps_json_end(json);
    ps_json_key(json, "rows");
    ps_json_array(json);
}

/* Bytes that the head of the table takes, at most. */
static size_t measure_head(const struct ps_output *out)
{
    size_t bytes = 64 + strlen(out->table) + strlen(out->heading);

    for (size_t i = 0; i < out->n_columns; i++)
        bytes += 32 + strlen(out->columns[i].title) + strlen(out->columns[i].unit);
    return bytes;
}

/* --- Tables of a terminal --- */

#define BAR_WIDTH      10       /* columns of a bar of 100 % of the largest row */
#define BARS_WIDTH_MIN 80       /* columns of a terminal with bars */
#define BLOCK          "\u2587" /* 3 bytes */
#define CYAN           "\x1b[36m"

struct ps_output ps_output_terminal(unsigned max_rows, const char *more)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    const bool is_tty = isatty(STDOUT_FILENO);
    const unsigned width = ps_terminal_width();

    return (struct ps_output){.format = PS_OUTPUT_TERMINAL,
                              .max_rows = max_rows,
                              .width = width,
                              .has_colours = is_tty && !(no_color && no_color[0]) &&
                                             !(term && strcmp(term, "dumb") == 0),
                              .has_bars = is_tty && (!width || width >= BARS_WIDTH_MIN),
                              .more = more};
}

void ps_output_title(struct ps_output *out, const char *text)
{
    if (!is_terminal(out))
        return;
    begin_part(out, PS_OUTPUT_TEXT);
    write_title(out, text);
}

/* Adds a cell with a bar whose length is value / largest. */
static void add_bar(struct ps_output *out, double value)
{
    PS_AUTO(ps_buf_free) struct ps_buf bar = {0};
    int n;

    out->largest = fmax(out->largest, value);
    n = value > 0 ? (int)(BAR_WIDTH * value / out->largest + 0.5) : 0;
    ps_buf_puts(&bar, "");
    for (int i = 0; i < n && i < BAR_WIDTH; i++)
        ps_buf_puts(&bar, BLOCK);
    ps_table_cell(&out->lines, bar.ptr);
}

/* Colours the bars in the text from `begin` on. Only bars have blocks: names with a block get its
 * colour, which does no harm. */
static void colour_bars(struct ps_buf *out, size_t begin)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    bool is_bar = false;

    for (size_t i = begin; i < out->len;) {
        const bool block = out->len - i >= 3 && memcmp(out->ptr + i, BLOCK, 3) == 0;
        const size_t n = block ? 3 : 1;

        if (block != is_bar)
            ps_buf_puts(&text, block ? CYAN : PLAIN);
        is_bar = block;
        ps_buf_add(&text, out->ptr + i, n);
        i += n;
    }
    out->len = begin;
    ps_buf_add_str(out, ps_buf_slice(&text));
}

static void begin_lines(struct ps_output *out)
{
    struct ps_table *lines = &out->lines;

    write_title(out, out->heading[0] ? out->heading : out->table);
    lines->columns = 0;
    for (size_t i = 0; i < out->n_columns; i++) {
        lines->right |= is_right(&out->columns[i]) ? 1U << lines->columns : 0;
        lines->columns++;
        ps_table_cell(lines, out->columns[i].title);
        if (out->columns[i].kind == PS_SHARE && out->has_bars) {
            lines->columns++;
            ps_table_cell(lines, "");
        }
    }
    lines->wraps = out->columns[out->n_columns - 1].kind == PS_WRAPPED;
    out->largest = 0;
}

static void end_lines(struct ps_output *out, double omitted)
{
    const size_t begin = out->text.len;

    print_lines(out);
    if (out->has_colours)
        colour_bars(&out->text, begin);
    if (omitted > 0)
        ps_buf_printf(&out->text, "%u of %.0f rows shown%s%s\n", out->shown, out->shown + omitted,
                      out->more ? "; " : ".", out->more ? out->more : "");
}

/* --- Tables --- */

void ps_output_heading(struct ps_output *out, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(out->heading, sizeof out->heading, fmt, args);
    va_end(args);
}

void ps_output_table(struct ps_output *out, const char *title,
                     const struct ps_output_column *columns, size_t n)
{
    PS_AUTO(ps_buf_free) struct ps_buf head = {0};

    begin_part(out, PS_OUTPUT_TABLE);
    (void)snprintf(out->table, sizeof out->table, "%s", title);
    out->columns = columns;
    out->n_columns = n;
    out->shown = 0;
    out->is_full = !fits(out, measure_head(out));
    out->has_table = !out->is_full;
    if (is_terminal(out)) {
        begin_lines(out);
    } else if (out->has_table && is_json(out)) {
        write_json_head(out);
    } else if (out->has_table && is_html(out)) {
        write_html_head(out);
    } else if (out->has_table) {
        write_head(out, &head);
        ps_buf_add_str(&out->text, ps_buf_slice(&head));
    }
    begin_row(out);
}

bool ps_output_has_room(const struct ps_output *out)
{
    return !out->is_full && out->shown < out->max_rows;
}

/* Adds a cell that is rendered already. */
static void add_cell(struct ps_output *out, struct ps_str text)
{
    if (is_terminal(out)) {
        if (out->shown < out->max_rows)
            ps_table_cell(&out->lines, text.len ? text.ptr : "");
        out->column++;
        return;
    }
    if (is_html(out)) {
        const bool right = out->column < out->n_columns && is_right(&out->columns[out->column]);

        out->column++;
        ps_buf_puts(&out->row, right ? "<td class=\"n\">" : "<td>");
        ps_buf_add_str(&out->row, text);
        ps_buf_puts(&out->row, "</td>");
        return;
    }
    ps_buf_puts(&out->row, out->column++ ? " " : "| ");
    add_with_bars(&out->row, text);
    ps_buf_puts(&out->row, " |");
}

/* Adds a cell of a number with its unit, which a file may have chosen. */
static void add_number_cell(struct ps_output *out, const char *number)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    if (is_html(out))
        ps_html_escape(&text, ps_str_from_c(number));
    else
        ps_buf_puts(&text, number);
    ps_buf_puts(&text, "");
    add_cell(out, ps_buf_slice(&text));
}

/* Adds a cell of a quoted text; a NULL text is an empty cell. */
static void add_quoted_cell(struct ps_output *out, struct ps_str quoted, size_t max)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    if (is_json(out)) {
        out->column++;
        add_name(&text, quoted, max);
        ps_buf_puts(&text, "");
        ps_json_str(&out->row_json, quoted.ptr ? ps_buf_slice(&text) : quoted);
        return;
    }
    if (is_terminal(out) || quoted.len)
        add_marked_name(&text, out->format, quoted, max);
    ps_buf_puts(&text, "");
    add_cell(out, ps_buf_slice(&text));
}

void ps_output_name(struct ps_output *out, const char *name)
{
    add_quoted_cell(out, name ? ps_str_from_c(name) : (struct ps_str){NULL, 0}, PS_OUTPUT_NAME_MAX);
}

void ps_output_line(struct ps_output *out, struct ps_str line)
{
    add_quoted_cell(out, line, PS_OUTPUT_LINE_MAX);
}

/* Adds a cell of text whose names were quoted. */
static void add_text_cell(struct ps_output *out, struct ps_str text)
{
    PS_AUTO(ps_buf_free) struct ps_buf shown = {0};

    ps_output_render(&shown, out->format, text);
    if (!is_json(out)) {
        add_cell(out, ps_buf_slice(&shown));
        return;
    }
    out->column++;
    ps_json_str(&out->row_json, ps_buf_slice(&shown));
}

void ps_output_word(struct ps_output *out, const char *word)
{
    add_text_cell(out, ps_str_from_c(word));
}

void ps_output_cell(struct ps_output *out, const struct ps_buf *text)
{
    add_text_cell(out, ps_buf_slice(text));
}

/* Adds a number to a row of JSON, with its unit if the column has another one. */
static void add_json_number(struct ps_output *out, double value, const char *unit)
{
    const size_t i = out->column++;
    const char *expected = i < out->n_columns ? out->columns[i].unit : "";

    if (isnan(value) || strcmp(unit, expected) == 0) {
        ps_json_real(&out->row_json, value);
        return;
    }
    ps_json_object(&out->row_json);
    ps_json_key_real(&out->row_json, "value", value);
    ps_json_key_str(&out->row_json, "unit", unit);
    ps_json_end(&out->row_json);
}

static void add_number(struct ps_output *out, double value, const char *unit,
                       char *format(double, const char *, char[64]))
{
    char number[64] = "";

    if (is_json(out))
        add_json_number(out, value, unit);
    else
        add_number_cell(out, isnan(value) || isinf(value) ? "" : format(value, unit, number));
}

void ps_output_value(struct ps_output *out, double value, const char *unit)
{
    add_number(out, value, unit, ps_format_value);
}

static char *format_exact(double value, const char *unit, char out[64])
{
    (void)unit;
    out[ps_real_format(value, out)] = '\0';
    return out;
}

void ps_output_exact(struct ps_output *out, double value)
{
    add_number(out, value, "", format_exact);
}

void ps_output_change(struct ps_output *out, double value, const char *unit)
{
    add_number(out, value, unit, ps_format_change);
}

static void add_percent(struct ps_output *out, double percent, const char *format)
{
    const bool has_bar = out->column < out->n_columns && out->columns[out->column].kind == PS_SHARE;
    char number[64] = "";

    if (is_json(out)) {
        add_json_number(out, percent, "%");
        return;
    }
    if (!isnan(percent))
        (void)snprintf(number, sizeof number, format, percent);
    add_cell(out, ps_str_from_c(number));
    if (is_terminal(out) && has_bar && out->has_bars && out->shown < out->max_rows)
        add_bar(out, percent);
}

void ps_output_percent(struct ps_output *out, double percent)
{
    add_percent(out, percent, "%.1f %%");
}

void ps_output_percent_change(struct ps_output *out, double percent)
{
    add_percent(out, percent, "%+.1f %%");
}

void ps_output_range(struct ps_output *out, double low, double high, const char *unit)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    char number[2][64];

    if (is_json(out)) {
        add_json_number(out, high, unit);
        return;
    }
    ps_buf_puts(&text, "");
    if (!isnan(high))
        ps_buf_printf(&text, "%s to %s",
                      isnan(low) ? "up" : format_part(low, low == 0 ? "" : unit, number[0]),
                      format_part(high, unit, number[1]));
    add_number_cell(out, text.ptr);
}

void ps_output_row_end(struct ps_output *out)
{
    if (is_json(out))
        ps_json_end(&out->row_json);
    else
        ps_buf_puts(&out->row, is_html(out) ? "</tr>\n" : "\n");
    if (is_terminal(out))
        out->shown += out->shown < out->max_rows;
    else if (!out->is_full && out->shown < out->max_rows) {
        out->is_full = !fits(out, out->row.len + 32);
        if (!out->is_full) {
            out->shown++;
            if (is_json(out))
                ps_json_raw(&out->json, ps_buf_slice(&out->row));
            else
                ps_buf_add_str(&out->text, ps_buf_slice(&out->row));
        }
    }
    begin_row(out);
}

void ps_output_table_end(struct ps_output *out, double total)
{
    const double rest = total - out->shown, omitted = rest > 0 && rest < 1e15 ? rest : 0;

    if (omitted > 0 && out->is_full)
        out->rows_beyond_bytes += omitted;
    if (omitted > 0 && out->n_omissions < PS_OUTPUT_TABLES_MAX) {
        struct ps_output_omission *omission = &out->omissions[out->n_omissions++];

        (void)snprintf(omission->what, sizeof omission->what, "%s", out->table);
        omission->rows = omitted;
    }
    out->heading[0] = '\0';
    if (is_terminal(out))
        end_lines(out, omitted);
    if (!out->has_table || is_terminal(out))
        return;
    if (is_html(out)) {
        ps_buf_puts(&out->text, "</tbody>\n</table></div>\n");
        if (omitted > 0)
            ps_buf_printf(&out->text, "<p>%u of %.0f rows shown.</p>\n", out->shown,
                          out->shown + omitted);
        return;
    }
    if (!is_json(out)) {
        if (omitted > 0)
            ps_buf_printf(&out->text, "\n%u of %.0f rows shown.\n", out->shown,
                          out->shown + omitted);
        ps_buf_puts(&out->text, "\n");
        return;
    }
    ps_json_end(&out->json);
    ps_json_key_int(&out->json, "shown", out->shown);
    ps_json_key_int(&out->json, "total", out->shown + (omitted > 0 ? (int64_t)omitted : 0));
    ps_json_end(&out->json);
}

/* --- End --- */

static void end_json(struct ps_output *out)
{
    struct ps_json *json = &out->json;

    ps_json_end(json);
    ps_json_key(json, "omitted");
    ps_json_object(json);
    for (size_t i = 0; i < out->n_omissions; i++)
        if (out->text.len + strlen(out->omissions[i].what) + 120 < out->max_bytes)
            ps_json_key_int(json, out->omissions[i].what, (int64_t)out->omissions[i].rows);
    if (out->paragraphs_omitted)
        ps_json_key_int(json, "paragraphs", out->paragraphs_omitted);
    ps_json_end(json);
    ps_json_key_int(json, "max_rows", out->max_rows);
    ps_json_key_int(json, "max_bytes", (int64_t)out->max_bytes);
    ps_json_end(json);
}

/* What `max_rows` left out stands below its table: here is what the limit of bytes left out. */
static void end_markdown(struct ps_output *out)
{
    char count[64];

    if (out->rows_beyond_bytes == 0 && out->paragraphs_omitted == 0)
        return;
    ps_buf_puts(&out->text, is_html(out) ? "<p>" : "");
    ps_buf_printf(&out->text, "Left out beyond max_bytes %zu: %s", out->max_bytes,
                  ps_format_count((uint64_t)out->rows_beyond_bytes, "row", count));
    ps_buf_printf(&out->text, " and %s.\n",
                  ps_format_count(out->paragraphs_omitted, "paragraph", count));
}

void ps_output_end(struct ps_output *out)
{
    begin_part(out, PS_OUTPUT_NO_PART);
    if (is_json(out))
        end_json(out);
    else if (!is_terminal(out))
        end_markdown(out);
    if (is_html(out))
        ps_html_end(&out->text);
}

void ps_output_free(struct ps_output *out)
{
    ps_buf_free(&out->text);
    ps_buf_free(&out->row);
    ps_table_free(&out->lines);
}
