/* SPDX-License-Identifier: MIT */
/* answer.h: reads the answers of the API (docs/api.md). */
#ifndef PS_TEXT_ANSWER_H
#define PS_TEXT_ANSWER_H

#include <cjson/cJSON.h>

#include "base/err.h"
#include "base/str.h"

/* Does nothing if err contains a failure already. PS_INTERNAL: it is not JSON. */
enum ps_status ps_answer_parse(struct ps_str answer, cJSON **out, struct ps_err *err);
void ps_json_free(cJSON **tree); /* for PS_AUTO */

/* Members of an object: a text, "" if it is absent; a number, NaN if it is absent or null. */
const char *ps_member_text(const cJSON *object, const char *key);
double ps_member_number(const cJSON *object, const char *key);
double ps_member_or_0(const cJSON *object, const char *key); /* 0 if it is absent or null */
const cJSON *ps_member(const cJSON *object, const char *key);
/* The number as an index of an array; -1 if it is none. cJSON_GetArrayItem has no element -1. */
int ps_to_index(double value);

/* The cell of a column in a row of a table of the API, {"columns","rows"}; NULL if there is none.
 */
const cJSON *ps_cell(const cJSON *table, int row, const char *column);
const char *ps_cell_text(const cJSON *table, int row, const char *column);
double ps_cell_number(const cJSON *table, int row, const char *column); /* NaN if there is none */
int ps_count_rows(const cJSON *table);

/* Whether a unit of the API is one of time, where more is slower. */
bool ps_is_unit_of_time(const char *unit);

#endif
