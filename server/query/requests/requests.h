/* SPDX-License-Identifier: MIT */
/*
 * requests.h: the requests of a serving run in memory, and what each spent time on before its first
 * token. The arrays of a run are cached; a user holds them as const until it releases them.
 *
 * Requests and steps are named by their index here, from 0, in the order of their ids. Times are ns
 * since the origin of the run, limited to PS_TRACE_NS_MAX, or PS_TIME_UNKNOWN.
 */
#ifndef PS_QUERY_REQUESTS_H
#define PS_QUERY_REQUESTS_H

#include "importers/records/requests.h"
#include "server/query/lru_cache.h"
#include "server/query/view.h"

/* What a request spends time on before its first token. */
enum ps_request_cause {
    PS_WAITS_TO_ENGINE,
    PS_WAITS_FOR_STEP,   /* that was in progress when it arrived */
    PS_WAITS_FOR_SLOT,   /* all slots were taken */
    PS_WAITS_FOR_BUDGET, /* a slot was free, but the tokens of the step were spent on prompts */
    PS_WAITS_FOR_OTHERS, /* steps served others, and the recording does not say why */
    PS_WAITS_BETWEEN_STEPS,
    PS_PREFILLS, /* from its first step to the one that makes the first token */
    PS_WAITS_TO_CLIENT,
    PS_WAITS_OUTSIDE, /* to the engine and back, if the start is not known */
    PS_N_REQUEST_CAUSES
};
/* The word of the API. */
const char *ps_request_cause_word(enum ps_request_cause cause);
static inline bool ps_request_cause_is_queue(enum ps_request_cause cause)
{
    return cause >= PS_WAITS_FOR_STEP && cause <= PS_WAITS_BETWEEN_STEPS;
}

struct ps_request_row {
    int64_t id;
    int64_t start_ns, arrival_ns, scheduled_ns, first_token_ns, last_token_ns, end_ns;
    /* PS_COUNT_UNKNOWN: unknown. ttft_ns: as the client states it, or as the engine does. */
    int64_t ttft_ns, latency_ns;
    double tpot_ns; /* NAN: unknown */
    int64_t prompt_tokens;
    uint32_t result;
    enum ps_request_state state;
    bool is_engine_ttft;
    bool has_parts; /* the parts are known; their sum is ttft_ns */
    int64_t parts_ns[PS_N_REQUEST_CAUSES];
    enum ps_request_cause cause; /* the largest part; PS_N_REQUEST_CAUSES: unknown */
    int64_t longest_gap_ns;      /* PS_COUNT_UNKNOWN: no gaps are known */
    uint32_t longest_gap;        /* its index among the gaps of the request */
};

struct ps_engine_step_row {
    int64_t id, number, step;
    int64_t start_ns, end_ns;
    int64_t served_end_ns; /* end, or the start of the next step if that is earlier */
    int64_t context_requests, context_tokens, generation_requests, generation_tokens;
    int64_t running, waiting;
};

/* A run has millions of these. */
struct ps_served_row {
    uint32_t step;
    uint32_t request : 31, is_prefill : 1;
    uint32_t tokens; /* at most UINT32_MAX */
};

#define PS_GAP_IS_LONG UINT32_MAX /* of ps_requests.gaps: the gap is in long_gaps */
struct ps_long_gap {
    size_t index; /* in ps_requests.gaps */
    int64_t ns;
};

struct ps_requests {
    struct ps_cache_entry entry;
    struct ps_request_row *requests;
    size_t n;
    struct ps_engine_step_row *steps;
    size_t n_steps;
    /* Who was served, in the order of steps; step i: served[step_first[i] .. step_first[i + 1]). */
    struct ps_served_row *served;
    size_t n_served;
    uint32_t *step_first;
    /* The same by request: indices in `served`, in the order of steps. */
    uint32_t *by_request, *request_first;
    /* Gaps between tokens in ns: those of the client, else those of the engine. */
    uint32_t *gaps;
    size_t n_gaps, *gap_first;
    struct ps_long_gap *long_gaps;
    size_t n_long_gaps;
    bool *has_client_gaps; /* by request */
    /* By request: the lowest lane on which no other request is drawn at the same time. */
    uint32_t *lane;
    int64_t n_lanes;
    /* Sum of the served times of the steps before step i, by what a request waits for in them:
     * PS_WAITS_FOR_SLOT to PS_WAITS_FOR_OTHERS. */
    int64_t *waits_before[3];
    int64_t slots; /* PS_COUNT_UNKNOWN: unknown */
    bool slots_are_stated;
    int64_t step_tokens;       /* PS_COUNT_UNKNOWN: unknown */
    int64_t first_ns, last_ns; /* range of all times; 0 and 0: there are none */
};

/* Of requests_read.c: reads the requests of a run, or finds them in the cache. */
enum ps_status ps_requests_acquire(struct ps_db *db, const struct ps_requests **out,
                                   struct ps_err *err);
void ps_requests_release(const struct ps_requests **requests); /* for PS_AUTO */

/* Index of a request or step with this id; -1: there is none. */
int64_t ps_request_index(const struct ps_requests *r, int64_t id);
int64_t ps_engine_step_index(const struct ps_requests *r, int64_t id);
/* Index of the first step that starts at or after a time. */
size_t ps_engine_step_from(const struct ps_requests *r, int64_t ns);
/* When the request began, for the client or else for the engine. PS_TIME_UNKNOWN. */
int64_t ps_request_begin(const struct ps_request_row *row);
/* When it was last heard of; PS_TIME_UNKNOWN. */
int64_t ps_request_last(const struct ps_request_row *row);
/* When it arrived at the engine, or was sent if that is not known. */
int64_t ps_request_arrival(const struct ps_request_row *row);
/* The steps that make the tokens of a request are the last of its prefill and all later ones.
 * Returns the index of the first of them in by_request. */
size_t ps_request_first_token_row(const struct ps_requests *r, size_t request);
/* When the first token was there: for the client if it states the gaps, else for the engine.
 * PS_TIME_UNKNOWN. */
int64_t ps_request_first_token(const struct ps_requests *r, size_t request);
/* A gap of ps_requests.gaps. */
int64_t ps_request_gap(const struct ps_requests *r, size_t index);
/* The step that made the token after gap i of a request; -1: unknown. */
int64_t ps_request_gap_step(const struct ps_requests *r, size_t request, size_t gap);
/* What a request waits for in a step that does not serve it: PS_WAITS_FOR_SLOT to
 * PS_WAITS_FOR_OTHERS. */
enum ps_request_cause ps_engine_step_blocks(const struct ps_requests *r, size_t step);

/* Of parts.c: fills in slots, waits_before and the parts of all requests. */
void ps_request_parts_compute(struct ps_requests *r);

/* A stretch of the time to the first token. */
struct ps_request_part {
    enum ps_request_cause cause;
    int64_t ns;
    int64_t start_ns, end_ns;     /* PS_TIME_UNKNOWN: not one range */
    size_t first_step, last_step; /* steps, if n_steps > 0; they may not be adjacent */
    size_t n_steps;
};
#define PS_REQUEST_PARTS_MAX 64
/* The parts of a request in order, at most PS_REQUEST_PARTS_MAX. Returns their number; 0: unknown.
 * Steps that prefill the same requests are one part, unless there are too many. */
size_t ps_request_chain(const struct ps_requests *r, size_t request,
                        struct ps_request_part out[PS_REQUEST_PARTS_MAX]);
/* Whether step i is one of the part's: of a prefill only those that serve the request are. */
bool ps_request_part_has(const struct ps_requests *r, const struct ps_request_part *part,
                         size_t request, size_t step);

ps_view_answer ps_view_requests_summary;
ps_view_answer ps_view_requests_window;
ps_view_answer ps_view_request;
ps_view_answer ps_view_engine_step;
/* For the statement "requests". */
ps_make_rows ps_make_request_rows;

#endif
