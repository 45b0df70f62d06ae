/* SPDX-License-Identifier: MIT */
/*
 * loops.h: finds the steps of known loops that neither ProfilerStep# nor an unmistakable name of an
 * engine marks.
 *
 *   generate   generate() of transformers, in traces with Python stacks: it has no annotation.
 *              A step lasts from one call of the model (an outermost nn.Module frame below the
 *              frame of generate) to the next one, so it contains the choice of the next token. The
 *              first step begins with generate(), so the prefill steps together last until the
 *              first token. The first call of the model and its calls in _prefill are prefill
 *              steps. Calls in a nested generate(), which runs an assistant model, are part of the
 *              step around it.
 *
 *   Megatron   NVTX ranges Prefill and Decode of its inference engine. Other programs use these
 *              names too, so they count as steps only if the trace has both.
 *
 *   Lightning  [pl][profile]run_training_batch, which its PyTorchProfiler writes.
 *
 *   DeepSpeed  NVTX ranges DeepSpeedEngine.forward and .backward. A step is a micro-batch: from
 *              the first forward after a backward to the next such forward.
 *
 *   optimizer  NVTX ranges Optimizer.step#, which torch.autograd.profiler.emit_nvtx writes (for
 *              example in Megatron with --profile). A step ends where such a range ends, if an
 *              operator of the forward pass follows before the next such range begins.
 *
 * A loop whose steps overlap, because several threads or processes run it at once, is left out: the
 * work of one would count for the other. Not thread-safe.
 *
 * Usage: for each host thread, tr_loops_begin_track once, then tr_loops_add_row for each of its
 * rows in order.
 */
#ifndef PS_TRACE_LOOPS_H
#define PS_TRACE_LOOPS_H

#include "importers/trace/track.h"

enum tr_loop {
    TR_LOOP_OPTIMIZER,
    TR_LOOP_DEEPSPEED,
    TR_LOOP_LIGHTNING,
    TR_LOOP_MEGATRON,
    TR_LOOP_GENERATE,
    TR_N_LOOPS
};

struct tr_loop_step {
    int64_t start; /* first member, the sort key */
    int64_t end;
    /* of generate(): rows of the batch and new tokens of all rows; -1: the trace lacks shapes */
    int64_t requests, tokens;
    bool is_prefill;
    bool is_cut; /* may lack its begin or its end: not a typical step */
};

struct tr_loops;
struct tr_loops *tr_loops_new(struct tr_trace *trace);
void tr_loops_begin_track(struct tr_loops *loops);
void tr_loops_add_row(struct tr_loops *loops, const struct tr_track *track, uint32_t row);
/* The steps of a loop in order of start, until the next tr_loops_add_row. *n 0: there are none;
 * only one of a training; steps of generate() in a trace that trains as well; or only one of
 * Prefill and Decode. */
const struct tr_loop_step *tr_loops_steps(struct tr_loops *loops, enum tr_loop loop, size_t *n);
/* The text id of the name of the step at an index: "generate[decode bs=2 tok=2]", "micro-batch#3".
 * Names of generate() are those that ps_serving_step_parse reads. */
uint32_t tr_loops_step_name(const struct tr_loops *loops, enum tr_loop loop, size_t index);
void tr_loops_free(struct tr_loops *loops);

#endif
