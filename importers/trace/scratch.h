/* SPDX-License-Identifier: MIT */
/*
 * scratch.h: arrays that grow with a trace: in memory up to a budget, then in a scratch file.
 *
 * The file is mapped as one address range, so that an array in it is used like any other. Pages of
 * the file count as memory of the process until tr_scratch_drop_pages drops them; the kernel then
 * caches them or writes them to disk. Loops over many rows drop pages regularly
 * (tr_scratch_count_row, tr_scratch_count_bytes). Without a file, or without space in it, arrays
 * are plain memory.
 */
#ifndef PS_TRACE_SCRATCH_H
#define PS_TRACE_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct ps_sink;
struct tr_scratch;

/* budget: maximum bytes of arrays in memory. out: provides the scratch file when it is first
 * needed. */
struct tr_scratch *tr_scratch_new(struct ps_sink *out, size_t budget);
void tr_scratch_close(struct tr_scratch *scratch); /* free its arrays first; NULL is fine */

/* Small arrays, and all arrays if `scratch` is NULL, are allocated with malloc. */
void *tr_scratch_alloc(struct tr_scratch *scratch, size_t count, size_t size); /* zeroed */
/* Like ps_grow: the added part is not zeroed. */
void *tr_scratch_grow(struct tr_scratch *scratch, void *old, size_t count, size_t size);
void tr_scratch_free(struct tr_scratch *scratch, void *array);

/* Ensures capacity for `more` elements: one that knows their number spares the copies of growing.
 */
#define TR_SCRATCH_RESERVE(scratch, items, count, cap, more)                                       \
    do {                                                                                           \
        if ((cap) - (count) < (more)) {                                                            \
            (cap) = (cap)*2 > (count) + (more) ? (cap)*2 : (count) + (more);                       \
            (items) = tr_scratch_grow((scratch), (items), (cap), sizeof *(items));                 \
        }                                                                                          \
    } while (0)

/* Like PS_RESERVE_ONE. */
#define TR_SCRATCH_PUSH(scratch, items, count, cap)                                                \
    do {                                                                                           \
        if ((count) == (cap)) {                                                                    \
            (cap) = (cap) ? (cap)*2 : 16;                                                          \
            (items) = tr_scratch_grow((scratch), (items), (cap), sizeof *(items));                 \
        }                                                                                          \
    } while (0)

/* Sets *out to zeroed, page-aligned bytes of the file, for callers that manage their own memory. If
 * there is no file, returns PS_OK and sets *out to NULL. */
enum ps_status tr_scratch_alloc_segment(struct tr_scratch *scratch, size_t size, struct ps_err *err,
                                        char **out);
/* whether `at` is in the file */
bool tr_scratch_contains(const struct tr_scratch *scratch, const void *at);
/* Frees the complete pages of the file in [at, at + size). */
void tr_scratch_free_pages(struct tr_scratch *scratch, void *at, size_t size);

/* Drops the pages of the file from memory; they are read back on access. */
void tr_scratch_drop_pages(struct tr_scratch *scratch);
/* Counts processed bytes, and drops the pages of the file after every few MiB. */
void tr_scratch_count_bytes(struct tr_scratch *scratch, size_t bytes);

#define TR_SCRATCH_ROWS (1u << 16)
/* Call this for each row of a long loop: drops the pages of the file after every TR_SCRATCH_ROWS
 * rows. */
static inline void tr_scratch_count_row(struct tr_scratch *scratch, size_t row)
{
    if ((row & (TR_SCRATCH_ROWS - 1)) == TR_SCRATCH_ROWS - 1)
        tr_scratch_drop_pages(scratch);
}

#endif
