/* SPDX-License-Identifier: MIT */
/*
 * serving.h: a serving run in memory, as the files of its clients, its engine and its trace state
 * it. A reader adds what its file says, with the times of its own clock:
 *
 *     struct sv_run *run = sv_run_new(sink);
 *
 *     sv_begin_file(run, name, PS_SERVING_CLIENT, "vLLM", SV_CLOCK_OWN);
 *     sv_begin_result(run, name);      write the metrics with sv_metrics(run)
 *     request = sv_add_request(run);   sv_add_gap(run, ns) for each of its chunks
 *     sv_end_result(run, parameters);
 *     status = sv_run_write(run, err); joins the clocks, matches the requests, writes all to the
 * sink sv_run_free(run);
 *
 * A job reads several files into one run before it is written. A run belongs to one thread.
 */
#ifndef PS_IMPORTERS_SERVING_SERVING_H
#define PS_IMPORTERS_SERVING_SERVING_H

#include "base/intern.h"
#include "base/mem.h"
#include "base/stream.h"
#include "importers/measurements/measure.h"
#include "importers/records/requests.h"

#define SV_REQUESTS_MAX 5000000u /* requests of a run, also those that only the engine knows */
#define SV_STEPS_MAX    5000000u

/* What the times of a file count from. */
enum sv_clock {
    SV_CLOCK_UNIX, /* 1970 */
    SV_CLOCK_OWN,  /* something else, such as the start of the machine */
    SV_CLOCK_NONE  /* the file has no times; of its steps it has the order and the lengths */
};

struct sv_file {
    struct ps_serving_file row; /* method, offset_ns, error_ns and n_pairs are set by sv_join */
    enum sv_clock clock;
    uint32_t first_result; /* id of the first result that was added after the file began */
};

/* A request of a client. Times are in the clock of its file. */
struct sv_request {
    struct ps_serving_request
        row;          /* id, times of the engine, is_estimated and gaps are set by sv_join */
    uint32_t file;    /* index */
    size_t first_gap; /* index in sv_run.gaps_ns; row.n_gaps of them */
};

/* A request as an engine knows it. Times are in the clock of its file; PS_TIME_UNKNOWN. */
struct sv_engine_request {
    struct ps_str name; /* id of the engine; unique in a file */
    uint32_t file;      /* index */
    int64_t arrival_ns, end_ns;
    int64_t prompt_tokens, output_tokens, cached_tokens; /* PS_COUNT_UNKNOWN */
    enum ps_request_state state;
    /* Set by sv_join: index in sv_run.requests, and whether it was found without ids. */
    uint32_t request;
    bool is_estimated;
};

/* A step of the scheduler, of a log or of a trace. Times are in the clock of its file. */
struct sv_step {
    struct ps_engine_step row;     /* row.step: id of the step in the trace */
    uint32_t file;                 /* index */
    size_t first_served, n_served; /* range in sv_run.served */
};

/* A run has millions of these. */
struct sv_served {
    uint32_t engine_request : 31, is_prefill : 1; /* index */
    int32_t tokens, computed; /* PS_COUNT_UNKNOWN; a count that does not fit is unknown */
};

/* A table of AIPerf, which is read only if no other file has the metrics of its result. */
struct sv_table {
    uint32_t file, result; /* index; id */
    struct ps_str text;    /* in the arena of the run */
};

struct sv_run {
    struct ps_sink *out;
    struct ps_arena arena;                 /* strings */
    struct ps_measurement_builder metrics; /* rows of measurement of all results */
    struct sv_file *files;
    size_t n_files, cap_files;
    struct ps_serving_result *results;
    size_t n_results, cap_results;
    struct sv_table *tables;
    size_t n_tables, cap_tables;
    struct ps_intern row_names; /* of the rows of measurement */
    struct sv_request *requests;
    size_t n_requests, cap_requests;
    int64_t *gaps_ns;
    size_t n_gaps, cap_gaps;
    struct ps_intern engine_names; /* file and id of engine requests; id: index */
    struct sv_engine_request *engine_requests;
    size_t n_engine_requests, cap_engine_requests;
    struct sv_step *steps;
    size_t n_steps, cap_steps;
    struct sv_served *served;
    size_t n_served, cap_served;
    int64_t slots;       /* requests that the engine serves at most at the same time; -1: unknown */
    int64_t step_tokens; /* tokens that a step processes at most; -1: unknown */
    struct ps_ledger ledger; /* its unit and what was stored are set by sv_run_write */
    /* The 99th percentile of the time to the first token, as the first result states it, in
     * seconds. NAN: it states none; then the longest step becomes the headline. */
    double p99_ttft_s;
    /* Time 0 of the run in ns since 1970, from the trace; PS_TIME_UNKNOWN: sv_join chooses it. */
    int64_t origin_ns;
};

struct sv_run *sv_run_new(struct ps_sink *out);
void sv_run_free(struct sv_run *run); /* NULL is allowed */

/* Copies a text of a file for display, as ps_measurement_display does. */
struct ps_str sv_text(struct sv_run *run, struct ps_str text);

/* What is added from here on is of this file. `tool` is static. Returns its index. */
uint32_t sv_begin_file(struct sv_run *run, struct ps_str name, enum ps_serving_role role,
                       const char *tool, enum sv_clock clock);
/* The metrics that are written between the two are those of the result. `parameters`: a JSON
 * object, {NULL, 0}: none. Requests that are added between the two belong to the result. */
void sv_begin_result(struct sv_run *run, struct ps_str name);
void sv_end_result(struct sv_run *run, struct ps_str parameters);

/* Adds a request of a client with nothing known but its row in the result, and returns it for its
 * row to be filled in; valid until the next call. Its texts must be copied (sv_text). */
struct ps_serving_request *sv_add_request(struct sv_run *run);
/* Adds a time between two chunks of the last request. */
void sv_add_gap(struct sv_run *run, int64_t ns);

/* Returns the request of the current file with this id, which is added if it is new; valid until
 * the next call. *index: its index. */
struct sv_engine_request *sv_engine_request(struct sv_run *run, struct ps_str name,
                                            uint32_t *index);
/* Adds a step of the current file; its name must be copied. Steps are in the order of the file. */
void sv_add_step(struct sv_run *run, const struct ps_engine_step *step);
/* A count as sv_served has it. */
static inline int32_t sv_small_count(int64_t n)
{
    return n >= 0 && n <= INT32_MAX ? (int32_t)n : PS_COUNT_UNKNOWN;
}
/* Adds a request to the last step. */
void sv_add_served(struct sv_run *run, uint32_t engine_request, int64_t tokens, int64_t computed,
                   bool is_prefill);

/* Adds a request to a step, of which no later one has requests yet. */
void sv_add_served_to(struct sv_run *run, size_t step, const struct sv_served *served);

/* Reads a file into the run: from sv_begin_file to its last request or step. `name`: name of the
 * file; empty: unknown. Counts what it reads in run->ledger. */
typedef enum ps_status sv_read_file(struct sv_run *run, struct ps_str name, struct ps_stream *in,
                                    struct ps_err *err);
/* The `load` of an importer of one such file. */
enum ps_status sv_load(sv_read_file *read, struct ps_stream *in, struct ps_sink *out,
                       struct ps_err *err);

/* Joins, and writes all to the sink, with summary, headline and ledger. With a trace, the sink has
 * the records of the trace already, and headline and ledger are those of both. */
enum ps_status sv_run_write(struct sv_run *run, struct ps_err *err);

/* Of join.c: converts all times to ns since the origin of the run, merges steps that several files
 * have, finds the request of a client for each request of the engine (a request that no client has
 * is added), and fills in the times of the engine. */
void sv_join(struct sv_run *run);

#endif
