/* SPDX-License-Identifier: MIT */
/* trace.c: the conclusion of a trace with operators, or with the work of devices: which of its
 * parts explains a step, and what is said of it. */
#include <inttypes.h>
#include <math.h>

#include "base/format.h"
#include "server/query/advice.h"
#include "server/query/conclusion/trace_causes.h"

/* share of a step; a driver call that blocks longer is a cause of its own */
#define BLOCKING_SHARE 0.10
#define OVERHEAD_SHARE 0.50
#define VERDICT_SHARE  0.25 /* share of a step; a part with a larger share explains the step */
#define COPIES_MIN     10   /* without steps: fewer copies are of the start and the end */

/* What is saved at most if the rest of a step hides a part of it. */
static double hidden_seconds(const struct ps_trace_time *trace, double part_s)
{
    return fmin(part_s, fmax(0, trace->wall_s - part_s));
}

/* The causes of a trace without devices. Nothing tells what of them could be saved. */
static void add_host_causes(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    struct ps_cause *cause = ps_trace_add_simple(
        c, trace, "runtime", ps_trace_time_left(trace, PS_ROLE_RUNTIME), "Driver calls", NULL);

    if (cause) {
        cause->claim.evidence =
            ps_trace_count(trace->counts.driver, "call", ps_trace_link_driver(trace));
        ps_trace_add_findings(c, trace);
    }
    cause = ps_trace_add_simple(c, trace, "other", ps_trace_time_left(trace, PS_N_ROLES),
                                "Outside any operator", NULL);
    if (cause) {
        cause->claim.evidence = (struct ps_fact){
            .code = PS_FACT_SEE, .word = PS_STR("flame graph"), .link = {.tab = "flame"}};
        ps_trace_add_findings(c, trace);
    }
}

static void add_loading(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    struct ps_cause *cause =
        ps_trace_add_simple(c, trace, "dataloader", trace->parts_s[PS_ROLE_DATALOADER],
                            "Waiting for the DataLoader", ps_advice_words[PS_ADVICE_LOAD_AHEAD]);

    if (!cause)
        return;
    ps_cause_save(cause, NAN, cause->amount);
    cause->claim.evidence = ps_trace_count(trace->counts.loads, "call",
                                           ps_trace_link_operators(trace, "enumerate(Data"));
    ps_trace_add_findings(c, trace);
}

static double copy_seconds(const struct ps_trace_time *trace)
{
    return trace->parts_s[PS_ROLE_MEMCPY] + trace->parts_s[PS_ROLE_MEMSET];
}

/* Whether copies are made in a loop, not only at the start and the end. */
static bool copies_repeat(const struct ps_trace_time *trace)
{
    return trace->counts.copies + trace->counts.sets >=
           (trace->has_marks ? (double)trace->n_steps : COPIES_MIN);
}

static void add_copies(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    const struct ps_report_link link = {"kernels", {{"q", "Mem"}}};
    const double seconds = copy_seconds(trace);
    struct ps_cause *cause;

    if (seconds < PS_TRACE_CAUSE_SHARE * trace->wall_s)
        return;
    cause = ps_trace_add_cause(c, trace, "copies", seconds, "Copies that nothing overlaps");
    if (copies_repeat(trace)) {
        ps_cause_save(cause, NAN, hidden_seconds(trace, seconds));
        cause->advice = trace->is_torch ? ps_advice_words[PS_ADVICE_PINNED_COPIES]
                                        : ps_advice_words[PS_ADVICE_ASYNC_COPIES];
    }
    cause->claim.evidence =
        (struct ps_fact){PS_FACT_COPY_COUNT, .values = {trace->counts.copies, trace->counts.sets},
                         .word = PS_STR("set"), .link = link};
    ps_trace_add_findings(c, trace);
}

/* Whether at least half of the communication is waiting for the late rank: `wait_s` is a mean of
 * the other ranks, parts of a step are means of all. */
static bool waits_for_rank(const struct ps_trace_time *trace)
{
    const struct ps_late_rank *late = &trace->late;

    return late->found && late->wait_s * (late->n_ranks - 1) / late->n_ranks >=
                              0.5 * trace->parts_s[PS_ROLE_COMMUNICATION];
}

/* Communication, with its kernels. */
static enum ps_status add_communication(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                        struct ps_err *err)
{
    const struct ps_trace_rows rows =
        ps_trace_rows_of(trace, "conclude_kernels", true, &trace->collectives,
                         trace->parts_s[PS_ROLE_COMMUNICATION], "kernels");
    struct ps_cause *cause;

    if (rows.whole_s < PS_TRACE_CAUSE_SHARE * trace->wall_s)
        return PS_OK;
    cause = ps_trace_add_cause(c, trace, "communication", rows.whole_s,
                               "Communication that nothing overlaps");
    /* One rank alone does not tell how much of it is waiting for another one, which overlapping
     * saves nothing of and which a faster rank saves entirely. */
    if (trace->sums.n_workers > 1)
        ps_cause_save(cause, NAN,
                      waits_for_rank(trace) ? rows.whole_s : hidden_seconds(trace, rows.whole_s));
    cause->claim.evidence = trace->has_devices
                                ? ps_trace_count((double)trace->collectives.calls, "kernel",
                                                 (struct ps_report_link){.tab = "overview"})
                                : ps_trace_count(trace->counts.host_collectives, "collective",
                                                 ps_trace_link_operators(trace, "gloo:"));
    cause->advice = waits_for_rank(trace)        ? ps_advice_words[PS_ADVICE_HELP_LATE_RANK]
                    : trace->sums.n_workers == 1 ? ps_advice_words[PS_ADVICE_RECORD_OTHER_RANKS]
                                                 : ps_advice_words[PS_ADVICE_SMALLER_COMMUNICATION];
    ps_trace_add_rows(c, trace, &rows, err);
    ps_trace_add_findings(c, trace);
    return err->code;
}

/* What keeps the device, or the program, from computing. */
enum obstacle {
    WAITS_FOR_DATA,
    COMMUNICATES,
    COPIES,
    BLOCKS,
    QUEUES,
    STARTS,
    CAPTURES,
    IDLES,
    NO_OBSTACLE
};

/* The largest obstacle that explains a step. */
static enum obstacle find_obstacle(const struct ps_trace_time *trace)
{
    const double *parts = trace->parts_s;
    const double seconds[NO_OBSTACLE] = {
        [WAITS_FOR_DATA] = parts[PS_ROLE_DATALOADER],
        [COMMUNICATES] = parts[PS_ROLE_COMMUNICATION],
        [COPIES] = copies_repeat(trace) || copy_seconds(trace) > parts[PS_ROLE_KERNEL]
                       ? copy_seconds(trace)
                       : 0,
        [BLOCKS] = trace->blocking_s,
        [QUEUES] = ps_trace_host_seconds(trace->queued_s),
        [STARTS] = ps_trace_host_seconds(trace->start_up_s),
        [CAPTURES] = ps_trace_host_seconds(trace->captures_s),
        [IDLES] = trace->has_devices ? ps_trace_idle_seconds(trace) : 0,
    };
    enum obstacle largest = WAITS_FOR_DATA;

    for (enum obstacle i = COMMUNICATES; i < NO_OBSTACLE; i++)
        if (seconds[i] > seconds[largest])
            largest = i;
    return seconds[largest] < VERDICT_SHARE * trace->wall_s ||
                   ((largest == IDLES || largest == QUEUES) &&
                    seconds[largest] < parts[PS_ROLE_KERNEL])
               ? NO_OBSTACLE
               : largest;
}

static struct ps_subject part_of(struct ps_conclusion *c, struct ps_report_link link,
                                 const char *name)
{
    return ps_subject_of(c, PS_SUBJECT_PART, link, ps_str_from_c(name));
}

/* Concludes that a part of the whole is what takes the time. `fact` says its time. */
static void conclude_part(struct ps_conclusion *c, const struct ps_trace_time *trace,
                          const char *rule, enum ps_verb verb, const char *part, double seconds,
                          struct ps_fact fact)
{
    fact.values[0] = seconds;
    ps_trace_conclude(c, rule, verb, part_of(c, ps_link_none, part), seconds / trace->wall_s, fact);
}

/* Concludes where the host spends the time of a trace without devices. */
static enum ps_status conclude_host(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                    struct ps_err *err)
{
    const struct ps_report_link all = ps_trace_link_operators(trace, NULL);
    const struct ps_trace_rows operators = ps_trace_rows_of_operators(trace);
    const struct ps_fact take = {PS_FACT_OPERATORS_TAKE, .values = {operators.whole_s},
                                 .link = all};
    const double *parts = trace->parts_s;
    const size_t blocking = ps_trace_find_blocking(trace);

    if (parts[PS_ROLE_RUNTIME] >= parts[PS_ROLE_CPU] &&
        parts[PS_ROLE_RUNTIME] >= parts[PS_N_ROLES] && blocking) {
        const double seconds = ps_trace_blocking_seconds(trace, blocking);
        const struct ps_report_link link =
            ps_trace_link_slice(c, trace->blocking[blocking].longest);

        ps_trace_conclude(c, "runtime", PS_TAKES, ps_trace_text_subject(c, trace, link, blocking),
                          seconds / trace->wall_s,
                          (struct ps_fact){PS_FACT_DRIVER_CALLS, .values = {seconds}});
    } else if (trace->compile_s > operators.whole_s && trace->compile_s > parts[PS_N_ROLES]) {
        const bool again = trace->n_compiling >= PS_STEPS_COMPILING;

        ps_trace_conclude(
            c, "compilation", again ? PS_REPEATS : PS_TAKES,
            part_of(c, ps_trace_link_operators(trace, "dynamo_timed"), "torch.compile"),
            trace->compile_s / trace->wall_s,
            (struct ps_fact){
                again ? PS_FACT_COMPILES_AGAIN : PS_FACT_TORCH_COMPILES,
                .values = {(double)trace->n_compiling, trace->compile_s / trace->wall_s},
                .link = {.tab = "overview"}});
        ps_first_fact(c, take);
    } else if (ps_trace_is_on_double(trace)) {
        ps_trace_conclude_double(c, trace);
        ps_trace_add_top(c, trace, &operators, err);
    } else if (ps_trace_has_pair(trace, &operators, err)) {
        ps_trace_conclude_pair(c, trace, &operators, err);
    } else if (ps_trace_has_many_operators(trace)) {
        ps_trace_conclude_many_operators(c, trace);
    } else if (ps_trace_time_share(trace, trace->units.needed_ns) > PS_NEEDED_SHARE ||
               (trace->operators.calls && operators.whole_s >= parts[PS_N_ROLES] &&
                trace->is_torch && !ps_trace_has_top_operator(trace, &operators, err))) {
        ps_trace_conclude_flat(c, trace, &operators, err);
    } else if (trace->operators.calls && operators.whole_s >= parts[PS_N_ROLES]) {
        struct ps_fact top[PS_TRACE_ROWS_MAX];
        size_t n;

        ps_trace_find_top(c, trace, &operators, top, &n, err);
        if (n)
            ps_trace_conclude(c, "operators", PS_TAKES, top[0].subject, top[0].values[0],
                              (struct ps_fact){PS_FACT_TOP_OPERATOR,
                                               .values = {operators.whole_s, top[0].values[0]},
                                               .link = all});
    } else if (trace->operators.calls) {
        conclude_part(c, trace, "other", PS_TAKES, "outside of operators", parts[PS_N_ROLES],
                      (struct ps_fact){PS_FACT_OUTSIDE_OPERATORS, .link = all});
        c->first.facts[0].values[0] = operators.whole_s;
        ps_trace_add_top(c, trace, &operators, err);
    } else {
        ps_trace_conclude(c, NULL, PS_TOO_FEW, ps_no_subject, NAN,
                          (struct ps_fact){.code = PS_FACT_NO_WORK});
    }
    return err->code;
}

static enum ps_status conclude_work(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                    struct ps_err *err)
{
    const struct ps_trace_rows kernels = ps_trace_rows_of_kernels(trace);
    const double share = kernels.whole_s / trace->wall_s;

    if (!trace->has_devices)
        return conclude_host(c, trace, err);
    if (ps_trace_managed_seconds(trace) >= VERDICT_SHARE * trace->wall_s)
        ps_trace_conclude_managed(c, trace);
    else
        ps_trace_conclude(
            c, "kernels", PS_TAKES,
            part_of(c, ps_link_none, ps_arena_printf(&c->arena, "%s kernels", c->device)), share,
            (struct ps_fact){PS_FACT_GPU_COMPUTES, .values = {share},
                             .link = ps_trace_kernels_link});
    return ps_trace_add_top(c, trace, &kernels, err);
}

static enum ps_status conclude_parts(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                     struct ps_err *err)
{
    const struct ps_report_link overview = {.tab = "overview"};
    const double *parts = trace->parts_s;

    switch (find_obstacle(trace)) {
    case WAITS_FOR_DATA:
        conclude_part(c, trace, "dataloader", PS_WAITS, "DataLoader", parts[PS_ROLE_DATALOADER],
                      (struct ps_fact){PS_FACT_WAITS_FOR_DATA,
                                       .link = ps_trace_link_operators(trace, "enumerate(Data")});
        break;
    case COMMUNICATES:
        conclude_part(c, trace, "communication", PS_WAITS, "communication",
                      parts[PS_ROLE_COMMUNICATION],
                      (struct ps_fact){PS_FACT_COMMUNICATES, .link = overview});
        if (!waits_for_rank(trace) && trace->sums.n_workers == 1)
            ps_first_fact(c, (struct ps_fact){.code = PS_FACT_ONE_RANK});
        if (waits_for_rank(trace))
            c->first.facts[0] =
                (struct ps_fact){PS_FACT_WAITS_FOR_RANK,
                                 .values = {(double)trace->late.rank, parts[PS_ROLE_COMMUNICATION]},
                                 .other = {.link = overview}, .link = {.tab = "ranks"}};
        break;
    case COPIES:
        conclude_part(c, trace, "copies", PS_TAKES, "copies", copy_seconds(trace),
                      (struct ps_fact){PS_FACT_COPIES, .link = overview});
        break;
    case BLOCKS:
        ps_trace_conclude_blocking(c, trace, trace->blocking_name, trace->blocking_s, err);
        break;
    case QUEUES:
        ps_trace_conclude_queued(c, trace);
        break;
    case STARTS:
        ps_trace_conclude_start_up(c, trace, err);
        break;
    case CAPTURES:
        conclude_part(c, trace, "graph_capture", PS_IDLES, c->device,
                      ps_trace_host_seconds(trace->captures_s),
                      (struct ps_fact){PS_FACT_CAPTURES,
                                       .link = ps_trace_link_slice(
                                           c, ps_trace_longest_capture(trace)->begin_call)});
        break;
    case IDLES:
        ps_trace_conclude_idle(c, trace, ps_trace_idle_seconds(trace));
        break;
    case NO_OBSTACLE:
        conclude_work(c, trace, err);
        break;
    }
    return err->code;
}

/* The parts of a step in the order in which moments are counted, with what shows each of them. */
static void compose(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    const struct ps_report_link overview = {.tab = "overview"},
                                copies = {"kernels", {{"q", "Mem"}}};
    const struct {
        const char *name, *label;
        struct ps_report_link link;
    } parts[PS_N_ROLES + 1] = {
        [PS_ROLE_KERNEL] = {"kernel", ps_arena_printf(&c->arena, "%s kernel", c->device),
                            ps_trace_kernels_link},
        [PS_ROLE_MEMCPY] = {"memcpy", "copy", copies},
        [PS_ROLE_MEMSET] = {"memset", "memset", copies},
        [PS_ROLE_COMMUNICATION] = {"communication", "communication", overview},
        [PS_ROLE_RUNTIME] = {"runtime", "runtime", ps_trace_link_driver(trace)},
        [PS_ROLE_DATALOADER] = {"dataloader", "DataLoader",
                                ps_trace_link_operators(trace, "enumerate(Data")},
        [PS_ROLE_CPU] = {"cpu", "CPU", ps_trace_link_operators(trace, NULL)},
        [PS_N_ROLES] = {"other", "other", {.tab = "flame"}},
    };

    c->composition = (struct ps_composition){
        .kind = PS_COMPOSITION_STEP_PARTS, .unit = c->unit, .base = c->base};
    c->composition.title =
        !trace->has_marks
            ? trace->sums.n_workers > 1
                  ? ps_arena_printf(&c->arena, "Mean of %u workers", trace->sums.n_workers)
                  : "Whole trace"
        : trace->n_steps == 1
            ? "One step"
            : ps_arena_printf(&c->arena, "Mean of %s%" PRId64 " steps",
                              trace->odd.is_left_out ? "the other " : "", trace->n_steps);
    for (size_t i = 0; i <= PS_N_ROLES; i++)
        ps_compose(c, parts[i].name, parts[i].label, trace->parts_s[i], parts[i].link);
}

static void say_overhead(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    const double seconds = ps_trace_host_seconds(trace->overhead_s);
    char text[48];

    if (seconds > 0)
        ps_conclusion_note(c, "The profiler's own work takes %s%s, which is in no cause.",
                           ps_format_seconds(seconds, text), trace->has_marks ? " a step" : "");
}

/* Adds the profiler's own work if that is most of the time. */
static void add_most_overhead(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    const double seconds = ps_trace_host_seconds(trace->overhead_s);

    if (seconds >= OVERHEAD_SHARE * trace->wall_s)
        ps_first_fact(c, (struct ps_fact){PS_FACT_OVERHEAD, .values = {seconds / trace->wall_s}});
}

/* Whether functions and annotations of the program come before the parts of a step. */
static bool are_units_first(const struct ps_trace_time *trace)
{
    const enum obstacle obstacle = find_obstacle(trace);

    return trace->units.n > 1 && trace->compile_s < 0.25 * trace->wall_s &&
           !ps_trace_is_on_double(trace) &&
           (obstacle == NO_OBSTACLE || (obstacle == WAITS_FOR_DATA && trace->units.has_functions));
}

enum ps_status ps_conclude_trace(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    PS_AUTO(ps_trace_time_free) struct ps_trace_time trace = {.db = db, .step = out->step};
    bool is_said = false; /* by functions and annotations of the program */

    ps_trace_time_read(&trace, err);
    if (err->code != PS_OK)
        return err->code;
    if (!trace.is_torch && !trace.has_devices)
        return ps_conclude_no_device(db, out, err);
    out->unit = "s";
    out->per = trace.has_marks ? "step" : NULL;
    out->base = trace.has_marks ? "of step" : "of trace";
    if (!(trace.wall_s > 0)) {
        ps_conclude_none(out, "time");
        return PS_OK;
    }
    out->of_shares = ps_trace_step_words(&trace);
    out->of_times = ps_trace_time_words(&trace);
    out->of_seconds = trace.wall_s;
    if (trace.has_devices) {
        size_t blocking = ps_trace_find_blocking(&trace);

        out->device = ps_arena_copy(&out->arena, ps_str_from_c(trace.facts.device_word)).ptr;
        if (blocking &&
            ps_trace_blocking_seconds(&trace, blocking) >= BLOCKING_SHARE * trace.wall_s) {
            trace.blocking_name = blocking;
            trace.blocking_s = ps_trace_blocking_seconds(&trace, blocking);
            trace.waits_for_earlier = ps_trace_waits_for_earlier(&trace, blocking);
            trace.blocks_last = ps_trace_blocks_last(&trace, blocking);
            ps_trace_add_blocking(out, &trace, blocking, trace.blocking_s, err);
        }
        ps_trace_add_queued(out, &trace);
        ps_trace_add_start_up(out, &trace, err);
        ps_trace_add_captures(out, &trace, err);
        ps_trace_add_idle(out, &trace);
        ps_trace_add_kernels(out, &trace, err);
    } else if (are_units_first(&trace)) {
        const struct ps_unit_base base = {.wall_s = trace.wall_s,
                                          .divisor = trace.divisor,
                                          .has_steps = trace.has_marks,
                                          .operators_tab = trace.operators_tab};

        is_said = ps_conclude_units(out, db, &trace.windows, &trace.units, &base, err);
    }
    if (!trace.has_devices && !is_said) {
        ps_trace_add_operators(out, &trace, err);
        ps_trace_add_compilation(out, &trace, err);
        add_host_causes(out, &trace);
    }
    if (!is_said) {
        add_loading(out, &trace);
        add_communication(out, &trace, err);
        add_copies(out, &trace);
    }
    ps_conclusion_sort(out);
    compose(out, &trace);
    if (!is_said)
        conclude_parts(out, &trace, err);
    ps_trace_add_left_out(out, &trace);
    ps_trace_add_odd_step(out, &trace, err);
    if (!is_said)
        add_most_overhead(out, &trace);
    ps_add_late_rank(out, &trace.late);
    ps_trace_add_iteration(out, &trace);
    ps_trace_add_step_choices(out, &trace);
    if (trace.has_marks && trace.has_devices)
        ps_conclude_inference(db, out, err);
    ps_trace_say_odd_step(out, &trace);
    say_overhead(out, &trace);
    ps_trace_say_base(db, out, &trace, err);
    if (trace.has_marks && trace.n_steps > 1)
        ps_conclusion_note(out, "Times are means of %s%" PRId64 " steps, counts are their sums.",
                           trace.odd.is_left_out ? "the other " : "", trace.n_steps);
    ps_conclusion_note(out,
                       "Each moment counts for the first of kernel, copy, communication, driver "
                       "call, wait for data and operator that was active. A saving is an upper "
                       "bound.");
    ps_trace_add_checks(out, &trace);
    return err->code;
}
