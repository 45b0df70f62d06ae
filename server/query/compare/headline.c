/* SPDX-License-Identifier: MIT */
/* headline.c: the headline of a comparison, or a metric of the summary in its place. Runs that
 * `record ab` recorded in pairs are compared pair by pair, other groups as a whole. */
#include "server/catalog/readers.h"
#include "server/query/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare/drift.h"
#include "compare/modes.h"
#include "compare/pairs.h"
#include "server/query/compare/headline.h"

#define SMALL_SHARE 0.01 /* drifts and distances of modes that are smaller are not reported */

/* A value of a run, and its pair. */
struct value {
    double value; /* NAN: the run has no such metric */
    const char *run;
    char recording[64]; /* "": the run is not one of a pair */
    int64_t pair;
};

struct headline {
    const struct ps_compare_groups *groups;
    const char *label, *unit;
    struct value values[2 * PS_GROUP_MAX]; /* those of the base first */
};

const char *ps_summary_metric_unit(const char *name)
{
    static const char *const ends[][2] = {{"_us", "us"}, {"_ns", "ns"},        {"_mib_s", "MiB/s"},
                                          {"_s", "s"},   {"_mib", "MiB"},      {"_bytes", "bytes"},
                                          {"_pct", "%"}, {"growth_rate", "%"}, {"_kib", "KiB"}};
    size_t len = strlen(name);

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end = strlen(ends[i][0]);

        if (len >= end && strcmp(name + len - end, ends[i][0]) == 0)
            return ends[i][1];
    }
    return "";
}

/* --- Reading --- */

static void read_value(struct ps_db *db, const char *path, const struct ps_compare_run *run,
                       struct value *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    *out = (struct value){.value = NAN, .run = run->id};
    ps_db_prepare(db, ps_query_sql("compare_headline"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(run->id));
    ps_bind_text(stmt, ":figure", ps_str_from_c(path));
    if (!ps_stmt_step(stmt, err)) {
        ps_fail(err, PS_NOT_FOUND, "run %s was deleted", run->id);
        return;
    }
    if (path)
        out->value = ps_col_real_or_nan(stmt, 0);
    else
        out->value = isfinite(run->headline) ? run->headline : 0;
    if (!ps_col_is_null(stmt, 1) && ps_str_parse_i64(ps_col_text(stmt, 2), &out->pair))
        (void)snprintf(out->recording, sizeof out->recording, "%s", ps_col_text(stmt, 1).ptr);
}

static enum ps_status read_values(struct ps_store *store, const char *path, struct headline *out,
                                  struct ps_err *err)
{
    const struct ps_compare_groups *groups = out->groups;
    struct ps_db *db;

    ps_catalog_read(store, &db, err);
    for (size_t i = 0; err->code == PS_OK && i < groups->n_base + groups->n_new; i++)
        read_value(db, path, &groups->runs[i], &out->values[i], err);
    ps_catalog_read_end(store, db);
    return err->code;
}

/* --- No headline --- */

/* Returns the first run with another headline than the first of all; NULL: all have the same. */
static const struct ps_compare_run *find_other_headline(const struct ps_compare_groups *groups)
{
    const struct ps_compare_run *first = groups->runs;

    for (size_t i = 1; i < groups->n_base + groups->n_new; i++)
        if (strcmp(first[i].headline_unit, first->headline_unit) != 0 ||
            strcmp(first[i].headline_label, first->headline_label) != 0)
            return &first[i];
    return NULL;
}

static void add_measured(struct ps_buf *out, const struct ps_compare_run *run)
{
    ps_buf_printf(out, "%s%s%s", run->headline_label,
                  run->headline_unit[0] ? " in " : " without a unit", run->headline_unit);
}

/* Appends why there is no headline; nothing if there is one. A weight without a unit is compared
 * with others of the same label. */
static void explain_no_headline(const struct headline *h, const char *metric, struct ps_buf *out)
{
    const struct ps_compare_run *other = find_other_headline(h->groups);

    for (size_t i = 0; metric && i < h->groups->n_base + h->groups->n_new; i++)
        if (!isfinite(h->values[i].value)) {
            ps_buf_printf(out, "run %s has no metric %s", h->values[i].run, metric);
            return;
        }
    if (metric)
        return;
    if (other) {
        ps_buf_puts(out, "one run measures ");
        add_measured(out, h->groups->runs);
        ps_buf_puts(out, ", another ");
        add_measured(out, other);
    } else if (!h->label[0]) {
        ps_buf_puts(out, "the runs have no headline");
    }
}

/* --- Pairs --- */

struct pairs {
    size_t n;
    double base[PS_GROUP_MAX], now[PS_GROUP_MAX]; /* in the order in which they were recorded */
};

static int compare_pairs(const void *a, const void *b)
{
    const struct value *x = a, *y = b;
    int order = strcmp(x->recording, y->recording);

    return order ? order : (x->pair > y->pair) - (x->pair < y->pair);
}

/* Matches the runs of both groups. Appends to `why` the reason if they are not pairs, or too few;
 * nothing if no run is one of a pair. */
static bool match_pairs(const struct headline *h, struct pairs *out, struct ps_buf *why)
{
    const size_t n = h->groups->n_base, m = h->groups->n_new;
    struct value sorted[2 * PS_GROUP_MAX];
    const struct value *base = sorted, *now = sorted + n;
    size_t tagged = 0;

    memcpy(sorted, h->values, (n + m) * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_pairs);
    qsort(sorted + n, m, sizeof *sorted, compare_pairs);
    for (size_t i = 0; i < n + m; i++)
        tagged += sorted[i].recording[0] != '\0';
    if (!tagged)
        return false;
    if (tagged < n + m) {
        ps_buf_printf(why, "%zu of the %zu runs are not of a pair", n + m - tagged, n + m);
        return false;
    }
    for (size_t i = 0; i < n || i < m; i++) {
        if (i < n && i < m && compare_pairs(&base[i], &now[i]) == 0)
            continue;
        ps_buf_printf(why, "run %s has no counterpart in the other group",
                      i >= m || (i < n && compare_pairs(&base[i], &now[i]) < 0) ? base[i].run
                                                                                : now[i].run);
        return false;
    }
    for (size_t i = 0; i < n + m; i++)
        if (!(sorted[i].value > 0)) {
            ps_buf_printf(why, "the value of run %s is not above 0", sorted[i].run);
            return false;
        }
    if (n < PS_PAIRS_MIN) {
        ps_buf_printf(why, "%zu of the %d pairs that a test needs", n, PS_PAIRS_MIN);
        return false;
    }
    out->n = n;
    for (size_t i = 0; i < n; i++) {
        out->base[i] = base[i].value;
        out->now[i] = now[i].value;
    }
    return true;
}

/* Writes how much the values changed from the first to the last, in percent of their median; null
 * if they did not drift. */
static void write_drift(const char *key, const double *values, size_t n, double median,
                        struct ps_json *json)
{
    const struct ps_drift drift = ps_drift_find(values, n);
    const double change = drift.slope * (double)(n - 1) / median;

    ps_json_key(json, key);
    if (drift.p_value >= PS_DRIFT_ALPHA || fabs(change) < SMALL_SHARE) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key_real(json, "change_pct", 100 * change);
    ps_json_key_real(json, "p", drift.p_value);
    ps_json_end(json);
}

static void write_mode(const char *key, const double *values, size_t n, bool is_low,
                       const struct ps_modes *modes, struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_object(json);
    ps_json_key_real(json, "median", is_low ? modes->low : modes->high);
    ps_json_key(json, "pairs");
    ps_json_array(json);
    for (size_t i = 0; i < n; i++)
        if ((values[i] < modes->lowest_high) == is_low)
            ps_json_int(json, (int64_t)i + 1);
    ps_json_end(json);
    ps_json_end(json);
}

/* Writes both modes with the numbers of their pairs; null if there is one. */
static void write_modes(const char *key, const double *values, size_t n, struct ps_json *json)
{
    struct ps_modes modes = {.n_low = 0};

    ps_json_key(json, key);
    if (!ps_modes_find(values, n, &modes) || modes.p_value >= PS_MODES_ALPHA ||
        modes.high - modes.low < SMALL_SHARE * modes.low) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key_real(json, "p", modes.p_value);
    write_mode("low", values, n, true, &modes, json);
    write_mode("high", values, n, false, &modes, json);
    ps_json_end(json);
}

static void write_pairs(const struct pairs *pairs, const struct ps_pair_change *change,
                        double base_median, double new_median, struct ps_json *json)
{
    ps_json_key(json, "pairs");
    ps_json_object(json);
    ps_json_key_int(json, "n", (int64_t)pairs->n);
    ps_json_key_real(json, "low_pct", 100 * (change->low - 1));
    ps_json_key_real(json, "high_pct", 100 * (change->high - 1));
    ps_json_key_real(json, "noise_pct", 100 * (sqrt(change->high / change->low) - 1));
    ps_json_key(json, "drift");
    ps_json_object(json);
    write_drift("base", pairs->base, pairs->n, base_median, json);
    write_drift("new", pairs->now, pairs->n, new_median, json);
    ps_json_end(json);
    ps_json_key(json, "modes");
    ps_json_object(json);
    write_modes("base", pairs->base, pairs->n, json);
    write_modes("new", pairs->now, pairs->n, json);
    ps_json_end(json);
    ps_json_end(json);
}

/* --- Writing --- */

static void write_group(const char *key, const double *values, size_t n, double median, double mad,
                        struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_object(json);
    ps_json_key(json, "values");
    ps_json_array(json);
    for (size_t i = 0; i < n; i++)
        ps_json_real(json, values[i]);
    ps_json_end(json);
    ps_json_key_real(json, "median", median);
    ps_json_key_real(json, "mad", mad);
    ps_json_end(json);
}

static void write_judgement(const struct ps_judgement *judgement, double low, double high,
                            struct ps_json *json)
{
    ps_json_key_real(json, "delta", judgement->delta);
    ps_json_key_real(
        json, "delta_pct",
        judgement->base_median != 0 ? 100 * judgement->delta / fabs(judgement->base_median) : NAN);
    ps_json_key_real(json, "noise", judgement->noise);
    ps_json_key_real(json, "low", low);
    ps_json_key_real(json, "high", high);
    ps_json_key_real(json, "p", judgement->p_value);
    ps_json_key_str(json, "verdict", ps_verdict_words[judgement->verdict]);
}

/* Replaces the judgement of the groups by that of the pairs. Ratios become differences from the
 * median of the base. */
static void judge_pairs(const struct ps_pair_change *change, struct ps_judgement *out)
{
    out->delta = out->base_median * (change->ratio - 1);
    out->noise = out->base_median * (sqrt(change->high / change->low) - 1);
    out->p_value = change->p_value;
    out->verdict = change->p_value >= PS_JUDGE_ALPHA ? PS_VERDICT_SAME
                   : change->ratio > 1               ? PS_VERDICT_UP
                                                     : PS_VERDICT_DOWN;
}

static void write_single_group(const double *values, size_t n, struct ps_json *json)
{
    double sorted[PS_GROUP_MAX], median;

    memcpy(sorted, values, n * sizeof *values);
    median = ps_group_median(sorted, n);
    write_group("new", values, n, median, ps_group_mad(values, n, median), json);
}

static void write_two_groups(const struct headline *h, const double *values, struct ps_json *json)
{
    const size_t n = h->groups->n_base, m = h->groups->n_new;
    double low = NAN, high = NAN;
    PS_AUTO(ps_buf_free) struct ps_buf why = {0};
    struct ps_judgement judgement;
    struct ps_pair_change change;
    struct pairs pairs;
    struct ps_rule rule;
    const bool is_paired = match_pairs(h, &pairs, &why);

    ps_judge_rows(values, 1, n, m, 0, &judgement, &rule);
    (void)ps_shift_interval(values, n, values + n, m, PS_JUDGE_CONFIDENCE, &low, &high);
    if (is_paired) {
        ps_pairs_compare(pairs.base, pairs.now, pairs.n, PS_JUDGE_CONFIDENCE, &change);
        judge_pairs(&change, &judgement);
        low = judgement.base_median * (change.low - 1);
        high = judgement.base_median * (change.high - 1);
    }
    write_group("base", values, n, judgement.base_median, judgement.base_mad, json);
    write_group("new", values + n, m, judgement.new_median, judgement.new_mad, json);
    write_judgement(&judgement, low, high, json);
    if (is_paired)
        write_pairs(&pairs, &change, judgement.base_median, judgement.new_median, json);
    else
        ps_json_key_str(json, "pairs", NULL);
    ps_json_key_str(json, "no_pairs", why.ptr);
}

/* verdicts: on all measurements, in place of the headline; NULL: none. */
static void write_headline(const struct headline *h, const char *metric, const char *verdicts,
                           struct ps_json *json)
{
    PS_AUTO(ps_buf_free) struct ps_buf why = {0};
    double values[2 * PS_GROUP_MAX];

    if (verdicts)
        ps_buf_puts(&why, "each measurement is judged on its own");
    else
        explain_no_headline(h, metric, &why);
    ps_json_key(json, "headline");
    if (why.len) {
        ps_json_null(json);
        ps_json_key_str(json, "no_headline", why.ptr);
        ps_json_key_str(json, "verdicts", verdicts);
        return;
    }
    for (size_t i = 0; i < h->groups->n_base + h->groups->n_new; i++)
        values[i] = h->values[i].value;
    ps_json_object(json);
    ps_json_key_str(json, "label", h->label);
    ps_json_key_str(json, "unit", h->unit);
    if (h->groups->n_base)
        write_two_groups(h, values, json);
    else
        write_single_group(values, h->groups->n_new, json);
    ps_json_end(json);
    ps_json_key_str(json, "no_headline", NULL);
    ps_json_key_str(json, "verdicts", NULL);
}

enum ps_status ps_compare_write_headline(struct ps_store *store,
                                         const struct ps_compare_groups *groups,
                                         struct ps_params params, struct ps_json *json,
                                         struct ps_err *err)
{
    const char *metric = ps_param_get(params, "metric");
    PS_AUTO(ps_free_ptr) struct headline *h = ps_alloc(sizeof *h);
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf verdicts = {0};

    if (metric && (!metric[0] || strcmp(metric, "headline") == 0))
        metric = NULL;
    if (metric && strchr(metric, '"'))
        return ps_fail(err, PS_BAD_REQUEST, "no summary has a metric %s", metric);
    if (metric)
        ps_buf_printf(&path, "$.\"%s\"", metric);
    *h = (struct headline){.groups = groups,
                           .label = metric ? metric : groups->runs[0].headline_label,
                           .unit = metric ? ps_summary_metric_unit(metric)
                                          : groups->runs[0].headline_unit};
    read_values(store, path.ptr, h, err);
    if (!metric && err->code == PS_OK)
        ps_compare_sum_up(store, groups, &verdicts, err);
    if (err->code == PS_OK)
        write_headline(h, metric, verdicts.ptr, json);
    return err->code;
}
