/* SPDX-License-Identifier: MIT */
#include "server/cli/commands/comparison.h"

#include "base/json_out.h"
#include "base/json_span.h"
#include "server/agent/agent.h"

#include <stdio.h>
#include <string.h>

#define ROWS_MAX 1000 /* maximum number of rows in one response of the API */

/* Appends the path "compare" or, for a table, "compare/OF", with both groups as parameters. */
static void add_path(const struct ps_cli_comparison *compared, const char *of, struct ps_buf *path)
{
    ps_buf_puts(path, "compare");
    if (of)
        ps_url_add_segment(path, of);
    ps_url_add_param(path, "new", compared->new_runs);
    ps_url_add_param(path, "base", compared->base_runs);
    ps_url_add_param(path, "step", compared->step);
    ps_url_add_param(path, "sample_type", compared->sample_type);
}

enum ps_status ps_cli_compare(struct ps_cli_comparison *compared, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    add_path(compared, NULL, &path);
    ps_url_add_param(&path, "metric", compared->metric);
    ps_url_add_param(&path, "same", compared->same);
    ps_client_get(compared->client, path.ptr, &compared->text, err);
    return ps_answer_parse(ps_buf_slice(&compared->text), &compared->response, err);
}

void ps_cli_comparison_close(struct ps_cli_comparison *compared)
{
    ps_buf_free(&compared->text);
    cJSON_Delete(compared->response);
    *compared = (struct ps_cli_comparison){0};
}

enum ps_status ps_cli_read_rows(const struct ps_cli_comparison *compared, const cJSON *table,
                                const cJSON *metric, const char *name, unsigned limit, cJSON **out,
                                struct ps_err *err)
{
    return ps_cli_read_sorted_rows(compared, table, metric, name, NULL, limit, out, err);
}

enum ps_status ps_cli_read_rows_options(const struct ps_options *options, const cJSON *table,
                                        const cJSON *metric, unsigned *rows, char sort[80],
                                        struct ps_err *err)
{
    const cJSON *column = NULL;
    int64_t n = *rows;
    sort[0] = '\0';
    if (err->code != PS_OK)
        return err->code;
    if (options->rows &&
        (!ps_str_parse_i64(ps_str_from_c(options->rows), &n) || n < 1 || n > ROWS_MAX))
        return ps_fail(err, PS_BAD_REQUEST,
                       "invalid value '%s' for --rows: not a whole number from 1 to %d",
                       options->rows, ROWS_MAX);
    *rows = (unsigned)n;
    if (options->sort && strcmp(options->sort, "name") == 0)
        (void)snprintf(sort, 80, "name");
    else if (options->sort && ps_choose_metric(table, options->sort, &column, err) != PS_OK)
        return err->code;
    else if (options->sort && column != metric)
        (void)snprintf(sort, 80, "median_%.60s", ps_member_text(column, "metric"));
    return PS_OK;
}

enum ps_status ps_cli_read_sorted_rows(const struct ps_cli_comparison *compared, const cJSON *table,
                                       const cJSON *metric, const char *name, const char *sort,
                                       unsigned limit, cJSON **out, struct ps_err *err)
{
    char limit_text[24];
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    (void)snprintf(limit_text, sizeof limit_text, "%u", limit);
    add_path(compared, ps_member_text(table, "of"), &path);
    ps_url_add_param(&path, "metric", ps_member_text(metric, "metric"));
    ps_url_add_param(&path, "per", compared->per);
    ps_url_add_param(&path, "limit", limit_text);
    ps_url_add_param(&path, "name", name);
    ps_url_add_param(&path, "sort", sort);
    ps_url_add_param(&path, "desc", sort && strcmp(sort, "name") == 0 ? "0" : NULL);
    return ps_client_read(compared->client, path.ptr, out, err);
}

enum ps_status ps_cli_conclusion(const struct ps_cli_comparison *compared, cJSON **out,
                                 struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    add_path(compared, "conclusion", &path);
    return ps_client_read(compared->client, path.ptr, out, err);
}

enum ps_status ps_cli_append_comparison_json(const struct ps_cli_comparison *compared,
                                             const cJSON *table, const cJSON *metric,
                                             struct ps_buf *out, struct ps_err *err)
{
    static const char *const members[] = {"base", "new", "environment", "headline"};
    const char *of = ps_member_text(table, "of"), *name = ps_member_text(metric, "metric");
    const cJSON *offered = ps_member(table, "per");
    const char *per =
        compared->per ? compared->per : cJSON_GetStringValue(cJSON_GetArrayItem(offered, 0));
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf rows = {0};
    struct ps_json json = ps_json_writer(out);
    add_path(compared, of, &path);
    ps_url_add_param(&path, "metric", name);
    ps_url_add_param(&path, "per", per);
    ps_url_add_param(&path, "format", "rows");
    if (ps_client_get(compared->client, path.ptr, &rows, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        ps_json_key(&json, members[i]);
        ps_json_raw(&json, ps_json_member(ps_buf_slice(&compared->text), members[i]));
    }
    ps_json_key_str(&json, "of", of);
    ps_json_key_str(&json, "metric", name);
    ps_json_key_str(&json, "per", per);
    ps_json_key_str(&json, "unit", ps_member_text(metric, "unit"));
    ps_json_key(&json, "rows");
    ps_json_raw(&json, ps_buf_slice(&rows));
    ps_json_end(&json);
    ps_buf_puts(out, "\n");
    return PS_OK;
}

bool ps_cli_pairs_requests(const struct ps_cli_comparison *compared)
{
    const cJSON *picture;
    cJSON_ArrayForEach(picture, ps_member(compared->response, "pictures"))
    {
        if (strcmp(cJSON_GetStringValue(picture), "requests") == 0)
            return true;
    }
    return false;
}

static enum ps_status read_pairs(const struct ps_cli_comparison *compared, const char *path,
                                 unsigned limit, cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    static const char *const groups[] = {"base", "new"};
    ps_buf_puts(&text, path);
    for (int i = 0; i < 2; i++)
        ps_url_add_param(
            &text, groups[i],
            ps_member_text(cJSON_GetArrayItem(ps_member(compared->response, groups[i]), 0), "id"));
    if (limit)
        ps_url_add_int(&text, "limit", limit);
    return ps_client_read(compared->client, text.ptr, out, err);
}

enum ps_status ps_cli_add_request_pairs(const struct ps_cli_comparison *compared,
                                        struct ps_output *out, unsigned rows, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *summary = NULL;
    PS_AUTO(ps_json_free) cJSON *page = NULL;
    if (!ps_cli_pairs_requests(compared))
        return PS_OK;
    if (read_pairs(compared, "compare/requests/summary", 0, &summary, err) != PS_OK)
        return err->code;
    ps_text_request_pairs(out, summary);
    if (rows == 0 || ps_member_text(summary, "no_pairs")[0])
        return PS_OK;
    if (read_pairs(compared, "compare/requests", rows, &page, err) != PS_OK)
        return err->code;
    ps_text_request_pair_rows(out, page);
    return PS_OK;
}
