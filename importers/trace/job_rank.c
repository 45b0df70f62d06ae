/* SPDX-License-Identifier: MIT */
/* job_rank.c: the rank of a trace of PyTorch, read from the bytes before its events. */
#include "importers/trace/job_rank.h"

#include "importers/trace/perfetto_read.h"

/* Returns the number after the first `key` in the text; -1: there is none. */
static int64_t number_after(struct ps_str text, struct ps_str key)
{
    const char *found = ps_str_find(text, key);
    int64_t number = -1;

    if (!found)
        return -1;
    text = ps_str_skip(text, (size_t)(found - text.ptr) + key.len);
    while (text.len && text.ptr[0] == ' ')
        text = ps_str_skip(text, 1);
    for (; text.len && text.ptr[0] >= '0' && text.ptr[0] <= '9' && number < INT32_MAX;
         text = ps_str_skip(text, 1))
        number = (number < 0 ? 0 : number) * 10 + (text.ptr[0] - '0');
    return number;
}

/* Traces of Perfetto contain no rank. Since 1.11 torch writes distributedInfo before the events of
 * a process that is part of a job, to JSON. */
struct ps_job_rank ps_job_rank_of(struct ps_str head)
{
    static const char *const later[] = {"\"displayTimeUnit\"", "\"trace_id\"", "\"Ev Idx\"",
                                        "\"baseTimeNanoseconds\"", "\"Record function id\""};
    const char *info = ps_str_find(head, PS_STR("\"distributedInfo\""));
    struct ps_job_rank rank = {.rank = -1, .may_be_old = !info};

    if (pf_is_trace(head))
        return (struct ps_job_rank){.rank = -1, .may_be_old = pf_is_torch_trace(head)};
    if (info)
        rank.rank = number_after(ps_str_skip(head, (size_t)(info - head.ptr)), PS_STR("\"rank\":"));
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (ps_str_find(head, ps_str_from_c(later[i])))
            rank.may_be_old = false;
    return rank;
}
