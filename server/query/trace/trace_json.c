/* SPDX-License-Identifier: MIT */
#include "server/query/trace/trace_json.h"

#include "server/runfile/trace.h"

static char *put_digits(char *out, int64_t value)
{
    char digits[20];
    size_t n = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    do
        digits[--n] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        *out++ = '-';
    memcpy(out, digits + n, sizeof digits - n);
    return out + (sizeof digits - n);
}

void ps_json_ints(struct ps_json *json, const char *key, const int64_t *values, size_t n)
{
    char *at;

    ps_json_key(json, key);
    ps_json_raw(json, PS_STR("["));
    ps_buf_reserve(json->out, n * 21 + 1); /* each number has up to 20 characters and a comma */
    at = json->out->ptr + json->out->len;
    for (size_t i = 0; i < n; i++) {
        if (i)
            *at++ = ',';
        at = put_digits(at, values[i]);
    }
    *at++ = ']';
    json->out->len = (size_t)(at - json->out->ptr);
}

void ps_json_text(struct ps_json *json, const char *key, struct ps_db *db, int64_t text)
{
    struct ps_str found = ps_trace_text(db, (uint32_t)text);

    ps_json_key(json, key);
    ps_json_str(json, found.ptr ? found : PS_STR(""));
}
