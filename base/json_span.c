/* SPDX-License-Identifier: MIT */
#include "base/json_span.h"

size_t ps_json_text_span(struct ps_str json)
{
    size_t n = 1;

    while (n < json.len && json.at[n] != '"')
        n += json.at[n] == '\\' ? 2 : 1;
    return n < json.len ? n + 1 : json.len;
}

size_t ps_json_value_span(struct ps_str json)
{
    size_t n = 0, depth = 0;

    while (n < json.len) {
        char c = json.at[n];

        if (c == '"') {
            n += ps_json_text_span(ps_str_skip(json, n));
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            break;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        n++;
    }
    return n;
}
