/* SPDX-License-Identifier: MIT */
/*
 * graphs.h: finds for each kernel of a replayed CUDA or HIP graph the call that recorded it.
 *
 * While a graph is captured, the launches are recorded and nothing runs: between
 * *StreamBeginCapture and *StreamEndCapture there are calls without device work. A replay is one
 * call *GraphLaunch, and all its device work has the correlation of that call. So the operator of a
 * replayed kernel is the operator around the recorded call, which is earlier in the same trace or
 * in another trace of the same process.
 *
 * Two facts order the work of a replay like the calls of its capture:
 *   node ids   Kineto of 2026 writes "graph node id" for NVIDIA: the id of the executable graph in
 *              the upper 32 bits, and in the lower ones a number that increases in the order in
 *              which the capture created the nodes (cudaGraphNodeGetToolsId)
 *   time       the work of one stream runs in the order of its capture, if no two pieces overlap
 *
 * The names of kernels, which ROCm writes for recorded calls too, verify the order. Work without a
 * certain call stays unattributed:
 *   - each piece of work must have a call: the work, in its order, is a part of the calls of the
 *     capture. If there are more calls than work, a piece has a call if it has the same one in each
 *     way in which the work fits the calls.
 *   - work of several streams without node ids: the k-th of a name is the k-th call of that name if
 *     all work of the name is on one stream, and names and counts of work and calls are the same.
 *   - if the work fits several captures, the annotation around the captures and the step around the
 *     replay decide (capture_32_FULL for a step of up to 32), then the order of the graph ids. If
 *     these do not decide either, it has no call.
 *
 * tr_graphs_read reads the records of one or several traces, tr_graphs_match finds the calls. Then
 * the import of each trace asks for them (torch_device.c). One thread.
 */
#ifndef PS_TRACE_GRAPHS_H
#define PS_TRACE_GRAPHS_H

#include "importers/trace/trace.h"

#define TR_GRAPH_NONE UINT32_MAX

/* A recorded call, or a piece of replayed work. */
struct tr_graph_work {
    uint32_t name; /* number of the kernel's name; 0: unknown, or no kernel */
    uint8_t kind;  /* PS_SLICE_KERNEL, PS_SLICE_MEMCPY or PS_SLICE_MEMSET */
};

/* --- graph_match.c: pure functions --- */

/* Whether the n pieces of work, in their order, are a part of the n_calls calls. out[i]: the call
 * of piece i if it is the same in each way to fit them, else TR_GRAPH_NONE. */
bool tr_graph_match_order(const struct tr_graph_work *calls, uint32_t n_calls,
                          const struct tr_graph_work *work, uint32_t n, uint32_t *out);
/* Whether calls and work have the same names equally often; all names must be known. lane[i]: the
 * stream of piece i, TR_GRAPH_NONE if work of its stream overlaps; pieces of one lane are in order.
 * out[i]: the k-th call of the name for the k-th piece if the name is in one lane or occurs once,
 * else TR_GRAPH_NONE. */
bool tr_graph_match_names(const struct tr_graph_work *calls, uint32_t n_calls,
                          const struct tr_graph_work *work, const uint32_t *lane, uint32_t n,
                          uint32_t *out);

/* --- graphs.c --- */

/* How the call of a piece of work was found. */
enum tr_graph_basis { TR_GRAPH_UNKNOWN, TR_GRAPH_BY_ORDER, TR_GRAPH_BY_NODE };

struct tr_graphs;

/* Whether the trace has captures; launches of graphs. Reads only the table of names. */
bool tr_graphs_has_captures(const struct tr_trace *trace);
bool tr_graphs_has_launches(const struct tr_trace *trace);
/* Whether a call of this name launches a graph: cudaGraphLaunch, hipGraphLaunch. */
bool tr_graphs_is_launch(struct ps_str name);

struct tr_graphs *tr_graphs_new(void);
void tr_graphs_free(struct tr_graphs *graphs);
/* Whether the search of tr_graphs_match ended at its limit: work of some launches was not searched.
 */
bool tr_graphs_is_search_cut(const struct tr_graphs *graphs);
/* Reads the captures and launches of a trace before its import, which must outlive `graphs`, and
 * sets trace->graphs. */
void tr_graphs_read(struct tr_graphs *graphs, struct tr_trace *trace);
/* Finds the calls of all replayed work. Call it once, when all traces were read. */
void tr_graphs_match(struct tr_graphs *graphs);
/* Returns the first other trace with work that was matched to captures of this one; NULL: none. */
const struct tr_trace *tr_graphs_user_of(const struct tr_graphs *graphs,
                                         const struct tr_trace *trace);

/* Returns the number of the recorded call of the trace at this time, in ns since trace->origin_us
 * without shift; TR_GRAPH_NONE: no work was matched to a call there. */
uint32_t tr_graphs_find_call(const struct tr_graphs *graphs, const struct tr_trace *trace,
                             uint32_t thread, int64_t ts_ns);
/* The work that was matched to a call. */
struct tr_graph_replays {
    int64_t n, ns; /* pieces; sum of their durations */
};
struct tr_graph_replays tr_graphs_replays(const struct tr_graphs *graphs, uint32_t call);

/* The operator around a call. */
struct tr_graph_op {
    int64_t slice; /* id in the run; 0: none */
    uint8_t family;
    uint16_t flags;
};
void tr_graphs_set_op(struct tr_graphs *graphs, uint32_t call, struct tr_graph_op op);
struct tr_graph_op tr_graphs_op(const struct tr_graphs *graphs, uint32_t call);

/* The pieces of work of one launch, by start. */
struct tr_graph_piece {
    uint32_t call; /* TR_GRAPH_NONE: unknown */
    uint8_t basis; /* enum tr_graph_basis */
};
/* Returns the work of the launch of the trace with this correlation, and sets *n; NULL: there is no
 * such launch, or nothing of it was matched. Free the array. */
struct tr_graph_piece *tr_graphs_pieces(const struct tr_graphs *graphs,
                                        const struct tr_trace *trace, int64_t correlation,
                                        size_t *n);

#endif
