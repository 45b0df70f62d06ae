/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "server/text/answer.h"

enum ps_status ps_answer_parse(struct ps_str answer, cJSON **out, struct ps_err *err)
{
    *out = err->code == PS_OK ? cJSON_ParseWithLength(answer.ptr, answer.len) : NULL;
    if (err->code != PS_OK || *out)
        return err->code;
    return ps_fail(err, PS_INTERNAL,
                   "the shelf sent an answer that is not JSON" PS_HINT
                   "if you use --server, check that it is the URL of a perfshelf server");
}

void ps_json_free(cJSON **tree)
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

double ps_member_or_0(const cJSON *object, const char *key)
{
    const cJSON *value = ps_member(object, key);

    return cJSON_IsNumber(value) ? value->valuedouble : 0;
}

int ps_to_index(double value)
{
    return value >= 0 && value <= 1e9 ? (int)value : -1;
}

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

bool ps_is_unit_of_time(const char *unit)
{
    return strcmp(unit, "s") == 0 || strcmp(unit, "us") == 0 || strcmp(unit, "ns") == 0;
}
