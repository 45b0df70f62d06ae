/* SPDX-License-Identifier: MIT */
/* schema.h: the SQL texts of this folder, embedded at build time. */
#ifndef PS_SCHEMA_H
#define PS_SCHEMA_H

struct ps_schema_text {
    const char *name; /* "run", "catalog", "queries/functions", ... */
    const char *text;
};

/* Ends with a NULL name. */
extern const struct ps_schema_text ps_schema_texts[];

#endif
