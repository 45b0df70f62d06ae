/* SPDX-License-Identifier: MIT */
/* xla.h: the operators of a trace of XLA's profiler, and what its steps are made of. */
#ifndef PS_QUERY_TRACE_XLA_H
#define PS_QUERY_TRACE_XLA_H

#include "base/hash_table.h"
#include "base/intern.h"
#include "server/query/rowset.h"
#include "server/runfile/trace.h"

/* What the arguments of a slice say of its operator. */
struct ps_xla_call {
    uint32_t name, program, category, scope; /* text ids; 0: the arguments do not say it */
    int64_t device;                          /* -1: unknown */
    int64_t flops, bytes;                    /* -1: unknown */
};

/* Reads the arguments of slices. Each template is parsed once. */
struct ps_xla_arguments {
    struct ps_db *db;
    struct ps_intern texts;            /* the texts of the run */
    uint32_t *text_ids;                /* by index in `texts` */
    struct ps_xla_template *templates; /* by template id */
    size_t n_templates;
};
enum ps_status ps_xla_arguments_open(struct ps_db *db, struct ps_xla_arguments *out,
                                     struct ps_err *err);
void ps_xla_arguments_close(struct ps_xla_arguments *arguments); /* for PS_AUTO */
struct ps_xla_call ps_xla_read_call(struct ps_xla_arguments *arguments,
                                    const struct ps_chunk *chunk, uint32_t i);

/* The columns of chunks from which ps_xla_read_call reads; the query needs wants_args too. */
#define PS_XLA_CALL_COLUMNS (PS_COL_BIT(PS_COL_TEMPLATE) | PS_COL_BIT(PS_COL_ARGS_AT))

/* The rows of ps_temp_xla_operators: operators of a program, summed over devices and threads, and
 * device work without an operator. */
ps_make_rows ps_make_xla_operators;

#endif
