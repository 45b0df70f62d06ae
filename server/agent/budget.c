/* SPDX-License-Identifier: MIT */
#include "server/agent/budget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values that differ by less are equal: decimal numbers are rounded to binary ones. */
#define ROUNDING 1e-12

/* --- Values with a unit --- */

enum kind { COUNT, TIME, BYTES, PERCENT };

static const struct unit {
    const char *name;
    enum kind kind;
    double size;
} units[] = {{"", COUNT, 1},         {"s", TIME, 1},          {"ms", TIME, 1e-3},
             {"us", TIME, 1e-6},     {"µs", TIME, 1e-6},      {"ns", TIME, 1e-9},
             {"min", TIME, 60},      {"h", TIME, 3600},       {"d", TIME, 86400},
             {"w", TIME, 604800},    {"B", BYTES, 1},         {"kB", BYTES, 1e3},
             {"MB", BYTES, 1e6},     {"GB", BYTES, 1e9},      {"TB", BYTES, 1e12},
             {"KiB", BYTES, 1024},   {"MiB", BYTES, 1048576}, {"GiB", BYTES, 1073741824},
             {"TiB", BYTES, 0x1p40}, {"%", PERCENT, 1}};

static const struct unit *unit_of(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

enum ps_status ps_value_read(const char *option, const char *example, const char *text,
                             double *value, char unit[8], struct ps_err *err)
{
    char *end;
    *value = strtod(text, &end);
    while (*end == ' ')
        end++;
    (void)snprintf(unit, 8, "%s", end);
    if (end == text || !isfinite(*value) || *value < 0 || !unit_of(end))
        return ps_fail(err, PS_BAD_REQUEST, "invalid value '%s' for %s" PS_HINT "write %s", text,
                       option, example);
    return PS_OK;
}

static enum ps_status fail_form(const char *text, struct ps_err *err)
{
    return ps_fail(err, PS_BAD_REQUEST,
                   "invalid value '%s' for --budget" PS_HINT
                   "write TABLE.NAME=VALUE or headline=VALUE, such as imports.torch=1.2s",
                   text);
}

enum ps_status ps_budget_read(const char *text, struct ps_budget *out, struct ps_err *err)
{
    const char *equals = strrchr(text, '='), *dot = strchr(text, '.');
    *out = (struct ps_budget){.text = text};
    if (!equals || equals == text)
        return fail_form(text, err);
    size_t table = (size_t)((dot && dot < equals ? dot : equals) - text);
    (void)snprintf(out->table, sizeof out->table, "%.*s", (int)table, text);
    if (table < (size_t)(equals - text)) {
        out->name = text + table + 1;
        out->name_len = (size_t)(equals - out->name);
    }
    if (!out->name_len != (strcmp(out->table, "headline") == 0))
        return fail_form(text, err);
    return ps_value_read("--budget",
                         "a number, with the unit of the metric, such as 1.2s, 2GiB or 1000",
                         equals + 1, &out->value, out->unit, err);
}

bool ps_value_convert(double value, const char *from, const char *to, double *out)
{
    const struct unit *a = unit_of(from), *b = unit_of(to);
    *out = value;
    if (!b) /* no entry in the table, such as "samples": the values are counts */
        return a && a->kind == COUNT;
    if (!a || a->kind != b->kind)
        return false;
    *out = value * a->size / b->size;
    return true;
}

/* --- Growth --- */

static double number_of(const cJSON *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsNumber(value) ? value->valuedouble : 0;
}

static const char *text_of(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

    return text ? text : "";
}

bool ps_is_above(double value, double limit)
{
    return value - limit > ROUNDING * fmax(fabs(value), fabs(limit));
}

/* What is judged. */
struct grown {
    const char *what; /* for messages */
    double base, value, delta;
    const char *verdict, *unit;
    const cJSON *base_values; /* NULL: not read */
};

/* Whether the new median is greater than the value of each baseline run. */
static bool is_above_all(const struct grown *of)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, of->base_values)
    {
        if (cJSON_IsNumber(item) && item->valuedouble >= of->value)
            return false;
    }
    return true;
}

/* Whether the unit is one of time or of samples: a program that ran has some. */
static bool is_of_work(const char *unit)
{
    const struct unit *known = unit_of(unit);

    return strcmp(unit, "samples") == 0 || (known && known->kind == TIME);
}

static enum ps_status judge(const struct grown *of, int n_base, const char *allowed,
                            struct ps_growth *out, struct ps_err *err)
{
    double growth;
    char growth_unit[8];

    *out = (struct ps_growth){.base = of->base, .value = of->value, .delta = of->delta};
    if (ps_value_read("--fail-on", PS_GROWTH_FORM, allowed, &growth, growth_unit, err) != PS_OK)
        return err->code;
    if (strcmp(growth_unit, "%") == 0)
        out->allowed = fabs(out->base) * growth / 100;
    else if (!growth_unit[0] && of->unit[0])
        return ps_fail(err, PS_BAD_REQUEST,
                       "--fail-on %s: the unit is missing" PS_HINT
                       "write %s%% or, since the %s is measured in %s, %s%s",
                       allowed, allowed, of->what, of->unit, allowed, of->unit);
    else if (!ps_value_convert(growth, growth_unit, of->unit, &out->allowed))
        return ps_fail(err, PS_BAD_REQUEST, "--fail-on %s: the %s is measured in %s", allowed,
                       of->what, of->unit[0] ? of->unit : "plain numbers");
    out->limit = out->base + out->allowed;
    out->is_significant = strcmp(of->verdict, "up") == 0 || strcmp(of->verdict, "down") == 0;
    out->is_within_noise = strcmp(of->verdict, "same") == 0;
    out->is_in_range =
        !out->is_significant && !out->is_within_noise && n_base > 1 && !is_above_all(of);
    out->is_over = ps_is_above(out->base + out->delta, out->limit) && !out->is_within_noise &&
                   !out->is_in_range;
    if (out->value == 0 && is_of_work(of->unit))
        out->missing = strcmp(of->unit, "samples") == 0 ? "no samples" : "no time was measured";
    return PS_OK;
}

enum ps_status ps_growth_judge(const cJSON *headline, int n_base, const char *allowed,
                               struct ps_growth *out, struct ps_err *err)
{
    const cJSON *base = cJSON_GetObjectItemCaseSensitive(headline, "base"),
                *now = cJSON_GetObjectItemCaseSensitive(headline, "new");
    const struct grown of = {
        .what = "headline",
        .base = number_of(base, "median"),
        .value = number_of(now, "median"),
        .delta = number_of(headline, "delta"),
        .verdict = text_of(headline, "verdict"),
        .unit = text_of(headline, "unit"),
        .base_values = cJSON_GetObjectItemCaseSensitive(base, "values"),
    };

    return judge(&of, n_base, allowed, out, err);
}

bool ps_growth_needs_values(const cJSON *row, int n_base)
{
    return n_base > 1 && number_of(row, "delta") > 0 && number_of(row, "part") == 0 &&
           strcmp(text_of(row, "verdict"), "same") != 0 &&
           strcmp(text_of(row, "verdict"), "up") != 0;
}

enum ps_status ps_growth_judge_row(const cJSON *row, const cJSON *values, int n_base,
                                   const char *allowed, struct ps_growth *out, struct ps_err *err)
{
    const char *change = text_of(row, "change");
    const struct grown of = {
        .what = "measurement",
        .base = number_of(row, "base"),
        .value = number_of(row, "new"),
        .delta = number_of(row, "delta"),
        .verdict = text_of(row, "verdict"),
        .unit = text_of(row, "place"),
        .base_values = cJSON_GetObjectItemCaseSensitive(values, "base_values"),
    };

    if (judge(&of, n_base, allowed, out, err) != PS_OK)
        return err->code;
    if (number_of(row, "part") > 0) {
        out->is_over &= out->is_significant;
        out->missing = NULL;
    } else if (strcmp(change, "removed") == 0) {
        out->missing = "not in this run";
    } else if (strcmp(change, "failed") == 0) {
        out->missing = "a run failed";
    }
    out->is_over &= !out->missing;
    return PS_OK;
}
