/* SPDX-License-Identifier: MIT */
/*
 * output.h: writes the answer of a tool as Markdown or JSON, within a limit of bytes and of rows.
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
#ifndef PS_AGENT_OUTPUT_H
#define PS_AGENT_OUTPUT_H

#include <cjson/cJSON.h>

#include "base/json_out.h"

#define PS_OUTPUT_NAME_MAX   160 /* bytes of a name that are shown */
#define PS_OUTPUT_LINE_MAX   400 /* bytes of a line of output that are shown */
#define PS_OUTPUT_BYTES      4096
#define PS_OUTPUT_BYTES_MIN  1024
#define PS_OUTPUT_BYTES_MAX  1000000
#define PS_OUTPUT_ROWS       10
#define PS_OUTPUT_ROWS_MAX   1000
#define PS_OUTPUT_TABLES_MAX 12

enum ps_output_format { PS_OUTPUT_MARKDOWN, PS_OUTPUT_JSON };

struct ps_output_column {
    const char *title; /* static, or valid until ps_output_table_end */
    const char *unit;  /* of the numbers in JSON; "" if there is none */
    bool is_number;
};

/* What was left out of a part of the answer. */
struct ps_output_omission {
    char what[64]; /* "functions" */
    double rows;
};

struct ps_output {
    enum ps_output_format format;
    size_t max_bytes;  /* of the complete answer */
    unsigned max_rows; /* of each table */
    const char *page;  /* URL of the page with a trailing slash, or "" if it is not known */
    struct ps_buf text;

    /* private */
    struct ps_json json, row_json;
    struct ps_buf row;
    const struct ps_output_column *columns;
    size_t n_columns, column;
    char table[64];
    unsigned shown;
    bool is_full; /* a row did not fit: later rows of the table are left out too */
    bool has_table;
    struct ps_output_omission omissions[PS_OUTPUT_TABLES_MAX];
    size_t n_omissions;
    unsigned paragraphs_omitted;
    double rows_beyond_bytes; /* rows of tables that the limit of bytes ended */
    unsigned facts;           /* facts in a row, which Markdown writes as a list */
};

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

/* Appends a name from a profile to a paragraph: a code span of Markdown. */
void ps_output_quote(struct ps_buf *text, const char *name);
/* Appends a sentence of the API, an array of {text}, {code} and {value, unit} (docs/api-views.md).
 */
void ps_output_sentence(struct ps_buf *text, const cJSON *parts);

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
/* A cell of text with names that were quoted with ps_output_quote. */
void ps_output_cell(struct ps_output *out, const struct ps_buf *text);
void ps_output_row_end(struct ps_output *out);
/* total: the number of rows that exist. */
void ps_output_table_end(struct ps_output *out, double total);

#endif
