/* SPDX-License-Identifier: MIT */
/* compared.h: a comparison (docs/api-compare.md), as diff, check and show read it. */
#ifndef PS_CLI_COMPARED_H
#define PS_CLI_COMPARED_H

#include "server/cli/client.h"
#include "server/cli/runs.h"
#include "server/cli/table.h"

struct ps_cli_compared {
    struct ps_client *client;
    const char *base, *now; /* the groups as the command line names them; base NULL: one alone */
    struct ps_buf text;     /* what there is to compare, as it was sent */
    cJSON *about;           /* the same as a tree */
};

/* base, now: RUN, or several with commas between them; base NULL: one group alone. Close it in any
 * case. */
enum ps_status ps_cli_compare(struct ps_client *client, const char *base, const char *now,
                              struct ps_cli_compared *out, struct ps_err *err);
void ps_cli_compared_close(struct ps_cli_compared *compared); /* for PS_AUTO */

/* The table of that name, with NULL the first one. PS_NOT_FOUND names those there are. */
enum ps_status ps_cli_table(const struct ps_cli_compared *compared, const char *of,
                            const cJSON **out, struct ps_err *err);
/* Its metric of that name, with NULL the first one. PS_BAD_REQUEST names those there are. */
enum ps_status ps_cli_metric(const cJSON *table, const char *name, const cJSON **out,
                             struct ps_err *err);

/* A page of rows of a table, with its sums; free with ps_run_free. name: rows of that very name
 * alone, NULL all. */
enum ps_status ps_cli_rows(const struct ps_cli_compared *compared, const cJSON *table,
                           const cJSON *metric, const char *name, unsigned limit, cJSON **out,
                           struct ps_err *err);
/* The same in the order of a column of docs/api-compare.md; NULL: by size. */
enum ps_status ps_cli_rows_by(const struct ps_cli_compared *compared, const cJSON *table,
                              const cJSON *metric, const char *name, const char *sort,
                              unsigned limit, cJSON **out, struct ps_err *err);
/* --rows and --sort of `show`: how many rows (unless it says so, `rows`), and the column of the
 * table that stands for the name of a metric, or "name". */
enum ps_status ps_cli_shown(const struct ps_options *options, const cJSON *table,
                            const cJSON *metric, unsigned *rows, char sort[80], struct ps_err *err);
/* `perfshelf show a,b,c`: a group as one report. */
enum ps_status ps_cli_show_group(const struct ps_options *options, struct ps_client *client,
                                 struct ps_buf *out, struct ps_err *err);

/* Row `at` of a page: the cell of a column; NULL past the last row. */
const cJSON *ps_cli_cell(const cJSON *page, int at, const char *column);
double ps_cli_number(const cJSON *page, int at, const char *column);    /* 0 where there is none */
const char *ps_cli_text(const cJSON *page, int at, const char *column); /* "" where there is none */

/* "app.prof", or "app.prof and 4 more", of a list of runs. */
void ps_cli_names(const cJSON *runs, struct ps_buf *out);
/* Whether the rows of the table are measurements, each in a unit of its own. */
bool ps_cli_unit_is_place(const cJSON *table);
/* The unit of a metric in a row. */
const char *ps_cli_unit(const cJSON *table, const cJSON *metric, const cJSON *page, int row);
/* A row's name, and where it is. `about` is the table of the comparison. */
void ps_cli_name_cell(struct ps_table *table, const cJSON *about, const cJSON *page, int row);
/* All rows of a table with the runs, as one line of JSON: figures as they were sent, for a tree
 * would not keep every digit. */
enum ps_status ps_cli_compared_json(const struct ps_cli_compared *compared, const cJSON *table,
                                    const cJSON *metric, struct ps_buf *out, struct ps_err *err);

/* "1.234 s", "67.0 KiB", "12.5 %": a figure in its unit. Returns out. */
char *ps_cli_figure(double value, const char *unit, char out[64]);
/* The same with its sign. */
char *ps_cli_change(double value, const char *unit, char out[64]);
/* "+12.3 %"; "" where there is no base. Returns out. */
char *ps_cli_percent(double delta, double base, char out[32]);

#endif
