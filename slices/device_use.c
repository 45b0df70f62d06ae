/* SPDX-License-Identifier: MIT */
#include "base/mem.h"
#include "slices/spans.h"

#include <math.h>
#include <stdlib.h>

struct running {
    int64_t end;
    double blocks;
};

/* The running kernels as a binary heap; the root is the first to end. */
struct heap {
    struct running *at;
    size_t n, cap;
    double blocks; /* of all running kernels */
};

static void heap_push(struct heap *heap, struct running item)
{
    size_t i;

    PS_PUSH_ROOM(heap->at, heap->n, heap->cap);
    for (i = heap->n++; i > 0 && heap->at[(i - 1) / 2].end > item.end; i = (i - 1) / 2)
        heap->at[i] = heap->at[(i - 1) / 2];
    heap->at[i] = item;
    heap->blocks += item.blocks;
}

static void heap_pop(struct heap *heap)
{
    struct running last = heap->at[--heap->n];
    size_t i = 0;

    /* Rounding errors add up: reset to exactly 0 when no kernel runs. */
    heap->blocks = heap->n ? heap->blocks - heap->at[0].blocks : 0;
    for (size_t child; (child = 2 * i + 1) < heap->n; i = child) {
        if (child + 1 < heap->n && heap->at[child + 1].end < heap->at[child].end)
            child++;
        if (heap->at[child].end >= last.end)
            break;
        heap->at[i] = heap->at[child];
    }
    if (heap->n)
        heap->at[i] = last;
}

static double full(const struct heap *heap)
{
    return heap->blocks > 1 ? 1 : heap->blocks > 0 ? heap->blocks : 0;
}

/* Integrates the SM use from *now until `to` and removes the kernels that end before. */
static double run_until(struct heap *heap, int64_t *now, int64_t to)
{
    double sum = 0;

    while (heap->n && heap->at[0].end <= to) {
        sum += full(heap) * (double)(heap->at[0].end - *now);
        *now = heap->at[0].end;
        heap_pop(heap);
    }
    sum += full(heap) * (double)(to - *now);
    *now = to;
    return sum;
}

struct ps_device_use ps_device_use_of(const struct ps_device_work *work, size_t n, int64_t from,
                                      int64_t to)
{
    struct heap heap = {0};
    double area = 0, weighted = 0, weight = 0;
    bool blocks = false;
    int64_t now = from;

    for (size_t i = 0; i < n && work[i].start < to; i++) {
        int64_t start = work[i].start > from ? work[i].start : from;
        int64_t end = work[i].end < to ? work[i].end : to;

        if (start >= end)
            continue;
        if (!isnan(work[i].occupancy)) {
            weighted += (double)work[i].occupancy * (double)(end - start);
            weight += (double)(end - start);
        }
        if (work[i].blocks > 0) { /* false for NAN */
            blocks = true;
            area += run_until(&heap, &now, start);
            heap_push(&heap, (struct running){end, (double)work[i].blocks});
        }
    }
    if (to > now)
        area += run_until(&heap, &now, to);
    free(heap.at);
    return (struct ps_device_use){.sm_efficiency = blocks ? area / (double)(to - from) : NAN,
                                  .occupancy = weight > 0 ? weighted / weight : NAN};
}
