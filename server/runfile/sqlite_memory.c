/* SPDX-License-Identifier: MIT */
/*
 * sqlite_memory.c: limits the memory of a statement that a user wrote. SQLite checks for interrupts
 * while it runs a statement, but not while it prepares a statement: a few lines of nested WITH make
 * it prepare for hours and use up all memory. SQLite handles a failed allocation as an error, so
 * failing allocations limit both the time and the memory.
 */
#include <stdlib.h>

#include "server/runfile/handle.h"

struct ps_memory_limit {
    size_t used, max;
    bool exceeded;
    struct ps_memory_limit *outer;
};

static _Thread_local struct ps_memory_limit *current;
static sqlite3_mem_methods own; /* SQLite's default methods */

/* SQLite may hold a lock when it calls the following functions, so they must not call SQLite. */
static bool may_grow(size_t more)
{
    if (!current)
        return true;
    if (current->max && current->used + more > current->max)
        current->exceeded = true;
    return !current->exceeded && !ps_context_has_ended();
}

static void count_bytes(int before, int after)
{
    size_t released = (size_t)before, added = (size_t)after;

    if (!current)
        return;
    /* the memory may have been allocated before ps_memory_limit_begin */
    released = released < current->used ? released : current->used;
    current->used += added - released;
}

static void *allocate_counted(int bytes)
{
    void *block = may_grow((size_t)bytes) ? own.xMalloc(bytes) : NULL;

    if (block)
        count_bytes(0, own.xSize(block));
    return block;
}

static void free_counted(void *block)
{
    if (block)
        count_bytes(own.xSize(block), 0);
    own.xFree(block);
}

static void *resize_counted(void *block, int bytes)
{
    const int before = own.xSize(block);
    const bool grows = bytes > before;
    void *moved = !grows || may_grow((size_t)(bytes - before)) ? own.xRealloc(block, bytes) : NULL;

    if (moved)
        count_bytes(before, own.xSize(moved));
    return moved;
}

static int setup_code;

/* Runs before main, since SQLite accepts an allocator only before its first use. */
__attribute__((constructor)) static void set_allocator(void)
{
    sqlite3_mem_methods ours;

    setup_code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &own);
    if (setup_code != SQLITE_OK)
        return;
    ours = own;
    ours.xMalloc = allocate_counted;
    ours.xFree = free_counted;
    ours.xRealloc = resize_counted;
    setup_code = sqlite3_config(SQLITE_CONFIG_MALLOC, &ours);
}

enum ps_status ps_memory_limit_check(struct ps_err *err)
{
    return setup_code == SQLITE_OK
               ? PS_OK
               : ps_fail(err, PS_INTERNAL, "cannot limit the memory of SQLite: error %d",
                         setup_code);
}

struct ps_memory_limit *ps_memory_limit_begin(size_t most)
{
    struct ps_memory_limit *memory = ps_alloc(sizeof *memory);

    *memory = (struct ps_memory_limit){.max = most, .outer = current};
    current = memory;
    return memory;
}

void ps_memory_limit_end(struct ps_memory_limit *memory)
{
    current = memory->outer;
    free(memory);
}

bool ps_memory_limit_is_exceeded(const struct ps_memory_limit *memory)
{
    return memory && memory->exceeded;
}
