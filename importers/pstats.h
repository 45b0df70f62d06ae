/* SPDX-License-Identifier: MIT */
/*
 * pstats.h: what the files pstats*.c share: a dump in memory. For them alone.
 *
 * pstats.c holds the descriptor and reads the bytes, _dict.c turns them into functions and calls,
 * _graph.c finds what the functions are to each other, _report.c tells the sink.
 */
#ifndef PS_IMPORTERS_PSTATS_H
#define PS_IMPORTERS_PSTATS_H

#include "base/hash_table.h"
#include "importers/importer.h"
#include "importers/marshal.h"

/* A function, in the order in which the file first names it, as an entry or as a caller. */
struct ps_pf_function {
    uint32_t file, name; /* texts of the reader */
    struct ps_num line;
    struct ps_num ncalls, primitive_calls, tottime, cumtime;
    uint32_t first_call, n_calls; /* in calls */
    uint32_t
        row; /* id it is given: entries first, then the others, each in the order of the file */
    uint32_t cycle;
    bool listed, repaired;
};

/* The entry that a caller was last met in, and its call there. */
struct ps_pf_met {
    uint32_t entry, call;
};

struct ps_pf_dump {
    struct ps_marshal m;
    struct ps_pf_function *functions;
    uint32_t n, cap;
    struct ps_hash_table by_key; /* (file, line, name) -> index in functions */
    struct ps_call *calls; /* of all functions; caller is an index, after ps_pf_number a row id */
    uint32_t n_calls, cap_calls;
    uint32_t *listed; /* indices of the entries, in the order of the file */
    uint32_t n_listed, cap_listed;
    struct ps_pf_met *met; /* by function */
    uint32_t cap_met;

    uint64_t entries; /* pairs of the dict */
    uint64_t doubled; /* entries whose key was there before */
    uint64_t doubled_at;
    uint64_t doubled_calls; /* callers named twice by one entry */
    uint64_t end;           /* offset behind the dict */
    bool sampled, int_callers, tuple_callers;

    /* made by ps_pf_number and ps_pf_link */
    uint32_t *rows;    /* row id - 1 to index */
    uint32_t *callees; /* row ids; of row r: callee_from[r - 1] up to callee_from[r] */
    uint32_t *callee_from;
};

/* Reads the dict with one layout of code objects. PS_BAD_INPUT and PS_CANCELLED through d->m.err.
 */
bool ps_pf_read(struct ps_pf_dump *d, struct ps_str bytes, enum ps_mlayout layout,
                struct ps_sink *out, struct ps_err *err);

/* Gives row ids, puts them into calls, and makes callees. */
void ps_pf_number(struct ps_pf_dump *d);

/* Functions that reach themselves get the number of their cycle. */
void ps_pf_find_cycles(struct ps_pf_dump *d);

/* `size`: bytes of the dump. False: cancelled. */
bool ps_pf_report(struct ps_pf_dump *d, uint64_t size, struct ps_sink *out);

void ps_pf_free(struct ps_pf_dump *d);

#endif
