/* SPDX-License-Identifier: MIT */
/*
 * pages.c: stores records in pages per thread, and parameters in segments.
 *
 * The pages of a thread grow from 4 records to a slab of 256 KiB, since a file may have a hundred
 * thousand threads. Slabs are anonymous memory up to a budget, then windows of a scratch file. Full
 * windows are dropped from memory; the kernel reads them back on access.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "importers/trace/read.h"

#define SEGMENT_BITS 22
#define SEGMENT      (UINT64_C(1) << SEGMENT_BITS)
#define WINDOW       (32u << 20)
#define BYTES_TAKEN  128         /* memory touched when a record becomes a slice, approximately */
#define AROUND       (64u << 10) /* bytes that a page fault reads */
#define ARRAYS_PARTS 5 /* times `budget`: memory of arrays once the records are released */

void tr_pages_init(struct tr_trace *trace, size_t budget)
{
    struct tr_pages *pages = trace->pages = ps_alloc(sizeof *pages);

    pages->budget = budget;
    trace->room = tr_room_new(trace->out, ARRAYS_PARTS * budget);
}

static void *map_memory(struct tr_pages *pages, size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED) /* out of memory: like ps_alloc */
        abort();
    if (pages->n_blocks == pages->blocks_cap) {
        pages->blocks_cap = pages->blocks_cap ? pages->blocks_cap * 2 : 64;
        pages->blocks = ps_grow(pages->blocks, pages->blocks_cap, sizeof *pages->blocks);
        pages->block_sizes =
            ps_grow(pages->block_sizes, pages->blocks_cap, sizeof *pages->block_sizes);
    }
    pages->blocks[pages->n_blocks] = at;
    pages->block_sizes[pages->n_blocks++] = size;
    pages->anonymous += size;
    return at;
}

/* Allocates another window of the scratch file and drops the previous ones from memory. window->at
 * is NULL if there is no file. */
static enum ps_status add_window(struct tr_trace *trace)
{
    struct tr_window *window = &trace->pages->window;

    tr_room_rest(trace->room);
    window->used = 0;
    return tr_room_segment(trace->room, WINDOW, trace->err, &window->at);
}

/* Allocates zeroed, page-aligned bytes. */
static enum ps_status take(struct tr_trace *trace, size_t size, char **out)
{
    struct tr_pages *pages = trace->pages;
    struct tr_window *window = &pages->window;
    bool memory = pages->anonymous + size <= pages->budget || size > WINDOW;

    if (!memory && (!window->at || WINDOW - window->used < size) && add_window(trace) != PS_OK)
        return trace->err->code;
    if (memory || !window->at) {
        *out = map_memory(pages, size);
        return PS_OK;
    }
    *out = window->at + window->used;
    window->used += size;
    return PS_OK;
}

/* Allocates a page; small pages are parts of a slab. */
static enum ps_status take_page(struct tr_trace *trace, size_t size, char **out)
{
    struct tr_pages *pages = trace->pages;

    if (size == TR_SLAB)
        return take(trace, size, out);
    if (!pages->slab || TR_SLAB - pages->slab_used < size) {
        if (take(trace, TR_SLAB, &pages->slab) != PS_OK)
            return trace->err->code;
        pages->slab_used = 0;
    }
    *out = pages->slab + pages->slab_used;
    pages->slab_used += size;
    return PS_OK;
}

/* 4, 4, 8, 16 ...: at least half of a thread's capacity is used. */
static size_t page_records(size_t index)
{
    size_t n = index == 0 ? 4 : index < 16 ? (size_t)4 << (index - 1) : TR_PAGE_RECORDS;

    return n < TR_PAGE_RECORDS ? n : TR_PAGE_RECORDS;
}

static enum ps_status add_page(struct tr_trace *trace, struct tr_thread *thread,
                               struct tr_cursor *cursor)
{
    size_t records = page_records(thread->n_pages);
    uint8_t **list = (uint8_t **)(uintptr_t)thread->pages;
    char *page;

    if (take_page(trace, records * sizeof(struct tr_record), &page) != PS_OK)
        return trace->err->code;
    PS_PUSH_ROOM(list, thread->n_pages, cursor->cap);
    list[thread->n_pages++] = (uint8_t *)page;
    thread->pages = list;
    cursor->at = (struct tr_record *)(void *)page;
    cursor->end = cursor->at + records;
    return PS_OK;
}

enum ps_status tr_pages_push(struct tr_trace *trace, uint32_t thread,
                             const struct tr_record *record)
{
    struct tr_thread *t = &trace->threads[thread];
    struct tr_cursor *cursor = &trace->pages->cursors[thread];

    if (cursor->at == cursor->end && add_page(trace, t, cursor) != PS_OK)
        return trace->err->code;
    if (record->ts < cursor->last_ts)
        t->ordered = false;
    cursor->last_ts = record->ts;
    *cursor->at++ = *record;
    t->n++;
    return PS_OK;
}

/* The upper bits of an address are the segment number; a large segment has several numbers in a
 * row. */
static enum ps_status add_segments(struct tr_trace *trace, size_t need)
{
    struct tr_pages *pages = trace->pages;
    size_t count = (size_t)((need + SEGMENT - 1) >> SEGMENT_BITS);
    char *at;

    if ((uint64_t)(pages->n_segments + count) >> (40 - SEGMENT_BITS))
        return ps_fail(trace->err, PS_LIMIT, "the trace has too many event arguments");
    if (take(trace, count << SEGMENT_BITS, &at) != PS_OK)
        return trace->err->code;
    pages->args_used = (uint64_t)pages->n_segments << SEGMENT_BITS;
    for (size_t i = 0; i < count; i++) {
        PS_PUSH_ROOM(pages->segments, pages->n_segments, pages->segments_cap);
        pages->segments[pages->n_segments++] =
            (struct tr_segment){at + (i << SEGMENT_BITS), at + (count << SEGMENT_BITS)};
    }
    return PS_OK;
}

enum ps_status tr_pages_args(struct tr_trace *trace, struct ps_str args, uint64_t *at)
{
    struct tr_pages *pages = trace->pages;
    uint64_t room = ((uint64_t)pages->n_segments << SEGMENT_BITS) - pages->args_used;

    if (args.len > room && add_segments(trace, args.len) != PS_OK)
        return trace->err->code;
    *at = pages->args_used;
    if (args.len) {
        const struct tr_segment *segment = &pages->segments[*at >> SEGMENT_BITS];

        memcpy(segment->at + (*at & (SEGMENT - 1)), args.at, args.len);
        pages->args_used += args.len;
    }
    return PS_OK;
}

/* Counts the bytes that an access to args_at brings into memory: the kernel also reads those around
 * it, so random accesses soon bring in everything. */
static void pass_to(const struct tr_trace *trace, uint64_t args_at)
{
    struct tr_pages *pages = trace->pages;
    uint64_t way = args_at < pages->asked ? pages->asked - args_at : args_at - pages->asked;

    pages->asked = args_at;
    tr_room_passed(trace->room, way < AROUND ? (size_t)way : AROUND);
}

struct ps_str tr_args_at(const struct tr_trace *trace, uint64_t args_at)
{
    const struct tr_pages *pages = trace->pages;
    const struct tr_segment *segment;
    const char *at;

    if (args_at >> SEGMENT_BITS >= pages->n_segments)
        return (struct ps_str){"", 0};
    pass_to(trace, args_at);
    segment = &pages->segments[args_at >> SEGMENT_BITS];
    at = segment->at + (args_at & (SEGMENT - 1));
    return (struct ps_str){at, (size_t)(segment->end - at)};
}

/* Releases the memory of a page that is not needed any more, if it is a complete slab. */
static void release(struct tr_trace *trace, uint8_t *page, size_t size)
{
    if (size < TR_SLAB)
        return;
    if (tr_room_has(trace->room, page))
        tr_room_remove(trace->room, page, size);
    else
        (void)madvise(page, size, MADV_DONTNEED);
}

/* Visits the records page by page. take: releases each page after its visit. */
static void walk(struct tr_trace *trace, const struct tr_thread *thread, tr_visit_records *visit,
                 void *user, bool take)
{
    size_t left = thread->n, passed = take ? BYTES_TAKEN : sizeof(struct tr_record);

    for (size_t i = 0; i < thread->n_pages; i++) {
        size_t n = page_records(i) < left ? page_records(i) : left;

        visit(user, (const struct tr_record *)(const void *)thread->pages[i], n);
        if (take)
            release(trace, thread->pages[i], page_records(i) * sizeof(struct tr_record));
        tr_room_passed(trace->room, n * passed);
        left -= n;
    }
}

void tr_thread_each(struct tr_trace *trace, const struct tr_thread *thread, tr_visit_records *visit,
                    void *user)
{
    walk(trace, thread, visit, user, false);
}

void tr_thread_take(struct tr_trace *trace, struct tr_thread *thread, tr_visit_records *visit,
                    void *user)
{
    walk(trace, thread, visit, user, true);
    free((void *)(uintptr_t)thread->pages);
    thread->pages = NULL;
    thread->n_pages = 0;
}

void tr_pages_free(struct tr_trace *trace)
{
    struct tr_pages *pages = trace->pages;

    if (!pages)
        return;
    for (uint32_t i = 0; i < trace->n_threads; i++)
        free((void *)(uintptr_t)trace->threads[i].pages);
    for (size_t i = 0; i < pages->n_blocks; i++)
        (void)munmap(pages->blocks[i], pages->block_sizes[i]);
    ps_intern_free(&pages->threads);
    ps_intern_free(&pages->templates);
    ps_intern_free(&pages->cats);
    ps_intern_free(&pages->odd);
    ps_intern_free(&pages->header_keys);
    free(pages->odd_mark);
    ps_buf_free(&pages->whole);
    free(pages->cursors);
    free(pages->findings.at);
    free(pages->segments);
    free(pages->blocks);
    free(pages->block_sizes);
    free(pages);
    trace->pages = NULL;
    tr_room_close(trace->room);
    trace->room = NULL;
}
