/* SPDX-License-Identifier: MIT */
/* explore_shared.c: code of the tool explore for all kinds of runs: finding a row, writing the
 * beginning of an answer, and reading source lines. */
#include <string.h>

#include "server/agent/explore.h"

#define SOURCE_LINES 12
#define MATCHES_MAX  4

/* --- Finding a row --- */

/* Appends a regular expression for rows with exactly this name, or with this name and a place
 * behind it: "fit (app.py)", "fit (app.py:12)". */
static void add_exact_pattern(struct ps_buf *pattern, const char *name)
{
    ps_buf_puts(pattern, "^");
    for (const char *at = name; *at; at++) {
        ps_buf_puts(pattern, strchr("\\^$.*+?()[]{}|/", *at) ? "\\" : "");
        ps_buf_add(pattern, at, 1);
    }
    ps_buf_puts(pattern, "($| [(\\[])");
}

static enum ps_status ask_matches(const struct ps_explored *x, const char *view, const char *sort,
                                  bool exact, cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf pattern = {0};

    ps_buf_puts(&path, "runs");
    ps_url_add_segment(&path, x->id);
    ps_buf_printf(&path, "/%s?limit=%d&desc=1&sort=%s", view, MATCHES_MAX, sort);
    if (exact)
        add_exact_pattern(&pattern, x->name);
    ps_url_add_param(&path, "q", exact ? pattern.ptr : x->name);
    ps_url_add_param(&path, "regex", exact ? "1" : NULL);
    ps_url_add_param(&path, "sample_type", ps_arg_text(x->call, "sample_type"));
    return ps_ask(x->call, &path, out, err);
}

enum ps_status ps_explore_find(const struct ps_explored *x, const char *view, const char *sort,
                               cJSON **out, struct ps_err *err)
{
    if (ask_matches(x, view, sort, true, out, err) != PS_OK)
        return err->code;
    if (ps_count_rows(*out) == 0) {
        ps_json_free(out);
        if (ask_matches(x, view, sort, false, out, err) != PS_OK)
            return err->code;
    }
    if (ps_count_rows(*out) > 0)
        return PS_OK;
    return ps_fail(err, PS_NOT_FOUND,
                   "no row of the run has the name %.100s" PS_HINT "hot with search lists names",
                   x->name);
}

void ps_explore_begin(const struct ps_explored *x, const char *route, const char *found,
                      const cJSON *matches, const char *column)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const double total = ps_member_number(matches, "total");

    ps_begin_run(x->call, "explore", x->run, route);
    ps_output_fact_name(x->call->out, "explored", found);
    if (!(total > 1))
        return;
    ps_buf_printf(&text, "%.0f rows match; this one has most. Others: ", total);
    for (int row = 1; row < ps_count_rows(matches); row++) {
        ps_buf_puts(&text, row > 1 ? ", " : "");
        ps_output_quote(&text, ps_cell_text(matches, row, column));
    }
    ps_output_paragraph(x->call->out, &text);
}

/* --- Source --- */

static void add_source_rows(struct ps_output *out, const cJSON *source, double line)
{
    static const struct ps_output_column columns[] = {{"line", "", PS_NUMBER},
                                                      {"source", "", PS_WORDS}};
    const cJSON *text = ps_member(source, "text");
    const int first = ps_to_index(line - ps_member_number(source, "first"));
    int shown = 0;

    ps_output_table(out, "source lines", columns, 2);
    for (int i = first; i >= 0 && shown < SOURCE_LINES; i++, shown++) {
        const cJSON *row = cJSON_GetArrayItem(text, i);

        if (!cJSON_IsString(row))
            break;
        ps_output_value(out, line + shown, "");
        ps_output_name(out, row->valuestring);
        ps_output_row_end(out);
    }
    ps_output_table_end(out, shown);
}

void ps_explore_add_source(const struct ps_explored *x, const char *path, double line)
{
    PS_AUTO(ps_buf_free) struct ps_buf target = {0};
    PS_AUTO(ps_json_free) cJSON *source = NULL;

    if (!path[0] || strcmp(path, "~") == 0 || !(line > 0))
        return;
    ps_buf_puts(&target, "runs");
    ps_url_add_segment(&target, x->id);
    ps_buf_puts(&target, "/source");
    ps_url_add_param(&target, "path", path);
    /* most runs have no sources: the answer is complete without them */
    if (ps_ask(x->call, &target, &source, PS_ERR_IGNORED) == PS_OK &&
        cJSON_GetArraySize(ps_member(source, "text")) > 0)
        add_source_rows(x->call->out, source, line);
}

const char *ps_explore_count_word(const struct ps_explored *x, const char *of_samples)
{
    return ps_member_number(ps_member(x->run, "summary"), "sampled") > 0 ? of_samples : "calls";
}
