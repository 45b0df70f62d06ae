/* SPDX-License-Identifier: MIT */
/* unit_causes.c: judges the units of a trace, and makes claims of the judgement. */
#include "server/query/conclusion/unit_causes.h"
#include "base/frame_name.h"
#include "server/query/advice.h"

#include <math.h>

#define CAUSE_SCORE 0.2  /* share times likelihood; with less, there is no single cause */
#define ROW_SHARE   0.05 /* units with a smaller share are not listed */
#define PART_SHARE  0.10 /* parts with a smaller share of their unit are not listed */
#define NEXT_SHARE  0.10 /* the sentence names the next unit if it has more */
#define MOST        0.5  /* a unit with more is named, though nothing is known to be avoidable */
#define COVERED     0.5  /* share of the time that the units explain together */
#define LOOP_CALLS  16   /* calls of one operator in each call of a unit */
/* A loop over elements runs few operators often: each of at most 5 for every element. The layers of
 * a model repeat operators too, fewer times and among others. */
#define ELEMENTS     64
#define ELEMENT_PART 0.2
#define REPEATED     4 /* calls of a known function in each call of a unit */
#define ROWS_MAX     12
#define MENDED_SHARE 0.4  /* of the share of the largest unit: see find_cause */
#define MENDED_LEAST 0.15 /* share of a unit that comes before larger ones */
#define JUDGED       4    /* units with the most time, of which the cause is chosen */

enum verdict { WORKS, LOOPS, CONCATENATES, CALLS_KNOWN, WAITS, COMPUTES };

struct finding {
    uint32_t unit;
    double share, score;
    enum verdict verdict;
    struct ps_unit_lead leads[PS_LEADS_MAX];
    size_t n_leads;
    const struct ps_known_call *known; /* of the first lead; NULL: nothing */
    double saving;                     /* share of the whole; 0: none */
};

struct judged {
    struct ps_conclusion *c;
    struct ps_db *db;
    const struct ps_host_units *units;
    const struct ps_unit_base *base;
    struct finding items[ROWS_MAX];
    size_t n;
    double rest; /* share in no unit */
};

static double share_of(const struct ps_unit_base *base, int64_t ns)
{
    return fmin(1, (double)ns / 1e9 / base->divisor / base->wall_s);
}

static double part_of(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

/* --- Judging --- */

/* The mean calls of a lead in each call of its unit. */
static double times_of(const struct ps_host_unit *unit, const struct ps_unit_lead *lead)
{
    return (double)lead->calls / (double)(unit->calls > 0 ? unit->calls : 1);
}

static bool is_operator(struct ps_str text)
{
    struct ps_str path, name;
    int64_t line;

    return text.len && text.ptr[0] != '<' && !ps_slice_frame_parse(text, &path, &line, &name) &&
           !ps_str_starts_with(text, PS_STR("nn.Module: "));
}

/* Whether a lead is an operator that runs for each of many elements. */
static bool runs_for_elements(struct ps_db *db, const struct ps_host_unit *unit,
                              const struct ps_unit_lead *lead)
{
    return times_of(unit, lead) >= ELEMENTS &&
           part_of(lead->calls, unit->n_operators) >= ELEMENT_PART &&
           is_operator(ps_trace_text(db, lead->name));
}

/* Whether a unit calls small operators again and again. */
static bool loops(struct ps_db *db, const struct ps_host_unit *unit, const struct finding *finding)
{
    const int64_t heavy_ns = unit->needed_ns + unit->large_ns + unit->wait_ns;
    bool repeats = false;

    for (size_t i = 0; i < finding->n_leads; i++)
        repeats |= runs_for_elements(db, unit, &finding->leads[i]);
    return repeats && !unit->trains && (double)heavy_ns < 0.4 * (double)unit->ns &&
           part_of(unit->operators_ns, unit->ns) > 0.1 &&
           unit->operators_ns < 2 * PS_SMALL_NS * unit->n_operators;
}

/* Whether one operator or call takes most of a unit that does little of what training needs. */
static bool is_led_by_avoidable(const struct ps_host_unit *unit, const struct ps_unit_lead *lead)
{
    return lead && part_of(lead->ns, unit->ns) > 0.5 && part_of(unit->needed_ns, unit->ns) < 0.25;
}

static void judge(struct judged *judged, struct finding *finding)
{
    const struct ps_host_unit *unit = &judged->units->units[finding->unit];
    const struct ps_unit_lead *lead = finding->n_leads ? &finding->leads[0] : NULL;
    const struct ps_str text = lead ? ps_trace_text(judged->db, lead->name) : PS_STR("");
    const double lead_part = lead ? part_of(lead->ns, unit->ns) : 0;
    const double lead_times = lead ? times_of(unit, lead) : 0;
    const int64_t other_ns = unit->ns - unit->needed_ns - unit->wait_ns;

    finding->known = lead_part > 0.25 ? ps_slice_known_call(text) : NULL;
    finding->score = finding->share * (0.25 * part_of(unit->needed_ns, unit->ns) +
                                       0.3 * part_of(unit->wait_ns, unit->ns) +
                                       (unit->trains ? 0.25 : 0.5) * part_of(other_ns, unit->ns));
    if (2 * unit->wait_ns > unit->ns) {
        finding->verdict = WAITS;
    } else if (loops(judged->db, unit, finding)) {
        finding->verdict = LOOPS;
        finding->score = 0.9 * finding->share;
        finding->saving = finding->share * (1 - 1.0 / LOOP_CALLS);
    } else if (lead_part > 0.4 && lead_times >= REPEATED &&
               (ps_str_eq_c(text, "aten::cat") || ps_str_eq_c(text, "aten::stack"))) {
        finding->verdict = CONCATENATES;
        finding->score = 0.9 * finding->share;
        finding->saving = share_of(judged->base, lead->ns) * (1 - 1 / lead_times);
    } else if (finding->known && finding->known->advice && lead_times >= REPEATED) {
        /* the own code of a function that makes so many calls is the loop that makes them */
        const int64_t loop_ns = lead->ns + (lead_times >= LOOP_CALLS ? unit->own_ns : 0);

        finding->verdict = CALLS_KNOWN;
        finding->score = 0.9 * finding->share;
        finding->saving = share_of(judged->base, loop_ns) * (1 - 1 / lead_times);
    } else if (part_of(unit->needed_ns, unit->ns) > 0.5 ||
               (unit->trains && !is_led_by_avoidable(unit, lead))) {
        finding->verdict = COMPUTES;
    }
}

static void insert(struct judged *judged, const struct finding *finding)
{
    size_t at = judged->n < ROWS_MAX ? judged->n++ : ROWS_MAX - 1;

    if (at == ROWS_MAX - 1 && judged->n == ROWS_MAX && judged->items[at].share >= finding->share)
        return;
    while (at > 0 && judged->items[at - 1].share < finding->share) {
        judged->items[at] = judged->items[at - 1];
        at--;
    }
    judged->items[at] = *finding;
}

/* Returns the index of the cause; ROWS_MAX: there is none. */
static size_t find_cause(const struct judged *judged)
{
    size_t found = ROWS_MAX;

    for (size_t i = 0; i < judged->n && i < JUDGED; i++) {
        const struct finding *finding = &judged->items[i];
        const struct ps_host_unit *unit = &judged->units->units[finding->unit];
        const bool trains = unit->trains || unit->is_derived;
        const bool is_cause = finding->verdict == COMPUTES
                                  ? !trains && finding->share > MOST
                                  : finding->score >= CAUSE_SCORE || finding->share > MOST;

        if (is_cause && (found == ROWS_MAX || finding->score > judged->items[found].score))
            found = i;
    }
    /* what can be mended comes before larger work of which nothing is known */
    for (size_t i = 0; i < judged->n && i < JUDGED; i++)
        if (judged->items[i].saving > 0 &&
            (found == ROWS_MAX ||
             (!(judged->items[found].saving > 0) &&
              judged->items[i].share >= MENDED_SHARE * judged->items[found].share)) &&
            judged->items[i].share >= MENDED_LEAST)
            found = i;
    return found;
}

/* --- Claims --- */

/* "<built-in method index of list object at 0x7f...>": "list.index". */
static struct ps_str name_builtin(struct ps_conclusion *c, struct ps_str text)
{
    struct ps_str name, owner;
    const char *of;

    if (!ps_str_starts_with(text, PS_STR("<built-in ")))
        return text;
    name = ps_str_skip(text, ps_str_starts_with(text, PS_STR("<built-in method ")) ? 17 : 19);
    of = ps_str_find(name, PS_STR(" of "));
    if (!of) {
        name.len -= name.len > 0;
        return ps_arena_copy(&c->arena, name);
    }
    owner = ps_str_skip(name, (size_t)(of - name.ptr) + 4);
    name.len = (size_t)(of - name.ptr);
    for (size_t i = 0; i < owner.len; i++)
        if (owner.ptr[i] == ' ')
            owner.len = i;
    if (ps_str_eq_c(owner,
                    "type")) /* "tensor of type object at 0x7f...", of which class is unknown */
        return ps_arena_copy(&c->arena, name);
    return ps_str_from_c(ps_arena_printf(&c->arena, "%.*s.%.*s", (int)owner.len, owner.ptr,
                                         (int)name.len, name.ptr));
}

static struct ps_report_link link_unit(struct ps_conclusion *c, const struct ps_host_unit *unit)
{
    return (struct ps_report_link){"timeline", {{"slice", ps_conclusion_id(c, unit->longest)}}};
}

static struct ps_report_link link_lead(const struct judged *judged, const struct ps_unit_lead *lead)
{
    struct ps_str text = ps_trace_text(judged->db, lead->name);

    return is_operator(text) ? ps_link_name(judged->c, judged->base->operators_tab, text)
                             : (struct ps_report_link){.tab = "flame"};
}

/* What the name of a slice says: a Python function, or an operator or annotation. */
static struct ps_subject slice_subject(struct ps_conclusion *c, struct ps_report_link link,
                                       struct ps_str text, enum ps_subject_kind other)
{
    struct ps_subject subject = {.kind = PS_SUBJECT_FUNCTION, .link = link};
    struct ps_str path, name;

    if (!ps_slice_frame_parse(text, &path, &subject.line, &name))
        return ps_subject_of(c, other, link, name_builtin(c, text));
    subject.name = ps_arena_copy(&c->arena, name);
    subject.path = ps_arena_copy(&c->arena, path);
    return subject;
}

struct ps_subject ps_unit_subject(struct ps_conclusion *c, struct ps_db *db,
                                  const struct ps_host_unit *unit)
{
    struct ps_subject subject =
        slice_subject(c, link_unit(c, unit), ps_trace_text(db, unit->name), PS_SUBJECT_ANNOTATION);

    subject.has_alike = unit->n_names > 1;
    return subject;
}

static struct ps_subject unit_subject(const struct judged *judged, uint32_t index)
{
    return ps_unit_subject(judged->c, judged->db, &judged->units->units[index]);
}

static struct ps_subject lead_subject(const struct judged *judged, const struct ps_unit_lead *lead)
{
    return slice_subject(judged->c, link_lead(judged, lead), ps_trace_text(judged->db, lead->name),
                         PS_SUBJECT_OPERATOR);
}

static enum ps_verb verb_of(const struct finding *finding)
{
    return finding->verdict == WAITS                                   ? PS_WAITS
           : finding->verdict == WORKS || finding->verdict == COMPUTES ? PS_TAKES
                                                                       : PS_REPEATS;
}

/* What the time of a unit is spent in, the largest first. */
static void add_leads(const struct judged *judged, const struct finding *finding)
{
    const struct ps_host_unit *unit = &judged->units->units[finding->unit];

    for (size_t i = 0; i < finding->n_leads; i++) {
        const struct ps_unit_lead *lead = &finding->leads[i];

        if (part_of(lead->ns, unit->ns) < PART_SHARE)
            return;
        ps_first_fact(judged->c, (struct ps_fact){PS_FACT_OF_IT, lead_subject(judged, lead),
                                                  .values = {share_of(judged->base, lead->ns)},
                                                  .link = link_lead(judged, lead)});
    }
}

static const char *wait_words(const struct finding *finding)
{
    if (finding->known)
        switch (finding->known->class) {
        case PS_TIME_SLEEP:
            return "sleeps";
        case PS_TIME_LOCK:
            return "waits for other threads";
        case PS_TIME_NETWORK:
            return "waits for the network";
        case PS_TIME_PROCESS:
            return "waits for other processes";
        case PS_TIME_DISK:
            return "waits for the disk";
        default:
            break;
        }
    return "waits";
}

static const char *advice_of(const struct finding *finding)
{
    return finding->verdict == LOOPS          ? ps_advice_words[PS_ADVICE_WHOLE_TENSOR]
           : finding->verdict == CONCATENATES ? ps_advice_words[PS_ADVICE_CONCATENATE_ONCE]
           : finding->verdict == CALLS_KNOWN  ? finding->known->advice
                                              : NULL;
}

/* The operator that runs for each of many elements, else what takes most time. */
static const struct ps_unit_lead *find_repeated(const struct judged *judged,
                                                const struct finding *finding)
{
    const struct ps_host_unit *unit = &judged->units->units[finding->unit];

    for (size_t i = 0; i < finding->n_leads && finding->verdict == LOOPS; i++)
        if (runs_for_elements(judged->db, unit, &finding->leads[i]))
            return &finding->leads[i];
    return finding->leads;
}

static void add_repeated(const struct judged *judged, const struct finding *finding)
{
    const struct ps_host_unit *unit = &judged->units->units[finding->unit];
    const struct ps_unit_lead *lead = find_repeated(judged, finding);

    ps_first_fact(judged->c, (struct ps_fact){PS_FACT_RUNS, lead_subject(judged, lead),
                                              .values = {round(times_of(unit, lead))},
                                              .link = link_lead(judged, lead)});
    if (finding->verdict == LOOPS && unit->n_items >= LOOP_CALLS * unit->calls)
        ps_first_fact(judged->c,
                      (struct ps_fact){PS_FACT_CONVERTS,
                                       .values = {round(part_of(unit->n_items, unit->calls))},
                                       .link = ps_link_name(judged->c, judged->base->operators_tab,
                                                            PS_STR("aten::_local_scalar_dense"))});
}

static struct ps_claim claim_of(const struct judged *judged, const struct finding *finding)
{
    const struct ps_host_unit *unit = &judged->units->units[finding->unit];
    struct ps_claim claim =
        ps_claim_of(unit->is_annotation ? "annotation" : "function", verb_of(finding),
                    unit_subject(judged, finding->unit), finding->share);

    if (finding->n_leads)
        claim.subjects[0].via = lead_subject(judged, &finding->leads[0]);
    claim.waits = share_of(judged->base, unit->wait_ns);
    claim.waits_for = finding->verdict == WAITS ? "unknown" : NULL;
    claim.avoidable = finding->score / finding->share;
    claim.saving = finding->saving > 0 ? finding->saving : NAN;
    claim.advice = advice_of(finding);
    return claim;
}

static void conclude_cause(const struct judged *judged, const struct finding *finding)
{
    struct ps_conclusion *c = judged->c;
    const struct ps_host_unit *unit = &judged->units->units[finding->unit];

    ps_conclude_first(c, claim_of(judged, finding));
    c->first.rule = NULL;
    c->first.avoidable = 0; /* the next unit is a fact */
    ps_first_fact(
        c, finding->verdict == WAITS
               ? (struct ps_fact){.code = PS_FACT_UNIT_WAITS,
                                  .word = ps_str_from_c(wait_words(finding))}
               : (struct ps_fact){PS_FACT_UNIT_TAKES, .values = {finding->verdict == LOOPS}});
    if (finding->verdict == LOOPS || finding->verdict == CONCATENATES ||
        finding->verdict == CALLS_KNOWN) {
        add_repeated(judged, finding);
    } else {
        add_leads(judged, finding);
        if (unit->is_annotation && part_of(unit->own_ns, unit->ns) > 0.3)
            ps_first_fact(c, (struct ps_fact){PS_FACT_OUTSIDE_UNIT,
                                              .values = {share_of(judged->base, unit->own_ns)}});
    }
    if (judged->base->has_steps && (double)unit->calls >= 2 * judged->base->divisor)
        ps_first_fact(
            c, (struct ps_fact){PS_FACT_CALLED_A_STEP,
                                .values = {round((double)unit->calls / judged->base->divisor)}});
}

static void conclude_flat(const struct judged *judged)
{
    const struct ps_str of = ps_str_from_c(judged->c->of_shares);

    ps_conclude_first(judged->c, ps_claim_of(NULL, PS_FLAT, ps_no_subject, NAN));
    ps_first_fact(judged->c,
                  (struct ps_fact){.code = PS_FACT_SHARES_OF, .word = ps_str_skip(of, 1)});
    for (size_t i = 0; i < 3 && i < judged->n; i++)
        ps_first_largest(judged->c, unit_subject(judged, judged->items[i].unit),
                         judged->items[i].share);
    if (judged->n)
        add_leads(judged, &judged->items[0]);
}

static void add_next(const struct judged *judged, size_t cause)
{
    const size_t next = cause == 0 ? 1 : 0;

    if (next < judged->n && judged->items[next].share >= NEXT_SHARE)
        ps_first_fact(judged->c,
                      (struct ps_fact){PS_FACT_NEXT, unit_subject(judged, judged->items[next].unit),
                                       .values = {judged->items[next].share}});
}

/* --- Rows --- */

static void add_part(const struct judged *judged, const char *rule, struct ps_subject subject,
                     int64_t ns, int64_t calls)
{
    struct ps_claim claim = ps_claim_of(rule, PS_TAKES, subject, share_of(judged->base, ns));

    claim.title.code = PS_FACT_FULL_TITLE;
    if (calls > 0)
        claim.evidence = (struct ps_fact){PS_FACT_CALLS, .values = {(double)calls}};
    ps_conclusion_claim_part(judged->c, &claim, (double)ns / 1e9 / judged->base->divisor);
}

static void add_row(const struct judged *judged, const struct finding *finding)
{
    struct ps_conclusion *c = judged->c;
    const struct ps_host_unit *unit = &judged->units->units[finding->unit];
    struct ps_claim claim = claim_of(judged, finding);
    struct ps_cause *cause;

    claim.saving = NAN; /* that of the row is in seconds */
    claim.title.code = PS_FACT_FULL_TITLE;
    claim.evidence = (struct ps_fact){PS_FACT_CALLS, .values = {(double)unit->calls}};
    cause = ps_conclusion_claim(c, &claim, finding->share * judged->base->wall_s);
    if (finding->saving > 0) {
        ps_cause_save(cause, 0, finding->saving * judged->base->wall_s);
        cause->advice = advice_of(finding);
    }
    if ((finding->n_leads || unit->is_annotation) && part_of(unit->own_ns, unit->ns) >= PART_SHARE)
        add_part(judged, "self",
                 ps_subject_of(c, PS_SUBJECT_PART, ps_link_none,
                               unit->is_annotation ? PS_STR("outside of operators")
                                                   : PS_STR("own code")),
                 unit->own_ns, 0);
    for (size_t i = 0; i < finding->n_leads; i++) {
        const struct ps_unit_lead *lead = &finding->leads[i];

        if (part_of(lead->ns, unit->ns) < PART_SHARE)
            break;
        add_part(judged, "callee", lead_subject(judged, lead), lead->ns, lead->calls);
    }
}

bool ps_conclude_units(struct ps_conclusion *c, struct ps_db *db,
                       const struct ps_host_windows *windows, struct ps_host_units *units,
                       const struct ps_unit_base *base, struct ps_err *err)
{
    struct judged judged = {.c = c, .db = db, .units = units, .base = base};
    double sum = 0;
    size_t cause;

    for (uint32_t i = 1; i < units->n; i++) {
        struct finding finding = {.unit = i, .share = share_of(base, units->units[i].ns)};

        sum += finding.share;
        if (finding.share >= ROW_SHARE)
            insert(&judged, &finding);
    }
    if (sum < COVERED || !judged.n)
        return false;
    for (size_t i = 0; i < judged.n && i < JUDGED; i++) {
        struct finding *finding = &judged.items[i];

        if (ps_host_units_leads(db, windows, units, finding->unit, finding->leads,
                                &finding->n_leads, err) != PS_OK)
            return true;
        judge(&judged, finding);
    }
    cause = find_cause(&judged);
    if (cause < ROWS_MAX) {
        conclude_cause(&judged, &judged.items[cause]);
        add_next(&judged, cause);
    } else {
        conclude_flat(&judged);
    }
    for (size_t i = 0; i < judged.n; i++)
        add_row(&judged, &judged.items[i]);
    if (1 - sum >= ROW_SHARE) {
        const struct ps_claim rest =
            ps_claim_of("remainder", PS_TAKES,
                        ps_subject_of(c, PS_SUBJECT_PART, ps_link_none,
                                      PS_STR("outside of the program's functions and annotations")),
                        1 - sum);

        ps_conclusion_claim(c, &rest, (1 - sum) * base->wall_s);
    }
    ps_conclusion_note(c, "Operators and library functions count for the function or annotation of "
                          "the program that runs them.");
    return true;
}
