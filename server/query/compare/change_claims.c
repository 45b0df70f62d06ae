/* SPDX-License-Identifier: MIT */
/* change_claims.c: how much of a difference a change is, as facts of a claim. */
#include "server/query/compare/compare.h"

#include <math.h>

#define SAME_SHARE 0.01 /* rounding: three to four digits of a change are printed */

bool ps_is_part_of(double change, double whole)
{
    return change * whole > 0 && fabs(change) <= (1 + SAME_SHARE) * fabs(whole);
}

struct ps_fact ps_fact_of_change(double change, double whole, const char *things, bool is_first,
                                 bool has_callees)
{
    return (struct ps_fact){!is_first                      ? PS_FACT_CHANGE
                            : ps_is_part_of(change, whole) ? PS_FACT_CHANGE_OF
                                                           : PS_FACT_CHANGE_WHILE,
                            .values = {change, has_callees, whole}, .word = ps_str_from_c(things)};
}

void ps_claim_explain(struct ps_arena *arena, struct ps_claim *claim, struct ps_subject second,
                      double first_change, double second_change, double whole, const char *unit)
{
    const double both = first_change + second_change;
    struct ps_fact fact = {.subject = claim->subjects[0].what, .unit = unit};

    if (second.kind != PS_SUBJECT_NONE) {
        fact.code = ps_is_part_of(both, whole) && first_change * second_change > 0
                        ? PS_FACT_TWO_EXPLAIN
                        : PS_FACT_TWO_CHANGE;
        fact.other = second;
        fact.values[0] = first_change;
        fact.values[1] = second_change;
        fact.values[2] = both;
        fact.values[3] = whole;
        claim->subjects[claim->n_subjects++] =
            (struct ps_claim_subject){.what = second, .share = second_change / whole};
    } else if (ps_is_part_of(first_change, whole)) {
        fact.code = PS_FACT_EXPLAINS;
        fact.values[0] = first_change;
        fact.values[1] = whole;
    } else {
        fact.code = PS_FACT_EXPLAINS_MORE;
        fact.values[0] = first_change;
        fact.values[1] = whole - first_change;
        fact.values[2] = whole;
        claim->share = NAN;
    }
    ps_claim_fact(arena, claim, fact);
}
