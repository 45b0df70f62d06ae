/* SPDX-License-Identifier: MIT */
#include "base/json_span.h"

#include <string.h>

size_t ps_json_string_length(struct ps_str json)
{
    size_t n = 1;

    while (n < json.len && json.ptr[n] != '"')
        n += json.ptr[n] == '\\' ? 2 : 1;
    return n < json.len ? n + 1 : json.len;
}

size_t ps_json_value_length(struct ps_str json)
{
    size_t n = 0, depth = 0;

    while (n < json.len) {
        char c = json.ptr[n];

        if (c == '"') {
            n += ps_json_string_length(ps_str_skip(json, n));
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

static struct ps_str skip_space(struct ps_str json)
{
    while (json.len && strchr(" \t\r\n", json.ptr[0]))
        json = ps_str_skip(json, 1);
    return json;
}

/* Reads the next element after the opening bracket or a comma. */
static bool next_value(struct ps_str *rest, struct ps_str *out)
{
    struct ps_str json = skip_space(*rest);

    if (!json.len || !strchr("[{,", json.ptr[0]))
        return false;
    json = skip_space(ps_str_skip(json, 1));
    *out = (struct ps_str){json.ptr, ps_json_value_length(json)};
    *rest = ps_str_skip(json, out->len);
    return out->len > 0;
}

struct ps_str ps_json_member(struct ps_str object, const char *key)
{
    const size_t len = strlen(key);
    struct ps_str member;

    while (next_value(&object, &member)) {
        struct ps_str name = {member.ptr, ps_json_string_length(member)};
        struct ps_str value = skip_space(ps_str_skip(member, name.len));

        if (name.len == len + 2 && memcmp(name.ptr + 1, key, len) == 0)
            return skip_space(ps_str_skip(value, 1)); /* after the colon */
    }
    return (struct ps_str){NULL, 0};
}

bool ps_json_next_element(struct ps_str *rest, struct ps_str *out)
{
    return next_value(rest, out);
}

bool ps_json_has_nul(struct ps_str json)
{
    for (size_t i = 0; i + 1 < json.len; i++)
        if (json.ptr[i] == '\\' && ps_str_starts_with(ps_str_skip(json, ++i), PS_STR("u0000")))
            return true;
    return false;
}
