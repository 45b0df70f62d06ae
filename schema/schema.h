/* SPDX-License-Identifier: MIT */
/* schema.h: the SQL texts of this folder, embedded at build time. */
#ifndef PS_SCHEMA_H
#define PS_SCHEMA_H

#include <stddef.h>

struct ps_schema_text {
    const char *name; /* "run", "catalog", "queries/functions", ... */
    const char *text;
};

/* By name; one more ends them, whose name is NULL. */
extern const struct ps_schema_text ps_schema_texts[];
extern const size_t ps_n_schema_texts;

#endif
