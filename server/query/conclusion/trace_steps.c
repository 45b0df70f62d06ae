/* SPDX-License-Identifier: MIT */
/* trace_steps.c: the steps that shares of a trace are of, and a step unlike the others. */
#include "server/query/conclusion/trace_causes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/format.h"
#include "server/query/trace/chosen_steps.h"
#include "server/query/trace/odd_step.h"

#define STEPS_READ       16  /* of which is told whether torch.compile works in them */
#define ITERATIONS       3   /* calls of an annotation that may be the steps */
#define ITERATIONS_COVER 0.8 /* of the trace */

static int64_t length_of(const struct ps_interval *step)
{
    return step->end - step->start;
}

static int by_length(const void *a, const void *b)
{
    const int64_t x = length_of(a), y = length_of(b);

    return (x > y) - (x < y);
}

/* Finds the median, and a step that dominates the time of all. The first or the last one is left
 * out if it takes more than all others, so that shares are of steps that are alike: the first step
 * compiles, loads or starts what the others use. With several workers their steps overlap, and none
 * is left out. */
static size_t find_odd_step(struct ps_trace_time *trace, struct ps_interval *steps, size_t n)
{
    struct ps_interval longest;
    double all_s = 0;
    bool is_first = true, is_last = true;

    if (!n)
        return 0;
    qsort(steps, n, sizeof *steps, by_length);
    longest = steps[n - 1];
    trace->longest_s = (double)length_of(&longest) / 1e9;
    for (size_t i = 0; i < n; i++) {
        all_s += (double)length_of(&steps[i]) / 1e9;
        is_first &= longest.start <= steps[i].start;
        is_last &= longest.end >= steps[i].end;
    }
    trace->odd.is_left_out = !trace->keeps_all_steps && trace->has_marks && n > 2 &&
                             trace->sums.n_workers == 1 &&
                             trace->longest_s > PS_ODD_STEP_SHARE * all_s && is_first != is_last;
    if (trace->odd.is_left_out) {
        trace->odd.time = longest;
        n--;
        if (is_first)
            trace->span.from_ns = longest.end;
        else
            trace->span.to_ns = longest.start;
    }
    trace->median_s =
        ((double)length_of(&steps[(n - 1) / 2]) + (double)length_of(&steps[n / 2])) / 2e9;
    if (trace->has_marks && trace->sums.n_workers == 1 && !trace->odd.is_left_out &&
        ps_step_dominates(trace->longest_s, trace->median_s, all_s, n)) {
        trace->odd.is_said = true;
        trace->odd.time = longest;
        trace->odd.share = trace->longest_s / all_s;
    }
    return n;
}

static void add_step(struct ps_trace_time *trace, uint32_t worker, int64_t start, int64_t end,
                     bool is_marked)
{
    struct step_list *steps = &trace->steps;

    PS_RESERVE_ONE(steps->items, steps->n, steps->cap);
    steps->items[steps->n++] = (struct step_range){{start, end}, worker, is_marked};
}

/* The steps of the file. */
static enum ps_status read_marked(struct ps_trace_time *trace, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(trace->db, ps_query_sql("conclude_steps"), &stmt, err);
    while (ps_stmt_step(stmt, err))
        if (ps_col_int(stmt, 0) >= 0 && ps_col_int(stmt, 0) < UINT32_MAX)
            add_step(trace, (uint32_t)ps_col_int(stmt, 0), ps_col_int(stmt, 1), ps_col_int(stmt, 2),
                     ps_col_int(stmt, 3) != 0);
    return ps_steps_span(trace->db, &trace->span, err);
}

static enum ps_status read_chosen(struct ps_trace_time *trace, struct ps_err *err)
{
    PS_AUTO(ps_chosen_steps_free) struct ps_chosen_steps chosen = {.n = 0};

    if (ps_chosen_steps_read(trace->db, &trace->owners, trace->step, &chosen, err) != PS_OK)
        return err->code;
    trace->span = (struct ps_range){INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < chosen.n; i++) {
        const struct ps_interval time = chosen.items[i].time;

        add_step(trace, chosen.items[i].worker, time.start, time.end, true);
        if (time.start < trace->span.from_ns)
            trace->span.from_ns = time.start;
        if (time.end > trace->span.to_ns)
            trace->span.to_ns = time.end;
    }
    return PS_OK;
}

enum ps_status ps_trace_find_span(struct ps_trace_time *trace, struct ps_err *err)
{
    return trace->step ? read_chosen(trace, err) : read_marked(trace, err);
}

void ps_trace_read_steps(struct ps_trace_time *trace)
{
    PS_AUTO(ps_free_ptr) struct ps_interval *steps = NULL;
    size_t n = 0, cap = 0;

    for (size_t i = 0; i < trace->steps.n; i++) {
        const struct step_range *step = &trace->steps.items[i];

        if (step->worker >= trace->sums.n_workers)
            continue; /* a worker without tracks has no work either */
        ps_intervals_add(&trace->workers[step->worker].steps, step->time.start, step->time.end);
        trace->has_marks |= step->is_marked;
        PS_RESERVE_ONE(steps, n, cap);
        steps[n++] = step->time;
    }
    n = find_odd_step(trace, steps, n);
    trace->n_steps = (int64_t)n;
    if (trace->odd.is_left_out) {
        trace->workers[0].steps.n = 0;
        for (size_t i = 0; i < n; i++)
            ps_intervals_add(&trace->workers[0].steps, steps[i].start, steps[i].end);
    }
    for (uint32_t w = 0; w < trace->sums.n_workers; w++) {
        if (!trace->n_steps)
            ps_intervals_add(&trace->workers[w].steps, trace->span.from_ns, trace->span.to_ns);
        ps_intervals_add_all(&trace->workers[w].each_step, &trace->workers[w].steps);
        ps_intervals_join(&trace->workers[w].steps);
    }
    trace->divisor = trace->n_steps ? (double)trace->n_steps : trace->sums.n_workers;
}

enum ps_status ps_trace_count_compiling(struct ps_trace_time *trace, struct ps_err *err)
{
    const struct ps_range span = trace->span;
    const struct ps_intervals *steps = &trace->workers[0].each_step;

    if (!trace->has_marks || trace->compile_s < PS_TRACE_CAUSE_SHARE * trace->wall_s)
        return err->code;
    for (size_t i = 0; i < steps->n && i < STEPS_READ && err->code == PS_OK; i++) {
        struct ps_row_sum phases;

        trace->span = (struct ps_range){steps->items[i].start, steps->items[i].end};
        ps_trace_sum_rows(trace, "conclude_operators", true, &phases, err);
        trace->n_compiling += 10 * phases.ns > length_of(&steps->items[i]);
    }
    trace->span = span;
    return err->code;
}

enum ps_status ps_trace_read_odd_step(struct ps_trace_time *trace, struct ps_err *err)
{
    const struct ps_range span = trace->span;
    struct ps_row_sum phases;

    if (!trace->odd.is_left_out)
        return err->code;
    trace->span = (struct ps_range){trace->odd.time.start, trace->odd.time.end};
    ps_trace_sum_rows(trace, "conclude_operators", true, &phases, err);
    trace->span = span;
    trace->odd.compile_s = (double)phases.ns / 1e9;
    return err->code;
}

const char *ps_trace_step_words(const struct ps_trace_time *trace)
{
    return !trace->has_marks              ? " of the trace"
           : trace->odd.is_left_out       ? " of each other step"
           : trace->n_steps == 1          ? " of the step"
           : ps_trace_has_odd_step(trace) ? " of all steps"
                                          : " of each step";
}

void ps_trace_add_left_out(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    if (!trace->odd.is_left_out)
        return;
    ps_first_fact(
        c, (struct ps_fact){PS_FACT_STEP_LEFT_OUT,
                            .values = {trace->longest_s,
                                       trace->odd.compile_s >= PS_ODD_STEP_SHARE * trace->longest_s,
                                       (double)trace->n_steps, trace->median_s},
                            .link = {.tab = "overview"}});
    ps_conclusion_note(
        c, "The step that takes longer than all others together is left out: causes and "
           "shares are those of the others. Tables and the mean step have all steps.");
}

void ps_trace_say_odd_step(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    char longest[48], median[48];

    if (ps_trace_has_odd_step(trace) && !trace->odd.is_said)
        ps_conclusion_note(c,
                           "One step takes %s, more than the others together; the median step "
                           "takes %s.",
                           ps_format_seconds(trace->longest_s, longest),
                           ps_format_seconds(trace->median_s, median));
}

/* Returns the annotation that repeats and covers the trace, as the iterations of a loop do; NULL:
 * there is none. */
static const struct ps_host_unit *find_iteration(const struct ps_trace_time *trace)
{
    const struct ps_host_unit *found = NULL;

    for (size_t i = 1; i < trace->units.n; i++) {
        const struct ps_host_unit *unit = &trace->units.units[i];

        if (unit->is_annotation && unit->calls >= ITERATIONS &&
            ps_trace_time_share(trace, unit->covered_ns) >= ITERATIONS_COVER &&
            (!found || unit->covered_ns > found->covered_ns))
            found = unit;
    }
    return found;
}

void ps_trace_add_iteration(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    const struct ps_host_unit *unit = trace->has_marks ? NULL : find_iteration(trace);
    struct ps_str stem, command;

    if (!unit)
        return;
    stem = ps_annotation_stem(ps_trace_text(trace->db, unit->name));
    command =
        ps_str_from_c(ps_arena_printf(&c->arena, "show --step '%.*s'", (int)stem.len, stem.ptr));
    ps_first_fact(c,
                  (struct ps_fact){
                      PS_FACT_ITERATES, ps_unit_subject(c, trace->db, unit),
                      .values = {(double)unit->calls, ps_trace_time_share(trace, unit->covered_ns),
                                 unit->n_names > 1 ? unit->n_names : 1, trace->is_torch},
                      .other = {.kind = PS_SUBJECT_FUNCTION, .name = command},
                      .link = ps_trace_link_slice(c, unit->longest)});
}

void ps_trace_add_step_choices(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    if (trace->step) /* it is no unit, since it is the step */
        c->step_choices[c->n_step_choices++] = (struct ps_step_choice){
            .name = ps_arena_copy(&c->arena, ps_str_from_c(trace->step)).ptr,
            .ranges = (int64_t)trace->steps.n,
            .share = 1};
    for (size_t i = 1; i < trace->units.n; i++) {
        const struct ps_host_unit *unit = &trace->units.units[i];
        const double share = ps_trace_time_share(trace, unit->covered_ns);
        size_t at = c->n_step_choices;

        if (!unit->is_annotation || unit->calls < 2)
            continue;
        while (at > 0 && c->step_choices[at - 1].share < share)
            at--;
        if (at == PS_STEP_CHOICES)
            continue;
        if (c->n_step_choices < PS_STEP_CHOICES)
            c->n_step_choices++;
        memmove(&c->step_choices[at + 1], &c->step_choices[at],
                (c->n_step_choices - 1 - at) * sizeof *c->step_choices);
        c->step_choices[at] = (struct ps_step_choice){
            .name =
                ps_arena_copy(&c->arena, ps_annotation_stem(ps_trace_text(trace->db, unit->name)))
                    .ptr,
            .ranges = unit->calls,
            .share = share};
    }
}

enum ps_status ps_trace_say_base(struct ps_db *db, struct ps_conclusion *c,
                                 const struct ps_trace_time *trace, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const double range_s = (double)(trace->span.to_ns - trace->span.from_ns) / 1e9;
    char range[48], span[48];
    bool is_part;

    if (trace->step)
        ps_conclusion_note(c, "A step begins with a range named %s, and lasts until the next one.",
                           trace->step);
    if (trace->has_marks)
        return err->code;
    ps_db_prepare(db, ps_query_sql("conclude_span"), &stmt, err);
    is_part = ps_stmt_step(stmt, err) &&
              ps_col_real(stmt, 0) / 1e9 * (1 - PS_TRACE_CAUSE_SHARE) > range_s;
    if (is_part)
        ps_conclusion_note(c,
                           "The trace is here the %s from the first to the last operator, driver "
                           "call or work of a device; all events span %s.",
                           ps_format_seconds(range_s, range),
                           ps_format_seconds(ps_col_real(stmt, 0) / 1e9, span));
    ps_conclusion_note(
        c, "No steps are marked, so the shares are of %s.%s",
        is_part ? "that time" : "the whole trace",
        trace->is_torch     ? " profiler.step() marks steps if the profiler has a schedule=."
        : c->n_step_choices ? ""
                            : " An NVTX range around each iteration can be chosen as the step.");
    return err->code;
}
