/* SPDX-License-Identifier: MIT */
/*
 * sqlite_memory.c: limits the memory of a statement that a user wrote. SQLite checks for interrupts
 * while it runs a statement, but not while it prepares a statement: a few lines of nested WITH make
 * it prepare for hours and use up all memory. SQLite handles a failed allocation as an error, so
 * failing allocations limit both the time and the memory.
 */
#include <stdatomic.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "server/runfile/handle.h"

/* Of all statements that have a limit, together. A statement that holds less than SMALL_BYTES is
 * not stopped because of others. */
#define ALL_BYTES_MAX ((size_t)512 << 20)
#define SMALL_BYTES   ((size_t)16 << 20)
/* What a block occupies besides its bytes: the size that SQLite stores, the header of malloc and
 * the rounding of both. A statement in preparation holds millions of small blocks. */
#define BLOCK_EXTRA 24
struct ps_memory_limit {
    size_t used, max, peak;
    bool exceeded;
    bool is_crowded; /* exceeded since all statements together reached ALL_BYTES_MAX */
    struct ps_memory_limit *outer;
};

static _Thread_local struct ps_memory_limit *current;
static atomic_size_t all_used;  /* sum of `used` of the limits with a maximum */
static sqlite3_mem_methods own; /* SQLite's default methods */

/* SQLite may hold a lock when it calls the following functions, so they must not call SQLite. */
static bool may_grow(size_t more)
{
    if (!current)
        return true;
    if (current->max && current->used + more > current->max) {
        current->exceeded = true;
    } else if (current->max && current->used + more > SMALL_BYTES &&
               atomic_load(&all_used) + more > ALL_BYTES_MAX) {
        current->is_crowded = !current->exceeded;
        current->exceeded = true;
    }
    return !current->exceeded && !ps_context_has_ended();
}

static void count_bytes(size_t released, size_t added)
{
    if (!current)
        return;
    /* the memory may have been allocated before ps_memory_limit_begin */
    released = released < current->used ? released : current->used;
    current->used += added - released;
    current->peak = current->used > current->peak ? current->used : current->peak;
    if (current->max)
        atomic_fetch_add(&all_used, added - released);
}

static size_t block_size(void *block)
{
    return block ? (size_t)own.xSize(block) + BLOCK_EXTRA : 0;
}

static void *allocate_counted(int bytes)
{
    void *block = may_grow((size_t)bytes + BLOCK_EXTRA) ? own.xMalloc(bytes) : NULL;

    count_bytes(0, block_size(block));
    return block;
}

static void free_counted(void *block)
{
    count_bytes(block_size(block), 0);
    own.xFree(block);
}

static void *resize_counted(void *block, int bytes)
{
    const size_t before = block_size(block), after = (size_t)bytes + BLOCK_EXTRA;
    void *moved = after <= before || may_grow(after - before) ? own.xRealloc(block, bytes) : NULL;

    if (moved)
        count_bytes(before, block_size(moved));
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
    if (memory->max)
        atomic_fetch_sub(&all_used, memory->used);
#ifdef __GLIBC__
    if (memory->max && memory->peak > SMALL_BYTES)
        (void)malloc_trim(0); /* malloc keeps freed blocks, in an arena for each thread */
#endif
    free(memory);
}

bool ps_memory_limit_is_exceeded(const struct ps_memory_limit *memory)
{
    return memory && memory->exceeded;
}

enum ps_status ps_memory_limit_fail(const struct ps_memory_limit *memory, struct ps_err *err)
{
    if (memory->is_crowded)
        return ps_fail(err, PS_UNAVAILABLE,
                       "the queries that run at the moment need too much memory" PS_HINT
                       "try again in a few seconds");
    return ps_fail(err, PS_LIMIT, "the query needs too much memory and was stopped");
}
