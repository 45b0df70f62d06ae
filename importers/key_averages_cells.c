/* SPDX-License-Identifier: MIT */
/*
 * key_averages_cells.c: headers and cells.
 *
 * Columns of devices are called after them: "Self CUDA", "XPU total". What torch 1.5 and 1.6 called
 * "Self CPU total" and "Number of Calls" is understood too.
 */
#include "importers/key_averages.h"

#include <math.h>

static bool ends(struct ps_str text, struct ps_str end)
{
    return text.len >= end.len && memcmp(text.at + text.len - end.len, end.at, end.len) == 0;
}

static struct ps_str without_end(struct ps_str text, size_t n)
{
    return (struct ps_str){text.at, text.len - n};
}

/* "Self CUDA", "CUDA": of which a column says something. */
struct whose {
    bool self, device;
};

static struct whose whose(struct ps_str text, struct ps_ka_header *out)
{
    static const struct ps_str self = PS_STR("Self ");
    struct whose of = {.self = ps_str_starts(text, self)};

    if (of.self)
        text = ps_str_skip(text, self.len);
    of.device = !ps_str_is(text, "CPU");
    if (of.device)
        out->device = text;
    return of;
}

static enum ps_ka_column figure(enum ps_operator_figure figure)
{
    return (enum ps_ka_column)((int)PS_KA_FIGURE + (int)figure);
}

static enum ps_ka_column time_column(struct ps_str text, bool percent, struct ps_ka_header *out)
{
    static const struct ps_str total = PS_STR(" total");
    bool is_total = ends(text, total);
    struct whose of = whose(is_total ? without_end(text, total.len) : text, out);

    if (!of.self && !is_total)
        return PS_KA_OTHER;
    if (percent)
        return of.self ? figure(of.device ? PS_OPERATOR_SELF_DEVICE_PCT : PS_OPERATOR_SELF_CPU_PCT)
               : of.device ? PS_KA_OTHER
                           : figure(PS_OPERATOR_CPU_TOTAL_PCT);
    if (of.self)
        return figure(of.device ? PS_OPERATOR_SELF_DEVICE_NS : PS_OPERATOR_SELF_CPU_NS);
    return figure(of.device ? PS_OPERATOR_DEVICE_TOTAL_NS : PS_OPERATOR_CPU_TOTAL_NS);
}

static enum ps_ka_column memory_column(struct ps_str text, struct ps_ka_header *out)
{
    struct whose of = whose(text, out);

    if (of.self)
        return figure(of.device ? PS_OPERATOR_SELF_DEVICE_BYTES : PS_OPERATOR_SELF_CPU_BYTES);
    return figure(of.device ? PS_OPERATOR_DEVICE_BYTES : PS_OPERATOR_CPU_BYTES);
}

/* "Total MFLOPs" */
static bool flops_column(struct ps_str text, double *out)
{
    static const char prefixes[] = "KMGTP";
    const char *prefix;

    if (!ps_str_starts(text, PS_STR("Total ")) || !ends(text, PS_STR("FLOPs")))
        return false;
    text = without_end(ps_str_skip(text, 6), 5);
    prefix = text.len == 1 ? strchr(prefixes, text.at[0]) : NULL;
    *out = prefix ? pow(1000, (double)(prefix - prefixes + 1)) : 1;
    return text.len == 0 || prefix;
}

static enum ps_ka_column column_of(struct ps_str title, struct ps_ka_header *out)
{
    static const struct {
        const char *title;
        enum ps_ka_column column;
    } plain[] = {
        {"Name", PS_KA_NAME},
        {"Overload Name", PS_KA_OVERLOAD},
        {"Input Shapes", PS_KA_SHAPES},
        {"Source Location", PS_KA_SOURCE},
        {"# of Calls", (enum ps_ka_column)((int)PS_KA_FIGURE + (int)PS_OPERATOR_CALLS)},
        {"Number of Calls", (enum ps_ka_column)((int)PS_KA_FIGURE + (int)PS_OPERATOR_CALLS)},
        {"Node ID", PS_KA_OTHER},
    };
    static const struct ps_str avg = PS_STR(" time avg"), percent = PS_STR(" %"),
                               memory = PS_STR(" Mem");

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (ps_str_is(title, plain[i].title))
            return plain[i].column;
    if (flops_column(title, &out->flops))
        return figure(PS_OPERATOR_FLOPS);
    if (ends(title, memory))
        return memory_column(without_end(title, memory.len), out);
    if (ends(title, avg))
        return figure(whose(without_end(title, avg.len), out).device ? PS_OPERATOR_DEVICE_MEAN_NS
                                                                     : PS_OPERATOR_CPU_MEAN_NS);
    return ends(title, percent) ? time_column(without_end(title, percent.len), true, out)
                                : time_column(title, false, out);
}

bool ps_ka_header(const struct ps_table_spans *spans, struct ps_str line, struct ps_ka_header *out)
{
    struct ps_str titles[PS_TABLE_COLUMNS];
    bool name = false, time = false;

    *out = (struct ps_ka_header){.flops = 1, .calls = PS_TABLE_COLUMNS, .source = PS_TABLE_COLUMNS};
    if (!ps_table_titles(spans, line, titles))
        return false;
    for (size_t i = 0; i < spans->n; i++) {
        enum ps_ka_column column = column_of(titles[i], out);

        out->column[i] = (unsigned char)column;
        name |= column == PS_KA_NAME;
        time |= column == figure(PS_OPERATOR_SELF_CPU_NS);
        if (column == figure(PS_OPERATOR_CALLS))
            out->calls = i;
        if (column == PS_KA_SOURCE)
            out->source = i;
    }
    return name && time && out->calls < PS_TABLE_COLUMNS;
}

/* ------------------------------------------------------------------ cells */

struct unit {
    const char *word;
    double value;
};

/* A number and its unit. */
static bool measured(struct ps_str cell, const struct unit *units, size_t n, double *out)
{
    size_t digits = 0;
    struct ps_num number;
    struct ps_str word;

    while (digits < cell.len && strchr("0123456789.+-", cell.at[digits]) && cell.at[digits])
        digits++;
    if (!ps_report_number((struct ps_str){cell.at, digits}, &number))
        return false;
    word = ps_str_skip(cell, digits);
    if (word.len && word.at[0] == ' ')
        word = ps_str_skip(word, 1);
    for (size_t i = 0; i < n; i++)
        if (ps_str_is(word, units[i].word)) {
            *out = ps_num_real(number) * units[i].value;
            return fabs(*out) < 9e18;
        }
    return false;
}

bool ps_ka_time(struct ps_str text, int64_t *out)
{
    static const struct unit units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    double ns;

    if (!measured(text, units, sizeof units / sizeof *units, &ns))
        return false;
    *out = llround(ns);
    return true;
}

static bool bytes(struct ps_str cell, int64_t *out)
{
    static const struct unit units[] = {
        {"b", 1},          {"B", 1},          {"Kb", 1024},       {"KB", 1024},
        {"Mb", 1048576.0}, {"MB", 1048576.0}, {"Gb", 1073741824}, {"GB", 1073741824},
        {"Tb", 0x1p40},    {"TB", 0x1p40},
    };
    double value;

    if (!measured(cell, units, sizeof units / sizeof *units, &value))
        return false;
    *out = llround(value);
    return true;
}

static bool percent(struct ps_str cell, struct ps_num *out)
{
    static const struct unit units[] = {{"%", 1}, {"", 1}}; /* that of asynchronous rows is 0 */
    double value;

    if (!measured(cell, units, 2, &value))
        return false;
    *out = ps_real(value);
    return true;
}

static bool flop_count(struct ps_str cell, double scale, struct ps_num *out)
{
    struct unit units[] = {{"", scale}};
    double value;

    if (!measured(cell, units, 1, &value))
        return false;
    *out = ps_int(llround(value));
    return true;
}

bool ps_ka_figure(enum ps_operator_figure which, struct ps_str cell, double flops,
                  struct ps_num *out)
{
    int64_t whole = 0;
    bool good;

    *out = (struct ps_num){0};
    if (cell.len == 0 || ps_str_is(cell, "--") || ps_str_is(cell, "NaN") || ps_str_is(cell, "nan"))
        return which != PS_OPERATOR_CALLS;
    switch (which) {
    case PS_OPERATOR_SELF_CPU_PCT:
    case PS_OPERATOR_CPU_TOTAL_PCT:
    case PS_OPERATOR_SELF_DEVICE_PCT:
        return percent(cell, out) || (ps_str_is(cell, "NaN%") || ps_str_is(cell, "nan%"));
    case PS_OPERATOR_FLOPS:
        return flop_count(cell, flops, out);
    case PS_OPERATOR_CALLS:
        good = ps_str_i64(cell, &whole) && whole >= 0;
        break;
    case PS_OPERATOR_CPU_BYTES:
    case PS_OPERATOR_SELF_CPU_BYTES:
    case PS_OPERATOR_DEVICE_BYTES:
    case PS_OPERATOR_SELF_DEVICE_BYTES:
        good = bytes(cell, &whole);
        break;
    default:
        good = ps_ka_time(cell, &whole);
    }
    if (good)
        *out = ps_int(whole);
    return good;
}
