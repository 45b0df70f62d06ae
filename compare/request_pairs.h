/* SPDX-License-Identifier: MIT */
/*
 * request_pairs.h: pairs the requests of two runs that served the same workload, and summarizes
 * what became of each pair. The percentiles of both runs do not show it: other requests may be the
 * slow ones. Times are in ns.
 */
#ifndef PS_COMPARE_REQUEST_PAIRS_H
#define PS_COMPARE_REQUEST_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* What is compared of a request. */
enum ps_pair_metric {
    PS_PAIR_TTFT,    /* time to the first token */
    PS_PAIR_GAP,     /* longest time between two chunks of tokens */
    PS_PAIR_LATENCY, /* time to the end */
    PS_PAIR_TPOT,    /* time per output token after the first one */
    PS_N_PAIR_METRICS
};

#define PS_PAIR_PARTS 9

struct ps_request_times {
    uint32_t id;
    uint32_t group;        /* requests of one load: those of different groups are no pair */
    int64_t position;      /* in the file of the client */
    struct ps_str name;    /* empty: unknown */
    int64_t prompt_tokens; /* -1: unknown */
    int state;             /* 0: completed */
    bool lacks_slot;       /* during PS_PART_QUEUE as many requests ran as ever did in the run */
    double metrics[PS_N_PAIR_METRICS]; /* NAN: unknown, or it was not completed */
    /* of the time to the first token, which they add up to; what they are is up to the caller. All
     * or none are NAN. */
    double parts[PS_PAIR_PARTS];
};

enum ps_request_pairing {
    PS_PAIRED_NOT,
    PS_PAIRED_BY_NAME,    /* all ids of one run are those of the other */
    PS_PAIRED_BY_START,   /* as many requests, whose prompts are equally long in this order */
    PS_PAIRED_BY_POSITION /* the same, in the order of the files */
};

/* Why requests are no pairs. */
enum ps_no_pairing {
    PS_PAIRING_EXISTS,
    PS_PAIRING_NO_REQUESTS,
    PS_PAIRING_OTHER_NUMBER,
    PS_PAIRING_OTHER_PROMPTS, /* at the index `differs`, from 0 */
    PS_PAIRING_NO_LENGTHS
};

struct ps_request_pairs {
    enum ps_request_pairing by;
    enum ps_no_pairing no_pairing;
    size_t differs;
    size_t n;         /* pairs */
    size_t n_lengths; /* different lengths of prompts: with 1, the order alone makes the pairs */
    uint32_t *base, *now; /* n indices of requests, in the order of the base */
};

/* The requests of both runs are in the order of their start. Free *out with ps_request_pairs_free.
 */
void ps_request_pairs_find(const struct ps_request_times *base, size_t n_base,
                           const struct ps_request_times *now, size_t n_new,
                           struct ps_request_pairs *out);
void ps_request_pairs_free(struct ps_request_pairs *pairs);

/* What became of one metric. */
struct ps_request_change {
    size_t n;                    /* pairs of which both values are known */
    size_t n_less, n_more;       /* of them */
    double median;               /* of the differences new - base; NAN: no pairs */
    double low, high;            /* interval of the median; NAN: too few pairs */
    double worst[2], typical[2]; /* of the base and of the new run: maximum, median */
    uint32_t worst_pair[2];      /* index of the pair that has it */
};
/* The interval has the confidence 1 - 2 / 2^PS_REQUEST_BLOCKS, 99.2 %. It is that of the medians of
 * blocks of successive requests: requests that are served in the same steps are alike, but those of
 * different blocks are taken to be independent. It needs two requests in each block, and says
 * nothing about the spread between runs. */
#define PS_REQUEST_BLOCKS 8
void ps_request_change_measure(const struct ps_request_times *base,
                               const struct ps_request_times *now,
                               const struct ps_request_pairs *pairs, enum ps_pair_metric metric,
                               struct ps_request_change *out);

#endif
