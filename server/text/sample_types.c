/* SPDX-License-Identifier: MIT */
/* sample_types.c: what the samples of a run measure. */
#include <string.h>

#include "base/format.h"
#include "server/text/text.h"

/* Appends "inuse_space 1.49 GiB"; a count is named by its type alone. */
static void add_type(const cJSON *type, struct ps_buf *out)
{
    const char *name = ps_member_text(type, "name"), *unit = ps_member_text(type, "unit");
    char total[64];

    ps_output_quote(out, name);
    ps_buf_printf(
        out, " %s",
        ps_format_value(ps_member_or_0(type, "total"), strcmp(unit, name) == 0 ? "" : unit, total));
}

static bool is_shown(const cJSON *type, const char *name)
{
    return name ? strcmp(ps_member_text(type, "name"), name) == 0
                : ps_member_or_0(type, "is_default") != 0;
}

void ps_text_sample_types(struct ps_output *out, const cJSON *types, const char *name)
{
    PS_AUTO(ps_buf_free) struct ps_buf shown = {0};
    PS_AUTO(ps_buf_free) struct ps_buf others = {0};
    const cJSON *type;
    uint64_t n_zero = 0;
    char count[64];

    cJSON_ArrayForEach(type, ps_member(types, "types"))
    {
        if (is_shown(type, name)) {
            add_type(type, &shown);
        } else if (ps_member_or_0(type, "samples") == 0) {
            n_zero++;
        } else {
            ps_buf_puts(&others, others.len ? ", " : "");
            add_type(type, &others);
        }
    }
    if (n_zero)
        ps_buf_printf(&others, "%s%s without values", others.len ? ", " : "",
                      ps_format_count(n_zero, others.len ? "other" : "type", count));
    if (shown.len)
        ps_output_fact_quoted(out, "sample type", &shown);
    if (others.len)
        ps_output_fact_quoted(out, "other sample types", &others);
}

void ps_text_compared_type(struct ps_output *out, const cJSON *compared)
{
    if (ps_member_text(compared, "sample_type")[0])
        ps_output_fact_name(out, "sample type", ps_member_text(compared, "sample_type"));
}
