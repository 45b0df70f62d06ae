/* SPDX-License-Identifier: MIT */
/*
 * requests.h: requests to a server of a language model, the steps of its scheduler, and who was
 * served in which step. Files, results, requests and steps are written in this order, then who was
 * served. Times are ns since the origin of the run.
 */
#ifndef PS_RECORDS_REQUESTS_H
#define PS_RECORDS_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define PS_TIME_UNKNOWN  INT64_MIN /* of a time or an offset */
#define PS_COUNT_UNKNOWN (-1)      /* of a count or a duration */

/* In the database. */
enum ps_serving_role { PS_SERVING_CLIENT = 0, PS_SERVING_ENGINE = 1, PS_SERVING_TRACE = 2 };

/* How the clock of a file was joined with that of the run. In the database. */
enum ps_clock_method {
    PS_CLOCK_SAME = 0, /* it is the clock of the run: the file is alone, or both count from 1970 */
    PS_CLOCK_IDS = 1,  /* a request cannot arrive before it was sent: bounds by ids */
    PS_CLOCK_LENGTHS = 2, /* the offset at which most requests and steps of equal lengths agree */
    PS_CLOCK_NAMES = 3,   /* both files have the same steps in the same order */
    PS_CLOCK_UNKNOWN = 4, /* its times stand alone */
    PS_CLOCK_NONE = 5     /* it states no times of requests or steps */
};

/* A file of the run. */
struct ps_serving_file {
    uint32_t id; /* from 1 */
    struct ps_str name;
    enum ps_serving_role role;
    struct ps_str tool; /* empty: unknown */
    enum ps_clock_method method;
    int64_t offset_ns; /* added to the times of the file; PS_TIME_UNKNOWN: its clock is unknown */
    int64_t error_ns;  /* the true offset differs by at most this; PS_COUNT_UNKNOWN: no bound */
    uint64_t n_pairs;  /* observations that the offset is based on */
};

/* A result of a client: what it measured under one load. */
struct ps_serving_result {
    uint32_t id; /* from 1 */
    struct ps_str name;
    struct ps_str parameters; /* a JSON object */
    uint32_t first, last;     /* its metrics: ids of measurements; 0: none */
};

/* In the database. */
enum ps_request_state {
    PS_REQUEST_COMPLETED = 0,
    PS_REQUEST_FAILED = 1,
    PS_REQUEST_CANCELLED = 2,
    PS_REQUEST_UNFINISHED = 3 /* the recording ended before the request */
};

struct ps_serving_request {
    uint32_t id;      /* from 1 in the order of start_ns; of the file if starts are unknown */
    uint32_t result;  /* 0: only the engine knows the request */
    int64_t position; /* its row in the file of the client, from 0; -1: only the engine knows it */
    struct ps_str name; /* id; empty: unknown */
    enum ps_request_state state;
    struct ps_str error; /* empty: none */
    /* PS_TIME_UNKNOWN: unknown. The client sent it; the engine received it; start of the first step
     * that served it; end of the step that made its first token; end of the last step that served
     * it; the client received all. */
    int64_t start_ns, arrival_ns, scheduled_ns, first_token_ns, last_token_ns, end_ns;
    /* As the client states them; PS_COUNT_UNKNOWN: unknown. */
    int64_t ttft_ns, latency_ns;
    double tpot_ns; /* time per output token after the first one; NAN: unknown */
    /* PS_COUNT_UNKNOWN: unknown. */
    int64_t prompt_tokens, output_tokens;
    int64_t engine_prompt_tokens, engine_output_tokens;
    int64_t cached_tokens;
    bool is_estimated; /* the times of the engine were matched by lengths and order, not by ids */
    const int64_t *gaps_ns; /* between the chunks of tokens that the client received, in order */
    size_t n_gaps;
};

/* A step of the scheduler. */
struct ps_engine_step {
    uint32_t id;        /* from 1 in the order of start_ns */
    int64_t number;     /* as the engine counts; PS_COUNT_UNKNOWN: unknown, as for the others */
    struct ps_str name; /* of the annotation in the trace; empty: none */
    int64_t start_ns, end_ns;
    uint32_t step; /* id of the ps_step of the trace; 0: none */
    int64_t context_requests, context_tokens, generation_requests, generation_tokens;
    int64_t running, waiting; /* requests in the engine during the step */
};

/* A request in a step; in the order of steps. */
struct ps_served {
    uint32_t step, request;
    int64_t start_ns; /* of the step */
    int64_t tokens;   /* new tokens of the request in this step */
    int64_t computed; /* tokens of it that were computed before; PS_COUNT_UNKNOWN: unknown */
    bool is_prefill;  /* tokens of the prompt */
};

#endif
