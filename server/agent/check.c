/* SPDX-License-Identifier: MIT */
/* check.c: checks runs against budgets and a baseline. */
#include "server/agent/check.h"

#include <string.h>

#include "base/format.h"
#include "importers/records/environment.h"
#include "server/agent/agent.h"
#include "server/agent/check_judge.h"
#include "server/agent/tools.h"

#define FILES_MAX 50 /* nobody records more files of a side to tell a change from noise */

const char *ps_check_state_word(enum ps_check_state state)
{
    static const char *const words[PS_CHECK_STATES] = {"within",  "over",   "missing",   "added",
                                                       "unknown", "better", "unmeasured"};
    return words[state];
}

enum ps_status ps_check_validate(const struct ps_check *check, struct ps_err *err)
{
    struct ps_budget budget;
    double value;
    char unit[8];
    bool has_goodput = false;
    for (size_t i = 0; err->code == PS_OK && i < check->n_budgets; i++) {
        ps_budget_read(check->budgets[i], &budget, err);
        has_goodput |= strcmp(budget.table, "goodput") == 0;
    }
    if (has_goodput && !check->goodput)
        ps_fail(err, PS_BAD_REQUEST,
                "a budget of the goodput needs limits of requests" PS_HINT
                "add --goodput ttft:200ms");
    if (check->goodput && !has_goodput)
        ps_fail(err, PS_BAD_REQUEST,
                "limits of requests need a budget" PS_HINT "add --budget goodput=95%%");
    if (err->code == PS_OK && check->fail_on)
        ps_value_read("--fail-on", PS_GROWTH_FORM, check->fail_on, &value, unit, err);
    if (check->fail_on && !check->against)
        ps_fail(err, PS_BAD_REQUEST, "an allowed growth needs a baseline: --against BASELINE");
    if (err->code == PS_OK && check->same)
        ps_environment_check_names(check->same, err);
    if (check->same && !check->against)
        ps_fail(err, PS_BAD_REQUEST, "a same environment needs a baseline: --against BASELINE");
    if (!check->against && !check->n_budgets)
        ps_fail(err, PS_BAD_REQUEST,
                "nothing to check: give a budget or, with --against, a baseline");
    return err->code;
}

static enum ps_status ask_compare(struct ps_check *check, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    ps_check_add_path(check, NULL, &path);
    ps_url_add_param(&path, "metric", check->metric);
    ps_url_add_param(&path, "same", check->same);
    ps_buf_free(&check->text);
    ps_json_free(&check->response);
    if (check->ask(check->user, path.ptr, &check->text, err) != PS_OK)
        return err->code;
    return ps_answer_parse(ps_buf_slice(&check->text), &check->response, err);
}

static bool has_id(const cJSON *runs, const char *id)
{
    const cJSON *run;
    cJSON_ArrayForEach(run, runs)
    {
        if (strcmp(ps_member_text(run, "id"), id) == 0)
            return true;
    }
    return false;
}

static enum ps_status fail_no_baseline(const struct ps_check *check, struct ps_err *err)
{
    const char *hint = "name an older run, or check a newer one";
    if (ps_check_count_base(check) == 1)
        return ps_fail(err, PS_NOT_FOUND,
                       "the baseline %s is run %s, the run to check, and cannot be its own "
                       "baseline" PS_HINT "%s",
                       check->against,
                       ps_member_text(cJSON_GetArrayItem(ps_check_runs(check, "base"), 0), "id"),
                       hint);
    return ps_fail(err, PS_NOT_FOUND,
                   "the baseline %s names only the runs to check, which cannot be their own "
                   "baseline" PS_HINT "%s",
                   check->against, hint);
}

enum ps_status ps_check_compare(struct ps_check *check, struct ps_err *err)
{
    const cJSON *run;
    PS_AUTO(ps_buf_free) struct ps_buf ids = {0};
    int n_kept = 0;
    if (ask_compare(check, err) != PS_OK || !check->against)
        return err->code;
    cJSON_ArrayForEach(run, ps_check_runs(check, "base"))
    {
        if (!has_id(ps_check_runs(check, "new"), ps_member_text(run, "id")))
            ps_buf_printf(&ids, "%s%s", n_kept++ ? "," : "", ps_member_text(run, "id"));
    }
    if (n_kept == 0)
        return fail_no_baseline(check, err);
    if (n_kept == ps_check_count_base(check))
        return PS_OK;
    ps_buf_add_str(&check->base, ps_buf_slice(&ids));
    return ask_compare(check, err);
}

enum ps_status ps_check_judge(struct ps_check *check, struct ps_err *err)
{
    for (size_t i = 0; err->code == PS_OK && i < check->n_budgets; i++) {
        struct ps_budget budget;
        if (ps_budget_read(check->budgets[i], &budget, err) != PS_OK)
            break;
        ps_check_judge_budget(check, &budget, err);
    }
    return err->code == PS_OK && check->against ? ps_check_judge_growth(check, err) : err->code;
}

bool ps_check_has_failed(const struct ps_check *check)
{
    return check->n_over + check->n_not_judged > 0;
}

static size_t count_measurements(const struct ps_check *check)
{
    size_t n = 0;
    for (int i = 0; i < PS_CHECK_STATES; i++)
        n += check->n_measurements[i];
    return n;
}

void ps_check_sum_up(const struct ps_check *check, struct ps_buf *out)
{
    static const struct {
        enum ps_check_state state;
        const char *words;
    } counts[] = {{PS_CHECK_BETTER, "better"},
                  {PS_CHECK_WITHIN, "within"},
                  {PS_CHECK_UNKNOWN, "of unknown significance"},
                  {PS_CHECK_ADDED, "added"},
                  {PS_CHECK_UNMEASURED, "failed or skipped on both sides"}};
    const char *before = "; ";
    ps_buf_printf(out, "%zu of %zu over the limit", check->n_over, check->n_checked);
    if (check->n_missing)
        ps_buf_printf(out, ", %zu missing", check->n_missing);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const size_t n = check->n_measurements[counts[i].state];
        if (!n)
            continue;
        ps_buf_printf(out, "%s%zu %s", before, n, counts[i].words);
        before = ", ";
    }
}

void ps_check_explain(const struct ps_check *check, struct ps_buf *out)
{
    const size_t n = count_measurements(check);
    char text[64];
    if (check->n_noisy) {
        ps_buf_printf(out, "%s: the noise is too great to show the allowed growth in 9 of 10 cases",
                      ps_format_count(check->n_noisy, "row", text));
        if (check->files_needed <= FILES_MAX)
            ps_buf_printf(out, "; compare %s of each side",
                          ps_format_count((uint64_t)check->files_needed, "file", text));
        ps_buf_puts(out, "\n");
    }
    if (n)
        ps_buf_printf(out, "of 100 checks without a change, about 1 finds a row over its limit by "
                           "chance, whatever the number of rows\n");
}

void ps_check_free(struct ps_check *check)
{
    ps_buf_free(&check->text);
    ps_buf_free(&check->base);
    ps_json_free(&check->response);
}
