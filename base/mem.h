/* SPDX-License-Identifier: MIT */
/*
 * mem.h: allocation, arenas, and clean-up attributes.
 *
 * A failed allocation or an overflow of its size aborts: limits on bodies, names, depth and rows
 * are checked earlier, so a failed malloc means that the machine has no memory left. Where a size
 * is read from the input, use the ps_try_ functions. They return NULL instead, and the caller fails
 * its request with ps_fail_memory.
 */
#ifndef PS_BASE_MEM_H
#define PS_BASE_MEM_H

#include <stdarg.h>

#include "base/str.h"

/* Called before the process aborts, to report the error. May be NULL. */
extern void (*ps_on_memory_exhausted)(void);

void *ps_alloc(size_t size);                     /* zeroed */
void *ps_alloc_array(size_t count, size_t size); /* zeroed; count * size is checked for overflow */
void *ps_grow(void *old, size_t count,
              size_t size); /* realloc; count * size is checked for overflow */
/* Return NULL if count * size overflows or the allocation fails; `old` is then unchanged. */
void *ps_try_alloc_array(size_t count, size_t size);
void *ps_try_grow(void *old, size_t count, size_t size);
/* Grows an array of *count elements so that items[index] exists; new elements are zeroed. Returns
 * the array. */
void *ps_grow_to(void *items, size_t *count, size_t index, size_t size);
/* Like ps_grow_to, but returns false if the allocation fails. `items` is the address of the array
 * pointer. */
bool ps_try_grow_to(void *items, size_t *count, size_t index, size_t size);
_Noreturn void ps_abort_memory_exhausted(void); /* aborts */
char *ps_strdup(struct ps_str text);            /* NUL-terminated copy; release with free() */

/* Ensures capacity for one more element of `items`; doubles the capacity `cap`, a number of
 * elements, when the array is full. */
#define PS_RESERVE_ONE(items, count, cap)                                                          \
    do {                                                                                           \
        if ((count) == (cap)) {                                                                    \
            if (__builtin_mul_overflow((cap) ? (cap) : 8, 2, &(cap)))                              \
                ps_abort_memory_exhausted();                                                       \
            (items) = ps_grow((items), (cap), sizeof *(items));                                    \
        }                                                                                          \
    } while (0)

/* An arena: many small allocations that ps_arena_free releases together. */
struct ps_arena {
    struct ps_arena_block *block;       /* the newest block */
    size_t block_used, allocated_bytes; /* bytes used in `block`; bytes of all blocks */
};

/* The memory is 8-byte aligned, not zeroed. */
void *ps_arena_alloc(struct ps_arena *arena, size_t size);
/* Copies the text and adds a NUL after its bytes. */
struct ps_str ps_arena_copy(struct ps_arena *arena, struct ps_str text);
char *ps_arena_printf(struct ps_arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
char *ps_arena_vprintf(struct ps_arena *arena, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));
void ps_arena_free(struct ps_arena *arena);

/* `PS_AUTO(ps_buf_free) struct ps_buf buf = {0};` calls ps_buf_free(&buf) when the block ends. */
#define PS_AUTO(release) __attribute__((cleanup(release)))

void ps_free_ptr(void *pointer_to_pointer); /* for PS_AUTO on malloc'ed pointers */
void ps_close_fd(int *fd);                  /* for PS_AUTO on descriptors; -1: does nothing */

#endif
