/* SPDX-License-Identifier: MIT */
/*
 * output.h: writes an answer as Markdown, HTML or JSON, within a limit of bytes and of rows, or for
 * a terminal.
 *
 * An answer is a title, facts, paragraphs and tables, in the order of the calls. What does not fit
 * is left out whole (a row, a paragraph), counted, and reported at the end. Texts from profiles are
 * data: functions that take a name quote it, make control characters visible and shorten it.
 * Functions that take a format string or a text of their own expect text of this program.
 *
 *     struct ps_output out = {.format = PS_OUTPUT_MARKDOWN, .max_bytes = 4096, .max_rows = 10};
 *
 *     ps_output_begin(&out, "hot");
 *     ps_output_link(&out, "#/run/1430ad6bb1833127");
 *     ps_output_table(&out, "functions", columns, 2);
 *     ps_output_value(&out, 0.4, "s");
 *     ps_output_name(&out, "author_of");
 *     ps_output_row_end(&out);
 *     ps_output_table_end(&out, 455);
 *     ps_output_end(&out);
 *     out.text is the answer
 *     ps_output_free(&out);
 */
#ifndef PS_TEXT_OUTPUT_H
#define PS_TEXT_OUTPUT_H

#include <cjson/cJSON.h>

#include "base/json_out.h"
#include "server/text/table.h"

#define PS_OUTPUT_NAME_MAX   160 /* bytes of a name that are shown */
#define PS_OUTPUT_LINE_MAX   400 /* bytes of a line of output that are shown */
#define PS_OUTPUT_BYTES      4096
#define PS_OUTPUT_BYTES_MIN  1024
#define PS_OUTPUT_BYTES_MAX  1000000
#define PS_OUTPUT_ROWS       10
#define PS_OUTPUT_ROWS_MAX   1000
#define PS_OUTPUT_TABLES_MAX 12

enum ps_output_format {
    PS_OUTPUT_MARKDOWN,
    PS_OUTPUT_JSON,
    PS_OUTPUT_TERMINAL,
    PS_OUTPUT_HTML, /* a document (html.h) */
};

enum ps_output_part {
    PS_OUTPUT_NO_PART,
    PS_OUTPUT_FACTS,
    PS_OUTPUT_TEXT,
    PS_OUTPUT_SPACE,
    PS_OUTPUT_NOTES,
    PS_OUTPUT_LINES,
    PS_OUTPUT_TABLE,
    PS_OUTPUT_SECTION,
    PS_OUTPUT_CODE,
};

/* What a column holds. On terminals, a bar follows the percentages of shares, and a last column of
 * wrapped texts is not shortened. */
enum ps_output_kind { PS_WORDS, PS_NUMBER, PS_SHARE, PS_WRAPPED };

struct ps_output_column {
    const char *title; /* static, or valid until ps_output_table_end */
    const char *unit;  /* of the numbers in JSON; "" if there is none */
    enum ps_output_kind kind;
};

/* What was left out of a part of the answer. */
struct ps_output_omission {
    char what[64]; /* "functions" */
    double rows;
};

struct ps_output {
    enum ps_output_format format;
    size_t max_bytes;  /* of the complete answer; a terminal has no limit */
    unsigned max_rows; /* of each table */
    const char *page;  /* URL of the page with a trailing slash, or "" if it is not known */
    /* of a terminal: its columns, 0 if there is no limit; what it shows; how to get more rows */
    unsigned width;
    bool has_colours, has_bars;
    const char *more; /* such as "--rows shows more"; NULL: nothing */
    struct ps_buf text;

    /* private */
    struct ps_json json, row_json;
    struct ps_buf row;
    const struct ps_output_column *columns;
    size_t n_columns, column;
    char table[64], heading[160];
    unsigned shown;
    bool is_full; /* a row did not fit: later rows of the table are left out too */
    bool has_table;
    struct ps_output_omission omissions[PS_OUTPUT_TABLES_MAX];
    size_t n_omissions;
    unsigned paragraphs_omitted;
    double rows_beyond_bytes; /* rows of tables that the limit of bytes ended */
    enum ps_output_part part; /* the last one */
    struct ps_table lines;    /* of a terminal: the facts or the table that is being written */
    double largest;           /* of the percentages with bars */
};

/* An output for stdout, in colours if it is a terminal that shows some (https://no-color.org). */
struct ps_output ps_output_terminal(unsigned max_rows, const char *more);

void ps_output_begin(struct ps_output *out, const char *title);
void ps_output_end(struct ps_output *out);
void ps_output_free(struct ps_output *out);

/* The page that shows the same; `route` begins with "#/". */
void ps_output_link(struct ps_output *out, const char *route);

/* Facts: a label and a text of this program, a name from a profile, or a number with its unit. */
void ps_output_fact(struct ps_output *out, const char *label, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void ps_output_fact_name(struct ps_output *out, const char *label, const char *name);
/* A text with names that were quoted with ps_output_quote. */
void ps_output_fact_quoted(struct ps_output *out, const char *label, const struct ps_buf *text);
void ps_output_fact_value(struct ps_output *out, const char *label, double value, const char *unit);

/* A paragraph. Names in it were quoted with ps_output_quote. */
void ps_output_text(struct ps_output *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void ps_output_paragraph(struct ps_output *out, const struct ps_buf *text);

/* A remark of the server below the answer. */
void ps_output_note(struct ps_output *out, const char *text);
/* Separates the next paragraph from the last one; only on a terminal, where they are lines. */
void ps_output_space(struct ps_output *out);
/* A text with its line breaks below a title, such as a note; only on a terminal. */
void ps_output_lines(struct ps_output *out, const char *title, const char *text);
/* The heading of the next parts; not in JSON, whose parts have their own names. */
void ps_output_section(struct ps_output *out, const char *title);
/* Lines for a shell, which may have names. Control characters in them become visible. */
void ps_output_code(struct ps_output *out, const char *lines);
/* A line in bold; only on a terminal. */
void ps_output_title(struct ps_output *out, const char *text);

/* Appends a name from a profile to a paragraph: a code span of Markdown. */
void ps_output_quote(struct ps_buf *text, const char *name);
/* Appends a text of the server, which may have names: what begins something in Markdown is escaped.
 */
void ps_output_escape(struct ps_buf *text, const char *words);
/* Appends the name and the place of a row. */
void ps_output_place(struct ps_buf *text, const char *name, const char *place);
/* Appends a text with quoted names as a format shows it; JSON has the texts of Markdown. */
void ps_output_render(struct ps_buf *to, enum ps_output_format format, struct ps_str text);
/* Begins a text that belongs to the row above: an indent, or words. */
void ps_output_part(struct ps_buf *text);
/* Appends a sentence of the API, an array of {text}, {code} and {value, unit} (docs/api-views.md).
 */
void ps_output_sentence(struct ps_buf *text, const cJSON *parts);

/* The heading of the next table, in place of its title. */
void ps_output_heading(struct ps_output *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Begins a table. `columns` must stay valid until ps_output_table_end. */
void ps_output_table(struct ps_output *out, const char *title,
                     const struct ps_output_column *columns, size_t n);
/* Whether the next row can be shown; a caller need not write rows after that. */
bool ps_output_has_room(const struct ps_output *out);
/* The cells of a row, in the order of the columns. A value that is NaN is an empty cell. */
void ps_output_name(struct ps_output *out, const char *name); /* NULL: an empty cell */
/* A line that a program printed, quoted like a name. */
void ps_output_line(struct ps_output *out, struct ps_str line);
void ps_output_word(struct ps_output *out, const char *word); /* a text of this program */
void ps_output_value(struct ps_output *out, double value, const char *unit);
void ps_output_change(struct ps_output *out, double value, const char *unit); /* with a sign */
void ps_output_percent(struct ps_output *out, double percent);
void ps_output_percent_change(struct ps_output *out, double percent); /* with a sign */
/* "1 to 2 s", or "up to 2 s" if `low` is NaN; JSON has the higher value. */
void ps_output_range(struct ps_output *out, double low, double high, const char *unit);
/* A cell of text with names that were quoted with ps_output_quote. */
void ps_output_cell(struct ps_output *out, const struct ps_buf *text);
/* All digits of a number: the fewest that give the same double. */
void ps_output_exact(struct ps_output *out, double value);
void ps_output_row_end(struct ps_output *out);
/* total: the number of rows that exist. */
void ps_output_table_end(struct ps_output *out, double total);

#endif
