/* SPDX-License-Identifier: MIT */
#include "server/query/time_format.h"

#include <stdio.h>
#include <time.h>

char *ps_time_format(int64_t ms, char out[40])
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm utc;
    size_t n = strftime(out, 40, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &utc));

    (void)snprintf(out + n, 40 - n, ".%03dZ", (int)(ms % 1000));
    return out;
}

void ps_json_time(struct ps_json *json, const char *key, int64_t ms)
{
    char text[40];

    ps_json_key_str(json, key, ps_time_format(ms, text));
}
