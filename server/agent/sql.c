/* SPDX-License-Identifier: MIT */
/* sql.c: the tool sql: one statement that only reads, with the limits of POST sql. */
#include <stdio.h>
#include <string.h>

#include "server/agent/tools.h"

#define COLUMNS_MAX 200 /* of a statement, by the limits of the API */

static void write_question(const struct ps_tool_call *call, struct ps_buf *body)
{
    struct ps_json json = ps_json_writer(body);
    const char *run = ps_arg_text(call, "run");
    const cJSON *runs = ps_member(call->arguments, "runs"), *item;

    ps_json_object(&json);
    ps_json_key_str(&json, "sql", ps_arg_text(call, "sql"));
    if (run)
        ps_json_key_str(&json, "run", run);
    if (!run || runs) {
        ps_json_key(&json, "runs");
        ps_json_array(&json);
        cJSON_ArrayForEach(item, runs) ps_json_str(&json, ps_str_from_c(item->valuestring));
        ps_json_end(&json);
    }
    /* one more row than is shown tells that there are more */
    ps_json_key_int(&json, "limit", call->out->max_rows + 1);
    ps_json_key_int(&json, "seconds", 10);
    ps_json_end(&json);
}

/* Appends JSON with its integers of more than 15 digits as strings: cJSON reads numbers as doubles.
 */
static void quote_long_integers(struct ps_str json, struct ps_buf *out)
{
    bool in_string = false;

    for (size_t i = 0; i < json.len; i++) {
        size_t n = json.ptr[i] == '-';

        if (in_string && json.ptr[i] == '\\')
            ps_buf_add(out, json.ptr + i++, 1);
        else if (json.ptr[i] == '"')
            in_string = !in_string;
        while (!in_string && i + n < json.len && strchr("0123456789.eE+-", json.ptr[i + n]))
            n++;
        if (n > 15 && !memchr(json.ptr + i, '.', n) && !memchr(json.ptr + i, 'e', n))
            ps_buf_printf(out, "\"%.*s\"", (int)n, json.ptr + i);
        else
            ps_buf_add(out, json.ptr + i, n ? n : 1);
        i += n ? n - 1 : 0;
    }
}

static enum ps_status ask_sql(const struct ps_tool_call *call, cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf body = {0};
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};

    PS_AUTO(ps_buf_free) struct ps_buf exact = {0};

    write_question(call, &body);
    if (call->agent->ask(call->agent->user, "POST", "sql", ps_buf_slice(&body), &answer, err) !=
        PS_OK)
        return err->code;
    quote_long_integers(ps_buf_slice(&answer), &exact);
    return ps_answer_parse(ps_buf_slice(&exact), out, err);
}

static void add_cell(struct ps_output *out, const char *type, const cJSON *cell)
{
    const bool is_integer = strcmp(type, "integer") == 0;

    if (cJSON_IsString(cell) && is_integer) {
        struct ps_buf digits = {.ptr = cell->valuestring, .len = strlen(cell->valuestring)};

        ps_output_cell(out, &digits);
    } else if (cJSON_IsNumber(cell) && is_integer) {
        ps_output_value(out, cell->valuedouble, "");
    } else if (cJSON_IsNumber(cell)) {
        ps_output_exact(out, cell->valuedouble);
    } else {
        ps_output_name(out, cJSON_GetStringValue(cell));
    }
}

static void add_result(struct ps_output *out, const cJSON *answer)
{
    PS_AUTO(ps_arena_free) struct ps_arena arena = {0};
    const cJSON *columns = ps_member(answer, "columns"), *rows = ps_member(answer, "rows"), *item,
                *row;
    const int n_rows = cJSON_GetArraySize(rows);
    struct ps_output_column *heads = ps_arena_alloc(&arena, COLUMNS_MAX * sizeof *heads);
    const bool is_cut =
        strcmp(ps_member_text(answer, "cut"), "rows") == 0 || n_rows > (int)out->max_rows;
    size_t n = 0;

    cJSON_ArrayForEach(item, columns)
    {
        PS_AUTO(ps_buf_free) struct ps_buf title = {0};
        const char *type = ps_member_text(item, "type");

        if (n == COLUMNS_MAX)
            break;
        ps_output_quote(&title, ps_member_text(item, "name"));
        heads[n++] =
            (struct ps_output_column){ps_arena_copy(&arena, ps_buf_slice(&title)).ptr, "",
                                      strcmp(type, "integer") == 0 || strcmp(type, "real") == 0};
    }
    ps_output_table(out, "result", heads, n);
    cJSON_ArrayForEach(row, rows)
    {
        const cJSON *column = columns ? columns->child : NULL;

        cJSON_ArrayForEach(item, row)
        {
            add_cell(out, ps_member_text(column, "type"), item);
            column = column ? column->next : NULL;
        }
        ps_output_row_end(out);
    }
    /* the last row only shows that there are more */
    ps_output_table_end(out, is_cut ? n_rows - 1 : n_rows);
    if (is_cut)
        ps_output_text(out, "There are more rows than max_rows %u; count(*) counts them.",
                       out->max_rows);
    else if (ps_member_text(answer, "cut")[0])
        ps_output_text(out, "The result is not complete: limit of %s.",
                       ps_member_text(answer, "cut"));
}

enum ps_status ps_tool_sql(struct ps_tool_call *call, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *run = NULL;
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    const char *name = ps_arg_text(call, "run");

    if (name && ps_member(call->arguments, "runs"))
        return ps_fail(err, PS_BAD_REQUEST, "run and runs cannot be combined");
    if ((name && ps_ask_run(call, &run, err) != PS_OK) || ask_sql(call, &answer, err) != PS_OK)
        return err->code;
    if (run) {
        ps_begin_run(call, "sql", run, "sql");
    } else {
        ps_output_begin(call->out, "sql");
        ps_output_link(call->out, "#/sql");
    }
    add_result(call->out, answer);
    return PS_OK;
}
