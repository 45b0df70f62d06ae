/* SPDX-License-Identifier: MIT */
/* engine_steps.c: the steps of the log of an engine that names no requests. */
#include "server/query/conclusion/engine_steps.h"

#include <math.h>
#include <stdlib.h>

#include "server/query/conclusion/claim.h"

struct ps_subject ps_engine_step_subject(struct ps_conclusion *c, const struct ps_requests *r,
                                         size_t step)
{
    const struct ps_engine_step_row *row = &r->steps[step];
    const int64_t number = row->number == PS_COUNT_UNKNOWN ? row->id : row->number;
    const char *name = ps_arena_printf(&c->arena, "step %lld", (long long)number);
    const struct ps_report_link link = {"requests",
                                        {{"engine_step", ps_conclusion_id(c, row->id)}}};

    return ps_subject_of(c, PS_SUBJECT_PART, link, ps_str_from_c(name));
}

static int64_t length_of(const struct ps_engine_step_row *step)
{
    return step->end_ns - step->start_ns;
}

static int by_length(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

bool ps_conclude_engine_steps(struct ps_conclusion *c, const struct ps_requests *r)
{
    const struct ps_report_link link = {.tab = "requests"};
    PS_AUTO(ps_free_ptr) int64_t *lengths = ps_alloc_array(r->n_steps + 1, sizeof *lengths);
    double all_s = 0, longest_s;
    size_t longest = 0;

    if (r->n_steps == 0)
        return false;
    for (size_t i = 0; i < r->n_steps; i++) {
        lengths[i] = length_of(&r->steps[i]);
        all_s += (double)lengths[i] / 1e9;
        longest = lengths[i] > length_of(&r->steps[longest]) ? i : longest;
    }
    qsort(lengths, r->n_steps, sizeof *lengths, by_length);
    longest_s = (double)length_of(&r->steps[longest]) / 1e9;
    ps_conclude_first(c, ps_claim_of("engine-steps", PS_FLAT, ps_no_subject, NAN));
    if (!(all_s > 0)) {
        ps_first_fact(c, (struct ps_fact){PS_FACT_STEPS_WITHOUT_TIMES,
                                          .values = {(double)r->n_steps}, .link = link});
        return true;
    }
    ps_first_fact(c, (struct ps_fact){PS_FACT_ENGINE_STEPS,
                                      .values = {(double)r->n_steps, all_s,
                                                 (double)lengths[(r->n_steps - 1) / 2] / 1e9},
                                      .link = link});
    if (r->n_steps > 1)
        ps_first_fact(c,
                      (struct ps_fact){PS_FACT_LONGEST_STEP, ps_engine_step_subject(c, r, longest),
                                       .values = {longest_s, longest_s / all_s,
                                                  (double)r->steps[longest].context_tokens},
                                       .link = link});
    return true;
}
