/* SPDX-License-Identifier: MIT */
/* memory.c: the conclusion of a memory curve (mprof): its peak, whether it stays or grows until the
 * end, and the functions that add memory. */
#include <math.h>

#include "server/query/conclusion/conclusion.h"

#define GROWTH_SHARE 0.9 /* of the peak: a curve that ends higher has released little */

#define STEADY 0.1 /* of the growth: a curve that grows all the time has more in each quarter */

static const struct ps_report_link memory_link = {.tab = "memory"};

/* The curve in bytes and seconds. */
struct curve {
    double peak, peak_s, first, last, end_s;
    double late;        /* median of the last tenth; NaN: too few samples */
    double quarters[3]; /* after a quarter, half and three quarters of the time */
};

/* Whether each quarter of the time adds to the memory, up to the end. */
static bool grows_steadily(const struct curve *curve)
{
    const double least = STEADY * (curve->peak - curve->first);
    double before = curve->first;

    if (!(curve->late >= GROWTH_SHARE * curve->peak))
        return false;
    for (size_t i = 0; i < 3; i++) {
        if (curve->quarters[i] < before + least)
            return false;
        before = curve->quarters[i];
    }
    return curve->late >= before + least;
}

/* How the memory ends. The last samples may be those of a process that exits. */
static struct ps_fact level_fact(const struct curve *curve)
{
    const bool exits = curve->last < curve->late / 2;
    const double level = exits ? curve->late : curve->last;
    const bool stays = level >= GROWTH_SHARE * curve->peak;

    return (struct ps_fact){.code = exits   ? stays ? PS_FACT_STAYS_TO_EXIT : PS_FACT_EXITS
                                    : stays ? PS_FACT_STAYS
                                            : PS_FACT_ENDS,
                            .values = {curve->first, level, curve->end_s},
                            .link = memory_link};
}

static bool read_curve(struct ps_db *db, struct curve *curve, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("conclude_memory"), &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return false;
    *curve = (struct curve){ps_col_real(stmt, 0),
                            ps_col_real(stmt, 1),
                            ps_col_real(stmt, 2),
                            ps_col_real(stmt, 3),
                            ps_col_real(stmt, 4),
                            ps_col_real_or_nan(stmt, 5),
                            {ps_col_real(stmt, 6), ps_col_real(stmt, 7), ps_col_real(stmt, 8)}};
    return true;
}

static enum ps_status add_spans(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("conclude_spans"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        const struct ps_subject function =
            ps_subject_of(c, PS_SUBJECT_FUNCTION, memory_link, ps_col_text(stmt, 0));
        const double calls = ps_col_real(stmt, 1);
        struct ps_claim claim = ps_claim_of("function", PS_HOLDS, function, NAN);

        if (!c->n_causes) {
            c->first.verb = PS_HOLDS;
            ps_first_largest(c, function, NAN);
            ps_first_fact(c, (struct ps_fact){.code = PS_FACT_HOLDS,
                                              .values = {ps_col_real(stmt, 2), calls}});
        }
        claim.evidence =
            (struct ps_fact){.code = PS_FACT_CALLS_TAKE, .values = {calls, ps_col_real(stmt, 3)}};
        ps_conclusion_claim(c, &claim, ps_col_real(stmt, 2));
    }
    if (c->n_causes)
        ps_conclusion_note(c, "Memory at the peak, or at the end of a call before it, minus memory "
                              "at the start of the call. Calls contain the calls inside them.");
    return err->code;
}

/* The curve may lack the children: mprof does not write with which option it ran. */
static enum ps_status add_children(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    bool lacks_them;

    ps_db_prepare(db, ps_query_sql("conclude_children"), &stmt, err);
    if (!ps_stmt_step(stmt, err) || !ps_col_int(stmt, 0))
        return err->code;
    lacks_them = ps_col_int(stmt, 3) != 0;
    ps_first_fact(
        c, (struct ps_fact){.code = lacks_them ? PS_FACT_WITH_CHILDREN : PS_FACT_CHILDREN,
                            .values = {ps_col_real(stmt, 0), ps_col_real(stmt, lacks_them ? 2 : 1)},
                            .link = memory_link});
    return err->code;
}

enum ps_status ps_conclude_memory(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    struct curve curve;

    out->unit = "bytes";
    if (!read_curve(db, &curve, err)) {
        ps_conclude_none(out, "memory");
        return err->code;
    }
    ps_conclude_first(out, ps_claim_of(NULL, PS_FLAT, ps_no_subject, NAN));
    ps_first_fact(
        out, (struct ps_fact){.code = grows_steadily(&curve) ? PS_FACT_PEAK_GROWS : PS_FACT_PEAK,
                              .values = {curve.peak, curve.peak_s},
                              .link = memory_link});
    ps_first_fact(out, level_fact(&curve));
    add_spans(db, out, err);
    return add_children(db, out, err);
}
