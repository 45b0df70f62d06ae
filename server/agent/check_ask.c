/* SPDX-License-Identifier: MIT */
/* check_ask.c: what a check asks for, and what its judgements share. */
#include "server/agent/check_judge.h"

#include <math.h>
#include <string.h>

#include "base/format.h"
#include "server/agent/agent.h"
#include "server/agent/tools.h"

#define ROWS_MAX "1000" /* maximum number of rows in one request */
/* Values that differ by less are equal: decimal numbers are rounded to binary ones. */
#define ROUNDING 1e-12

/* --- Questions --- */

const cJSON *ps_check_runs(const struct ps_check *check, const char *group)
{
    return ps_member(check->response, group);
}

int ps_check_count_base(const struct ps_check *check)
{
    return cJSON_GetArraySize(ps_check_runs(check, "base"));
}

const char *ps_check_first_run(const struct ps_check *check)
{
    return ps_member_text(cJSON_GetArrayItem(ps_check_runs(check, "new"), 0), "id");
}

enum ps_status ps_check_ask(const struct ps_check *check, const struct ps_buf *path, cJSON **out,
                            struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};
    if (err->code == PS_OK && check->ask(check->user, path->ptr, &answer, err) == PS_OK)
        ps_answer_parse(ps_buf_slice(&answer), out, err);
    return err->code;
}

void ps_check_add_path(const struct ps_check *check, const char *of, struct ps_buf *path)
{
    const char *base = check->base.len ? check->base.ptr : check->against;
    ps_buf_puts(path, "compare");
    if (of)
        ps_url_add_segment(path, of);
    ps_url_add_param(path, "new", check->run);
    ps_url_add_param(path, "base", base ? base : check->run);
    ps_url_add_param(path, "step", check->step);
}

enum ps_status ps_check_ask_rows(const struct ps_check *check, const cJSON *table,
                                 const cJSON *metric, const char *name, const char *per,
                                 cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    ps_check_add_path(check, ps_member_text(table, "of"), &path);
    ps_url_add_param(&path, "metric", ps_member_text(metric, "metric"));
    ps_url_add_param(&path, "per", per);
    ps_url_add_param(&path, "limit", ROWS_MAX);
    ps_url_add_param(&path, "name", name);
    return ps_check_ask(check, &path, out, err);
}

enum ps_status ps_check_ask_measurements(const struct ps_check *check, cJSON **out,
                                         struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    ps_check_add_path(check, "measurements", &path);
    ps_url_add_param(&path, "format", "rows");
    return ps_check_ask(check, &path, out, err);
}

bool ps_check_has_verdicts(const struct ps_check *check)
{
    return cJSON_IsString(ps_member(check->response, "verdicts"));
}

enum ps_status ps_check_headline(const struct ps_check *check, const cJSON **out,
                                 struct ps_err *err)
{
    *out = ps_member(check->response, "headline");
    if (cJSON_IsObject(*out))
        return PS_OK;
    return ps_fail(err, PS_BAD_REQUEST,
                   "no difference of the headline: %s" PS_HINT "compare runs that measure the same",
                   ps_member_text(check->response, "no_headline"));
}

/* --- Values --- */

bool ps_check_is_above(double value, double limit)
{
    return value - limit > ROUNDING * fmax(fabs(value), fabs(limit));
}

const char *ps_check_explain_zero(const char *unit)
{
    if (strcmp(unit, "samples") == 0)
        return "no samples";
    return ps_unit_is_time(unit) ? "no time was measured" : NULL;
}

enum ps_status ps_check_skip_unit(struct ps_err *unit_err, const struct ps_err *own,
                                  struct ps_err *err)
{
    if (own->code == PS_BAD_REQUEST)
        ps_fail_copy(unit_err, own);
    else if (own->code != PS_OK)
        ps_fail_copy(err, own);
    return err->code;
}

enum ps_status ps_check_fail_units(const struct ps_check *check, size_t before,
                                   const struct ps_err *unit_err, struct ps_err *err)
{
    if (err->code == PS_OK && check->n_checked == before && unit_err->code != PS_OK)
        return ps_fail_copy(err, unit_err);
    return err->code;
}

/* --- Findings --- */

void ps_check_finding_free(struct ps_check_finding *finding)
{
    ps_buf_free(&finding->details);
}

void ps_check_add_finding(struct ps_check *check, const struct ps_check_finding *finding)
{
    check->n_checked++;
    check->n_over += finding->state == PS_CHECK_OVER;
    check->n_missing += finding->state == PS_CHECK_MISSING;
    check->found(check->user, finding);
}

void ps_check_add_detail(struct ps_check_finding *finding, const char *text)
{
    ps_append_escaped(&finding->details, ps_str_from_c(text));
    ps_buf_puts(&finding->details, "\n");
}
