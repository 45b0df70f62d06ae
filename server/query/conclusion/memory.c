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

static void say_level(struct ps_conclusion *c, const struct curve *curve)
{
    /* the last samples may be those of a process that exits */
    const bool exits = curve->last < curve->late / 2;
    const double level = exits ? curve->late : curve->last;
    const bool stays = level >= GROWTH_SHARE * curve->peak;

    ps_say(c, &c->sentence, " It starts at ");
    ps_say_value(&c->sentence, memory_link, curve->first, "bytes");
    ps_say(c, &c->sentence, stays ? " and still is " : exits ? " and is " : " and ends at ");
    ps_say_value(&c->sentence, memory_link, level, "bytes");
    ps_say(c, &c->sentence,
           exits   ? " before it ends, after "
           : stays ? " at the end, after "
                   : " after ");
    ps_say_value(&c->sentence, memory_link, curve->end_s, "s");
}

static enum ps_status say_curve(struct ps_db *db, struct ps_conclusion *c, struct curve *curve,
                                struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("conclude_memory"), &stmt, err);
    if (!ps_stmt_step(stmt, err)) {
        ps_set_first_claim(c, PS_TOO_FEW, ps_no_subject, NAN);
        ps_say(c, &c->verdict, "The recording has no samples.");
        return err->code;
    }
    *curve = (struct curve){ps_col_real(stmt, 0),
                            ps_col_real(stmt, 1),
                            ps_col_real(stmt, 2),
                            ps_col_real(stmt, 3),
                            ps_col_real(stmt, 4),
                            ps_col_real_or_nan(stmt, 5),
                            {ps_col_real(stmt, 6), ps_col_real(stmt, 7), ps_col_real(stmt, 8)}};
    ps_say(c, &c->verdict, "Memory peaks at ");
    ps_say_value(&c->verdict, memory_link, curve->peak, "bytes");
    ps_say(c, &c->verdict, " after ");
    ps_say_value(&c->verdict, memory_link, curve->peak_s, "s");
    ps_say(c, &c->verdict, grows_steadily(curve) ? ", and grows all the time." : ".");
    say_level(c, curve);
    return err->code;
}

static enum ps_status add_spans(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("conclude_spans"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        struct ps_cause *cause = ps_conclusion_add(c, "function", ps_col_real(stmt, 2), NAN);
        int64_t calls = ps_col_int(stmt, 1);

        if (c->n_causes == 1) {
            ps_say(c, &c->sentence, "; ");
            ps_say_code(c, &c->sentence, memory_link, ps_col_text(stmt, 0));
            ps_say(c, &c->sentence, " holds ");
            ps_say_value(&c->sentence, memory_link, ps_col_real(stmt, 2), "bytes");
            ps_say(c, &c->sentence, " of the peak, which it added in ");
            ps_say_value(&c->sentence, memory_link, (double)calls, "count");
            ps_say(c, &c->sentence, calls == 1 ? " call" : " calls");
        }
        ps_set_cause_claim(
            cause, PS_HOLDS,
            ps_subject_of(c, PS_SUBJECT_FUNCTION, memory_link, ps_col_text(stmt, 0)));
        ps_say_code(c, &cause->title, memory_link, ps_col_text(stmt, 0));
        ps_say_value(&cause->evidence, memory_link, (double)calls, "count");
        ps_say(c, &cause->evidence, calls == 1 ? " call, " : " calls, ");
        ps_say_value(&cause->evidence, memory_link, ps_col_real(stmt, 3), "s");
    }
    if (c->n_causes)
        ps_conclusion_note(c, "Memory at the peak, or at the end of a call before it, minus memory "
                              "at the start of the call. Calls contain the calls inside them.");
    return err->code;
}

/* Says that the curve may lack the children: mprof does not write with which option it ran. */
static enum ps_status say_children(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    const struct ps_report_link link = {.tab = "memory"};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    int64_t n;

    ps_db_prepare(db, ps_query_sql("conclude_children"), &stmt, err);
    n = ps_stmt_step(stmt, err) ? ps_col_int(stmt, 0) : 0;
    if (!n)
        return err->code;
    if (ps_col_int(stmt, 3)) {
        ps_say(c, &c->sentence,
               " The curve does not contain its %lld child process%s: with %s, "
               "memory peaks at ",
               (long long)n, n == 1 ? "" : "es", n == 1 ? "it" : "them");
        ps_say_value(&c->sentence, link, ps_col_real(stmt, 2), "bytes");
        ps_say(c, &c->sentence, ".");
        return err->code;
    }
    ps_say(c, &c->sentence, " Its %lld child process%s at ", (long long)n,
           n == 1 ? " peaks" : "es together peak");
    ps_say_value(&c->sentence, link, ps_col_real(stmt, 1), "bytes");
    ps_say(c, &c->sentence,
           "; the file does not say whether the curve contains %s, as with "
           "--include-children.",
           n == 1 ? "it" : "them");
    return err->code;
}

enum ps_status ps_conclude_memory(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    struct curve curve = {.peak = NAN};

    out->unit = "bytes";
    say_curve(db, out, &curve, err);
    add_spans(db, out, err);
    if (out->sentence.n)
        ps_say(out, &out->sentence, ".");
    return out->sentence.n ? say_children(db, out, err) : err->code;
}
