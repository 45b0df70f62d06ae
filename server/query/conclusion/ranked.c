/* SPDX-License-Identifier: MIT */
/*
 * ranked.c: the conclusion of profiles that are a list of names with one measure: slices of a
 * trace, printed tables, actions, processes, categories of memory.
 *
 * A query has the columns name, count (NULL: unknown), amount, whole (NULL: amounts do not add up
 * to a whole) and the base of the shares in words; the largest amount is first.
 */
#include <math.h>

#include "base/format.h"
#include "server/query/conclusion/conclusion.h"
#include "server/query/conclusion/own_time.h"
#include "server/query/trace/overview.h"
#include "server/query/trace/trace_views.h"

#define CAUSE_SHARE 0.05 /* of the whole, or of the largest: smaller amounts are not causes */
#define STANDS_OUT  0.10 /* of the whole: if no name has more, nothing stands out */
#define CAUSES_MAX  20
#define TOLD_SHARE  0.05 /* of a trace: calls that take less do not tell what its program does */
#define CHAIN_SHARE 0.6  /* of the total time of the row before: see struct chain */
#define OWN_SHARE   0.3  /* of the whole: a row with more own time is the answer */

#define COMPILED_AGAIN 8   /* programs: more are not only the first calls of a few functions */
#define COMPILED_SHARE 0.4 /* of the recording */
/* Operators of a printed table: see say_mix. */
#define SMALL_CALLS       500
#define SMALL_S           30e-6 /* mean self time of operators that are small */
#define SMALL_TOP         0.4   /* of the whole: an operator with more stands out */
#define SMALL_CONVERSIONS 50
#define NEEDED_SHARE      0.4 /* of the whole */

struct ranking {
    const char *query, *rule;
    const char *unit;  /* of amounts */
    const char *tab;   /* shows the rows; its parameter q finds a name */
    const char *verb;  /* "takes" */
    const char *count; /* singular noun for the counts in the second column: "call" */
    const char *nothing;
    const char *note;  /* NULL: none */
    const char *lost;  /* why shares are wrong, a sentence; NULL: they are not */
    double stands_out; /* share of the whole from which the first row does; 0: STANDS_OUT */
    enum ps_verb claims;
    enum ps_subject_kind kind;
    const char *composition; /* title, if the rows are all of the whole: categories; NULL: none */
};

struct item {
    struct ps_str name;
    double count, amount, whole; /* NaN: unknown */
    struct ps_str of;
};

static struct item read_item(struct ps_conclusion *c, struct ps_stmt *stmt)
{
    return (struct item){.name = ps_arena_copy(&c->arena, ps_col_text(stmt, 0)),
                         .count = ps_col_real_or_nan(stmt, 1),
                         .amount = ps_col_real(stmt, 2),
                         .whole = ps_col_real_or_nan(stmt, 3),
                         .of = ps_arena_copy(&c->arena, ps_col_text(stmt, 4))};
}

static void say_count(struct ps_conclusion *c, const struct ranking *ranking,
                      const struct item *item, const char *before, struct ps_sentence *to)
{
    if (!(item->count > 0))
        return;
    if (*before)
        ps_say(c, to, "%s", before);
    ps_say_value(to, ps_link_name(c, ranking->tab, item->name), item->count, "count");
    ps_say(c, to, item->count == 1 ? " %s" : " %ss", ranking->count);
}

static struct ps_subject item_subject(struct ps_conclusion *c, const struct ranking *ranking,
                                      const struct item *item)
{
    return ps_subject_of(c, ranking->kind, ps_link_name(c, ranking->tab, item->name), item->name);
}

static void say_first(struct ps_conclusion *c, const struct ranking *ranking,
                      const struct item *item)
{
    const struct ps_report_link link = ps_link_name(c, ranking->tab, item->name);

    if (ranking->lost) {
        ps_set_first_claim(c, PS_CANNOT_SEE, ps_no_subject, NAN);
        ps_say(c, &c->verdict, "%s", ranking->lost);
        ps_say(c, &c->sentence, " What was kept shows no shares. The longest in it is ");
        ps_say_code(c, &c->sentence, link, item->name);
        ps_say(c, &c->sentence, " with ");
        ps_say_value(&c->sentence, link, item->amount, ranking->unit);
        say_count(c, ranking, item, " in ", &c->sentence);
        ps_say(c, &c->sentence, ", of which lost calls may have been a part.");
        return;
    }
    if (!(item->whole > 0)) {
        ps_say_code(c, &c->verdict, link, item->name);
        ps_say(c, &c->verdict, " %s ", ranking->verb);
        ps_say_value(&c->verdict, link, item->amount, ranking->unit);
        ps_say(c, &c->verdict, " %.*s.", (int)item->of.len, item->of.ptr);
        return;
    }
    if (item->amount < (ranking->stands_out > 0 ? ranking->stands_out : STANDS_OUT) * item->whole) {
        ps_set_first_claim(c, PS_FLAT, ps_no_subject, NAN);
        ps_say(c, &c->verdict, "%s", ranking->nothing);
        ps_say(c, &c->sentence, " The largest share is ");
        ps_say_value(&c->sentence, link, 100 * item->amount / item->whole, "percent");
        ps_say(c, &c->sentence, " %.*s, by ", (int)item->of.len, item->of.ptr);
        ps_say_code(c, &c->sentence, link, item->name);
        ps_say(c, &c->sentence, ".");
        return;
    }
    ps_say_code(c, &c->verdict, link, item->name);
    ps_say(c, &c->verdict, " %s ", ranking->verb);
    ps_say_value(&c->verdict, ps_link_none, 100 * item->amount / item->whole, "percent");
    ps_say(c, &c->verdict, " %.*s.", (int)item->of.len, item->of.ptr);
    ps_say(c, &c->sentence, " ");
    ps_say_value(&c->sentence, link, item->amount, ranking->unit);
    ps_say(c, &c->sentence, " of ");
    ps_say_value(&c->sentence, (struct ps_report_link){.tab = ranking->tab}, item->whole,
                 ranking->unit);
    say_count(c, ranking, item, " in ", &c->sentence);
    ps_say(c, &c->sentence, ".");
}

static enum ps_status rank(struct ps_db *db, const struct ranking *ranking, struct ps_conclusion *c,
                           struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_range span;
    double smallest = 0;

    c->unit = ranking->unit;
    c->composition = (struct ps_composition){
        .kind = PS_COMPOSITION_CATEGORIES, .title = ranking->composition, .unit = ranking->unit};
    ps_steps_span(db, &span, err);
    ps_db_prepare(db, ps_query_sql(ranking->query), &stmt, err);
    ps_bind_int(stmt, ":from", span.from_ns);
    ps_bind_int(stmt, ":to", span.to_ns);
    while (c->n_causes < CAUSES_MAX && ps_stmt_step(stmt, err)) {
        struct item item = read_item(c, stmt);
        struct ps_cause *cause;

        if (!c->n_causes) {
            say_first(c, ranking, &item);
            c->base = item.whole > 0 && !ranking->lost ? item.of.ptr : NULL;
            c->composition.base = c->base;
            smallest = CAUSE_SHARE * (item.whole > 0 ? item.whole : item.amount);
        }
        if (ranking->composition)
            ps_compose(c, item.name.ptr, item.name.ptr, item.amount,
                       (struct ps_report_link){.tab = ranking->tab});
        if (item.amount < smallest && !ranking->composition)
            break;
        if (item.amount < smallest)
            continue;
        cause =
            ps_conclusion_add(c, ranking->rule, item.amount,
                              item.whole > 0 && !ranking->lost ? item.amount / item.whole : NAN);
        ps_set_cause_claim(cause, ranking->claims, item_subject(c, ranking, &item));
        ps_say_code(c, &cause->title, ps_link_name(c, ranking->tab, item.name), item.name);
        say_count(c, ranking, &item, "", &cause->evidence);
    }
    if (err->code == PS_OK && !c->verdict.n) {
        ps_set_first_claim(c, PS_TOO_FEW, ps_no_subject, NAN);
        ps_say(c, &c->verdict, "The profile has no measured values.");
    }
    if (ranking->note)
        ps_conclusion_note(c, "%s", ranking->note);
    return err->code;
}

/* Says how long JAX compiled during the recording, which a warm-up would have taken out. */
static enum ps_status say_compiled(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    const struct ps_report_link link = ps_link_name(c, "slices", PS_STR("backend_compile"));
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    int64_t programs;

    ps_db_prepare(db, ps_query_sql("conclude_compiled"), &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    programs = ps_col_int(stmt, 0);
    if (programs >= COMPILED_AGAIN &&
        ps_col_real(stmt, 1) > COMPILED_SHARE * ps_col_real(stmt, 2)) {
        struct ps_sentence *to = &c->verdict;

        c->verdict.n = c->sentence.n = 0;
        ps_set_first_claim(c, PS_REPEATS,
                           ps_subject_of(c, PS_SUBJECT_PART, link, PS_STR("compilation")),
                           ps_col_real(stmt, 1) / ps_col_real(stmt, 2));
        ps_say(c, to, "JAX compiles ");
        ps_say_value(to, link, (double)programs, "count");
        ps_say(c, to, " programs, which takes ");
        ps_say_value(to, link, 100 * ps_col_real(stmt, 1) / ps_col_real(stmt, 2), "percent");
        ps_say(c, to, " of the recording.");
        ps_say(c, &c->sentence,
               " Each new shape or type of an input, and each new function, is "
               "compiled. Inputs padded to equal shapes are compiled once; "
               "jax.log_compiles names what is compiled.");
        return err->code;
    }
    ps_say(c, &c->sentence, " JAX compiled ");
    ps_say_value(&c->sentence, link, (double)programs, "count");
    ps_say(c, &c->sentence, programs == 1 ? " program" : " programs");
    ps_say(c, &c->sentence, " while recording, which took ");
    ps_say_value(&c->sentence, link, ps_col_real(stmt, 1) / 1e9, "s");
    ps_say(c, &c->sentence, " of the span of ");
    ps_say_value(&c->sentence, ps_link_none, ps_col_real(stmt, 2) / 1e9, "s");
    ps_say(c, &c->sentence, ". Record after a warm-up to leave that out.");
    return err->code;
}

/* Says how long the profiler itself worked, which is no cause. */
static enum ps_status say_overhead(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    char text[48];

    ps_db_prepare(db, ps_query_sql("conclude_overhead"), &stmt, err);
    if (ps_stmt_step(stmt, err) && ps_col_real(stmt, 0) > 0)
        ps_conclusion_note(c, "The profiler's own work takes %s, which is in no cause.",
                           ps_format_seconds(ps_col_real(stmt, 0), text));
    return err->code;
}

enum ps_status ps_conclude_slices(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    struct ranking ranking = {
        .query = "conclude_slices",
        .rule = "slice",
        .claims = PS_TAKES,
        .kind = PS_SUBJECT_FUNCTION,
        .unit = "s",
        .tab = "slices",
        .verb = "takes",
        .count = "call",
        .nothing = "No single slice stands out.",
        .note = "Self times of all threads are added.",
    };
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    bool is_sampled = false, is_said = false;

    ps_db_prepare(db, ps_query_sql("conclude_slice_summary"), &stmt, err);
    if (ps_stmt_step(stmt, err)) {
        is_sampled = ps_col_int(stmt, 0) != 0;
        if (ps_col_int(stmt, 1) != 0)
            ranking.lost = "Calls were lost: the buffer of the profiler was full.";
    }
    if (!ranking.lost && ps_conclude_python_trace(db, is_sampled, &is_said, out, err) != PS_OK)
        return err->code;
    if (is_said)
        return say_overhead(db, out, err);
    if (is_sampled)
        ranking.count = "slice";
    rank(db, &ranking, out, err);
    if (is_sampled)
        ps_say(out, &out->sentence, " A slice is a row of equal samples, not a call.");
    say_overhead(db, out, err);
    return say_compiled(db, out, err);
}

/* Says what the host did, without a cause: a call of a thread may only wait. */
static enum ps_status say_host_calls(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_report_link link;
    struct ps_range span = {0, 0};
    struct item item;
    double span_s;

    c->verdict.n = c->sentence.n = 0;
    ps_set_first_claim(c, PS_CANNOT_SEE, ps_no_subject, NAN);
    ps_say(c, &c->verdict, "No work of a GPU was recorded.");
    ps_db_prepare(db, ps_query_sql("conclude_slices"), &stmt, err);
    if (!ps_stmt_step(stmt, err)) {
        ps_say(c, &c->sentence, " The file has no calls of the program either.");
        return err->code;
    }
    item = read_item(c, stmt);
    link = ps_link_name(c, "slices", item.name);
    ps_trace_span(db, &span, err);
    span_s = ((double)span.to_ns - (double)span.from_ns) / 1e9;
    if (item.whole < TOLD_SHARE * span_s) {
        ps_say(c, &c->sentence, " The recorded calls take ");
        ps_say_value(&c->sentence, (struct ps_report_link){.tab = "slices"},
                     100 * item.whole / span_s, "percent");
        ps_say(c, &c->sentence, " of the trace: it does not tell what the program does.");
        return err->code;
    }
    ps_say(c, &c->sentence, " Of the recorded calls, ");
    ps_say_code(c, &c->sentence, link, item.name);
    ps_say(c, &c->sentence, " takes the most time, ");
    ps_say_value(&c->sentence, link, item.amount, "s");
    ps_say(c, &c->sentence, " in ");
    ps_say_value(&c->sentence, link, item.count, "count");
    ps_say(c, &c->sentence, item.count == 1 ? " call" : " calls");
    ps_say(c, &c->sentence, ". A call may be a wait.");
    return err->code;
}

enum ps_status ps_conclude_no_device(struct ps_db *db, struct ps_conclusion *out,
                                     struct ps_err *err)
{
    if (ps_conclude_slices(db, out, err) != PS_OK)
        return err->code;
    return say_host_calls(db, out, err);
}

/* A row of a printed report, and how it is said. */
struct printed {
    struct ps_str name;
    double calls, total_s, own_s, whole_s;
    enum ps_origin origin;
};

/* The way from the entry of the program to its work, as far as total times without callers show it:
 * each row has at least CHAIN_SHARE of the total time of the row before. */
struct chain {
    struct printed repeated; /* the first row of the program that is called several times, else the
                              * first such row of all; calls 0: none */
    struct printed inside;   /* the first row of a library below it; calls 0: none */
    struct printed last;
    double most_own_s;
};

/* Whether a row only runs code: of each script and module, and of what is compiled from a text. */
static bool is_runner(struct ps_str name)
{
    return ps_str_eq_c(name, "<module>") || ps_str_eq_c(name, "exec") ||
           ps_str_ends_with(name, PS_STR("builtins.exec>")) ||
           ps_str_ends_with(name, PS_STR("builtins.exec}"));
}

/* Whether a row can be code of the program: files without folders may be of either. */
static bool may_be_own(const struct printed *row)
{
    return row->origin == PS_ORIGIN_OWN || row->origin == PS_ORIGIN_UNKNOWN;
}

static void extend_chain(struct chain *chain, const struct printed *row)
{
    chain->last = *row;
    if (row->calls <= 1 || is_runner(row->name) || ps_timed_name_is_part(row->name))
        return;
    if (chain->repeated.calls <= 1 || (may_be_own(row) && !may_be_own(&chain->repeated)))
        chain->repeated = *row;
    else if (chain->inside.calls <= 1 && !may_be_own(row))
        chain->inside = *row;
}

static enum ps_status read_chain(struct ps_db *db, struct ps_conclusion *c, struct chain *chain,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    bool has_ended = false;

    ps_db_prepare(db, ps_query_sql("conclude_printed_chain"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        const struct printed row = {.name = ps_arena_copy(&c->arena, ps_col_text(stmt, 1)),
                                    .calls = ps_col_real(stmt, 2),
                                    .total_s = ps_col_real(stmt, 3),
                                    .own_s = ps_col_real(stmt, 4),
                                    .whole_s = ps_col_real(stmt, 5),
                                    .origin = (enum ps_origin)ps_col_int(stmt, 6)};

        chain->most_own_s = fmax(chain->most_own_s, row.own_s);
        has_ended |= row.total_s < CHAIN_SHARE * chain->last.total_s;
        if (!has_ended)
            extend_chain(chain, &row);
    }
    return err->code;
}

/* Whether the total times say more than the own times: no row works for most of its time itself,
 * and a row below the entry has much in total. */
static bool is_told_by_totals(const struct chain *chain)
{
    const struct printed *row = &chain->repeated;

    return row->whole_s > 0 && chain->most_own_s < OWN_SHARE * row->whole_s && row->calls > 1 &&
           row->total_s >= OWN_SHARE * row->whole_s;
}

static void say_printed(struct ps_conclusion *c, struct ps_sentence *to, const struct printed *row,
                        const char *verb)
{
    const struct ps_report_link link = ps_link_name(c, "printed-functions", row->name);

    ps_say_code(c, to, link, row->name);
    ps_say(c, to, " %s", verb);
    ps_say_value(to, link, 100 * row->total_s / row->whole_s, "percent");
    ps_say(c, to, " of the time in ");
    ps_say_value(to, link, row->calls, "count");
    ps_say(c, to, row->calls == 1 ? " call" : " calls");
}

static struct ps_subject printed_subject(struct ps_conclusion *c, const struct printed *row)
{
    return ps_subject_of(c, PS_SUBJECT_FUNCTION, ps_link_name(c, "printed-functions", row->name),
                         row->name);
}

static void say_chain(struct ps_conclusion *c, const struct chain *chain)
{
    const struct printed *inside =
        chain->inside.calls > 1 && may_be_own(&chain->repeated) ? &chain->inside : &chain->last;
    const bool is_one = ps_str_eq(chain->repeated.name, inside->name) || inside->calls <= 1;

    c->verdict.n = c->sentence.n = 0;
    ps_set_first_claim(c, PS_REPEATS, printed_subject(c, &chain->repeated),
                       chain->repeated.total_s / chain->repeated.whole_s);
    if (!is_one)
        c->first.subjects[0].via = printed_subject(c, inside);
    say_printed(c, &c->verdict, &chain->repeated, "takes ");
    ps_say(c, &c->verdict, ", with what it calls.");
    if (is_one)
        return;
    ps_say(c, &c->sentence, " Among the rows with less, ");
    say_printed(c, &c->sentence, inside, "has ");
    ps_say(c, &c->sentence, ".");
}

/* Says which of several reports the conclusion is about. */
static enum ps_status note_report(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const char *which = "the report";

    ps_db_prepare(db, ps_query_sql("conclude_printed_report"), &stmt, err);
    if (ps_stmt_step(stmt, err) && ps_col_int(stmt, 2) > 1) {
        const struct ps_str title = ps_col_text(stmt, 1);

        which = ps_arena_printf(&c->arena, "report %lld of %lld%s%.*s, that of the longest profile",
                                (long long)ps_col_int(stmt, 0), (long long)ps_col_int(stmt, 2),
                                title.len ? ", " : "", (int)title.len, title.ptr);
    }
    ps_conclusion_note(c,
                       "Own times as printed in %s, without the functions that it leaves out. The "
                       "report has no callers.",
                       which);
    return err->code;
}

enum ps_status ps_conclude_printed_functions(struct ps_db *db, struct ps_conclusion *out,
                                             struct ps_err *err)
{
    struct chain chain = {.most_own_s = 0};
    static const struct ranking ranking = {
        .query = "conclude_printed_functions",
        .rule = "function",
        .claims = PS_TAKES,
        .kind = PS_SUBJECT_FUNCTION,
        .unit = "s",
        .tab = "printed-functions",
        .verb = "takes",
        .count = "call",
        .nothing = "No single function stands out.",
        .stands_out = OWN_SHARE,
    };

    if (rank(db, &ranking, out, err) == PS_OK && read_chain(db, out, &chain, err) == PS_OK &&
        is_told_by_totals(&chain))
        say_chain(out, &chain);
    return note_report(db, out, err);
}

/* What a table of operators on the CPU consists of. */
struct operator_mix {
    double whole_s, listed_s, calls, needed_s, conversions;
    struct ps_str names[3]; /* with the most time */
    double seconds[3];
    size_t n;
};

/* Matrix products, convolutions, recurrent cells, attention, and what runs backward. */
static bool is_needed_operator(struct ps_str name)
{
    static const char *const words[] = {"mm",   "matmul", "conv",   "linear",   "attention", "rnn",
                                        "lstm", "gru",    "einsum", "backward", "Backward"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ps_str_find(name, ps_str_from_c(words[i])))
            return true;
    return false;
}

static enum ps_status read_mix(struct ps_db *db, struct ps_conclusion *c, struct operator_mix *mix,
                               struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("conclude_printed_operators"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        const struct item item = read_item(c, stmt);

        if (!ps_str_eq_c(item.of, "of the self CPU time")) {
            mix->n = 0;
            return err->code;
        }
        mix->whole_s = item.whole;
        mix->listed_s += item.amount;
        mix->calls += item.count > 0 ? item.count : 0;
        mix->needed_s += is_needed_operator(item.name) ? item.amount : 0;
        if (ps_str_eq_c(item.name, "aten::_local_scalar_dense") ||
            ps_str_eq_c(item.name, "aten::item"))
            mix->conversions = fmax(mix->conversions, item.count);
        if (mix->n < 3) {
            mix->names[mix->n] = item.name;
            mix->seconds[mix->n++] = item.amount;
        }
    }
    return err->code;
}

/* Replaces the sentence about the largest operator where it is no cause: of many small operators,
 * and of those that a program needs. */
static void say_mix(struct ps_conclusion *c, const struct operator_mix *mix)
{
    const struct ps_report_link link = {.tab = "printed-operators"};
    const bool is_small = mix->n && mix->calls >= SMALL_CALLS &&
                          mix->listed_s < SMALL_S * mix->calls &&
                          mix->seconds[0] < SMALL_TOP * mix->whole_s;
    const bool is_needed = mix->n && mix->needed_s > NEEDED_SHARE * mix->whole_s;

    if (!is_small && !is_needed)
        return;
    c->verdict.n = c->sentence.n = 0;
    if (is_needed) {
        ps_set_first_claim(c, PS_FLAT, ps_no_subject, NAN);
        ps_say(c, &c->verdict, "No single cause.");
        ps_say(c, &c->sentence,
               " Matrix products, convolutions, attention and the backward pass take ");
        ps_say_value(&c->sentence, link, 100 * mix->needed_s / mix->whole_s, "percent");
        ps_say(c, &c->sentence, " of the self CPU time.");
    } else {
        ps_set_first_claim(c, PS_REPEATS,
                           ps_subject_of(c, PS_SUBJECT_PART, link, PS_STR("small operators")), NAN);
        ps_say(c, &c->verdict, "Many small operators take the time.");
        ps_say(c, &c->sentence, " The listed operators are called ");
        ps_say_value(&c->sentence, link, mix->calls, "count");
        ps_say(c, &c->sentence, " times, ");
        ps_say_value(&c->sentence, link, mix->listed_s / mix->calls, "s");
        ps_say(c, &c->sentence, " each on average, as in a Python loop over elements.");
        if (mix->conversions >= SMALL_CONVERSIONS) {
            ps_say(c, &c->sentence, " A tensor becomes a Python number ");
            ps_say_value(&c->sentence, ps_link_name(c, link.tab, PS_STR("aten::item")),
                         mix->conversions, "count");
            ps_say(c, &c->sentence, " times.");
        }
    }
    ps_say(c, &c->sentence, " The largest operators are");
    for (size_t i = 0; i < mix->n; i++) {
        ps_say(c, &c->sentence, "%s", i ? ", " : " ");
        ps_say_code(c, &c->sentence, ps_link_name(c, link.tab, mix->names[i]), mix->names[i]);
        ps_say(c, &c->sentence, " ");
        ps_say_value(&c->sentence, ps_link_name(c, link.tab, mix->names[i]),
                     100 * mix->seconds[i] / mix->whole_s, "percent");
    }
    ps_say(c, &c->sentence, ".");
}

enum ps_status ps_conclude_printed_operators(struct ps_db *db, struct ps_conclusion *out,
                                             struct ps_err *err)
{
    struct operator_mix mix = {.n = 0};
    static const struct ranking ranking = {
        .query = "conclude_printed_operators",
        .rule = "operator",
        .claims = PS_TAKES,
        .kind = PS_SUBJECT_OPERATOR,
        .unit = "s",
        .tab = "printed-operators",
        .verb = "takes",
        .count = "call",
        .nothing = "No single operator stands out.",
        .note = "Self times as printed in the tables of the largest profile. Shares are of its "
                "printed total, if it has one.",
    };

    if (rank(db, &ranking, out, err) == PS_OK && read_mix(db, out, &mix, err) == PS_OK)
        say_mix(out, &mix);
    return err->code;
}

enum ps_status ps_conclude_actions(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    static const struct ranking ranking = {
        .query = "conclude_actions",
        .rule = "action",
        .claims = PS_TAKES,
        .kind = PS_SUBJECT_ROW,
        .unit = "s",
        .tab = "actions",
        .verb = "takes",
        .count = "call",
        .nothing = "No single action stands out.",
        .note = "Actions can contain each other, so shares can add up to more than the whole. "
                "Lightning's own loops are left out.",
    };

    return rank(db, &ranking, out, err);
}

enum ps_status ps_conclude_processes(struct ps_db *db, struct ps_conclusion *out,
                                     struct ps_err *err)
{
    static const struct ranking ranking = {
        .query = "conclude_processes",
        .rule = "process",
        .claims = PS_TAKES,
        .kind = PS_SUBJECT_PROCESS,
        .unit = "%",
        .tab = "processes",
        .verb = "uses the most CPU:",
        .count = "sample",
        .note = "Means of the samples; 100 % is one CPU.",
    };

    return rank(db, &ranking, out, err);
}

enum ps_status ps_conclude_categories(struct ps_db *db, struct ps_conclusion *out,
                                      struct ps_err *err)
{
    static const struct ranking ranking = {
        .query = "conclude_categories",
        .rule = "category",
        .claims = PS_HOLDS,
        .kind = PS_SUBJECT_PART,
        .unit = "bytes",
        .tab = "categories",
        .verb = "holds",
        .count = "",
        .nothing = "No single category stands out.",
        .composition = "Memory at the peak by category",
    };

    return rank(db, &ranking, out, err);
}
