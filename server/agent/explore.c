/* SPDX-License-Identifier: MIT */
/* explore.c: the tool explore. Here: cProfile dumps, import logs, profiles of source lines. */
#include "server/agent/explore.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "importers/kinds.h"

/* --- cProfile --- */

/* Appends a place; line 0: unknown. */
static void append_line(struct ps_buf *place, const char *file, double line)
{
    ps_buf_puts(place, file);
    if (line > 0)
        ps_buf_printf(place, ":%.0f", line);
}

static void add_neighbours(const struct ps_explored *x, const char *title, const cJSON *list,
                           double total)
{
    const struct ps_output_column columns[] = {{"total time", "s", PS_NUMBER},
                                               {"% of the function's total", "%", PS_NUMBER},
                                               {"self time", "s", PS_NUMBER},
                                               {ps_explore_count_word(x, "samples"), "", PS_NUMBER},
                                               {"function", "", PS_WORDS}};
    struct ps_output *out = x->call->out;
    const cJSON *item;

    if (cJSON_GetArraySize(list) == 0)
        return;
    ps_output_table(out, title, columns, 5);
    cJSON_ArrayForEach(item, list)
    {
        PS_AUTO(ps_buf_free) struct ps_buf name = {0};
        PS_AUTO(ps_buf_free) struct ps_buf place = {0};
        const char *file = ps_member_text(item, "file");

        ps_output_value(out, ps_member_number(item, "cumtime_s"), "s");
        ps_output_percent(out, ps_member_number(item, "pct"));
        ps_output_value(out, ps_member_number(item, "tottime_s"), "s");
        ps_output_value(out, ps_member_number(item, "ncalls"), "");
        if (strcmp(file, "~") != 0)
            append_line(&place, file, ps_member_number(item, "line"));
        ps_output_place(&name, ps_member_text(item, "name"), place.len ? place.ptr : "");
        ps_output_cell(out, &name);
        ps_output_row_end(out);
    }
    ps_output_table_end(out, total);
}

static void add_function_facts(const struct ps_explored *x, const cJSON *fn)
{
    struct ps_output *out = x->call->out;
    const char *word = ps_explore_count_word(x, "samples");
    const double calls = ps_member_number(fn, "ncalls"),
                 primitive = ps_member_number(fn, "primitive_calls");

    if (strcmp(ps_member_text(fn, "file"), "~") != 0) {
        PS_AUTO(ps_buf_free) struct ps_buf place = {0};

        append_line(&place, ps_member_text(fn, "file"), ps_member_number(fn, "line"));
        ps_output_fact_name(out, "defined at", place.ptr);
    }
    if (!isnan(calls))
        ps_output_fact_value(out, word, calls, "");
    if (primitive < calls || primitive > calls)
        ps_output_fact_value(out,
                             strcmp(word, "calls") == 0 ? "calls that were not recursive"
                                                        : "samples with it innermost",
                             primitive, "");
    ps_output_fact_value(out, "self time", ps_member_number(fn, "tottime_s"), "s");
    ps_output_fact_value(out, "self time, of the profile", ps_member_number(fn, "self_pct"), "%");
    ps_output_fact_value(out, "total time", ps_member_number(fn, "cumtime_s"), "s");
    ps_output_fact_value(out, "total time, of the profile", ps_member_number(fn, "cum_pct"), "%");
}

static enum ps_status explore_calls(const struct ps_explored *x, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *matches = NULL;
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    char view[64], route[64];
    const cJSON *fn;

    if (ps_explore_find(x, "functions", "cumtime_s", &matches, err) != PS_OK)
        return err->code;
    (void)snprintf(view, sizeof view, "functions/%.0f", ps_cell_number(matches, 0, "id"));
    (void)snprintf(route, sizeof route, "functions?fn=%.0f", ps_cell_number(matches, 0, "id"));
    if (ps_ask_view(x->call, x->id, view, "limit=200", &answer, err) != PS_OK)
        return err->code;
    fn = ps_member(answer, "fn");
    ps_explore_begin(x, route, ps_member_text(fn, "name"), matches, "name");
    add_function_facts(x, fn);
    add_neighbours(x, "callers (time of the calls from them)", ps_member(answer, "callers"),
                   ps_member_number(answer, "callers_total"));
    add_neighbours(x, "callees (time of the calls to them)", ps_member(answer, "callees"),
                   ps_member_number(answer, "callees_total"));
    ps_explore_add_source(x, ps_member_text(fn, "file"), ps_member_number(fn, "line"));
    return PS_OK;
}

/* --- Import logs --- */

static void add_chain(struct ps_output *out, const cJSON *chain)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const cJSON *step;
    size_t n = 0;

    ps_buf_puts(&text, "Imported by: ");
    cJSON_ArrayForEach(step, chain)
    {
        ps_buf_puts(&text, n++ ? " > " : "");
        ps_output_quote(&text, ps_member_text(step, "module"));
    }
    ps_output_paragraph(out, &text);
}

static void add_children(struct ps_output *out, const cJSON *answer, double whole)
{
    static const struct ps_output_column columns[] = {
        {"cumulative time", "us", PS_NUMBER},
        {"% of the module's cumulative", "%", PS_NUMBER},
        {"self time", "us", PS_NUMBER},
        {"module", "", PS_WORDS}};
    const cJSON *children = ps_member(answer, "children"), *child;

    if (cJSON_GetArraySize(children) == 0)
        return;
    ps_output_table(out, "imports directly below", columns, 4);
    cJSON_ArrayForEach(child, children)
    {
        ps_output_value(out, ps_member_number(child, "cumulative_us"), "us");
        ps_output_percent(out,
                          whole > 0 ? 100 * ps_member_number(child, "cumulative_us") / whole : NAN);
        ps_output_value(out, ps_member_number(child, "self_us"), "us");
        ps_output_name(out, ps_member_text(child, "module"));
        ps_output_row_end(out);
    }
    ps_output_table_end(out, cJSON_GetArraySize(children) +
                                 ps_member_number(ps_member(answer, "rest"), "count"));
}

static void add_importers(struct ps_output *out, const cJSON *answer)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const cJSON *again = ps_member(answer, "again"), *item;
    int n = 0;

    cJSON_ArrayForEach(item, again)
    {
        if (n++ >= 10)
            break;
        ps_buf_puts(&text, n > 1 ? ", " : "Also imported by: ");
        ps_output_quote(&text, ps_member_text(item, "importer"));
    }
    if (cJSON_GetArraySize(again) > 10)
        ps_buf_printf(&text, " and %d more", cJSON_GetArraySize(again) - 10);
    if (n == 0 && !cJSON_IsTrue(ps_member(answer, "asked")))
        ps_buf_puts(&text, "The log does not say which other modules import it.");
    ps_output_paragraph(out, &text);
}

/* --- Packages of import logs --- */

static enum ps_status ask_package(const struct ps_explored *x, const char *package, cJSON **out,
                                  struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    ps_buf_puts(&path, "runs");
    ps_url_add_segment(&path, x->id);
    ps_buf_puts(&path, "/imports?sort=self_us&desc=1");
    ps_url_add_param(&path, "package", package);
    ps_url_add_int(&path, "limit", x->call->out->max_rows);
    return ps_ask(x->call, &path, out, err);
}

/* Writes the modules of a package with most self time; nothing for a package of one module. */
static enum ps_status add_package(const struct ps_explored *x, const char *package,
                                  struct ps_err *err)
{
    static const struct ps_output_column columns[] = {
        {"self time", "us", PS_NUMBER},
        {"% of the package's self time", "%", PS_NUMBER},
        {"module", "", PS_WORDS}};
    PS_AUTO(ps_json_free) cJSON *page = NULL;
    struct ps_output *out = x->call->out;
    double whole;

    if (ask_package(x, package, &page, err) != PS_OK || ps_count_rows(page) < 2)
        return err->code;
    whole = ps_member_number(ps_member(page, "sums"), "self_us");
    ps_output_fact_name(out, "package", package);
    ps_output_fact_value(out, "modules of the package", ps_member_number(page, "total"), "");
    ps_output_fact_value(out, "self time of the package", whole, "us");
    ps_output_table(out, "modules of the package", columns, 3);
    for (int row = 0; row < ps_count_rows(page); row++) {
        const double self = ps_cell_number(page, row, "self_us");

        ps_output_value(out, self, "us");
        ps_output_percent(out, whole > 0 ? 100 * self / whole : NAN);
        ps_output_name(out, ps_cell_text(page, row, "module"));
        ps_output_row_end(out);
    }
    ps_output_table_end(out, ps_member_number(page, "total"));
    return PS_OK;
}

static enum ps_status explore_import(const struct ps_explored *x, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *matches = NULL;
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    struct ps_output *out = x->call->out;
    char view[64], route[64];
    const cJSON *row;

    if (ps_explore_find(x, "imports", "cumulative_us", &matches, err) != PS_OK)
        return err->code;
    (void)snprintf(view, sizeof view, "imports/%.0f", ps_cell_number(matches, 0, "id"));
    (void)snprintf(route, sizeof route, "imports?sel=%.0f", ps_cell_number(matches, 0, "id"));
    if (ps_ask_view(x->call, x->id, view, NULL, &answer, err) != PS_OK)
        return err->code;
    row = ps_member(answer, "row");
    ps_explore_begin(x, route, ps_member_text(row, "module"), matches, "module");
    ps_output_fact_value(out, "cumulative time", ps_member_number(row, "cumulative_us"), "us");
    ps_output_fact_value(out, "self time", ps_member_number(row, "self_us"), "us");
    ps_output_fact(out, "origin", "%s%s", ps_member_text(row, "origin"),
                   ps_member_number(row, "startup") > 0 ? ", imported by Python itself" : "");
    add_chain(out, ps_member(answer, "chain"));
    add_importers(out, answer);
    add_children(out, answer, ps_member_number(row, "cumulative_us"));
    if (strcmp(ps_member_text(row, "module"), ps_member_text(row, "package")) == 0)
        return add_package(x, ps_member_text(row, "package"), err);
    return PS_OK;
}

/* --- Source lines --- */

/* The columns of the view source that hold numbers, as the profilers name them. */
struct line_column {
    const char *key, *title, *unit;
};

static const struct line_column line_columns[] = {
    {"ticks", "time", "s"},
    {"hits", "hits", ""},
    {"increment_mib", "increment", "MiB"},
    {"mem_mib", "memory after", "MiB"},
    {"cpu_python_pct", "% of samples, Python", "%"},
    {"cpu_native_pct", "% of samples, native", "%"},
    {"cpu_system_pct", "% of samples, not running", "%"},
    {"malloc_mib", "allocated", "MiB"},
    {"leak_pct", "leaks, likelihood", "%"},
    {"leak_most_mib_s", "leaks at most", "MiB/s"},
};
#define N_LINE_COLUMNS (sizeof line_columns / sizeof *line_columns)

static const char *text_of_line(const cJSON *source, double line)
{
    const char *text = cJSON_GetStringValue(cJSON_GetArrayItem(
        ps_member(source, "text"), ps_to_index(line - ps_member_number(source, "first"))));

    return text ? text : "";
}

/* Reads an array of the view source, whose missing elements are NaN. The caller frees it. */
static double *read_column(const cJSON *source, const char *key, size_t n)
{
    double *out = ps_alloc_array(n + 1, sizeof *out);
    const cJSON *item = cJSON_GetArrayItem(ps_member(source, key), 0);

    for (size_t i = 0; i < n; i++) {
        out[i] = cJSON_IsNumber(item) ? item->valuedouble : NAN;
        item = item ? item->next : NULL;
    }
    return out;
}

/* The arrays of the view source: of each row its line, its function, and what was measured. */
struct source_rows {
    size_t n, n_used;
    const struct line_column *used[N_LINE_COLUMNS];
    double *values[N_LINE_COLUMNS], *line, *function;
    double unit_s; /* of ticks */
};

static void read_source_rows(const cJSON *source, struct source_rows *out)
{
    *out = (struct source_rows){.n = (size_t)cJSON_GetArraySize(ps_member(source, "line")),
                                .unit_s = ps_member_number(source, "unit_s")};
    out->line = read_column(source, "line", out->n);
    out->function = read_column(source, "fn", out->n);
    for (size_t i = 0; i < N_LINE_COLUMNS; i++) {
        if (!ps_member(source, line_columns[i].key))
            continue;
        out->values[out->n_used] = read_column(source, line_columns[i].key, out->n);
        out->used[out->n_used++] = &line_columns[i];
    }
}

static void free_source_rows(struct source_rows *rows)
{
    free(rows->line);
    free(rows->function);
    for (size_t i = 0; i < rows->n_used; i++)
        free(rows->values[i]);
}

static void add_line(struct ps_output *out, const struct source_rows *rows, size_t row,
                     const char *text)
{
    ps_output_value(out, rows->line[row], "");
    for (size_t i = 0; i < rows->n_used; i++) {
        const bool is_ticks = strcmp(rows->used[i]->key, "ticks") == 0;

        ps_output_value(out, rows->values[i][row] * (is_ticks ? rows->unit_s : 1),
                        rows->used[i]->unit);
    }
    ps_output_name(out, text);
    ps_output_row_end(out);
}

static void add_lines(struct ps_output *out, const cJSON *source, double function)
{
    PS_AUTO(free_source_rows) struct source_rows rows;
    struct ps_output_column columns[N_LINE_COLUMNS + 2] = {{"line", "", PS_NUMBER}};
    int total = 0;

    read_source_rows(source, &rows);
    for (size_t i = 0; i < rows.n_used; i++)
        columns[i + 1] =
            (struct ps_output_column){rows.used[i]->title, rows.used[i]->unit, PS_NUMBER};
    columns[rows.n_used + 1] = (struct ps_output_column){"source", "", PS_WORDS};
    ps_output_table(out, "source lines", columns, rows.n_used + 2);
    for (size_t row = 0; row < rows.n; row++) {
        if (rows.function[row] != function)
            continue;
        total++;
        if (ps_output_has_room(out))
            add_line(out, &rows, row, text_of_line(source, rows.line[row]));
    }
    ps_output_table_end(out, total);
}

static enum ps_status explore_lines(const struct ps_explored *x, const char *sort,
                                    struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *matches = NULL;
    PS_AUTO(ps_json_free) cJSON *source = NULL;
    struct ps_output *out = x->call->out;
    char params[64], route[80];

    if (ps_explore_find(x, "line_functions", sort, &matches, err) != PS_OK)
        return err->code;
    (void)snprintf(params, sizeof params, "file=%.0f", ps_cell_number(matches, 0, "file_id"));
    (void)snprintf(route, sizeof route, "lines?file=%.0f&fn=%.0f",
                   ps_cell_number(matches, 0, "file_id"), ps_cell_number(matches, 0, "id"));
    if (ps_ask_view(x->call, x->id, "source", params, &source, err) != PS_OK)
        return err->code;
    ps_explore_begin(x, route, ps_cell_text(matches, 0, "function"), matches, "function");
    ps_output_fact_name(out, "file", ps_cell_text(matches, 0, "file"));
    if (ps_cell_number(matches, 0, "time_s") > 0)
        ps_output_fact_value(out, "time", ps_cell_number(matches, 0, "time_s"), "s");
    if (!isnan(ps_cell_number(matches, 0, "increment_mib")))
        ps_output_fact_value(out, "growth by its calls",
                             ps_cell_number(matches, 0, "increment_mib"), "MiB");
    add_lines(out, source, ps_cell_number(matches, 0, "id"));
    return PS_OK;
}

/* Lines of Scalene, and stacks of allocations. Functions without a sample are only in these. */
static enum ps_status explore_cpu_lines(const struct ps_explored *x, struct ps_err *err)
{
    struct ps_err none = PS_ERR_INIT;

    if (explore_lines(x, "cpu", &none) == PS_OK)
        return ps_explore_allocations(x, err);
    if (none.code == PS_NOT_FOUND && ps_member(ps_member(x->run, "summary"), "byte_stacks"))
        return ps_explore_stacks(x, err);
    return ps_fail_copy(err, &none);
}

enum ps_status ps_tool_explore(struct ps_tool_call *call, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *run = NULL;
    struct ps_explored x = {.call = call, .name = ps_arg_text(call, "name")};
    const char *kind;
    bool is_found = false;

    if (ps_ask_run(call, &run, err) != PS_OK)
        return err->code;
    if (!x.name[0])
        return ps_fail(err, PS_BAD_REQUEST, "the argument name is empty");
    x.run = run;
    x.id = ps_member_text(run, "id");
    kind = ps_member_text(run, "kind");
    if (ps_kind_has(kind, PS_HAS_REQUESTS) &&
        (ps_explore_request(&x, ps_kind_has(kind, PS_HAS_SLICES), &is_found, err) != PS_OK ||
         is_found))
        return err->code;
    if (ps_kind_has(kind, PS_HAS_CALLS))
        return explore_calls(&x, err);
    if (ps_kind_has(kind, PS_HAS_IMPORTS))
        return explore_import(&x, err);
    if (ps_kind_has(kind, PS_HAS_SLICES))
        return ps_explore_trace(&x, err);
    if (ps_kind_has(kind, PS_HAS_LINE_TIMES))
        return explore_lines(&x, "time_s", err);
    if (ps_kind_has(kind, PS_HAS_LINE_MEMORY))
        return explore_lines(&x, "increment_mib", err);
    if (ps_kind_has(kind, PS_HAS_LINE_CPU))
        return explore_cpu_lines(&x, err);
    if (ps_kind_has(kind, PS_HAS_STACKS))
        return ps_explore_stacks(&x, err);
    if (ps_kind_has(kind, PS_HAS_REQUESTS))
        return ps_fail(err, PS_NOT_FOUND,
                       "no request of the run has the name %.100s" PS_HINT
                       "name its number, or `worst request`",
                       x.name);
    return ps_fail(err, PS_BAD_REQUEST,
                   "runs of kind %.30s have rows without callers" PS_HINT
                   "call hot with search to see a row",
                   kind);
}
