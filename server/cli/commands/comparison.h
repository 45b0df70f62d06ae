/* SPDX-License-Identifier: MIT */
/* comparison.h: a comparison (docs/api-compare.md) for diff, check and show. */
#ifndef PS_CLI_COMPARISON_H
#define PS_CLI_COMPARISON_H

#include "server/cli/client/client.h"
#include "server/cli/client/runs.h"
#include "server/text/text.h"

struct ps_cli_comparison {
    struct ps_client *client;
    const char *base_runs,
        *new_runs;      /* groups as on the command line, not copied; base_runs NULL: one group */
    const char *metric; /* of the summary, in place of the headline; NULL: the headline */
    const char *step;   /* name of the ranges that are the steps; NULL: those of the files */
    const char *sample_type; /* of runs that have several; NULL: the default */
    const char *same;        /* facts of the environment that must be the same; NULL: none */
    const char *per;         /* what values are per: "step", "run" or "call"; NULL: the default */
    struct ps_buf text;      /* response of /compare: runs, headline and tables; JSON */
    cJSON *response;         /* the same response as a tree */
};

/* Compares two groups: the members before `per` are set. `base_runs`, `new_runs`: RUN, or several
 * runs separated by commas; `base_runs` NULL: reports only the group `new_runs`. Call
 * ps_cli_comparison_close in any case. */
enum ps_status ps_cli_compare(struct ps_cli_comparison *compared, struct ps_err *err);
void ps_cli_comparison_close(struct ps_cli_comparison *compared); /* for PS_AUTO */

/* Reads at most `limit` rows of a table, and its sums; free *out with ps_json_free. name: only rows
 * of exactly this name; NULL: all rows. */
enum ps_status ps_cli_read_rows(const struct ps_cli_comparison *compared, const cJSON *table,
                                const cJSON *metric, const char *name, unsigned limit, cJSON **out,
                                struct ps_err *err);
/* Like ps_cli_read_rows. sort: a column of docs/api-compare.md; NULL: the default order of the API.
 */
enum ps_status ps_cli_read_sorted_rows(const struct ps_cli_comparison *compared, const cJSON *table,
                                       const cJSON *metric, const char *name, const char *sort,
                                       unsigned limit, cJSON **out, struct ps_err *err);
/* Evaluates --rows and --sort of `show`. *rows contains the default and is replaced if --rows is
 * set; sort receives a column, "name", or "" for the default order. */
enum ps_status ps_cli_read_rows_options(const struct ps_options *options, const cJSON *table,
                                        const cJSON *metric, unsigned *rows, char sort[80],
                                        struct ps_err *err);

/* Reads GET /compare/conclusion; *out is JSON null if there is none. Free it with ps_json_free. */
enum ps_status ps_cli_conclusion(const struct ps_cli_comparison *compared, cJSON **out,
                                 struct ps_err *err);

/* Appends all rows of a table and the runs as one line of JSON. Numbers are copied as text, since
 * parsing would lose digits. */
enum ps_status ps_cli_append_comparison_json(const struct ps_cli_comparison *compared,
                                             const cJSON *table, const cJSON *metric,
                                             struct ps_buf *out, struct ps_err *err);

/* Whether both groups are one run with requests. */
bool ps_cli_pairs_requests(const struct ps_cli_comparison *compared);
/* Adds what became of the requests, and the `rows` pairs with the largest change. Nothing if the
 * groups are not one run with requests each. */
enum ps_status ps_cli_add_request_pairs(const struct ps_cli_comparison *compared,
                                        struct ps_output *out, unsigned rows, struct ps_err *err);

#endif
