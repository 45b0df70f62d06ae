/* SPDX-License-Identifier: MIT */
/*
 * memory.h: the [memory] records of torch: which operators they fall into, and torch's memory
 * columns.
 *
 * Order: import.c collects the records of all threads and tr_memory_sort sorts them. Then, track by
 * track, torch.c queries the sums of each host slice that torch counts; this also shows which
 * records lie outside of all slices. import.c marks the operator of each record before it emits the
 * track, and writes the records to the sink at the end.
 */
#ifndef PS_TRACE_MEMORY_H
#define PS_TRACE_MEMORY_H

#include "importers/trace/track.h"

/* A [memory] record. Its other fields are read again when it is written to the sink. */
struct tr_memory_record {
    int64_t time_ns;
    int64_t bytes; /* < 0: freed */
    uint64_t args_address : 40;
    uint64_t kind : 2;         /* enum tr_memory_kind */
    uint32_t template, thread; /* thread: index into trace.threads */
    /* row of the operator, on the track of its thread; TR_NO_ROW: none */
    uint32_t row;
};
enum tr_memory_kind { TR_MEMORY_OTHER, TR_MEMORY_CPU, TR_MEMORY_ACCELERATOR };

struct tr_memory {
    struct tr_memory_record
        *records; /* sorted by t after tr_memory_sort; equal times in file order */
    size_t n, cap;
    int64_t *cpu, *accelerator; /* n + 1 sums of the bytes of all preceding records */
    uint32_t *by_thread;        /* indices of the records, sorted by thread, then time */
    /* n + 1 differences of the number of slices that cover a record */
    int32_t *cover_differences;
    int64_t base_ns; /* ns since 1970 of t == 0 */
    /* torch 2.4 to 2.10 compares doubles, which are up to 256 ns off */
    bool has_rounded_times;
    bool counts_xpu;                /* torch of 2026: XPU counts as an accelerator */
    size_t last_index;              /* index at which the last search ended */
    int64_t peak_host, peak_device; /* maximum totals in bytes, set by tr_memory_write */
    uint32_t *tracks;               /* by thread: id of the track that tr_memory_assign_rows read */
};

/* Created by the first call; freed with the import. */
struct tr_memory *tr_memory_get(struct tr_trace *trace);

struct tr_memory_sums {
    int64_t cpu; /* bytes of records of CPU, MKLDNN and IDEEP devices */
    /* bytes of CUDA, HIP, PrivateUse1 devices; also of XPU in traces of 2026 */
    int64_t accelerator;
};

/* Whether the trace has any records. Without them all sums are 0. */
static inline bool tr_memory_has_records(const struct tr_memory *memory)
{
    return memory->n > 0;
}

/* Returns the sums of all records, of any thread, in the closed interval: the memory columns that
 * torch shows for the event (its total; self is the total less that of its children). From then on
 * these records count as inside of a slice. Two binary searches. */
struct tr_memory_sums tr_memory_sum(struct tr_memory *memory, int64_t start, int64_t end);

void tr_memory_add(struct tr_trace *trace, uint32_t thread, const struct tr_record *record);
void tr_memory_sort(struct tr_trace *trace);
/* Sets `row` of the records of the track's thread: the innermost operator or annotation that is
 * open at their time (start <= t < end). */
void tr_memory_assign_rows(struct tr_memory *memory, const struct tr_trace *trace,
                           const struct tr_track *track);
/* Writes all records to the sink. */
void tr_memory_write(struct tr_trace *trace);
void tr_memory_free(struct tr_trace *trace);

#endif
