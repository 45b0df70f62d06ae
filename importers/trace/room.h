/* SPDX-License-Identifier: MIT */
/*
 * room.h: arrays that grow with a trace: in memory up to a budget, then in a scratch file.
 *
 * The file is mapped as one address range, so that an array in it is used like any other. Its pages
 * count as memory of the process until tr_room_rest drops them; the kernel keeps them in its cache,
 * or writes them out when it needs to. Loops over many rows drop them now and then (tr_room_row,
 * tr_room_passed). Without a file, or without space in it, arrays are plain memory.
 */
#ifndef PS_TRACE_ROOM_H
#define PS_TRACE_ROOM_H

#include "importers/sink.h"

struct tr_room;

/* budget: bytes of arrays in memory. out: provides the scratch file when it is first needed. */
struct tr_room *tr_room_new(struct ps_sink *out, size_t budget);
void tr_room_close(struct tr_room *room); /* after its arrays are freed; NULL is allowed */

/* Arrays. Small arrays, and all with a NULL room, are plain memory. */
void *tr_room_alloc(struct tr_room *room, size_t count, size_t size); /* zeroed */
/* Like ps_grow: the added part is not zeroed. */
void *tr_room_grow(struct tr_room *room, void *old, size_t count, size_t size);
void tr_room_free(struct tr_room *room, void *array);

/* Like PS_PUSH_ROOM. */
#define TR_PUSH_ROOM(room, items, count, cap)                                                      \
    do {                                                                                           \
        if ((count) == (cap)) {                                                                    \
            (cap) = (cap) ? (cap)*2 : 16;                                                          \
            (items) = tr_room_grow((room), (items), (cap), sizeof *(items));                       \
        }                                                                                          \
    } while (0)

/* Returns zeroed, page-aligned bytes of the file, for callers that divide them themselves. PS_OK
 * and NULL if there is no file. */
enum ps_status tr_room_segment(struct tr_room *room, size_t size, struct ps_err *err, char **out);
bool tr_room_has(const struct tr_room *room, const void *at); /* it is in the file */
/* frees complete pages of the file */
void tr_room_remove(struct tr_room *room, void *at, size_t size);

/* Drops the pages of the file from memory; they are read back on access. */
void tr_room_rest(struct tr_room *room);
/* Adds to the bytes processed; drops the pages of the file after every few MiB. */
void tr_room_passed(struct tr_room *room, size_t bytes);

#define TR_ROOM_ROWS (1u << 16)
/* To be called for each row of a long loop. */
static inline void tr_room_row(struct tr_room *room, size_t row)
{
    if ((row & (TR_ROOM_ROWS - 1)) == TR_ROOM_ROWS - 1)
        tr_room_rest(room);
}

#endif
