/* SPDX-License-Identifier: MIT */
/*
 * ranks.h: the ranks of a job: their steps, and the collectives that connect them.
 *
 * A job is a run of several files, each the trace of one rank (a worker in run files). For each
 * rank only steps and collectives are kept, so a job of 512 ranks and 200 steps needs tens of
 * megabytes. An analysis is cached, since runs never change.
 */
#ifndef PS_QUERY_RANKS_RANKS_H
#define PS_QUERY_RANKS_RANKS_H

#include "base/intern.h"
#include "server/query/lru_cache.h"
#include "server/query/ranks/arrivals.h"
#include "server/query/view.h"

#define PS_RANK_CALLS_MAX 2000000 /* collectives that are analysed; 80 bytes each */
#define PS_RANK_CELLS_MAX 500000  /* ranks times steps */

/* What a cell of the heat map says. */
enum ps_rank_metric {
    PS_RANK_STEP = 0,      /* duration of the step */
    PS_RANK_COMPUTE,       /* kernels without communication; TraceLens' computation */
    PS_RANK_COMMUNICATION, /* that no kernel overlaps; TraceLens' exposed communication */
    PS_RANK_WAIT,          /* in collectives, for the rank that arrives last */
    PS_RANK_LOADING,       /* TensorBoard's DataLoader */
    PS_N_RANK_METRICS
};
extern const char *const ps_rank_metric_words[PS_N_RANK_METRICS];

struct ps_rank {
    uint32_t worker;
    int64_t rank;       /* as the file states; else the number of the worker */
    struct ps_str name; /* of the file */
    struct ps_str host; /* of a file named HOST_PID; "": unknown */
    int64_t origin_ns;  /* times of calls and steps count from here */
    uint32_t last;      /* collectives at which it arrives last */
    /* its own waiting; mean waiting of the others when it arrives last */
    int64_t wait_ns, caused_ns;
    uint32_t calls;   /* matched calls */
    uint32_t n_steps; /* that its files have */
};

struct ps_rank_step {
    int64_t start_ns,
        end_ns; /* from the origin of the rank; end < start: the rank has no such step */
};

/* A row of the table of collectives: matched calls of the same name, group and size. */
struct ps_collective_sum {
    uint32_t key;                   /* one of its keys */
    uint32_t n_ops, n_calls, ranks; /* ranks: most in one call */
    int64_t bytes, transfer_ns, spread_ns, wait_ns, total_ns;
    uint32_t certain; /* ops with a last rank */
    uint16_t last;    /* index of the rank that is most often the last; PS_RANK_NONE */
    uint32_t last_ops;
    uint32_t steps; /* steps in which it occurs */
};

struct ps_ranks {
    struct ps_cache_entry entry;
    struct ps_arena arena;
    struct ps_rank *ranks; /* by rank */
    uint32_t n_ranks;
    int64_t world_size;  /* 0: unknown */
    bool are_ranks_read; /* the files state their ranks; else they are numbered in order */
    /* a rank that two files state, so that calls are not matched; -1: none */
    int64_t repeated_rank;
    struct ps_str *step_names;
    uint32_t n_steps, n_steps_omitted;
    struct ps_rank_step *steps;        /* [rank * n_steps + step] */
    int64_t *cells[PS_N_RANK_METRICS]; /* [rank * n_steps + step], ns; -1: no such step */
    bool has_metric[PS_N_RANK_METRICS];
    struct ps_rank_calls calls;
    struct ps_rank_clocks clocks;
    size_t n_calls_omitted;
    bool is_on_host; /* no device has collectives; those of host threads count */
    struct ps_collective_sum *collectives; /* most waiting first */
    uint32_t *collective_of_op;
    size_t n_collectives;
};

/* Reads or finds the analysis of the run of `db`. steps: the name of the ranges that a person chose
 * as steps; NULL, "": the steps that the files mark. PS_BAD_REQUEST: nothing has the name. The
 * caller releases *out. */
enum ps_status ps_ranks_acquire(struct ps_db *db, const char *steps, struct ps_ranks **out,
                                struct ps_err *err);
void ps_ranks_release(struct ps_ranks *ranks);
void ps_ranks_auto(struct ps_ranks **ranks); /* ps_ranks_release for PS_AUTO */

/* Whether the run file has the columns that the analysis reads; if not, ps_ranks_acquire fails with
 * PS_CONFLICT. */
enum ps_status ps_ranks_find_columns(struct ps_db *db, bool *found, struct ps_err *err);

/* Returns the index of the rank of each worker below *n, PS_RANK_NONE if it has none. The caller
 * frees the array. */
uint16_t *ps_ranks_map_workers(const struct ps_ranks *ranks, size_t *n);

/* Parts of ps_ranks_acquire: ranks and steps; calls; sums. */
enum ps_status ps_ranks_read_steps(struct ps_db *db, const char *chosen, struct ps_ranks *ranks,
                                   struct ps_err *err);
enum ps_status ps_ranks_read_calls(struct ps_db *db, struct ps_ranks *ranks, struct ps_err *err);
void ps_ranks_sum(struct ps_ranks *ranks);

/* The index of the rank for which the others wait longest; 0 if they wait for none. */
uint32_t ps_ranks_latest(const struct ps_ranks *ranks);

/* Bytes per second that nccl-tests calls algorithm bandwidth and bus bandwidth; 0: unknown. */
double ps_collective_algorithm_bandwidth(const struct ps_ranks *ranks,
                                         const struct ps_collective_sum *row);
double ps_collective_bus_bandwidth(const struct ps_ranks *ranks,
                                   const struct ps_collective_sum *row);

/* GET /api/v1/runs/{id}/ranks, ranks/calls and ranks/step. Their parameter `steps` is that of
 * ps_ranks_acquire. */
ps_view_answer ps_view_ranks;
ps_view_answer ps_view_rank_calls;
ps_view_answer ps_view_rank_step;

#endif
