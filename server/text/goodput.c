/* SPDX-License-Identifier: MIT */
/* goodput.c: which requests of a serving run kept limits that a person set. */
#include <math.h>

#include "base/format.h"
#include "server/text/text.h"

/* "ttft above 200 ms: 7, tpot above 20 ms: 1" */
static void add_misses(const cJSON *load, struct ps_buf *out)
{
    const cJSON *limit;
    char value[64];

    cJSON_ArrayForEach(limit, ps_member(load, "limits"))
    {
        ps_buf_printf(out, "%s%s above %s: %.0f", out->len ? ", " : "",
                      ps_member_text(limit, "limit"),
                      ps_format_value(ps_member_or_0(limit, "limit_ns"), "ns", value),
                      ps_member_or_0(limit, "over"));
        if (ps_member_or_0(limit, "unknown") > 0)
            ps_buf_printf(out, " (%.0f unknown)", ps_member_or_0(limit, "unknown"));
    }
}

void ps_text_goodput(struct ps_output *out, const cJSON *answer)
{
    static const struct ps_output_column columns[] = {{"within", "%", PS_NUMBER},
                                                      {"requests", "", PS_NUMBER},
                                                      {"within/s", "", PS_NUMBER},
                                                      {"missed", "", PS_WORDS},
                                                      {"load", "", PS_WORDS}};
    const cJSON *load;

    ps_output_heading(out, "Goodput: requests within all limits");
    ps_output_table(out, "loads", columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(load, ps_member(answer, "loads"))
    {
        PS_AUTO(ps_buf_free) struct ps_buf misses = {0};

        add_misses(load, &misses);
        ps_output_percent(out, 100 * ps_member_number(load, "share"));
        ps_output_value(out, ps_member_or_0(load, "requests"), "");
        ps_output_value(out, ps_member_number(load, "per_second"), "");
        ps_output_word(out, misses.ptr ? misses.ptr : "");
        ps_output_name(out, ps_member_text(load, "name"));
        ps_output_row_end(out);
    }
    ps_output_table_end(out, cJSON_GetArraySize(ps_member(answer, "loads")));
}
