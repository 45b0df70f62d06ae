/* SPDX-License-Identifier: MIT */
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct ps_arena_block {
    struct ps_arena_block *next;
    size_t size;
    _Alignas(16) char bytes[];
};

void (*ps_on_memory_exhausted)(void);

void ps_abort_memory_exhausted(void)
{
    if (ps_on_memory_exhausted)
        ps_on_memory_exhausted();
    (void)fputs("perfshelf: out of memory\n", stderr);
    abort();
}

static void *or_abort(void *memory)
{
    if (!memory)
        ps_abort_memory_exhausted();
    return memory;
}

void *ps_try_alloc_array(size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return calloc(1, bytes ? bytes : 1);
}

void *ps_try_grow(void *old, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return realloc(old, bytes ? bytes : 1);
}

void *ps_alloc(size_t size)
{
    return ps_alloc_array(1, size);
}

void *ps_alloc_array(size_t count, size_t size)
{
    return or_abort(ps_try_alloc_array(count, size));
}

void *ps_grow(void *old, size_t count, size_t size)
{
    return or_abort(ps_try_grow(old, count, size));
}

bool ps_try_grow_to(void *items, size_t *count, size_t index, size_t size)
{
    void *old, *wider;
    size_t n;

    if (index < *count)
        return true;
    if (__builtin_mul_overflow(index, 2, &n) || __builtin_add_overflow(n, 64, &n))
        return false;
    memcpy(&old, items, sizeof old);
    wider = ps_try_grow(old, n, size);
    if (!wider)
        return false;
    memset((char *)wider + *count * size, 0, (n - *count) * size);
    memcpy(items, &wider, sizeof wider);
    *count = n;
    return true;
}

void *ps_grow_to(void *items, size_t *count, size_t index, size_t size)
{
    if (!ps_try_grow_to(&items, count, index, size))
        ps_abort_memory_exhausted();
    return items;
}

char *ps_strdup(struct ps_str text)
{
    char *copy = ps_alloc(text.len + 1);

    if (text.len)
        memcpy(copy, text.ptr, text.len);
    return copy;
}

void *ps_arena_alloc(struct ps_arena *arena, size_t size)
{
    void *out;

    size = (size + 7) & ~(size_t)7;
    if (!arena->block || arena->block->size - arena->block_used < size) {
        size_t want = arena->allocated_bytes < 4096         ? 4096
                      : arena->allocated_bytes < (1u << 20) ? arena->allocated_bytes
                                                            : 1u << 20;
        size_t room = size > want ? size : want;
        struct ps_arena_block *block = or_abort(malloc(sizeof *block + room));

        block->next = arena->block;
        block->size = room;
        arena->block = block;
        arena->block_used = 0;
        arena->allocated_bytes += room;
    }
    out = arena->block->bytes + arena->block_used;
    arena->block_used += size;
    return out;
}

struct ps_str ps_arena_copy(struct ps_arena *arena, struct ps_str text)
{
    char *copy = ps_arena_alloc(arena, text.len + 1);

    if (text.len)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return (struct ps_str){copy, text.len};
}

char *ps_arena_vprintf(struct ps_arena *arena, const char *fmt, va_list args)
{
    va_list again;
    int len;
    char *out;

    va_copy(again, args);
    len = vsnprintf(NULL, 0, fmt, args);
    out = ps_arena_alloc(arena, (size_t)len + 1);
    (void)vsnprintf(out, (size_t)len + 1, fmt, again);
    va_end(again);
    return out;
}

char *ps_arena_printf(struct ps_arena *arena, const char *fmt, ...)
{
    va_list args;
    char *out;

    va_start(args, fmt);
    out = ps_arena_vprintf(arena, fmt, args);
    va_end(args);
    return out;
}

void ps_arena_free(struct ps_arena *arena)
{
    while (arena->block) {
        struct ps_arena_block *next = arena->block->next;

        free(arena->block);
        arena->block = next;
    }
    arena->block_used = arena->allocated_bytes = 0;
}

void ps_free_ptr(void *pointer_to_pointer)
{
    void **pointer = pointer_to_pointer;

    free(*pointer);
    *pointer = NULL;
}

void ps_close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}
