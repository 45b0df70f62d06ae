/* SPDX-License-Identifier: MIT */
/*
 * tests.c: the conclusion of the durations of tests: what share of their time the slowest take.
 *
 * A test runs once, so that its duration has no spread, and its parameters are cases rather than
 * sizes: no growth is concluded from them, other than from benchmarks (measurements.c).
 */
#include "importers/records/measurements.h"
#include "server/query/conclusion/conclusion.h"
#include "server/query/reports/reports.h"

#define SLOWEST_MAX 3   /* tests in the first sentence */
#define MOST        0.5 /* share of the time that the named tests reach, if so many do */
#define CLAIMS_MAX  100

/* Columns of queries/conclude_tests.sql. */
enum { ID, NAME, VALUE, TOTAL, N, FAILED, SKIPPED, N_ALL, ARE_WHOLE };

static void note_states(struct ps_stmt *stmt, struct ps_conclusion *c)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const int64_t failed = ps_col_int(stmt, FAILED), skipped = ps_col_int(stmt, SKIPPED);

    if (failed)
        ps_buf_printf(&text, ", %lld failed", (long long)failed);
    if (skipped)
        ps_buf_printf(&text, ", %lld skipped", (long long)skipped);
    if (text.len)
        ps_conclusion_note(c, "%lld results: %.*s.", (long long)ps_col_int(stmt, N_ALL),
                           (int)text.len - 2, text.ptr + 2);
}

/* Says the share of the tests that the claim names. */
static void conclude_slowest(struct ps_conclusion *c, double total, double n, bool are_whole)
{
    struct ps_claim first = ps_claim_of(NULL, PS_TAKES, ps_no_subject, 0);

    for (size_t i = 0; i < c->n_causes && i < SLOWEST_MAX && first.share < MOST; i++) {
        first.subjects[first.n_subjects++] = c->causes[i].claim.subjects[0];
        first.subjects[i].share = c->causes[i].claim.share;
        first.share += c->causes[i].claim.share;
    }
    ps_conclude_first(c, first);
    ps_first_fact(
        c, (struct ps_fact){first.n_subjects == 1 ? PS_FACT_SLOWEST_TEST : PS_FACT_SLOWEST_TESTS,
                            .values = {n, total, (double)first.n_subjects},
                            .word = are_whole ? PS_STR("test") : PS_STR("listed duration"),
                            .unit = "s", .link = {.tab = "measurements"}});
}

enum ps_status ps_conclude_tests(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    double total = 0, n = 0;
    bool are_whole = false;

    ps_db_prepare(db, ps_query_sql("conclude_tests"), &stmt, err);
    while (out->n_causes < CLAIMS_MAX && ps_stmt_step(stmt, err)) {
        const double value = ps_col_real_or_nan(stmt, VALUE);
        struct ps_claim claim;

        if (!(n > 0)) {
            n = (double)ps_col_int(stmt, N);
            total = ps_col_real(stmt, TOTAL);
            are_whole = ps_col_int(stmt, ARE_WHOLE);
        }
        if (!(value > 0) || n < 2)
            break;
        if (!out->n_causes)
            note_states(stmt, out);
        claim =
            ps_claim_of("measurement", PS_TAKES,
                        ps_subject_of(out, PS_SUBJECT_ROW,
                                      (struct ps_report_link){
                                          "measurements",
                                          {{"id", ps_conclusion_id(out, ps_col_int(stmt, ID))}}},
                                      ps_arena_copy(&out->arena, ps_col_text(stmt, NAME))),
                        value / total);
        ps_conclusion_claim(out, &claim, value);
    }
    if (err->code != PS_OK || !out->n_causes)
        return err->code == PS_OK ? ps_conclude_measurements(db, out, err) : err->code;
    out->unit = "s";
    out->base = "of \u03a3";
    conclude_slowest(out, total, n, are_whole);
    return PS_OK;
}
