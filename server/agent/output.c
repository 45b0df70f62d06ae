/* SPDX-License-Identifier: MIT */
#include "server/agent/output.h"

#include "base/format.h"
#include "base/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bytes that the end of an answer may take: the count of what was left out, the brackets of JSON.
 */
#define TAIL_BYTES 320

static bool is_json(const struct ps_output *out)
{
    return out->format == PS_OUTPUT_JSON;
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

void ps_output_quote(struct ps_buf *text, const char *name)
{
    add_code_span(text, ps_str_from_c(name), PS_OUTPUT_NAME_MAX);
}

/* --- Sentences --- */

static const char *text_of(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

    return text ? text : "";
}

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

/* Appends a text of the server. A few contain names, so the characters that begin or end something
 * in Markdown are escaped. */
static void add_server_text(struct ps_buf *out, const char *text)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};

    ps_append_escaped(&plain, ps_str_from_c(text));
    for (size_t i = 0; i < plain.len; i++) {
        ps_buf_puts(out, strchr("`*_[]<>|\\#!", plain.ptr[i]) && plain.ptr[i] ? "\\" : "");
        ps_buf_add(out, &plain.ptr[i], 1);
    }
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
    if (strcmp(unit, "percent") == 0)
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
        const char *words = text_of(part, "text");

        if (cJSON_IsNumber(value))
            ps_buf_puts(text, format_part(value->valuedouble, text_of(part, "unit"), number));
        else if (value)
            ps_buf_puts(text, "unknown");
        else if (cJSON_HasObjectItem(part, "code"))
            ps_output_quote(text, without_folders(text_of(part, "code")));
        else if (is_place(part, words))
            ps_output_quote(text, words);
        else
            add_server_text(text, words);
    }
}

/* --- Parts of an answer --- */

/* Whether `more` bytes fit before the end of the answer. */
static bool fits(const struct ps_output *out, size_t more)
{
    return out->text.len + more + TAIL_BYTES <= out->max_bytes;
}

/* Ends a list of facts in Markdown. */
static void end_facts(struct ps_output *out)
{
    if (out->facts && !is_json(out))
        ps_buf_puts(&out->text, "\n");
    out->facts = 0;
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

static void add_fact(struct ps_output *out, const char *label, const struct ps_buf *markdown,
                     const struct ps_buf *plain, double value, const char *unit)
{
    PS_AUTO(ps_buf_free) struct ps_buf part = {0};

    if (is_json(out)) {
        struct ps_json json = ps_json_writer(&part);

        ps_json_object(&json);
        ps_json_key_str(&json, "fact", label);
        ps_json_key(&json, "value");
        if (unit)
            ps_json_real(&json, value);
        else
            ps_json_str(&json, ps_buf_slice(plain));
        if (unit && unit[0])
            ps_json_key_str(&json, "unit", unit);
        ps_json_end(&json);
    } else {
        ps_buf_puts(&part, "- ");
        add_plain(&part, label);
        ps_buf_puts(&part, ": ");
        ps_append_escaped(&part, ps_buf_slice(markdown));
        ps_buf_puts(&part, "\n");
    }
    add_part(out, &part);
    out->facts++;
}

void ps_output_link(struct ps_output *out, const char *route)
{
    PS_AUTO(ps_buf_free) struct ps_buf url = {0};

    ps_buf_printf(&url, "%s%s", out->page ? out->page : "", route);
    add_fact(out, "page", &url, &url, 0, NULL);
}

void ps_output_fact(struct ps_output *out, const char *label, const char *fmt, ...)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    va_list args;

    va_start(args, fmt);
    ps_buf_vprintf(&text, fmt, args);
    va_end(args);
    add_fact(out, label, &text, &text, 0, NULL);
}

void ps_output_fact_name(struct ps_output *out, const char *label, const char *name)
{
    PS_AUTO(ps_buf_free) struct ps_buf span = {0};
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};

    add_code_span(&span, ps_str_from_c(name), PS_OUTPUT_NAME_MAX);
    add_name(&plain, ps_str_from_c(name), PS_OUTPUT_NAME_MAX);
    ps_buf_puts(&plain, "");
    add_fact(out, label, &span, &plain, 0, NULL);
}

void ps_output_fact_quoted(struct ps_output *out, const char *label, const struct ps_buf *text)
{
    add_fact(out, label, text, text, 0, NULL);
}

void ps_output_fact_value(struct ps_output *out, const char *label, double value, const char *unit)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    char number[64];

    ps_buf_puts(&text, ps_format_value(value, unit, number));
    add_fact(out, label, &text, &text, value, unit);
}

void ps_output_paragraph(struct ps_output *out, const struct ps_buf *text)
{
    PS_AUTO(ps_buf_free) struct ps_buf part = {0};

    if (text->len == 0)
        return;
    end_facts(out);
    if (is_json(out)) {
        struct ps_json json = ps_json_writer(&part);

        ps_json_object(&json);
        ps_json_key(&json, "text");
        ps_json_str(&json, ps_buf_slice(text));
        ps_json_end(&json);
    } else {
        ps_append_escaped(&part, ps_buf_slice(text));
        ps_buf_puts(&part, "\n\n");
    }
    add_part(out, &part);
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

/* --- Tables --- */

static void begin_row(struct ps_output *out)
{
    out->row.len = 0;
    out->column = 0;
    if (!is_json(out))
        return;
    out->row_json = ps_json_writer(&out->row);
    ps_json_array(&out->row_json);
}

/* The head of a table, as it precedes its first row. */
static void write_head(struct ps_output *out, struct ps_buf *head)
{
    ps_buf_puts(head, "### ");
    add_plain(head, out->table);
    ps_buf_puts(head, "\n\n|");
    for (size_t i = 0; i < out->n_columns; i++) {
        ps_buf_puts(head, " ");
        add_plain(head, out->columns[i].title);
        ps_buf_puts(head, " |");
    }
    ps_buf_puts(head, "\n|");
    for (size_t i = 0; i < out->n_columns; i++)
        ps_buf_puts(head, out->columns[i].is_number ? "--:|" : "---|");
    ps_buf_puts(head, "\n");
}

static void write_json_head(struct ps_output *out)
{
    struct ps_json *json = &out->json;

    ps_json_object(json);
    ps_json_key_str(json, "table", out->table);
    ps_json_key(json, "columns");
    ps_json_array(json);
    for (size_t i = 0; i < out->n_columns; i++) {
        ps_json_object(json);
        ps_json_key_str(json, "title", out->columns[i].title);
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
    size_t bytes = 64 + strlen(out->table);

    for (size_t i = 0; i < out->n_columns; i++)
        bytes += 32 + strlen(out->columns[i].title) + strlen(out->columns[i].unit);
    return bytes;
}

void ps_output_table(struct ps_output *out, const char *title,
                     const struct ps_output_column *columns, size_t n)
{
    PS_AUTO(ps_buf_free) struct ps_buf head = {0};

    end_facts(out);
    (void)snprintf(out->table, sizeof out->table, "%s", title);
    out->columns = columns;
    out->n_columns = n;
    out->shown = 0;
    out->is_full = !fits(out, measure_head(out));
    out->has_table = !out->is_full;
    if (out->has_table && is_json(out)) {
        write_json_head(out);
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

/* Adds a cell of Markdown; a bar would end the cell, even in a code span. */
static void add_cell(struct ps_output *out, struct ps_str text)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};

    ps_append_escaped(&plain, text);
    ps_buf_puts(&out->row, out->column++ ? " " : "| ");
    for (size_t i = 0; i < plain.len; i++) {
        const bool is_bar = plain.ptr[i] == '|' && !(i > 0 && plain.ptr[i - 1] == '\\');

        ps_buf_puts(&out->row, is_bar ? "\\" : "");
        ps_buf_add(&out->row, &plain.ptr[i], 1);
    }
    ps_buf_puts(&out->row, " |");
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
    if (quoted.len)
        add_code_span(&text, quoted, max);
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

/* Adds a cell of text that needs no quoting. */
static void add_text_cell(struct ps_output *out, struct ps_str text)
{
    if (!is_json(out)) {
        add_cell(out, text);
        return;
    }
    out->column++;
    ps_json_str(&out->row_json, text.len ? text : PS_STR(""));
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
        add_cell(out,
                 ps_str_from_c(isnan(value) || isinf(value) ? "" : format(value, unit, number)));
}

void ps_output_value(struct ps_output *out, double value, const char *unit)
{
    add_number(out, value, unit, ps_format_value);
}

void ps_output_change(struct ps_output *out, double value, const char *unit)
{
    add_number(out, value, unit, ps_format_change);
}

void ps_output_percent(struct ps_output *out, double percent)
{
    char number[64] = "";

    if (is_json(out)) {
        add_json_number(out, percent, "%");
        return;
    }
    if (!isnan(percent))
        (void)snprintf(number, sizeof number, "%.1f %%", percent);
    add_cell(out, ps_str_from_c(number));
}

void ps_output_row_end(struct ps_output *out)
{
    if (is_json(out))
        ps_json_end(&out->row_json);
    else
        ps_buf_puts(&out->row, "\n");
    if (!out->is_full && out->shown < out->max_rows) {
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
    if (!out->has_table)
        return;
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

    end_facts(out);
    if (out->rows_beyond_bytes == 0 && out->paragraphs_omitted == 0)
        return;
    ps_buf_printf(&out->text, "Left out beyond max_bytes %zu: %s", out->max_bytes,
                  ps_format_count((uint64_t)out->rows_beyond_bytes, "row", count));
    ps_buf_printf(&out->text, " and %s.\n",
                  ps_format_count(out->paragraphs_omitted, "paragraph", count));
}

void ps_output_end(struct ps_output *out)
{
    if (is_json(out))
        end_json(out);
    else
        end_markdown(out);
}

void ps_output_free(struct ps_output *out)
{
    ps_buf_free(&out->text);
    ps_buf_free(&out->row);
}
