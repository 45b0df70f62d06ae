/* SPDX-License-Identifier: MIT */
/* time_format.h: times as ISO 8601. */
#ifndef PS_QUERY_TIME_FORMAT_H
#define PS_QUERY_TIME_FORMAT_H

#include "base/json_out.h"

/* Format a time, in ms since 1970 UTC, as ISO 8601: "2026-11-20T14:02:11.120Z". ps_time_format
 * returns `out`. */
char *ps_time_format(int64_t ms, char out[40]);
void ps_json_time(struct ps_json *json, const char *key, int64_t ms);

#endif
