/* SPDX-License-Identifier: MIT */
/* lacks.c: says what a run lacks because an older perfshelf imported it. */
#include "server/text/text.h"

void ps_text_lacks(struct ps_output *out, const cJSON *run)
{
    PS_AUTO(ps_buf_free) struct ps_buf words = {0};
    const cJSON *part;

    cJSON_ArrayForEach(part, ps_member(run, "lacks"))
        ps_buf_printf(&words, "%s%s", words.len ? ", " : "", cJSON_GetStringValue(part));
    if (!words.len)
        return;
    if (ps_member(ps_member(run, "summary"), "redacted")) /* a copy without the original */
        ps_output_fact(
            out, "not in this run",
            "%s: an older perfshelf imported it, and this copy came without its original",
            words.ptr);
    else
        ps_output_fact(
            out, "not in this run",
            "%s: an older perfshelf imported it; `perfshelf renew %s` reads its original "
            "again",
            words.ptr, ps_member_text(run, "id"));
}
