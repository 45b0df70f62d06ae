/* SPDX-License-Identifier: MIT */
/* budget.h: the values of --budget and --fail-on, and others with a unit. */
#ifndef PS_CLI_BUDGET_H
#define PS_CLI_BUDGET_H

#include "base/err.h"
#include "base/mem.h"

struct ps_budget {
    const char *text; /* as it was given */
    char table[32];   /* "headline": the run's headline */
    const char *name; /* in `text`, name_len bytes; of a row */
    size_t name_len;
    double value;
    char unit[8]; /* "" none */
};

/* "imports.torch=1.2s", "headline=2s". PS_BAD_REQUEST says what is wrong. */
enum ps_status ps_budget_read(const char *text, struct ps_budget *out, struct ps_err *err);

/* Reads the value of an option: "+10%" (unit "%"), "50ms"; a plus sign is allowed. If it is
 * invalid, the hint says "write EXAMPLE". */
enum ps_status ps_value_read(const char *option, const char *example, const char *text,
                             double *value, char unit[8], struct ps_err *err);

/* A value in another unit of its kind: 1.2 s in us. False: they are of different kinds. */
bool ps_value_convert(double value, const char *from, const char *to, double *out);

#endif
