/* SPDX-License-Identifier: MIT */
#include "server/agent/budget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const cJSON *group_of(const cJSON *headline, const char *group)
{
    return cJSON_GetObjectItemCaseSensitive(headline, group);
}

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

/* Whether the new median is greater than the value of each baseline run. */
static bool is_above_all(const cJSON *headline, double value)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(group_of(headline, "base"), "values"))
    {
        if (item->valuedouble >= value)
            return false;
    }
    return true;
}

enum ps_status ps_growth_judge(const cJSON *headline, int n_base, const char *allowed,
                               struct ps_growth *out, struct ps_err *err)
{
    const char *verdict = text_of(headline, "verdict"), *unit = text_of(headline, "unit");
    double growth;
    char growth_unit[8];

    *out = (struct ps_growth){.base = number_of(group_of(headline, "base"), "median"),
                              .value = number_of(group_of(headline, "new"), "median"),
                              .delta = number_of(headline, "delta")};
    if (ps_value_read("--fail-on", PS_GROWTH_FORM, allowed, &growth, growth_unit, err) != PS_OK)
        return err->code;
    if (strcmp(growth_unit, "%") == 0)
        out->allowed = fabs(out->base) * growth / 100;
    else if (!growth_unit[0] && unit[0])
        return ps_fail(err, PS_BAD_REQUEST,
                       "--fail-on %s: the unit is missing" PS_HINT
                       "write %s%% or, since the headline is measured in %s, %s%s",
                       allowed, allowed, unit, allowed, unit);
    else if (!ps_value_convert(growth, growth_unit, unit, &out->allowed))
        return ps_fail(err, PS_BAD_REQUEST, "--fail-on %s: the headline is measured in %s", allowed,
                       unit[0] ? unit : "plain numbers");
    out->limit = out->base + out->allowed;
    out->is_significant = strcmp(verdict, "up") == 0 || strcmp(verdict, "down") == 0;
    out->is_within_noise = strcmp(verdict, "same") == 0;
    out->is_in_range = !out->is_significant && !out->is_within_noise && n_base > 1 &&
                       !is_above_all(headline, out->value);
    out->is_over = out->delta > out->allowed && !out->is_within_noise && !out->is_in_range;
    return PS_OK;
}
