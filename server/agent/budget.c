/* SPDX-License-Identifier: MIT */
#include "server/agent/budget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (!out->name_len !=
        (strcmp(out->table, "headline") == 0 || strcmp(out->table, "goodput") == 0))
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

bool ps_unit_is_time(const char *name)
{
    const struct unit *unit = unit_of(name);
    return unit && unit->kind == TIME;
}
