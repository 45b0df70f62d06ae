/* SPDX-License-Identifier: MIT */
/* conclusion_view.c: the view "conclusion": what the family of a run concludes. */
#include "importers/kinds.h"
#include "server/query/conclusion/conclusion.h"

#define WARNING_BYTES_MAX 1000

/* The first family that a kind belongs to. */
static const struct {
    unsigned needs_any; /* as in struct ps_view */
    ps_conclude *conclude;
} families[] = {
    {PS_HAS_IMPORTS, ps_conclude_imports},
    {PS_HAS_CALLS, ps_conclude_functions},
    {PS_HAS_ACTIONS, ps_conclude_actions},
    {PS_HAS_PRINTED_FUNCTIONS, ps_conclude_printed_functions},
    {PS_HAS_PRINTED_OPERATORS, ps_conclude_printed_operators},
    {PS_HAS_XLA, ps_conclude_xla},
    {PS_HAS_DEVICES, ps_conclude_trace},
    {PS_HAS_SLICES, ps_conclude_slices},
    {PS_HAS_SNAPSHOT, ps_conclude_snapshot},
    {PS_HAS_LINE_TIMES, ps_conclude_line_times},
    {PS_HAS_LINE_CPU, ps_conclude_line_cpu},
    {PS_HAS_STACKS, ps_conclude_stacks},
    {PS_HAS_LINE_MEMORY, ps_conclude_line_memory},
    {PS_HAS_CATEGORIES, ps_conclude_categories},
    {PS_HAS_MEMORY, ps_conclude_memory},
    {PS_HAS_PROCESSES, ps_conclude_processes},
    {PS_HAS_BOTTLENECK, ps_conclude_commands},
    {PS_HAS_TESTS, ps_conclude_tests},
    {PS_HAS_MEASUREMENTS, ps_conclude_measurements},
};

/* Adds the warnings of the importer: what the numbers of the file do not say. */
static void add_warnings(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    int64_t n = 0, said = 0;

    ps_db_prepare(db, ps_query_sql("conclude_warnings"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        struct ps_str text = ps_col_text(stmt, 0);

        n = ps_col_int(stmt, 1);
        if (text.len > WARNING_BYTES_MAX)
            continue;
        ps_conclusion_note(c, "Warning: %.*s.", (int)text.len, text.ptr);
        said++;
    }
    if (n > said)
        ps_conclusion_note(c, "The ledger has %lld more warning%s.", (long long)(n - said),
                           n - said == 1 ? "" : "s");
}

static enum ps_status conclude_run(struct ps_db *db, struct ps_conclusion *c, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const char *kind;
    bool is_said = false;

    ps_db_prepare(db, ps_query_sql("run_kind"), &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    kind = ps_arena_copy(&c->arena, ps_col_text(stmt, 0)).ptr;
    if (ps_kind_has(kind, PS_HAS_REQUESTS) && !c->step)
        ps_conclude_requests(db, c, ps_kind_has(kind, PS_HAS_DEVICES), &is_said, err);
    for (size_t i = 0; i < sizeof families / sizeof *families && !is_said; i++)
        if (ps_kind_has(kind, families[i].needs_any))
            return c->step && families[i].conclude != ps_conclude_trace
                       ? ps_fail(err, PS_BAD_REQUEST,
                                 "steps can be chosen in traces of PyTorch and Nsight Systems only")
                       : families[i].conclude(db, c, err);
    return err->code;
}

enum ps_status ps_view_conclusion(struct ps_db *db, const struct ps_view *view, int64_t id,
                                  struct ps_params params, struct ps_answer *answer,
                                  struct ps_err *err)
{
    const char *step = ps_param_get(params, "step");
    PS_AUTO(ps_conclusion_free)
    struct ps_conclusion c = {.step = step && *step ? step : NULL, .params = params};
    struct ps_json json = ps_json_writer(&answer->body);

    (void)view, (void)id;
    if (conclude_run(db, &c, err) == PS_OK)
        add_warnings(db, &c, err);
    if (err->code == PS_OK)
        ps_conclusion_write(&c, &json);
    return err->code;
}
