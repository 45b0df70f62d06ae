/* SPDX-License-Identifier: MIT */
/* ask.c: sends requests to the API, and reads the members of its responses. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "server/agent/tools.h"
#include "server/http/url.h"

void ps_tree_free(cJSON **tree)
{
    cJSON_Delete(*tree);
    *tree = NULL;
}

const cJSON *ps_member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

const char *ps_member_text(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(ps_member(object, key));

    return text ? text : "";
}

double ps_member_number(const cJSON *object, const char *key)
{
    const cJSON *value = ps_member(object, key);

    return cJSON_IsNumber(value) ? value->valuedouble : NAN;
}

int ps_to_index(double value)
{
    return value >= 0 && value <= 1e9 ? (int)value : -1;
}

/* --- Arguments --- */

const char *ps_arg_text(const struct ps_tool_call *call, const char *name)
{
    return cJSON_GetStringValue(ps_member(call->arguments, name));
}

double ps_arg_number(const struct ps_tool_call *call, const char *name, double fallback)
{
    const cJSON *value = ps_member(call->arguments, name);

    return cJSON_IsNumber(value) ? value->valuedouble : fallback;
}

/* --- Questions --- */

void ps_ask_segment(struct ps_buf *path, const char *segment)
{
    ps_buf_puts(path, path->len ? "/" : "");
    ps_url_escape(path, segment);
}

void ps_ask_param(struct ps_buf *path, const char *key, const char *value)
{
    if (!value)
        return;
    ps_buf_printf(path, "%c%s=", memchr(path->ptr, '?', path->len) ? '&' : '?', key);
    ps_url_escape(path, value);
}

void ps_ask_param_int(struct ps_buf *path, const char *key, int64_t value)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%lld", (long long)value);
    ps_ask_param(path, key, text);
}

enum ps_status ps_ask(const struct ps_tool_call *call, const struct ps_buf *path, cJSON **out,
                      struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};

    if (err->code != PS_OK || call->agent->ask(call->agent->user, "GET", path->ptr,
                                               (struct ps_str){NULL, 0}, &answer, err) != PS_OK)
        return err->code;
    *out = cJSON_ParseWithLength(answer.ptr, answer.len);
    return *out ? PS_OK : ps_fail(err, PS_INTERNAL, "the shelf sent an answer that is not JSON");
}

enum ps_status ps_ask_run(const struct ps_tool_call *call, cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    const char *run = ps_arg_text(call, "run");

    if (!run || !run[0])
        return ps_fail(err, PS_BAD_REQUEST,
                       "the argument run is empty" PS_HINT "list_runs lists the runs");
    ps_buf_puts(&path, "runs");
    ps_ask_segment(&path, run);
    return ps_ask(call, &path, out, err);
}

enum ps_status ps_ask_view(const struct ps_tool_call *call, const char *id, const char *view,
                           const char *params, cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    ps_buf_puts(&path, "runs");
    ps_ask_segment(&path, id);
    ps_buf_printf(&path, "/%s%s%s", view, params ? "?" : "", params ? params : "");
    return ps_ask(call, &path, out, err);
}

/* --- Tables --- */

int ps_count_rows(const cJSON *table)
{
    return cJSON_GetArraySize(ps_member(table, "rows"));
}

const cJSON *ps_cell(const cJSON *table, int row, const char *column)
{
    const cJSON *name;
    int index = 0;

    cJSON_ArrayForEach(name, ps_member(table, "columns"))
    {
        if (cJSON_IsString(name) && strcmp(name->valuestring, column) == 0)
            return cJSON_GetArrayItem(cJSON_GetArrayItem(ps_member(table, "rows"), row), index);
        index++;
    }
    return NULL;
}

const char *ps_cell_text(const cJSON *table, int row, const char *column)
{
    const char *text = cJSON_GetStringValue(ps_cell(table, row, column));

    return text ? text : "";
}

double ps_cell_number(const cJSON *table, int row, const char *column)
{
    const cJSON *cell = ps_cell(table, row, column);

    return cJSON_IsNumber(cell) ? cell->valuedouble : NAN;
}

void ps_add_place(struct ps_buf *text, const char *name, const char *place)
{
    ps_output_quote(text, name);
    if (!place[0] || strcmp(place, "~") == 0)
        return;
    ps_buf_puts(text, " ");
    ps_output_quote(text, place);
}
