/* SPDX-License-Identifier: MIT */
/*
 * memory.h: the [memory] records of torch: which operators they fall into, and what torch's memory
 * columns say.
 *
 * Order: all records of all threads are collected (import.c) and sorted (tr_memory_sort); then,
 * track by track, torch.c asks for the sums of each host slice that torch counts, which also tells
 * what lies outside of all of them; import.c marks the operator of each record before the track is
 * emitted, and gives the records at the end.
 */
#ifndef PS_TRACE_MEMORY_H
#define PS_TRACE_MEMORY_H

#include "importers/trace/track.h"

struct tr_memory_record { /* what else it says is read again when it is given */
    int64_t t;
    int64_t bytes; /* < 0: freed */
    uint64_t args_at : 40;
    uint64_t kind : 2;         /* enum tr_memory_kind */
    uint32_t template, thread; /* thread: index into trace.threads */
    uint32_t row;              /* operator, on the track of its thread; TR_NO_ROW none */
};
enum tr_memory_kind { TR_MEMORY_OTHER, TR_MEMORY_CPU, TR_MEMORY_ACCELERATOR };

struct tr_memory {
    struct tr_memory_record *at; /* by t once sorted; equal ones in the order of the file */
    size_t n, cap;
    int64_t *cpu, *accelerator;     /* n + 1 sums of the bytes of all records before */
    uint32_t *by_thread;            /* records in the order of their thread, then of time; sorted */
    int32_t *cover;                 /* n + 1 differences: how many slices cover a record */
    int64_t base_ns;                /* of t == 0, since 1970 */
    bool rounded;                   /* torch 2.4 to 2.10 compares doubles: up to 256 ns off */
    bool xpu;                       /* torch of 2026: XPU counts as an accelerator */
    size_t near;                    /* where the last search ended */
    int64_t peak_host, peak_device; /* greatest totals, known once all were given */
    uint32_t *tracks;               /* by thread: id of the track that was marked */
};

struct tr_memory_sums {
    int64_t cpu;         /* bytes of records of CPU, MKLDNN and IDEEP devices */
    int64_t accelerator; /* of CUDA, HIP, PrivateUse1; of XPU too in traces of 2026 */
};

/* Whether the trace has any: sums of a trace without are all 0, and need not be asked for. */
static inline bool tr_memory_any(const struct tr_memory *memory)
{
    return memory->n > 0;
}

/* Sums of all records, of any thread, in the closed interval: the memory columns that torch gives
 * the event (its total; self is that less those of its children). The records in it count as inside
 * of a slice from then on. Two binary searches. */
struct tr_memory_sums tr_memory_in(struct tr_memory *memory, int64_t start, int64_t end);

void tr_memory_add(struct tr_trace *trace, uint32_t thread, const struct tr_record *record);
void tr_memory_sort(struct tr_trace *trace);
/* Marks the records of the track's thread with the deepest operator or annotation that they
 * happened in (start <= t < end). */
void tr_memory_mark(struct tr_memory *memory, const struct tr_trace *trace,
                    const struct tr_track *track);
/* Gives all records to the sink. */
void tr_memory_give(struct tr_trace *trace);
void tr_memory_free(struct tr_trace *trace);

#endif
