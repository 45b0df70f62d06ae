/* SPDX-License-Identifier: MIT */
/*
 * scratch.h: arrays that grow with a trace: in memory up to a budget, then in a scratch file.
 *
 * The file is mapped as one address range, so that an array in it is used like any other. Its pages
 * count as memory of the process until tr_scratch_drop drops them; the kernel keeps them in its
 * cache, or writes them out when it needs to. Loops over many rows drop them now and then
 * (tr_scratch_row, tr_scratch_passed). Without a file, or without space in it, arrays are plain
 * memory.
 */
#ifndef PS_TRACE_SCRATCH_H
#define PS_TRACE_SCRATCH_H

#include "importers/sink.h"

struct tr_scratch;

/* budget: bytes of arrays in memory. out: provides the scratch file when it is first needed. */
struct tr_scratch *tr_scratch_new(struct ps_sink *out, size_t budget);
void tr_scratch_close(struct tr_scratch *scratch); /* after its arrays are freed; NULL is allowed */

/* Small arrays, and all arrays if `scratch` is NULL, are allocated with malloc. */
void *tr_scratch_alloc(struct tr_scratch *scratch, size_t count, size_t size); /* zeroed */
/* Like ps_grow: the added part is not zeroed. */
void *tr_scratch_grow(struct tr_scratch *scratch, void *old, size_t count, size_t size);
void tr_scratch_free(struct tr_scratch *scratch, void *array);

/* Like PS_RESERVE_ONE. */
#define TR_SCRATCH_PUSH(scratch, items, count, cap)                                                \
    do {                                                                                           \
        if ((count) == (cap)) {                                                                    \
            (cap) = (cap) ? (cap)*2 : 16;                                                          \
            (items) = tr_scratch_grow((scratch), (items), (cap), sizeof *(items));                 \
        }                                                                                          \
    } while (0)

/* Returns zeroed, page-aligned bytes of the file, for callers that divide them themselves. PS_OK
 * and NULL if there is no file. */
enum ps_status tr_scratch_segment(struct tr_scratch *scratch, size_t size, struct ps_err *err,
                                  char **out);
bool tr_scratch_has(const struct tr_scratch *scratch, const void *at); /* it is in the file */
/* frees complete pages of the file */
void tr_scratch_remove(struct tr_scratch *scratch, void *at, size_t size);

/* Drops the pages of the file from memory; they are read back on access. */
void tr_scratch_drop(struct tr_scratch *scratch);
/* Adds to the bytes processed; drops the pages of the file after every few MiB. */
void tr_scratch_passed(struct tr_scratch *scratch, size_t bytes);

#define TR_SCRATCH_ROWS (1u << 16)
/* To be called for each row of a long loop. */
static inline void tr_scratch_row(struct tr_scratch *scratch, size_t row)
{
    if ((row & (TR_SCRATCH_ROWS - 1)) == TR_SCRATCH_ROWS - 1)
        tr_scratch_drop(scratch);
}

#endif
