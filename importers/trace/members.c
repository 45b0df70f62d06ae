/* SPDX-License-Identifier: MIT */
/* members.c: iterates over the members of a compact JSON object, or of a template of one. */
#include "base/json_span.h"
#include "importers/trace/import.h"

struct ps_str tr_args_members(struct ps_str template)
{
    const char *mark = template.len ? memchr(template.at, PS_TEMPLATE_REST, template.len) : NULL;

    if (mark)
        template.len = (size_t)(mark - template.at);
    return template.len > 2 ? (struct ps_str){template.at + 1, template.len - 2}
                            : (struct ps_str){NULL, 0};
}

bool tr_next_member(struct ps_str *rest, struct tr_member *out)
{
    size_t key, value;

    if (rest->len < 3 || rest->at[0] != '"')
        return false;
    key = ps_json_text_span(*rest);
    value = ps_json_value_span(ps_str_skip(*rest, key + 1));
    out->all = (struct ps_str){rest->at, key + 1 + value};
    out->key = (struct ps_str){rest->at + 1, key - 2};
    out->value = (struct ps_str){rest->at + key + 1, value};
    if (out->all.len > rest->len)
        return false;
    *rest = ps_str_skip(*rest, out->all.len + 1);
    return true;
}
