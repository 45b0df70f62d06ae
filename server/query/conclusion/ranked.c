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
#include "server/query/conclusion/known_calls.h"
#include "server/query/conclusion/own_time.h"
#include "server/query/trace/recording.h"
#include "server/query/trace/utilisation/overview.h"
#include "server/runfile/trace.h"

#define CAUSE_SHARE 0.05 /* of the whole, or of the largest: smaller amounts are not causes */
#define STANDS_OUT  0.10 /* of the whole: if no name has more, nothing stands out */
#define CAUSES_MAX  20
#define TOLD_SHARE  0.05 /* of a trace: calls that take less do not tell what its program does */
#define CHAIN_SHARE 0.6  /* of the total time of the row before: see struct chain */
#define OWN_SHARE   0.3  /* of the whole: a row with more own time is the answer */

#define COMPILED_AGAIN 8   /* programs: more are not only the first calls of a few functions */
#define COMPILED_SHARE 0.4 /* of the recording */
/* Operators of a printed table: see conclude_mix. */
#define SMALL_CALLS       500
#define SMALL_S           30e-6 /* mean self time of operators that are small */
#define SMALL_TOP         0.4   /* of the whole: an operator with more stands out */
#define SMALL_CONVERSIONS 50
#define NEEDED_SHARE      0.4 /* of the whole */

struct ranking {
    const char *query, *rule;
    const char *unit;  /* of amounts */
    const char *tab;   /* shows the rows; its parameter q finds a name */
    const char *noun;  /* of a row: "slice" */
    const char *count; /* singular noun for the counts in the second column: "call" */
    const char *note;  /* NULL: none */
    bool has_lost;     /* calls, so that shares are wrong */
    double stands_out; /* share of the whole from which the first row does; 0: STANDS_OUT */
    enum ps_verb claims;
    enum ps_subject_kind kind;
    const char *composition; /* title, if the rows are all of the whole: categories; NULL: none */
    bool has_paths;          /* of functions, in a sixth column: known calls may be waits */
};

struct item {
    struct ps_str name;
    bool waits;
    double count, amount, whole; /* NaN: unknown */
    struct ps_str of;
};

static bool is_known_wait(struct ps_str path, struct ps_str name)
{
    const struct ps_known_call *call = ps_known_call_of(path, name);

    return call && ps_time_waits(call->class);
}

static struct item read_item(struct ps_conclusion *c, struct ps_stmt *stmt, bool has_path)
{
    return (struct item){.name = ps_arena_copy(&c->arena, ps_col_text(stmt, 0)),
                         .waits =
                             has_path && is_known_wait(ps_col_text(stmt, 5), ps_col_text(stmt, 0)),
                         .count = ps_col_real_or_nan(stmt, 1),
                         .amount = ps_col_real(stmt, 2),
                         .whole = ps_col_real_or_nan(stmt, 3),
                         .of = ps_arena_copy(&c->arena, ps_col_text(stmt, 4))};
}

static struct ps_subject item_subject(struct ps_conclusion *c, const struct ranking *ranking,
                                      const struct item *item)
{
    return ps_subject_of(c, ranking->kind, ps_link_name(c, ranking->tab, item->name), item->name);
}

static enum ps_verb item_verb(const struct ranking *ranking, const struct item *item)
{
    return item->waits ? PS_WAITS : ranking->claims;
}

static struct ps_fact item_fact(const struct ranking *ranking, enum ps_fact_code code,
                                const struct item *item)
{
    return (struct ps_fact){.code = code,
                            .values = {item->amount, item->whole, item->count},
                            .word = ps_str_from_c(ranking->count),
                            .unit = ranking->unit,
                            .link = {.tab = ranking->tab}};
}

static void conclude_first(struct ps_conclusion *c, const struct ranking *ranking,
                           const struct item *item)
{
    const struct ps_subject subject = item_subject(c, ranking, item);
    const double share = item->whole > 0 ? item->amount / item->whole : NAN;

    if (ranking->has_lost) {
        ps_conclude_first(c, ps_claim_of(NULL, PS_CANNOT_SEE, ps_no_subject, NAN));
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_LOST});
        ps_first_fact(c, item_fact(ranking, PS_FACT_KEPT, item));
        c->first.facts[1].subject = subject;
        c->first.facts[1].link = subject.link;
    } else if (share < (ranking->stands_out > 0 ? ranking->stands_out : STANDS_OUT)) {
        ps_conclude_flat(c, ranking->noun);
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_SHARES_OF, .word = item->of});
        ps_first_largest(c, subject, share);
    } else {
        ps_conclude_first(c, ps_claim_of(ranking->rule, item_verb(ranking, item), subject, share));
        ps_first_fact(c, item_fact(ranking,
                                   item->whole > 0                   ? PS_FACT_SHARE_BASE
                                   : strcmp(ranking->unit, "%") == 0 ? PS_FACT_MOST_CPU
                                                                     : PS_FACT_AMOUNT_BASE,
                                   item));
        c->first.facts[0].word = item->of;
        if (item->whole > 0)
            ps_first_fact(c, item_fact(ranking, PS_FACT_AMOUNT_OF, item));
    }
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
        const struct item item = read_item(c, stmt, ranking->has_paths);
        const bool has_share = item.whole > 0 && !ranking->has_lost;
        struct ps_claim claim;

        if (!c->n_causes) {
            conclude_first(c, ranking, &item);
            c->base = has_share ? item.of.ptr : NULL;
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
        claim =
            ps_claim_of(ranking->rule, item_verb(ranking, &item), item_subject(c, ranking, &item),
                        has_share ? item.amount / item.whole : NAN);
        claim.evidence = item_fact(ranking, PS_FACT_COUNT, &item);
        ps_conclusion_claim(c, &claim, item.amount);
    }
    if (!c->n_causes && c->first.verb == PS_NO_VERB)
        ps_conclude_none(c, "value");
    if (ranking->note)
        ps_conclusion_note(c, "%s", ranking->note);
    return err->code;
}

/* How long JAX compiled during the recording, which a warm-up would have taken out. */
static enum ps_status add_compiled(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    const struct ps_report_link link = ps_link_name(c, "slices", PS_STR("backend_compile"));
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_fact fact = {.code = PS_FACT_COMPILED, .link = link};
    double share;

    ps_db_prepare(db, ps_query_sql("conclude_compiled"), &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    fact.values[0] = ps_col_real(stmt, 0);
    fact.values[1] = ps_col_real(stmt, 1) / 1e9;
    fact.values[2] = ps_col_real(stmt, 2) / 1e9;
    share = fact.values[1] / fact.values[2];
    if (fact.values[0] >= COMPILED_AGAIN && share > COMPILED_SHARE) {
        fact.code = PS_FACT_COMPILES;
        ps_conclude_first(
            c, ps_claim_of(NULL, PS_REPEATS,
                           ps_subject_of(c, PS_SUBJECT_PART, link, PS_STR("compilation")), share));
    }
    ps_first_fact(c, fact);
    if (fact.code == PS_FACT_COMPILES)
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_NEW_SHAPES});
    return err->code;
}

static bool add_overhead(void *user, const struct ps_chunk *chunk)
{
    double *self_ns = user;

    for (uint32_t i = 0; i < chunk->n; i++)
        if (ps_chunk_value(chunk, PS_COL_KIND, i) == PS_SLICE_OVERHEAD)
            *self_ns += (double)ps_chunk_value(chunk, PS_COL_SELF, i);
    return true;
}

/* Says how long the profiler itself worked, which is no cause. */
static enum ps_status say_overhead(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    const struct ps_chunk_query query = {.slice_kinds = 1u << PS_SLICE_OVERHEAD,
                                         .range = PS_RANGE_ALL,
                                         .columns =
                                             PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_SELF)};
    double self_ns = 0;
    char text[48];

    if (ps_trace_each_chunk(db, &query, add_overhead, &self_ns, err) == PS_OK && self_ns > 0)
        ps_conclusion_note(c, "The profiler's own work takes %s, which is in no cause.",
                           ps_format_seconds(self_ns / 1e9, text));
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
        .noun = "slice",
        .count = "call",
        .note = "Self times of all threads are added.",
    };
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    bool is_sampled = false, is_said = false;

    ps_db_prepare(db, ps_query_sql("conclude_slice_summary"), &stmt, err);
    if (ps_stmt_step(stmt, err)) {
        is_sampled = ps_col_int(stmt, 0) != 0;
        ranking.has_lost = ps_col_int(stmt, 1) != 0;
        if (ps_col_int(stmt, 2) != 0)
            ps_conclusion_note(out, "No steps are marked. jax.profiler.StepTraceAnnotation around "
                                    "each iteration marks them.");
    }
    if (!ranking.has_lost && ps_conclude_python_trace(db, is_sampled, &is_said, out, err) != PS_OK)
        return err->code;
    if (is_said)
        return say_overhead(db, out, err);
    if (is_sampled)
        ranking.count = "slice";
    rank(db, &ranking, out, err);
    if (is_sampled)
        ps_first_fact(out, (struct ps_fact){.code = PS_FACT_SLICES_SAMPLED});
    say_overhead(db, out, err);
    return add_compiled(db, out, err);
}

/* What the host did, without a cause: a call of a thread may only wait. */
static enum ps_status conclude_host_calls(struct ps_db *db, struct ps_conclusion *c,
                                          struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_range span = {0, 0};
    struct ps_fact fact = {.code = PS_FACT_NO_CALLS};

    ps_trace_span(db, &span, err);
    ps_db_prepare(db, ps_query_sql("conclude_slices"), &stmt, err);
    if (ps_stmt_step(stmt, err)) {
        const struct item item = read_item(c, stmt, false);
        const double share = item.whole / (((double)span.to_ns - (double)span.from_ns) / 1e9);
        const struct ps_report_link link = ps_link_name(c, "slices", item.name);

        fact = share < TOLD_SHARE
                   ? (struct ps_fact){.code = PS_FACT_FEW_CALLS,
                                      .values = {share},
                                      .link = {.tab = "slices"}}
                   : (struct ps_fact){.code = PS_FACT_MOST_CALLS,
                                      .subject =
                                          ps_subject_of(c, PS_SUBJECT_FUNCTION, link, item.name),
                                      .values = {item.amount, item.count},
                                      .link = link};
    }
    ps_conclude_first(c, ps_claim_of(NULL, PS_CANNOT_SEE, ps_no_subject, NAN));
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_NO_DEVICE_WORK});
    ps_first_fact(c, fact);
    return err->code;
}

enum ps_status ps_conclude_no_device(struct ps_db *db, struct ps_conclusion *out,
                                     struct ps_err *err)
{
    if (ps_conclude_slices(db, out, err) != PS_OK)
        return err->code;
    return conclude_host_calls(db, out, err);
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

static struct ps_subject printed_subject(struct ps_conclusion *c, const struct printed *row)
{
    return ps_subject_of(c, PS_SUBJECT_FUNCTION, ps_link_name(c, "printed-functions", row->name),
                         row->name);
}

static void conclude_chain(struct ps_conclusion *c, const struct chain *chain)
{
    const struct printed *inside =
        chain->inside.calls > 1 && may_be_own(&chain->repeated) ? &chain->inside : &chain->last;
    const bool is_one = ps_str_eq(chain->repeated.name, inside->name) || inside->calls <= 1;
    struct ps_subject below;

    ps_conclude_first(c, ps_claim_of(NULL, PS_REPEATS, printed_subject(c, &chain->repeated),
                                     chain->repeated.total_s / chain->repeated.whole_s));
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_IN_CALLS, .values = {chain->repeated.calls}});
    if (is_one)
        return;
    below = c->first.subjects[0].via = printed_subject(c, inside);
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_BELOW,
                                      .subject = below,
                                      .values = {inside->total_s / inside->whole_s, inside->calls},
                                      .link = below.link});
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
        .noun = "function",
        .count = "call",
        .stands_out = OWN_SHARE,
        .has_paths = true,
    };

    if (rank(db, &ranking, out, err) == PS_OK && read_chain(db, out, &chain, err) == PS_OK &&
        is_told_by_totals(&chain))
        conclude_chain(out, &chain);
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
        const struct item item = read_item(c, stmt, false);

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

static struct ps_subject operator_subject(struct ps_conclusion *c, struct ps_str name)
{
    return ps_subject_of(c, PS_SUBJECT_OPERATOR, ps_link_name(c, "printed-operators", name), name);
}

/* Replaces the claim of the largest operator where it is no cause: of many small operators, and of
 * those that a program needs. */
static void conclude_mix(struct ps_conclusion *c, const struct operator_mix *mix)
{
    const struct ps_report_link link = {.tab = "printed-operators"};
    const bool is_small = mix->n && mix->calls >= SMALL_CALLS &&
                          mix->listed_s < SMALL_S * mix->calls &&
                          mix->seconds[0] < SMALL_TOP * mix->whole_s;
    const bool is_needed = mix->n && mix->needed_s > NEEDED_SHARE * mix->whole_s;

    if (!is_small && !is_needed)
        return;
    if (is_needed) {
        c->of_shares = " of the self CPU time";
        ps_conclude_first(c, ps_claim_of(NULL, PS_FLAT, ps_no_subject, NAN));
        ps_first_fact(
            c, (struct ps_fact){.code = PS_FACT_SHARES_OF, .word = PS_STR("of the self CPU time")});
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_NEEDED_OPERATORS,
                                          .values = {mix->needed_s / mix->whole_s},
                                          .link = link});
        for (size_t i = 0; i < mix->n; i++)
            ps_first_largest(c, operator_subject(c, mix->names[i]), mix->seconds[i] / mix->whole_s);
        return;
    }
    ps_conclude_first(
        c, ps_claim_of(NULL, PS_REPEATS,
                       ps_subject_of(c, PS_SUBJECT_PART, link, PS_STR("small operators")), NAN));
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_SMALL_OPERATORS});
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_SMALL_CALLS,
                                      .values = {mix->calls, mix->listed_s / mix->calls}});
    if (mix->conversions >= SMALL_CONVERSIONS)
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_CONVERSIONS,
                                          .values = {mix->conversions},
                                          .link = ps_link_name(c, link.tab, PS_STR("aten::item"))});
    for (size_t i = 0; i < mix->n; i++)
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_OPERATOR,
                                          .subject = operator_subject(c, mix->names[i]),
                                          .values = {mix->seconds[i] / mix->whole_s},
                                          .link = ps_link_name(c, link.tab, mix->names[i])});
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
        .noun = "operator",
        .count = "call",
        .note = "Self times as printed in the tables of the largest profile. Shares are of its "
                "printed total, if it has one.",
    };

    if (rank(db, &ranking, out, err) == PS_OK && read_mix(db, out, &mix, err) == PS_OK)
        conclude_mix(out, &mix);
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
        .noun = "action",
        .count = "call",
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
        .noun = "process",
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
        .kind = PS_SUBJECT_ROW,
        .unit = "bytes",
        .tab = "categories",
        .noun = "category",
        .count = "",
        .composition = "Memory at the peak by category",
    };

    return rank(db, &ranking, out, err);
}
