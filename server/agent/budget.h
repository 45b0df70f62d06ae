/* SPDX-License-Identifier: MIT */
/* budget.h: parses budgets, allowed growth and other values with a unit. */
#ifndef PS_AGENT_BUDGET_H
#define PS_AGENT_BUDGET_H

#include "base/err.h"
#include "base/mem.h"

struct ps_budget {
    const char *text; /* complete argument of --budget, not copied */
    char table[32];   /* table name; "headline" for that of the run, "goodput" for its requests */
    const char *name; /* name of the row: name_len bytes in `text`; NULL for these two */
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

/* Whether it is one of the units of time that a budget may have. */
bool ps_unit_is_time(const char *name);

#endif
