/* SPDX-License-Identifier: MIT */
/* budget.h: parses the values of --budget and --fail-on, and other values with a unit. */
#ifndef PS_CLI_BUDGET_H
#define PS_CLI_BUDGET_H

#include "base/err.h"
#include "base/mem.h"

struct ps_budget {
    const char *text; /* the complete argument */
    char table[32];   /* table name; "headline" for the headline of the run */
    const char *name; /* name of the row, in `text`, name_len bytes */
    size_t name_len;
    double value;
    char unit[8]; /* "" if there is none */
};

/* Parses "imports.torch=1.2s" or "headline=2s". PS_BAD_REQUEST: invalid. */
enum ps_status ps_budget_read(const char *text, struct ps_budget *out, struct ps_err *err);

/* Reads the value of an option: "+10%" (unit "%"), "50ms"; a plus sign is allowed. If it is
 * invalid, the hint says "write EXAMPLE". */
enum ps_status ps_value_read(const char *option, const char *example, const char *text,
                             double *value, char unit[8], struct ps_err *err);

/* Converts a value to another unit of the same kind, such as 1.2 s to us. False if the kinds
 * differ. */
bool ps_value_convert(double value, const char *from, const char *to, double *out);

#endif
