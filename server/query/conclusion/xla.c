/* SPDX-License-Identifier: MIT */
/*
 * xla.c: the conclusion of a trace of XLA's profiler.
 *
 * Neither a step nor a wait is a cause: operators run on other threads while the program waits. So
 * the time is that of the operators that run, or of what the program does while none runs:
 * compilation, dispatch, moving values, or work of its own. Devices that differ are compared by
 * their waiting in collectives.
 */
#include <math.h>

#include "server/query/advice.h"
#include "server/query/conclusion/trace_causes.h"
#include "server/query/trace/xla/xla.h"

#define CAUSE_SHARE    0.02 /* of the window: a cause with less is not listed */
#define VERDICT_SHARE  0.25 /* of the window: a part with more explains it */
#define TOP_SHARE      0.4  /* of the window: an operator with more stands out */
#define CALLBACK_SHARE 0.8  /* of an operator: a function that it calls and that explains it */
#define PART_SHARE     0.05 /* of the window: an operator with more is listed */
#define LATE_WORK      1.25 /* of the mean work of the others: a device with less is not late by it */
#define LATE_SAVING    0.15 /* of the window: what equal work saves at least, if it is the cause */
#define ROWS_MAX       5
#define COMPILED_MIN   8    /* programs, without steps: fewer are those that the program has */
#define COMPILE_STEPS  0.3  /* of the steps: compilation in more is no start */
#define READS_MIN      3    /* a step; fewer are not a loop that waits */
#define READS_SHARE    0.3  /* of the programs: a read for about every third */
#define PROGRAMS_MIN   10   /* a step; fewer are not many */
#define PROGRAMS_ALL   50   /* the same without steps */
#define SMALL_S        1e-3 /* of operators in a program that is small */

struct operator_row {
    struct ps_str name;
    double calls, ns;
};

struct xla {
    struct ps_xla_time time; /* of the worker that the others wait for, with all devices */
    uint32_t n_workers;
    double wall_s, divisor; /* of the window; steps, or 1 */
    struct operator_row operators[ROWS_MAX];
    size_t n_operators;
    double operators_ns;             /* of all operators, on all threads */
    struct ps_xla_unit unit, callee; /* outside of XLA */
    struct ps_xla_unit callback;     /* in operators */
};

static double share_of(const struct xla *xla, enum ps_xla_part part)
{
    return (double)xla->time.part_ns[part] / 1e9 / xla->wall_s;
}

/* The time of a part in a step. */
static double seconds_of(const struct xla *xla, enum ps_xla_part part)
{
    return (double)xla->time.part_ns[part] / 1e9 / xla->divisor;
}

/* While no operator runs and nothing is compiled. */
static double gaps_of(const struct xla *xla)
{
    return share_of(xla, PS_XLA_TRANSFER) + share_of(xla, PS_XLA_DISPATCH) +
           share_of(xla, PS_XLA_WAIT) + share_of(xla, PS_XLA_OUTSIDE);
}

static struct ps_report_link operators_link(void)
{
    return (struct ps_report_link){"xla-operators", {{"sort", "self_us"}, {"desc", "1"}}};
}

static struct ps_report_link slice_link(struct ps_conclusion *c, int64_t slice)
{
    return (struct ps_report_link){"timeline", {{"slice", ps_conclusion_id(c, slice)}}};
}

static struct ps_subject part_subject(struct ps_conclusion *c, struct ps_report_link link,
                                      const char *name)
{
    return ps_subject_of(c, PS_SUBJECT_PART, link, ps_str_from_c(name));
}

static enum ps_status read_operators(struct ps_db *db, struct ps_conclusion *c, struct xla *xla,
                                     struct ps_err *err)
{
    struct ps_xla_operator_sum rows[ROWS_MAX];
    int64_t all_ns;

    ps_xla_operators_read(db, xla->time.worker, xla->time.window, rows, ROWS_MAX, &xla->n_operators,
                          &all_ns, err);
    xla->operators_ns = (double)all_ns;
    for (size_t i = 0; i < xla->n_operators; i++)
        xla->operators[i] =
            (struct operator_row){ps_arena_copy(&c->arena, ps_trace_text(db, rows[i].name)),
                                  (double)rows[i].calls, (double)rows[i].self_ns};
    return err->code;
}

/* The share of an operator: threads share the work of operators, so it is its part of the time in
 * which operators run. */
static double operator_share(const struct xla *xla, size_t i)
{
    return i < xla->n_operators && xla->operators_ns > 0
               ? xla->operators[i].ns / xla->operators_ns * share_of(xla, PS_XLA_COMPUTE)
               : 0;
}

static struct ps_cause *add_cause(struct ps_conclusion *c, const struct xla *xla, const char *rule,
                                  double share, struct ps_subject subject)
{
    const struct ps_claim claim = ps_claim_of(rule, PS_TAKES, subject, share);

    return ps_conclusion_claim(c, &claim, share * xla->wall_s / xla->divisor);
}

static struct ps_fact count_of(double n, const char *noun, struct ps_report_link link)
{
    return (struct ps_fact){PS_FACT_CALLS, .values = {n}, .word = ps_str_from_c(noun),
                            .link = link};
}

static struct ps_subject operator_subject(struct ps_conclusion *c, struct ps_str name)
{
    return ps_subject_of(c, PS_SUBJECT_OPERATOR, ps_link_name(c, "xla-operators", name),
                         ps_trace_short_name(c, name));
}

static void add_operators(struct ps_conclusion *c, const struct xla *xla)
{
    const double share = share_of(xla, PS_XLA_COMPUTE);

    if (share < CAUSE_SHARE)
        return;
    add_cause(c, xla, "operators", share, part_subject(c, operators_link(), "Operators"))
        ->claim.evidence = count_of((double)xla->time.operators, "call", operators_link());
    for (size_t i = 0; i < xla->n_operators; i++) {
        const double part = operator_share(xla, i);
        const struct ps_subject subject = operator_subject(c, xla->operators[i].name);
        const struct ps_claim claim = ps_claim_of("operator", PS_TAKES, subject, part);

        if (part < PART_SHARE)
            break;
        ps_conclusion_claim_part(c, &claim, part * xla->wall_s / xla->divisor)->claim.evidence =
            count_of(xla->operators[i].calls, "call", subject.link);
    }
}

/* A Python frame "$app.py:12 load" is the function load at app.py:12, "$time sleep" is time.sleep;
 * other names are those of annotations. */
static struct ps_subject unit_subject(struct ps_db *db, struct ps_conclusion *c,
                                      const struct ps_xla_unit *unit)
{
    const struct ps_str name = ps_trace_text(db, unit->name), frame = ps_str_skip(name, 1);
    const struct ps_report_link link = slice_link(c, unit->longest);
    const char *space = frame.len ? memchr(frame.ptr, ' ', frame.len) : NULL;
    const char *colon = ps_str_find(frame, PS_STR(".py:"));
    struct ps_subject subject;
    struct ps_str function;

    if (!space || (!ps_xla_is_frame(name) && !ps_xla_is_builtin(name)))
        return ps_subject_of(c, PS_SUBJECT_ANNOTATION, link, name);
    function = ps_str_skip(frame, (size_t)(space + 1 - frame.ptr));
    if (ps_xla_is_builtin(name))
        return ps_subject_of(
            c, PS_SUBJECT_FUNCTION, link,
            ps_str_from_c(ps_arena_printf(&c->arena, "%.*s.%.*s", (int)(space - frame.ptr),
                                          frame.ptr, (int)function.len, function.ptr)));
    subject = ps_subject_of(c, PS_SUBJECT_FUNCTION, link, function);
    subject.path = ps_arena_copy(
        &c->arena, (struct ps_str){frame.ptr, (size_t)(colon + sizeof ".py" - 1 - frame.ptr)});
    (void)ps_str_parse_i64(
        (struct ps_str){colon + sizeof ".py:" - 1, (size_t)(space - colon) - (sizeof ".py:" - 1)},
        &subject.line);
    return subject;
}

/* --- The first sentence --- */

static void conclude(struct ps_conclusion *c, const char *rule, enum ps_verb verb,
                     struct ps_subject subject, double share, struct ps_fact fact)
{
    ps_conclude_first(c, ps_claim_of(rule, verb, subject, share));
    ps_first_fact(c, fact);
}

static bool compiles_again(const struct xla *xla)
{
    const double steps = (double)xla->time.compile_steps;

    return xla->time.steps.n ? steps >= 2 && steps >= COMPILE_STEPS * xla->divisor
                             : xla->time.compiled >= COMPILED_MIN;
}

static void add_compilation(struct ps_conclusion *c, const struct xla *xla)
{
    const double share = share_of(xla, PS_XLA_COMPILE);
    const struct ps_report_link link =
        ps_link_name(c, "slices", PS_STR("backend_compile_and_load"));
    const bool is_again = compiles_again(xla);
    struct ps_cause *cause;

    if (share < CAUSE_SHARE)
        return;
    cause = add_cause(c, xla, "compilation", share, part_subject(c, link, "JAX compiles"));
    cause->claim.evidence = count_of((double)xla->time.compiled, "program", link);
    cause->advice =
        ps_advice_words[is_again ? PS_ADVICE_EQUAL_PROGRAMS : PS_ADVICE_RECORD_COMPILED];
    if (is_again && share >= VERDICT_SHARE)
        ps_cause_save(cause, NAN, cause->amount);
}

static void say_compilation(struct ps_conclusion *c, const struct xla *xla)
{
    const double share = share_of(xla, PS_XLA_COMPILE);
    const struct ps_report_link link =
        ps_link_name(c, "slices", PS_STR("backend_compile_and_load"));
    const bool is_again = compiles_again(xla);

    conclude(c, "compilation", is_again ? PS_REPEATS : PS_ONCE,
             part_subject(c, link, "compilation"), share,
             (struct ps_fact){
                 is_again ? PS_FACT_XLA_COMPILES : PS_FACT_XLA_COMPILED_ONCE,
                 .values = {(double)xla->time.compiled, share, (double)xla->time.compile_steps},
                 .link = link});
    if (!is_again)
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_WARM_UP});
}

static double unit_share(const struct xla *xla)
{
    return (double)xla->unit.ns / 1e9 / xla->wall_s;
}

/* What the program does while no operator runs. */
enum gap { GAP_NONE, GAP_UNIT, GAP_READS, GAP_PROGRAMS, GAP_MOVES, GAP_WAITS, GAP_UNKNOWN };

static enum gap gap_of(const struct xla *xla)
{
    const double programs = (double)xla->time.programs / xla->divisor,
                 reads = (double)xla->time.reads / xla->divisor, gaps = gaps_of(xla);

    if (gaps < VERDICT_SHARE)
        return GAP_NONE;
    if (xla->unit.name && unit_share(xla) >= 0.5 * gaps &&
        unit_share(xla) >= operator_share(xla, 0))
        return GAP_UNIT;
    if (reads >= READS_MIN && reads >= READS_SHARE * programs)
        return GAP_READS;
    if (share_of(xla, PS_XLA_TRANSFER) >= 0.5 * gaps)
        return GAP_MOVES;
    if (share_of(xla, PS_XLA_WAIT) >= 0.5 * gaps)
        return GAP_WAITS;
    if (programs >= (xla->time.steps.n ? PROGRAMS_MIN : PROGRAMS_ALL) &&
        seconds_of(xla, PS_XLA_COMPUTE) / programs < SMALL_S)
        return GAP_PROGRAMS;
    return share_of(xla, PS_XLA_OUTSIDE) >= VERDICT_SHARE &&
                   share_of(xla, PS_XLA_OUTSIDE) > share_of(xla, PS_XLA_COMPUTE)
               ? GAP_UNKNOWN
               : GAP_NONE;
}

static struct ps_claim unit_claim(struct ps_db *db, struct ps_conclusion *c, const struct xla *xla)
{
    struct ps_claim claim =
        ps_claim_of("outside", PS_TAKES, unit_subject(db, c, &xla->unit), unit_share(xla));

    if (xla->callee.name)
        claim.subjects[0].via = unit_subject(db, c, &xla->callee);
    return claim;
}

/* Adds what the program does while no operator runs, as one cause for each of its reasons. */
static void add_gaps(struct ps_db *db, struct ps_conclusion *c, const struct xla *xla, enum gap gap)
{
    const double dispatch = share_of(xla, PS_XLA_DISPATCH), moves = share_of(xla, PS_XLA_TRANSFER);
    const double outside = share_of(xla, PS_XLA_OUTSIDE), all = gaps_of(xla);
    const struct ps_report_link flame = {.tab = "flame"},
                                calls = ps_link_name(c, "slices", PS_STR("PjitFunction"));
    struct ps_cause *cause;

    if (gap == GAP_READS || gap == GAP_PROGRAMS) {
        cause = add_cause(c, xla, gap == GAP_READS ? "reads" : "programs", all,
                          part_subject(c, flame,
                                       gap == GAP_READS ? "Waiting for results that are read"
                                                        : "Starting many small programs"));
        cause->claim.evidence = gap == GAP_READS
                                    ? count_of((double)xla->time.reads, "read", flame)
                                    : count_of((double)xla->time.programs, "program", calls);
        cause->advice =
            ps_advice_words[gap == GAP_READS ? PS_ADVICE_STAY_ON_DEVICE : PS_ADVICE_ONE_PROGRAM];
        ps_cause_save(cause, NAN, cause->amount);
        return;
    }
    if (outside >= CAUSE_SHARE) {
        cause = add_cause(c, xla, "outside", outside, part_subject(c, flame, "XLA does nothing"));
        if (xla->unit.name) {
            const struct ps_claim claim = unit_claim(db, c, xla);

            ps_conclusion_claim_part(c, &claim, (double)xla->unit.ns / 1e9 / xla->divisor)
                ->claim.evidence =
                count_of((double)xla->unit.calls, "call", slice_link(c, xla->unit.longest));
        }
        cause = &c->causes[c->n_causes - 1 - (xla->unit.name != 0)];
        if (gap == GAP_UNIT) {
            cause->advice = ps_advice_words[PS_ADVICE_LOAD_AHEAD_XLA];
            ps_cause_save(cause, NAN, (double)xla->unit.ns / 1e9 / xla->divisor);
        }
    }
    if (moves >= CAUSE_SHARE) {
        cause = add_cause(c, xla, "transfers", moves,
                          part_subject(c, flame, "Values are moved, and no operator runs"));
        cause->claim.evidence = count_of((double)xla->time.reads, "read", flame);
    }
    if (share_of(xla, PS_XLA_WAIT) >= CAUSE_SHARE)
        add_cause(c, xla, "waits", share_of(xla, PS_XLA_WAIT),
                  part_subject(c, flame, "The program waits for results, and no operator runs"));
    if (dispatch >= CAUSE_SHARE)
        add_cause(c, xla, "dispatch", dispatch,
                  part_subject(c, calls, "Programs are started, and no operator runs"))
            ->claim.evidence = count_of((double)xla->time.programs, "program", calls);
}

/* Says that the program is in a function or annotation while no operator runs. */
static void say_unit(struct ps_db *db, struct ps_conclusion *c, const struct xla *xla)
{
    ps_conclude_first(c, unit_claim(db, c, xla));
    ps_first_fact(
        c, (struct ps_fact){PS_FACT_XLA_OUTSIDE_IN,
                            .values = {unit_share(xla), (double)xla->unit.ns / 1e9 / xla->divisor},
                            .link = slice_link(c, xla->unit.longest)});
    if (xla->callee.name)
        ps_first_fact(c, (struct ps_fact){PS_FACT_XLA_IN_CALL, unit_subject(db, c, &xla->callee),
                                          .link = slice_link(c, xla->callee.longest)});
}

static void say_gap(struct ps_db *db, struct ps_conclusion *c, const struct xla *xla, enum gap gap)
{
    const double programs = (double)xla->time.programs / xla->divisor, gaps = gaps_of(xla);
    const struct ps_report_link flame = {.tab = "flame"},
                                calls = ps_link_name(c, "slices", PS_STR("PjitFunction"));

    switch (gap) {
    case GAP_UNIT:
        say_unit(db, c, xla);
        break;
    case GAP_READS:
        conclude(c, "reads", PS_WAITS, part_subject(c, flame, "reading of results"), gaps,
                 (struct ps_fact){PS_FACT_XLA_READS,
                                  .values = {round((double)xla->time.reads / xla->divisor), gaps},
                                  .link = flame});
        break;
    case GAP_PROGRAMS:
        conclude(c, "programs", PS_REPEATS, part_subject(c, calls, "small programs"), gaps,
                 (struct ps_fact){
                     PS_FACT_XLA_MANY_PROGRAMS,
                     .values = {round(programs), seconds_of(xla, PS_XLA_COMPUTE) / programs, gaps},
                     .link = calls});
        break;
    case GAP_MOVES:
        conclude(c, "transfers", PS_TAKES, part_subject(c, flame, "transfers"),
                 share_of(xla, PS_XLA_TRANSFER),
                 (struct ps_fact){
                     PS_FACT_XLA_MOVES,
                     .values = {share_of(xla, PS_XLA_TRANSFER), seconds_of(xla, PS_XLA_TRANSFER)},
                     .link = flame});
        break;
    case GAP_WAITS:
        conclude(
            c, "waits", PS_WAITS, part_subject(c, flame, "results"), share_of(xla, PS_XLA_WAIT),
            (struct ps_fact){PS_FACT_XLA_WAITS,
                             .values = {share_of(xla, PS_XLA_WAIT), seconds_of(xla, PS_XLA_WAIT)},
                             .link = flame});
        break;
    case GAP_UNKNOWN:
    case GAP_NONE:
        conclude(c, "outside", PS_CANNOT_SEE, part_subject(c, flame, "outside of XLA"),
                 share_of(xla, PS_XLA_OUTSIDE),
                 (struct ps_fact){
                     PS_FACT_XLA_OUTSIDE,
                     .values = {share_of(xla, PS_XLA_OUTSIDE), seconds_of(xla, PS_XLA_OUTSIDE)},
                     .link = flame});
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_XLA_TRACER});
        break;
    }
}

/* --- Devices --- */

/* The device that others wait for in collectives, if it explains the window. */
struct late_device {
    const struct ps_xla_device *device; /* NULL: none */
    double others_s, wait_s;            /* mean work and mean waiting of the others */
};

static struct late_device find_late(const struct xla *xla)
{
    struct late_device late = {.device = NULL};
    const double n_others = (double)xla->time.n_devices - 1;

    if (xla->time.n_devices < 2)
        return late;
    for (size_t i = 0; i < xla->time.n_devices; i++) {
        const struct ps_xla_device *device = &xla->time.devices[i];

        late.wait_s += (double)device->wait_ns / 1e9 / n_others;
        late.others_s += (double)device->busy_ns / 1e9 / n_others;
        if (!late.device || device->wait_ns < late.device->wait_ns)
            late.device = device;
    }
    late.others_s -= (double)late.device->busy_ns / 1e9 / n_others;
    if (late.wait_s < CAUSE_SHARE * xla->wall_s ||
        (double)late.device->busy_ns / 1e9 < LATE_WORK * late.others_s)
        late.device = NULL;
    return late;
}

/* What equal work would save: the late device would take the mean of all. */
static double equal_saving(const struct xla *xla, const struct late_device *late)
{
    const double busy_s = (double)late->device->busy_ns / 1e9, n = (double)xla->time.n_devices,
                 mean_s = (busy_s + (n - 1) * late->others_s) / n;

    return fmax(0, fmin(busy_s - mean_s, late->wait_s)) / xla->divisor;
}

static const char *late_name(struct ps_conclusion *c, const struct xla *xla,
                             const struct late_device *late)
{
    return xla->n_workers > 1
               ? ps_arena_printf(&c->arena, "device %lld of worker %u",
                                 (long long)late->device->number, late->device->worker)
               : ps_arena_printf(&c->arena, "device %lld", (long long)late->device->number);
}

static void add_late(struct ps_conclusion *c, const struct xla *xla, const struct late_device *late)
{
    struct ps_cause *cause;

    if (!late->device)
        return;
    cause = ps_conclusion_claim(
        c,
        &(struct ps_claim){
            .rule = "late_device",
            .verb = PS_WAITS,
            .saving = NAN,
            .subjects = {{.what = part_subject(c, operators_link(),
                                               ps_arena_printf(&c->arena, "Devices wait for %s",
                                                               late_name(c, xla, late)))}},
            .n_subjects = 1,
            .share = late->wait_s / xla->wall_s},
        late->wait_s / xla->divisor);
    cause->advice = ps_advice_words[PS_ADVICE_EQUAL_DEVICES];
    ps_cause_save(cause, NAN, equal_saving(xla, late));
}

static void say_late(struct ps_conclusion *c, const struct xla *xla, const struct late_device *late)
{
    conclude(
        c, "late_device", PS_WAITS, part_subject(c, operators_link(), late_name(c, xla, late)),
        late->wait_s / xla->wall_s,
        (struct ps_fact){PS_FACT_XLA_LATE_DEVICE,
                         .values = {(double)late->device->number,
                                    (double)late->device->busy_ns / 1e9 / xla->divisor,
                                    late->others_s / xla->divisor, late->wait_s / xla->divisor},
                         .link = operators_link()});
}

/* --- Operators --- */

static void say_operators(struct ps_db *db, struct ps_conclusion *c, const struct xla *xla)
{
    const double all = share_of(xla, PS_XLA_COMPUTE);

    if (!xla->n_operators) {
        ps_conclude_none(c, "operator");
        return;
    }
    if (operator_share(xla, 0) >= TOP_SHARE) {
        conclude(c, "operators", PS_TAKES, operator_subject(c, xla->operators[0].name),
                 operator_share(xla, 0),
                 (struct ps_fact){PS_FACT_XLA_TOP_OPERATOR, .values = {operator_share(xla, 0), all},
                                  .link = operators_link()});
        if (xla->callback.name && (double)xla->callback.ns >= CALLBACK_SHARE * xla->operators[0].ns)
            ps_first_fact(c, (struct ps_fact){PS_FACT_XLA_CALLS_BACK,
                                              unit_subject(db, c, &xla->callback),
                                              .link = slice_link(c, xla->callback.longest)});
        return;
    }
    conclude(c, NULL, PS_FLAT, ps_no_subject, NAN,
             (struct ps_fact){.code = PS_FACT_SHARES_OF,
                              .word = ps_str_skip(ps_str_from_c(c->of_shares), 1)});
    for (size_t i = 0; i < xla->n_operators && i < 3; i++)
        ps_first_largest(c, operator_subject(c, xla->operators[i].name), operator_share(xla, i));
    ps_first_fact(
        c, (struct ps_fact){PS_FACT_XLA_OPERATORS, .values = {all}, .link = operators_link()});
}

static void add_collectives(struct ps_conclusion *c, const struct xla *xla)
{
    const double share = share_of(xla, PS_XLA_COLLECTIVE);

    if (share >= CAUSE_SHARE)
        add_cause(c, xla, "collectives", share,
                  part_subject(c, operators_link(), "Collectives that nothing overlaps"));
}

/* Says the largest of what explains the window. */
static void say_first(struct ps_db *db, struct ps_conclusion *c, const struct xla *xla,
                      const struct late_device *late)
{
    const enum gap gap = gap_of(xla);
    const double compile = share_of(xla, PS_XLA_COMPILE),
                 collective = share_of(xla, PS_XLA_COLLECTIVE),
                 waits = late->device ? late->wait_s / xla->wall_s : 0,
                 gaps = gap == GAP_NONE ? 0 : gaps_of(xla);

    if (compile >= VERDICT_SHARE && compile >= gaps && compile >= waits)
        say_compilation(c, xla);
    else if (waits >= VERDICT_SHARE && waits >= gaps &&
             equal_saving(xla, late) * xla->divisor >= LATE_SAVING * xla->wall_s)
        say_late(c, xla, late);
    else if (gap != GAP_NONE)
        say_gap(db, c, xla, gap);
    else if (collective >= VERDICT_SHARE)
        conclude(c, "collectives", PS_TAKES, part_subject(c, operators_link(), "collectives"),
                 collective,
                 (struct ps_fact){PS_FACT_XLA_COLLECTIVES,
                                  .values = {collective, seconds_of(xla, PS_XLA_COLLECTIVE)},
                                  .link = operators_link()});
    else
        say_operators(db, c, xla);
}

static void compose(struct ps_conclusion *c, const struct xla *xla)
{
    static const struct {
        const char *name, *label;
    } parts[PS_N_XLA_PARTS] = {
        [PS_XLA_COMPUTE] = {"kernel", "operators"},
        [PS_XLA_COLLECTIVE] = {"communication", "collectives"},
        [PS_XLA_EXECUTE] = {"memset", "between operators"},
        [PS_XLA_COMPILE] = {"cpu", "compilation"},
        [PS_XLA_TRANSFER] = {"memcpy", "transfers"},
        [PS_XLA_DISPATCH] = {"runtime", "dispatch"},
        [PS_XLA_WAIT] = {"dataloader", "waiting"},
        [PS_XLA_OUTSIDE] = {"other", "outside of XLA"},
    };

    c->composition = (struct ps_composition){
        .kind = PS_COMPOSITION_STEP_PARTS, .unit = c->unit, .base = c->base};
    c->composition.title = xla->time.steps.n
                               ? ps_arena_printf(&c->arena, "Mean of %zu steps", xla->time.steps.n)
                               : "Whole trace";
    for (size_t i = 0; i < PS_N_XLA_PARTS; i++)
        ps_compose(c, parts[i].name, parts[i].label, seconds_of(xla, (enum ps_xla_part)i),
                   (struct ps_report_link){.tab = i == PS_XLA_COMPUTE ? "xla-operators" : "flame"});
}

static void add_notes(struct ps_conclusion *c, const struct xla *xla)
{
    if (xla->time.steps.n > 1)
        ps_conclusion_note(c,
                           "A step lasts here until the next one begins, so that what happens "
                           "between steps counts. Times are means of %zu steps.",
                           xla->time.steps.n);
    if (!xla->time.steps.n)
        ps_conclusion_note(c, "No steps are marked. jax.profiler.StepTraceAnnotation around each "
                              "iteration marks them.");
    if (xla->n_workers > 1)
        ps_conclusion_note(c,
                           "%u hosts were recorded. Shares are of worker %u, whose devices wait "
                           "least in collectives.",
                           xla->n_workers, xla->time.worker);
    if (xla->time.n_devices > 1)
        ps_conclusion_note(c, "Devices run at the same time: while one waits, another computes.");
    ps_conclusion_note(c, "Each moment counts for the first of operator, collective, compilation, "
                          "transfer and start of a program that was active.");
}

static enum ps_status conclude_xla(struct ps_db *db, struct ps_conclusion *out, struct xla *xla,
                                   struct ps_err *err)
{
    struct late_device late;

    xla->wall_s = (double)(xla->time.window.to_ns - xla->time.window.from_ns) / 1e9;
    xla->divisor = xla->time.steps.n ? (double)xla->time.steps.n : 1;
    out->unit = "s";
    out->per = xla->time.steps.n ? "step" : NULL;
    out->base = xla->time.steps.n ? "of steps" : "of trace";
    if (!(xla->wall_s > 0))
        return ps_conclude_slices(db, out, err);
    out->of_shares = xla->time.steps.n ? " of the steps" : " of the trace";
    out->of_seconds = xla->wall_s / xla->divisor;
    if (read_operators(db, out, xla, err) != PS_OK ||
        ps_xla_outside_read(db, &xla->time, &xla->unit, &xla->callee, err) != PS_OK ||
        ps_xla_callback_read(db, &xla->time, &xla->callback, err) != PS_OK)
        return err->code;
    late = find_late(xla);
    add_operators(out, xla);
    add_compilation(out, xla);
    add_gaps(db, out, xla, gap_of(xla));
    if (late.device)
        add_late(out, xla, &late);
    else
        add_collectives(out, xla);
    ps_conclusion_sort(out);
    compose(out, xla);
    say_first(db, out, xla, &late);
    add_notes(out, xla);
    return err->code;
}

/* How long the devices of a worker are in collectives. */
static int64_t collective_ns(const struct ps_xla_time *time)
{
    int64_t ns = 0;

    for (size_t i = 0; i < time->n_devices; i++)
        ns = ps_add_saturated(
            ns, ps_intervals_length(&time->devices[i].collective, INT64_MIN, INT64_MAX));
    return ns;
}

static int64_t window_ns(const struct ps_xla_time *time)
{
    return time->window.to_ns - time->window.from_ns;
}

/* Reads the workers, and keeps the time of the one that the others wait for: its devices are in
 * collectives for the shortest time. Without collectives, it is the one that takes longest. */
static enum ps_status read_workers(struct ps_db *db, struct xla *xla, struct ps_err *err)
{
    int64_t least_ns;

    if (ps_xla_count_workers(db, &xla->n_workers, err) != PS_OK)
        return err->code;
    ps_xla_time_read(db, 0, &xla->time, err);
    least_ns = collective_ns(&xla->time);
    for (uint32_t worker = 1; worker < xla->n_workers && err->code == PS_OK; worker++) {
        struct ps_xla_time other;
        int64_t other_ns;

        ps_xla_time_read(db, worker, &other, err);
        other_ns = collective_ns(&other);
        if (other_ns < least_ns ||
            (other_ns == least_ns && window_ns(&other) > window_ns(&xla->time))) {
            const struct ps_xla_time before = xla->time;

            least_ns = other_ns;
            xla->time = other;
            other = before;
        }
        ps_xla_time_add_devices(&xla->time, &other);
        ps_xla_time_free(&other);
    }
    return err->code;
}

enum ps_status ps_conclude_xla(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    struct xla xla = {.n_operators = 0};

    if (read_workers(db, &xla, err) == PS_OK)
        conclude_xla(db, out, &xla, err);
    ps_xla_time_free(&xla.time);
    return err->code;
}
