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

void (*ps_memory_gone)(void);

static void *or_abort(void *memory)
{
    if (!memory) {
        if (ps_memory_gone)
            ps_memory_gone();
        (void)fputs("perfshelf: out of memory\n", stderr);
        abort();
    }
    return memory;
}

void *ps_alloc(size_t size)
{
    return or_abort(calloc(1, size ? size : 1));
}

void *ps_grow(void *old, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        or_abort(NULL);
    return or_abort(realloc(old, bytes ? bytes : 1));
}

char *ps_strdup(struct ps_str text)
{
    char *copy = ps_alloc(text.len + 1);

    if (text.len)
        memcpy(copy, text.at, text.len);
    return copy;
}

void *ps_arena_alloc(struct ps_arena *arena, size_t size)
{
    void *out;

    size = (size + 7) & ~(size_t)7;
    if (!arena->block || arena->block->size - arena->used < size) {
        size_t want = arena->total < 4096         ? 4096
                      : arena->total < (1u << 20) ? arena->total
                                                  : 1u << 20;
        size_t room = size > want ? size : want;
        struct ps_arena_block *block = or_abort(malloc(sizeof *block + room));

        block->next = arena->block;
        block->size = room;
        arena->block = block;
        arena->used = 0;
        arena->total += room;
    }
    out = arena->block->bytes + arena->used;
    arena->used += size;
    return out;
}

struct ps_str ps_arena_copy(struct ps_arena *arena, struct ps_str text)
{
    char *copy = ps_arena_alloc(arena, text.len + 1);

    if (text.len)
        memcpy(copy, text.at, text.len);
    copy[text.len] = '\0';
    return (struct ps_str){copy, text.len};
}

char *ps_arena_printf(struct ps_arena *arena, const char *fmt, ...)
{
    va_list args, again;
    int len;
    char *out;

    va_start(args, fmt);
    va_copy(again, args);
    len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    out = ps_arena_alloc(arena, (size_t)len + 1);
    (void)vsnprintf(out, (size_t)len + 1, fmt, again);
    va_end(again);
    return out;
}

void ps_arena_free(struct ps_arena *arena)
{
    while (arena->block) {
        struct ps_arena_block *next = arena->block->next;

        free(arena->block);
        arena->block = next;
    }
    arena->used = arena->total = 0;
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
