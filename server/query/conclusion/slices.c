/* SPDX-License-Identifier: MIT */
/* slices.c: the conclusion of a trace of another tool, by the self time of its slices. */
#include <math.h>

#include "server/query/conclusion/conclusion.h"
#include "server/query/trace/overview.h"

#define CAUSE_SHARE 0.05 /* slices with a smaller share are not causes */
#define STANDS_OUT  0.10 /* if no name has more, nothing stands out */
#define CAUSES_MAX  20

static enum ps_status prepare(struct ps_db *db, const struct ps_range *span, struct ps_stmt **out,
                              struct ps_err *err)
{
    ps_db_prepare(db, ps_query_sql("conclude_slices"), out, err);
    ps_bind_int(*out, ":from", span->from_ns);
    ps_bind_int(*out, ":to", span->to_ns);
    return err->code;
}

static enum ps_status sum_self(struct ps_db *db, const struct ps_range *span, int64_t *ns,
                               struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    prepare(db, span, &stmt, err);
    while (ps_stmt_step(stmt, err))
        *ns = ps_add_saturated(*ns, ps_col_int(stmt, 2));
    return err->code;
}

static void say_first(struct ps_conclusion *c, struct ps_str name, struct ps_report_link link,
                      int64_t calls, double seconds, double whole_s)
{
    const struct ps_report_link all = {"slices", {{"sort", "self_cpu_us"}, {"desc", "1"}}};
    bool stands_out = seconds >= STANDS_OUT * whole_s;

    if (stands_out)
        ps_say_code(c, &c->verdict, link, name);
    else
        ps_say(c, &c->verdict, "No single slice stands out.");
    if (stands_out)
        ps_say(c, &c->verdict, " takes ");
    else
        ps_say(c, &c->sentence, " The largest share is ");
    ps_say_value(c, stands_out ? &c->verdict : &c->sentence, ps_link_none, 100 * seconds / whole_s,
                 "percent");
    ps_say(c, stands_out ? &c->verdict : &c->sentence,
           stands_out ? " of the traced time." : ", of ");
    if (!stands_out)
        ps_say_code(c, &c->sentence, link, name);
    ps_say(c, &c->sentence, stands_out ? " " : ": ");
    ps_say_value(c, &c->sentence, link, seconds, "s");
    ps_say(c, &c->sentence, " of ");
    ps_say_value(c, &c->sentence, all, whole_s, "s");
    ps_say(c, &c->sentence, " in ");
    ps_say_value(c, &c->sentence, link, (double)calls, "count");
    ps_say(c, &c->sentence, calls == 1 ? " call." : " calls.");
}

enum ps_status ps_conclude_slices(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_range span;
    int64_t whole_ns = 0;
    double whole_s;

    out->unit = "s";
    out->base = "of traced time";
    ps_steps_span(db, &span, err);
    sum_self(db, &span, &whole_ns, err);
    whole_s = (double)whole_ns / 1e9;
    prepare(db, &span, &stmt, err);
    for (int i = 0; i < CAUSES_MAX && ps_stmt_step(stmt, err); i++) {
        double seconds = (double)ps_col_int(stmt, 2) / 1e9;
        struct ps_str name = ps_col_text(stmt, 0);
        struct ps_report_link link = {"slices", {{"q", ps_arena_copy(&out->arena, name).ptr}}};
        struct ps_cause *cause;

        if (i == 0)
            say_first(out, name, link, ps_col_int(stmt, 1), seconds, whole_s);
        if (seconds < CAUSE_SHARE * whole_s)
            break;
        cause = ps_conclusion_add(out, "slice", seconds, seconds / whole_s);
        ps_say_code(out, &cause->title, link, name);
        ps_cause_save(cause, NAN, seconds);
        ps_say_value(out, &cause->evidence, link, (double)ps_col_int(stmt, 1), "count");
        ps_say(out, &cause->evidence,
               ps_col_int(stmt, 1) == 1 ? " call, longest " : " calls, longest ");
        ps_say_value(out, &cause->evidence, link, (double)ps_col_int(stmt, 3) / 1e9, "s");
    }
    if (!whole_ns && err->code == PS_OK)
        ps_say(out, &out->verdict, "The slices of this trace have no durations.");
    else
        ps_conclusion_note(out, "Self times of all threads are added. A saving is the whole self "
                                "time.");
    return err->code;
}
