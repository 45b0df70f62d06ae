/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "slices/intervals.h"

/* --- Spans and breakdowns --- */

void ps_intervals_add(struct ps_intervals *spans, int64_t start, int64_t end)
{
    struct ps_interval *last = spans->n ? &spans->items[spans->n - 1] : NULL;

    if (start >= end)
        return;
    if (last && start >= last->start && start <= last->end) {
        last->end = end > last->end ? end : last->end;
        return;
    }
    PS_RESERVE_ONE(spans->items, spans->n, spans->cap);
    spans->items[spans->n++] = (struct ps_interval){start, end};
}

bool ps_intervals_contain(const struct ps_intervals *spans, int64_t ns)
{
    size_t low = 0, high = spans->n; /* the first interval that ends after ns */

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (spans->items[middle].end <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low < spans->n && spans->items[low].start <= ns;
}

void ps_intervals_add_all(struct ps_intervals *spans, const struct ps_intervals *more)
{
    if (more->n > spans->cap - spans->n) { /* at least doubled: there may be many small sets */
        size_t cap = spans->n + more->n;

        spans->cap = cap > 2 * spans->cap ? cap : 2 * spans->cap;
        spans->items = ps_grow(spans->items, spans->cap, sizeof *spans->items);
    }
    for (size_t i = 0; i < more->n; i++)
        ps_intervals_add(spans, more->items[i].start, more->items[i].end);
}

void ps_intervals_free(struct ps_intervals *spans)
{
    free(spans->items);
    *spans = (struct ps_intervals){0};
}

static int64_t key_of(const char *record)
{
    int64_t key;

    memcpy(&key, record, sizeof key);
    return key;
}

/* Returns the end of the ascending run that begins at record i. */
static size_t run_end(const char *records, size_t n, size_t size, size_t i)
{
    for (i++; i < n && key_of(records + (i - 1) * size) <= key_of(records + i * size);)
        i++;
    return i;
}

/* Merges the runs [a, b) and [b, end) of `from` into `to`. */
static void merge_sorted(const char *from, char *to, size_t size, size_t a, size_t b, size_t end)
{
    size_t left = a, right = b;

    for (size_t out = a; out < end; out++) {
        bool take_left =
            left < b && (right == end || key_of(from + left * size) <= key_of(from + right * size));
        size_t take = take_left ? left++ : right++;

        memcpy(to + out * size, from + take * size, size);
    }
}

void ps_sort_records(void *records, size_t n, size_t size)
{
    char *from = records, *spare, *to;
    bool more = n > 0 && run_end(from, n, size, 0) < n;

    if (!more)
        return;
    spare = to = ps_grow(NULL, n, size);
    while (more) {
        more = false;
        for (size_t a = 0, b, end; a < n; a = end) {
            b = run_end(from, n, size, a);
            end = b < n ? run_end(from, n, size, b) : n;
            merge_sorted(from, to, size, a, b, end);
            more = more || end < n;
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != records)
        memcpy(records, from, n * size);
    free(spare);
}

void ps_intervals_join(struct ps_intervals *spans)
{
    size_t kept = 0;

    ps_sort_records(spans->items, spans->n, sizeof *spans->items);
    for (size_t i = 0; i < spans->n; i++) {
        struct ps_interval *last = kept ? &spans->items[kept - 1] : NULL, next = spans->items[i];

        if (last && next.start <= last->end)
            last->end = next.end > last->end ? next.end : last->end;
        else
            spans->items[kept++] = next;
    }
    spans->n = kept;
}

/* Index of the first interval of a joined set that ends after t. */
static size_t first_after(const struct ps_intervals *spans, int64_t t)
{
    size_t low = 0, high = spans->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (spans->items[middle].end > t)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int64_t lesser_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greater_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t ps_intervals_length(const struct ps_intervals *spans, int64_t from, int64_t to)
{
    int64_t sum = 0;

    for (size_t i = first_after(spans, from); i < spans->n && spans->items[i].start < to; i++)
        sum += lesser_of(spans->items[i].end, to) - greater_of(spans->items[i].start, from);
    return sum;
}

int64_t ps_intervals_common_length(const struct ps_intervals *a, const struct ps_intervals *b,
                                   int64_t from, int64_t to)
{
    size_t i = first_after(a, from), j = first_after(b, from);
    int64_t sum = 0;

    while (i < a->n && j < b->n && a->items[i].start < to && b->items[j].start < to) {
        int64_t start = greater_of(greater_of(a->items[i].start, b->items[j].start), from);
        int64_t end = lesser_of(lesser_of(a->items[i].end, b->items[j].end), to);

        sum += end > start ? end - start : 0;
        if (a->items[i].end < b->items[j].end)
            i++;
        else
            j++;
    }
    return sum;
}

#define SETS_MAX PS_N_ROLES

/* Returns the index of the first set that contains t; n if no set does. Lowers *until to the time
 * at which the result changes. */
static size_t first_active(const struct ps_intervals *const *sets, const size_t *at, size_t n,
                           int64_t t, int64_t *until)
{
    for (size_t k = 0; k < n; k++) {
        const struct ps_interval *next = at[k] < sets[k]->n ? &sets[k]->items[at[k]] : NULL;

        if (next && next->start <= t) {
            *until = lesser_of(*until, next->end);
            return k;
        }
        if (next)
            *until = lesser_of(*until, next->start);
    }
    return n;
}

/* Divides [from, to) among n joined sets: each moment counts for the first set that contains it;
 * part[n] is the time in none of them. */
static void divide_range(const struct ps_intervals *const *sets, size_t n, int64_t from, int64_t to,
                         int64_t *part)
{
    size_t at[SETS_MAX];

    for (size_t k = 0; k < n; k++)
        at[k] = first_after(sets[k], from);
    memset(part, 0, (n + 1) * sizeof *part);
    for (int64_t t = from; t < to;) {
        int64_t until = to;
        size_t k = first_active(sets, at, n, t, &until);

        part[k] += until - t;
        t = until;
        for (size_t i = 0; i < n; i++)
            while (at[i] < sets[i]->n && sets[i]->items[at[i]].end <= t)
                at[i]++;
    }
}

static size_t parts_tensorboard(const struct ps_intervals *roles, int64_t from, int64_t to,
                                struct ps_part *out)
{
    static const char *const names[PS_N_ROLES + 1] = {
        "kernel", "memcpy", "memset", "communication", "runtime", "dataloader", "cpu", "other"};
    const struct ps_intervals *sets[PS_N_ROLES];
    int64_t part[PS_N_ROLES + 1];

    for (size_t k = 0; k < PS_N_ROLES; k++)
        sets[k] = &roles[k];
    divide_range(sets, PS_N_ROLES, from, to, part);
    for (size_t k = 0; k <= PS_N_ROLES; k++)
        out[k] = (struct ps_part){names[k], part[k]};
    return PS_N_ROLES + 1;
}

/* HTA and TraceLens only consider the device: computation first, then communication, then copies
 * and sets. HTA combines the last two. */
static size_t parts_of_device(enum ps_breakdown definition, const struct ps_intervals *roles,
                              const struct ps_intervals *communication, int64_t from, int64_t to,
                              struct ps_part *out)
{
    const struct ps_intervals *sets[] = {&roles[PS_ROLE_KERNEL], communication,
                                         &roles[PS_ROLE_MEMCPY], &roles[PS_ROLE_MEMSET]};
    int64_t part[5];
    size_t n = 0;

    divide_range(sets, 4, from, to, part);
    if (definition == PS_BREAKDOWN_HTA) {
        out[n++] = (struct ps_part){"compute", part[0]};
        out[n++] = (struct ps_part){"non-compute", part[1] + part[2] + part[3]};
    } else {
        out[n++] = (struct ps_part){"computation", part[0]};
        out[n++] = (struct ps_part){"exposed communication", part[1]};
        out[n++] = (struct ps_part){"exposed memcpy", part[2] + part[3]};
    }
    out[n++] = (struct ps_part){"idle", part[4]};
    return n;
}

size_t ps_breakdown_compute(enum ps_breakdown definition,
                            const struct ps_intervals roles[PS_N_ROLES],
                            const struct ps_intervals *device_communication, int64_t from,
                            int64_t to, struct ps_part out[PS_PARTS_MAX])
{
    if (definition == PS_BREAKDOWN_TENSORBOARD)
        return parts_tensorboard(roles, from, to, out);
    return parts_of_device(definition, roles, device_communication, from, to, out);
}

/* --- Use of a device --- */

struct running {
    int64_t end;
    double blocks;
};

/* The running kernels as a binary heap; the root is the first to end. */
struct heap {
    struct running *items;
    size_t n, cap;
    double blocks; /* of all running kernels */
};

static void heap_push(struct heap *heap, struct running item)
{
    size_t i;

    PS_RESERVE_ONE(heap->items, heap->n, heap->cap);
    for (i = heap->n++; i > 0 && heap->items[(i - 1) / 2].end > item.end; i = (i - 1) / 2)
        heap->items[i] = heap->items[(i - 1) / 2];
    heap->items[i] = item;
    heap->blocks += item.blocks;
}

static void heap_pop(struct heap *heap)
{
    struct running last = heap->items[--heap->n];
    size_t i = 0;

    /* Rounding errors add up: reset to exactly 0 when no kernel runs. */
    heap->blocks = heap->n ? heap->blocks - heap->items[0].blocks : 0;
    for (size_t child; (child = 2 * i + 1) < heap->n; i = child) {
        if (child + 1 < heap->n && heap->items[child + 1].end < heap->items[child].end)
            child++;
        if (heap->items[child].end >= last.end)
            break;
        heap->items[i] = heap->items[child];
    }
    if (heap->n)
        heap->items[i] = last;
}

static double occupied_share(const struct heap *heap)
{
    return heap->blocks > 1 ? 1 : heap->blocks > 0 ? heap->blocks : 0;
}

/* Integrates the SM use from *now until `to` and removes the kernels that end before. */
static double run_until(struct heap *heap, int64_t *now, int64_t to)
{
    double sum = 0;

    while (heap->n && heap->items[0].end <= to) {
        sum += occupied_share(heap) * (double)(heap->items[0].end - *now);
        *now = heap->items[0].end;
        heap_pop(heap);
    }
    sum += occupied_share(heap) * (double)(to - *now);
    *now = to;
    return sum;
}

struct ps_device_use ps_device_use_compute(const struct ps_kernel_use *work, size_t n, int64_t from,
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
    free(heap.items);
    return (struct ps_device_use){.sm_efficiency = blocks ? area / (double)(to - from) : NAN,
                                  .occupancy = weight > 0 ? weighted / weight : NAN};
}
