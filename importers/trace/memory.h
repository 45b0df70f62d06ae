/* SPDX-License-Identifier: MIT */
/*
 * memory.h: the [memory] records of torch: finds their operators, and computes torch's memory
 * columns.
 *
 * Order: import.c collects the records of all threads and tr_memory_sort sorts them. Then, track by
 * track, torch.c queries the sums of each host slice that torch counts; these queries also
 * determine the records outside of all slices. import.c marks the operator of each record before it
 * emits the track, and writes the records to the sink at the end.
 */
#ifndef PS_TRACE_MEMORY_H
#define PS_TRACE_MEMORY_H

#include "importers/trace/track.h"

/* A [memory] record. Other fields are read again when the record is written to the sink. */
struct tr_memory_record {
    int64_t time_ns;
    int64_t bytes; /* < 0: freed */
    uint64_t args_address : 40;
    uint64_t kind : 2;         /* enum tr_memory_kind */
    uint32_t template, thread; /* thread: index into trace.threads */
    /* row of the operator on the track of the record's thread; TR_NO_ROW: none */
    uint32_t row;
};
enum tr_memory_kind { TR_MEMORY_OTHER, TR_MEMORY_CPU, TR_MEMORY_ACCELERATOR };

struct tr_memory {
    /* sorted by time_ns after tr_memory_sort; records with equal times are in file order */
    struct tr_memory_record *records;
    size_t n, cap;
    /* n + 1 elements: element i is the sum of the bytes of the first i records */
    int64_t *cpu, *accelerator;
    uint32_t *by_thread; /* indices of the records, sorted by thread, then time */
    /* n + 1 elements: the sum of the first i + 1 is the number of slices that cover record i */
    int32_t *cover_differences;
    int64_t base_ns; /* ns since 1970 at time_ns 0 */
    /* torch 2.4 to 2.10 compares doubles, which are up to 256 ns off */
    bool has_rounded_times;
    bool counts_xpu;                /* torch of 2026: XPU counts as an accelerator */
    size_t last_index;              /* index at which the last search ended */
    int64_t peak_host, peak_device; /* maximum totals in bytes, set by tr_memory_write */
    uint32_t *track_ids; /* by thread: id of the track for which tr_memory_assign_rows was called */
};

/* Created by the first call; freed with the import. */
struct tr_memory *tr_memory_get(struct tr_trace *trace);

struct tr_memory_sums {
    int64_t cpu; /* bytes in records of CPU, MKLDNN and IDEEP devices */
    /* bytes in records of CUDA, HIP and PrivateUse1 devices; in traces of torch of 2026 also of
     * XPU */
    int64_t accelerator;
};

/* Whether the trace has any records. Without them all sums are 0. */
static inline bool tr_memory_has_records(const struct tr_memory *memory)
{
    return memory->n > 0;
}

/* Returns the sums of the records of all threads in [start, end], which are the total memory
 * columns that torch shows for an event with these times; its self columns are the total minus the
 * totals of its children. From then on these records count as inside of a slice. Cost: two binary
 * searches. */
struct tr_memory_sums tr_memory_sum(struct tr_memory *memory, int64_t start, int64_t end);

void tr_memory_add(struct tr_trace *trace, uint32_t thread, const struct tr_record *record);
void tr_memory_sort(struct tr_trace *trace);
/* Sets `row` of the records of the track's thread: the innermost operator or annotation that is
 * open at the time of the record (start <= time_ns < end). */
void tr_memory_assign_rows(struct tr_memory *memory, const struct tr_trace *trace,
                           const struct tr_track *track);
/* Writes all records to the sink. */
void tr_memory_write(struct tr_trace *trace);
void tr_memory_free(struct tr_trace *trace);

#endif
