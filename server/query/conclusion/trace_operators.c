/* SPDX-License-Identifier: MIT */
/* trace_operators.c: operators, kernels and phases of torch.compile as causes of a trace. */
#include "server/query/advice.h"
#include "server/query/conclusion/trace_causes.h"

#include <math.h>
#include <string.h>

#define NAME_MAX_BYTES     80     /* of a name in a sentence */
#define TOP_OPERATOR_SHARE 0.4    /* of a step: an operator with more stands out */
#define DOUBLE_SHARE       0.5    /* of a step: operators on float64 that stand out */
#define LARGE_SHARE        0.6    /* of a step: operators that take long each */
#define SMALL_MEAN_NS      100000 /* mean duration of operators that are many and small */
#define MANY_OPERATORS     100    /* a step; fewer are no loop over small operators */
#define MANY_ITEMS         16     /* a step: conversions of tensors to numbers */

/* Prepares one of the queries conclude_kernels, with the flag :communication, and
 * conclude_operators, with the flag :compile. */
static enum ps_status prepare_rows(const struct ps_trace_time *trace, const char *query, bool flag,
                                   struct ps_stmt **out, struct ps_err *err)
{
    bool of_kernels = strcmp(query, "conclude_kernels") == 0;

    ps_db_prepare(trace->db, ps_query_sql(query), out, err);
    ps_bind_int(*out, ":from", trace->span.from_ns);
    ps_bind_int(*out, ":to", trace->span.to_ns);
    ps_bind_int(*out, of_kernels ? ":communication" : ":compile", flag);
    return err->code;
}

enum ps_status ps_trace_sum_rows(struct ps_trace_time *trace, const char *query, bool flag,
                                 struct ps_row_sum *sum, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    *sum = (struct ps_row_sum){0};
    prepare_rows(trace, query, flag, &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        sum->calls = ps_add_saturated(sum->calls, ps_col_int(stmt, 1));
        sum->ns = ps_add_saturated(sum->ns, ps_col_int(stmt, 2));
    }
    return err->code;
}

enum ps_status ps_trace_sum_operators(struct ps_trace_time *trace, struct ps_err *err)
{
    ps_trace_sum_rows(trace, "conclude_operators", false, &trace->operators, err);
    ps_trace_sum_rows(trace, "conclude_operators", true, &trace->phases, err);
    trace->compile_s = fmin((double)trace->phases.ns / 1e9 / trace->divisor,
                            ps_trace_time_left(trace, PS_ROLE_CPU));
    return err->code;
}

struct ps_trace_rows ps_trace_rows_of(const struct ps_trace_time *trace, const char *query,
                                      bool flag, const struct ps_row_sum *sum, double whole_s,
                                      const char *tab)
{
    double sum_s = (double)sum->ns / 1e9 / trace->divisor;

    return (struct ps_trace_rows){query, flag, tab, whole_s,
                                  sum_s > whole_s && sum_s > 0 ? whole_s / sum_s : 1};
}

struct ps_trace_rows ps_trace_rows_of_operators(const struct ps_trace_time *trace)
{
    return ps_trace_rows_of(trace, "conclude_operators", false, &trace->operators,
                            ps_trace_time_left(trace, PS_ROLE_CPU) - trace->compile_s,
                            trace->operators_tab);
}

struct ps_trace_rows ps_trace_rows_of_kernels(const struct ps_trace_time *trace)
{
    return ps_trace_rows_of(trace, "conclude_kernels", false, &trace->kernels,
                            trace->parts_s[PS_ROLE_KERNEL], "kernels");
}

enum ps_status ps_trace_add_rows(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                 const struct ps_trace_rows *rows, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    prepare_rows(trace, rows->query, rows->flag, &stmt, err);
    for (int i = 0; i < PS_TRACE_ROWS_MAX && ps_stmt_step(stmt, err); i++) {
        double seconds = (double)ps_col_int(stmt, 2) / 1e9 / trace->divisor * rows->scale;
        struct ps_str name = ps_col_text(stmt, 0);
        struct ps_report_link link = ps_link_name(c, rows->tab, name);

        if (seconds < PS_TRACE_PART_SHARE * rows->whole_s)
            break;
        ps_trace_add_part(c, trace, rows->tab, seconds,
                          ps_subject_of(c, PS_SUBJECT_OPERATOR, link, name))
            ->claim.evidence = ps_trace_count((double)ps_col_int(stmt, 1), "call", link);
    }
    return err->code;
}

enum ps_status ps_trace_add_kernels(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                    struct ps_err *err)
{
    const struct ps_trace_rows rows = ps_trace_rows_of_kernels(trace);
    double seconds = rows.whole_s;
    struct ps_cause *cause;

    if (seconds < PS_TRACE_CAUSE_SHARE * trace->wall_s)
        return PS_OK;
    cause = ps_trace_add_cause(c, trace, "kernels", seconds,
                               ps_arena_printf(&c->arena, "%s kernels", c->device));
    cause->claim.evidence = ps_trace_kernel_fact(trace, trace->kernels.calls);
    ps_trace_add_rows(c, trace, &rows, err);
    ps_trace_add_managed(c, trace);
    ps_trace_add_findings(c, trace);
    return err->code;
}

enum ps_status ps_trace_add_compilation(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                        struct ps_err *err)
{
    const struct ps_trace_rows rows = ps_trace_rows_of(
        trace, "conclude_operators", true, &trace->phases, trace->compile_s, trace->operators_tab);
    struct ps_cause *cause;

    if (rows.whole_s < PS_TRACE_CAUSE_SHARE * trace->wall_s)
        return PS_OK;
    cause = ps_trace_add_cause(c, trace, "compilation", rows.whole_s, "torch.compile compiles");
    cause->advice = ps_advice_words[PS_ADVICE_RECORD_COMPILED];
    if (trace->n_compiling >= PS_STEPS_COMPILING) {
        cause->advice = ps_advice_words[PS_ADVICE_EQUAL_SHAPES];
        ps_cause_save(cause, 0, rows.whole_s);
    }
    cause->claim.evidence = ps_trace_count((double)trace->phases.calls, "phase",
                                           ps_trace_link_operators(trace, "dynamo_timed"));
    return ps_trace_add_rows(c, trace, &rows, err);
}

enum ps_status ps_trace_add_operators(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                      struct ps_err *err)
{
    const struct ps_trace_rows rows = ps_trace_rows_of_operators(trace);
    struct ps_cause *cause;

    if (rows.whole_s < PS_TRACE_CAUSE_SHARE * trace->wall_s)
        return PS_OK;
    cause = ps_trace_add_cause(c, trace, "operators", rows.whole_s, "Operators on the CPU");
    cause->claim.evidence = ps_trace_count((double)trace->operators.calls, "operator call",
                                           ps_trace_link_operators(trace, NULL));
    return ps_trace_add_rows(c, trace, &rows, err);
}

/* The length of the name of a C++ function without its parameters. */
static size_t length_without_parameters(struct ps_str name)
{
    size_t at = name.len, depth = 0;

    if (!ps_str_ends_with(name, PS_STR(")")))
        return name.len;
    while (at > 0) {
        at--;
        depth += name.ptr[at] == ')';
        depth -= name.ptr[at] == '(' && depth > 0;
        if (!depth)
            return at ? at : name.len;
    }
    return name.len;
}

struct ps_str ps_trace_short_name(struct ps_conclusion *c, struct ps_str name)
{
    const struct ps_str result = PS_STR("void ");
    struct ps_str text = name;

    if (name.len <= NAME_MAX_BYTES)
        return name;
    if (ps_str_starts_with(text, result))
        text = ps_str_skip(text, result.len);
    text.len = length_without_parameters(text);
    if (text.len <= NAME_MAX_BYTES)
        return text;
    text.len = NAME_MAX_BYTES;
    while (text.len && ((unsigned char)text.ptr[text.len] & 0xc0) == 0x80)
        text.len--;
    return ps_str_from_c(ps_arena_printf(&c->arena, "%.*s\u2026", (int)text.len, text.ptr));
}

enum ps_status ps_trace_find_top(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                 const struct ps_trace_rows *rows, struct ps_fact *top, size_t *n,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    *n = 0;
    prepare_rows(trace, rows->query, rows->flag, &stmt, err);
    while (*n < PS_TRACE_ROWS_MAX && ps_stmt_step(stmt, err)) {
        const double seconds = (double)ps_col_int(stmt, 2) / 1e9 / trace->divisor * rows->scale;
        const struct ps_report_link link = ps_link_name(c, rows->tab, ps_col_text(stmt, 0));

        top[(*n)++] = (struct ps_fact){PS_FACT_TOP,
                                       ps_subject_of(c, PS_SUBJECT_OPERATOR, link,
                                                     ps_trace_short_name(c, ps_col_text(stmt, 0))),
                                       .values = {seconds / trace->wall_s}, .link = link};
    }
    return err->code;
}

enum ps_status ps_trace_add_top(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                const struct ps_trace_rows *rows, struct ps_err *err)
{
    struct ps_fact top[PS_TRACE_ROWS_MAX];
    size_t n;

    if (ps_trace_find_top(c, trace, rows, top, &n, err) == PS_OK && n)
        ps_first_fact(c, top[0]);
    return err->code;
}

/* How the operators of a step compare, without functions of the program. */
static double mean_operator_ns(const struct ps_trace_time *trace)
{
    return trace->units.n_operators
               ? (double)trace->units.operators_ns / (double)trace->units.n_operators
               : 0;
}

bool ps_trace_has_many_operators(const struct ps_trace_time *trace)
{
    return (double)trace->units.n_operators >= MANY_OPERATORS * trace->divisor &&
           mean_operator_ns(trace) < SMALL_MEAN_NS &&
           ps_trace_time_share(trace, trace->units.needed_ns) < PS_NEEDED_SHARE &&
           ps_trace_time_share(trace, trace->units.large_ns) < LARGE_SHARE;
}

void ps_trace_conclude_many_operators(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    const struct ps_report_link link = ps_trace_link_operators(trace, NULL);
    const double per = trace->has_marks ? trace->divisor : 1;

    ps_trace_conclude(c, NULL, PS_REPEATS,
                      ps_subject_of(c, PS_SUBJECT_PART, link, PS_STR("small operators")), NAN,
                      (struct ps_fact){PS_FACT_MANY_OPERATORS,
                                       .values = {round((double)trace->units.n_operators / per),
                                                  mean_operator_ns(trace) / 1e9,
                                                  trace->parts_s[PS_N_ROLES] / trace->wall_s},
                                       .link = {.tab = "flame"}});
    if ((double)trace->units.n_items >= MANY_ITEMS * trace->divisor)
        ps_first_fact(c, (struct ps_fact){
                             PS_FACT_ITEMS,
                             ps_subject_of(c, PS_SUBJECT_OPERATOR,
                                           ps_trace_link_operators(trace, "aten::item"),
                                           PS_STR("aten::item")),
                             .values = {round((double)trace->units.n_items / per)},
                             .link = ps_trace_link_operators(trace, "aten::_local_scalar_dense")});
    if (!trace->units.has_functions)
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_WITH_STACK});
}

enum ps_status ps_trace_conclude_flat(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                      const struct ps_trace_rows *rows, struct ps_err *err)
{
    struct ps_fact top[PS_TRACE_ROWS_MAX];
    const double needed = ps_trace_time_share(trace, trace->units.needed_ns);
    size_t n;

    ps_trace_conclude(c, NULL, PS_FLAT, ps_no_subject, NAN,
                      (struct ps_fact){.code = PS_FACT_SHARES_OF,
                                       .word = ps_str_skip(ps_str_from_c(c->of_shares), 1)});
    ps_trace_find_top(c, trace, rows, top, &n, err);
    for (size_t i = 0; i < n; i++)
        ps_first_largest(c, top[i].subject, top[i].values[0]);
    if (needed > PS_NEEDED_SHARE)
        ps_first_fact(c, (struct ps_fact){PS_FACT_NEEDED_OPERATORS, .values = {needed},
                                          .link = ps_trace_link_operators(trace, NULL)});
    return err->code;
}

/* What an operator and its backward pass have in common: "cdist" of "aten::_cdist_forward" and of
 * "aten::_cdist_backward". */
static struct ps_str operator_stem(struct ps_str name)
{
    static const char *const ends[] = {"_forward", "_backward"};

    if (ps_str_starts_with(name, PS_STR("aten::")))
        name = ps_str_skip(name, 6);
    while (name.len && name.ptr[0] == '_')
        name = ps_str_skip(name, 1);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *end = ps_str_find(name, ps_str_from_c(ends[i]));

        if (end && end > name.ptr)
            name.len = (size_t)(end - name.ptr);
    }
    return name;
}

/* The two largest operators. */
struct operator_pair {
    struct ps_str names[2]; /* in the arena */
    double seconds[2];
    bool is_pair;
};

static struct operator_pair read_pair(const struct ps_trace_time *trace, struct ps_arena *arena,
                                      const struct ps_trace_rows *rows, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct operator_pair pair = {.is_pair = false};
    size_t n = 0;
    bool is_needed = false;

    prepare_rows(trace, rows->query, rows->flag, &stmt, err);
    for (; n < 2 && ps_stmt_step(stmt, err); n++) {
        pair.names[n] = ps_arena_copy(arena, ps_col_text(stmt, 0));
        pair.seconds[n] = (double)ps_col_int(stmt, 2) / 1e9 / trace->divisor * rows->scale;
        is_needed |= ps_col_int(stmt, 3) != 0;
    }
    pair.is_pair = n == 2 && !is_needed &&
                   ps_str_eq(operator_stem(pair.names[0]), operator_stem(pair.names[1])) &&
                   pair.seconds[0] + pair.seconds[1] > TOP_OPERATOR_SHARE * trace->wall_s;
    return pair;
}

bool ps_trace_has_pair(const struct ps_trace_time *trace, const struct ps_trace_rows *rows,
                       struct ps_err *err)
{
    PS_AUTO(ps_arena_free) struct ps_arena arena = {0};

    return trace->is_torch && read_pair(trace, &arena, rows, err).is_pair;
}

void ps_trace_conclude_pair(struct ps_conclusion *c, const struct ps_trace_time *trace,
                            const struct ps_trace_rows *rows, struct ps_err *err)
{
    const struct operator_pair pair = read_pair(trace, &c->arena, rows, err);
    const double share = (pair.seconds[0] + pair.seconds[1]) / trace->wall_s;
    struct ps_subject operators[2];

    for (size_t i = 0; i < 2; i++)
        operators[i] = ps_subject_of(c, PS_SUBJECT_OPERATOR,
                                     ps_link_name(c, rows->tab, pair.names[i]), pair.names[i]);
    ps_trace_conclude(c, NULL, PS_TAKES, operators[0], share,
                      (struct ps_fact){PS_FACT_PAIR, .values = {share}});
    c->first.subjects[0].via = operators[1];
}

bool ps_trace_has_top_operator(const struct ps_trace_time *trace, const struct ps_trace_rows *rows,
                               struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    prepare_rows(trace, rows->query, rows->flag, &stmt, err);
    return ps_stmt_step(stmt, err) &&
           ps_trace_time_share(trace, ps_col_int(stmt, 2)) * rows->scale > TOP_OPERATOR_SHARE;
}

bool ps_trace_is_on_double(const struct ps_trace_time *trace)
{
    return ps_trace_time_share(trace, trace->units.double_ns) > DOUBLE_SHARE;
}

void ps_trace_conclude_double(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    const double share = ps_trace_time_share(trace, trace->units.double_ns);

    ps_trace_conclude(c, NULL, PS_TAKES,
                      ps_subject_of(c, PS_SUBJECT_PART, ps_trace_link_operators(trace, NULL),
                                    PS_STR("operators on float64")),
                      share, (struct ps_fact){PS_FACT_ON_DOUBLE, .values = {share}});
    c->first.saving = share / 2;
    c->first.condition = PS_IF_DIGITS_ENOUGH;
}
