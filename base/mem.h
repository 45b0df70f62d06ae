/* SPDX-License-Identifier: MIT */
/*
 * mem.h: allocation that cannot fail, arenas, and clean-up attributes.
 *
 * A failed allocation aborts: limits on bodies, names, depth and rows are checked before, so memory
 * is bounded by design and a refused malloc means the machine is out of it.
 */
#ifndef PS_BASE_MEM_H
#define PS_BASE_MEM_H

#include "base/str.h"

/* Called before that, where somebody has something to say about it. NULL: nobody. */
extern void (*ps_memory_gone)(void);

void *ps_alloc(size_t size); /* zeroed */
void *ps_grow(void *old, size_t count,
              size_t size);          /* realloc of count * size, checked for overflow */
char *ps_strdup(struct ps_str text); /* NUL-terminated copy; release with free() */

/* Makes room for one more element of *items, doubling; *cap counts elements. */
#define PS_PUSH_ROOM(items, count, cap)                                                            \
    do {                                                                                           \
        if ((count) == (cap)) {                                                                    \
            (cap) = (cap) ? (cap)*2 : 16;                                                          \
            (items) = ps_grow((items), (cap), sizeof *(items));                                    \
        }                                                                                          \
    } while (0)

/* An arena: many small allocations, one release. */
struct ps_arena {
    struct ps_arena_block *block;
    size_t used, total;
};

void *ps_arena_alloc(struct ps_arena *arena, size_t size); /* 8-byte aligned, not zeroed */
struct ps_str ps_arena_copy(struct ps_arena *arena,
                            struct ps_str text); /* NUL-terminated beyond len */
char *ps_arena_printf(struct ps_arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void ps_arena_free(struct ps_arena *arena);

/* `PS_AUTO(ps_buf_free) struct ps_buf buf = {0};` calls ps_buf_free(&buf) when the block ends. */
#define PS_AUTO(release) __attribute__((cleanup(release)))

void ps_free_ptr(void *pointer_to_pointer); /* for PS_AUTO on malloc'ed pointers */
void ps_close_fd(int *fd);                  /* for PS_AUTO on descriptors; -1 is none */

#endif
