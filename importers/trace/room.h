/* SPDX-License-Identifier: MIT */
/*
 * room.h: room for what grows with a trace: memory up to a budget, then a scratch file.
 *
 * The file is mapped as one stretch of addresses, so that an array in it is used like any other.
 * Its pages count as memory of the process until they rest; the kernel keeps them, or writes them
 * out when it needs to. Whoever goes over many rows lets them rest now and then
 * (tr_room_row, tr_room_passed). Where there is no file, or no space in it, arrays are memory.
 */
#ifndef PS_TRACE_ROOM_H
#define PS_TRACE_ROOM_H

#include "importers/sink.h"

struct tr_room;

/* budget: bytes of arrays that are memory. out: for its scratch file, asked for when first needed.
 */
struct tr_room *tr_room_new(struct ps_sink *out, size_t budget);
void tr_room_close(struct tr_room *room); /* once its arrays are freed; NULL: nothing */

/* Arrays. With a NULL room they are plain memory, and so are small ones. */
void *tr_room_alloc(struct tr_room *room, size_t count, size_t size); /* zeroed */
/* As ps_grow: what is added is not zeroed. */
void *tr_room_grow(struct tr_room *room, void *old, size_t count, size_t size);
void tr_room_free(struct tr_room *room, void *array);

/* As PS_PUSH_ROOM. */
#define TR_PUSH_ROOM(room, items, count, cap)                                                      \
    do {                                                                                           \
        if ((count) == (cap)) {                                                                    \
            (cap) = (cap) ? (cap)*2 : 16;                                                          \
            (items) = tr_room_grow((room), (items), (cap), sizeof *(items));                       \
        }                                                                                          \
    } while (0)

/* Zeroed bytes of the file for whoever divides them himself, page aligned: PS_OK and NULL when
 * there is no file. */
enum ps_status tr_room_segment(struct tr_room *room, size_t size, struct ps_err *err, char **out);
bool tr_room_has(const struct tr_room *room, const void *at);     /* it lies in the file */
void tr_room_remove(struct tr_room *room, void *at, size_t size); /* whole pages of the file */

/* What lies in the file leaves memory until it is asked for again. */
void tr_room_rest(struct tr_room *room);
/* Bytes were passed: every few MiB all rests. */
void tr_room_passed(struct tr_room *room, size_t bytes);

#define TR_ROOM_ROWS (1u << 16)
/* Once for each row of a long pass. */
static inline void tr_room_row(struct tr_room *room, size_t row)
{
    if ((row & (TR_ROOM_ROWS - 1)) == TR_ROOM_ROWS - 1)
        tr_room_rest(room);
}

#endif
