/* SPDX-License-Identifier: MIT */
/* budget.h: parses budgets, allowed growth and other values with a unit, and judges the growth of a
 * headline. For `perfshelf check` and the tool check. */
#ifndef PS_AGENT_BUDGET_H
#define PS_AGENT_BUDGET_H

#include <cjson/cJSON.h>

#include "base/err.h"
#include "base/mem.h"

/* What an allowed growth may be, for a hint. */
#define PS_GROWTH_FORM    "a number, with a unit or %, such as 10%, 50ms or 2MiB"
#define PS_GROWTH_DEFAULT "+10%"

struct ps_budget {
    const char *text; /* complete argument of --budget, not copied */
    char table[32];   /* table name; "headline" for the headline of the run */
    const char *name; /* name of the row: name_len bytes in `text`; NULL for the headline */
    size_t name_len;
    double value;
    char unit[8]; /* "" if there is none */
};

/* Parses "imports.torch=1.2s" or "headline=2s". PS_BAD_REQUEST: invalid. *out points into `text`.
 */
enum ps_status ps_budget_read(const char *text, struct ps_budget *out, struct ps_err *err);

/* Parses the value of an option, such as "+10%" (unit "%") or "50ms" (unit "ms"). Negative values
 * and unknown units are invalid. The hint of a failure says "write EXAMPLE". */
enum ps_status ps_value_read(const char *option, const char *example, const char *text,
                             double *value, char unit[8], struct ps_err *err);

/* Converts a value to another unit of the same kind, such as 1.2 s to 1200000 us. If `to` is
 * unknown, such as "samples", its kind is a count. False if the kinds differ. */
bool ps_value_convert(double value, const char *from, const char *to, double *out);

/* How a headline or a measurement grew over a baseline. */
struct ps_growth {
    double base, value,
        delta;             /* medians, and the difference that is judged; unit of the headline */
    double allowed, limit; /* growth that is allowed, and the greatest allowed value */
    /* by the test of significance; neither: too few runs to tell */
    bool is_significant, is_within_noise;
    /* the significance is unknown and a baseline run was as slow, so growth passes */
    bool is_in_range;
    bool is_over; /* grew by more than is allowed, and not by noise */
    /* why the growth cannot be judged, a static string; NULL: it can. It is no success then. */
    const char *missing;
};

/* Whether a value is greater than a limit, by more than the rounding of both. */
bool ps_is_above(double value, double limit);

/* Reads an allowed growth, such as "+10%" or "50ms", for a headline of the response of GET compare.
 * PS_BAD_REQUEST: invalid, or the unit does not fit. */
enum ps_status ps_growth_judge(const cJSON *headline, int n_base, const char *allowed,
                               struct ps_growth *out, struct ps_err *err);

/* The same for a measurement that both groups have or the new one lacks: a row of the response of
 * GET compare/measurements?format=rows. values: the response of GET compare/measurements/ID; NULL:
 * not read, which suffices if ps_growth_needs_values is false. A further value of a measurement,
 * such as its user time, is over only if that is significant. */
enum ps_status ps_growth_judge_row(const cJSON *row, const cJSON *values, int n_base,
                                   const char *allowed, struct ps_growth *out, struct ps_err *err);
/* Whether the values of the baseline runs decide about the row. */
bool ps_growth_needs_values(const cJSON *row, int n_base);

#endif
