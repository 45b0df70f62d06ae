/* SPDX-License-Identifier: MIT */
/*
 * inference.h: the steps of a serving engine with the device work that each launched.
 *
 * A step launched the work whose launching call starts while the annotation of the step is active.
 * Steps and work are those of one worker, since each process of a job has its own steps.
 *
 * Steps that launched no device work, as in a trace of an engine on the CPU, have times of the
 * host: the duration of the annotation, and the own time of the operators that start in the step.
 */
#ifndef PS_QUERY_TRACE_INFERENCE_H
#define PS_QUERY_TRACE_INFERENCE_H

#include "server/query/trace/utilisation/overview.h"
#include "slices/serving.h"

#define PS_SERVING_STEPS_MAX 200000 /* a view reads at most the first of them */

struct ps_inference_step {
    int64_t host_start_ns, host_end_ns; /* of the annotation */
    int64_t id;                         /* in table step */
    struct ps_serving_step serving;
    int64_t first_ns, last_ns; /* start and end of its device work; last < first: none */
    int64_t busy_ns;           /* length of the union of its work */
    int64_t n_kernels;
    /* Sums of durations of device work, which may overlap on streams; with `is_host` sums of the
     * own times of operators. */
    int64_t family_ns[PS_N_FAMILIES];
};

struct ps_inference {
    int64_t worker; /* the first that has steps */
    struct ps_inference_step *steps;
    size_t n, cap;
    size_t n_omitted;                    /* steps beyond PS_SERVING_STEPS_MAX */
    int64_t outside_ns, outside_kernels; /* sum of the work that no step launched */
    /* The rows of the launching threads at which steps begin and end: pairs of a slice id and the
     * index of the step of that slice and the following ones; -1: no step. Sorted by slice. */
    struct ps_step_border *borders;
    size_t n_borders, cap_borders;
    struct ps_track_owners owners;
    /* No step launched device work. Then medians, families and parts are times of the host. */
    bool is_host;
    /* With is_host: the thread whose operators take most time in the steps. Those of others are not
     * counted, since the times of threads overlap. 0: the steps have no operators. */
    uint32_t host_track;
    enum ps_slice_column host_self; /* with is_host: the column with the own time of operators */
};
struct ps_step_border {
    int64_t slice;
    int64_t step;
};

/* Reads the steps of the first worker that has some, and the work of each. n 0: the run has no
 * steps of a serving engine. */
enum ps_status ps_inference_read(struct ps_db *db, struct ps_inference *out, struct ps_err *err);
/* Adds the times of the host to steps without device work; ps_inference_read() calls it. */
enum ps_status ps_inference_read_host(struct ps_db *db, struct ps_inference *inference,
                                      struct ps_err *err);
/* Index of the step that contains a call; -1: none does. */
int64_t ps_inference_step_of(const struct ps_inference *inference, int64_t launch);
static inline int64_t ps_inference_host_ns(const struct ps_inference_step *step)
{
    return step->host_end_ns - step->host_start_ns;
}
/* The time by which steps are compared: the busy time of the device or the duration of the
 * annotation; -1: the step has no device work, but others have. */
int64_t ps_inference_step_ns(const struct ps_inference *inference, size_t step);
/* Index of the step with the lower median of these times in a phase; -1: no step has one. */
int64_t ps_inference_median(const struct ps_inference *inference, enum ps_phase phase);
/* Calls `visit` for each operator of the host track that starts in a step, with the index of the
 * step and the operator's own time. The chunk has the columns name and family. */
typedef void ps_inference_visit_operator(void *user, size_t step, const struct ps_chunk *chunk,
                                         uint32_t row, int64_t self_ns);
enum ps_status ps_inference_each_operator(struct ps_db *db, const struct ps_inference *inference,
                                          ps_inference_visit_operator *visit, void *user,
                                          struct ps_err *err);
void ps_inference_free(struct ps_inference *inference); /* for PS_AUTO */

ps_view_answer ps_view_inference;
ps_view_answer ps_view_inference_parts;

#endif
