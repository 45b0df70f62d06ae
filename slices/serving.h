/* SPDX-License-Identifier: MIT */
/*
 * serving.h: reads the names that serving engines of language models give to their steps.
 *
 *   vLLM          execute_context_2(6144)_generation_3(3)
 *     detailed execute_6147_context_2(sq6144sk7144sqsq…sqsk…)_generation_3(sq3sk6144sqsq3sqsk6144)
 *     older       execute_new_2_cached_30
 *   SGLang        step[EXTEND bs=2 toks=14721], step[DECODE bs=64], step[MIXED bs=2]
 *     detailed    step[MIXED bs=5 c=2 g=3 c_sq=6144 c_sk=7144 … g_sq=3 g_sk=6144 …]
 *   ATOM          prefill[bs=2 tok=14721 ctx=[7803, 6918]], decode[bs=117/128 tok=117 d=117]
 *     detailed    decode[bs=128 tok=384 p=2 d=126 sqsq=132612 sqsk=1114112 sk=258048]
 *   TensorRT-LLM  [Executor] _forward_step 7: 1 ctx reqs, 8000 ctx tokens, 31 gen reqs
 *   Megatron Core Prefill, Decode: a Prefill may also decode other requests. As others use these
 *                 words too, importers/trace/loops.h says when they are steps.
 *   transformers  generate[prefill bs=2 tok=60], generate[decode]: names that
 *                 importers/trace/loops.h gives to the steps of generate(), which have none
 *
 * In detailed names q are the tokens that a request adds in the step and k the tokens that it
 * attends to; sq, sk, sqsq and sqsk are the sums of q, k, q·q and q·k over the requests.
 * Pure functions; any thread.
 */
#ifndef PS_SLICES_SERVING_H
#define PS_SLICES_SERVING_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum ps_engine {
    PS_ENGINE_VLLM,
    PS_ENGINE_SGLANG,
    PS_ENGINE_ATOM,
    PS_ENGINE_TENSORRT_LLM,
    PS_ENGINE_MEGATRON,
    PS_ENGINE_TRANSFORMERS,
    PS_N_ENGINES
};
const char *ps_engine_name(enum ps_engine engine); /* "vLLM" */

/* What a step computes. */
enum ps_phase {
    PS_PHASE_UNKNOWN, /* the name states a mode that is none of the others */
    PS_PHASE_IDLE,    /* no requests */
    PS_PHASE_PREFILL, /* the context of requests */
    PS_PHASE_MIXED,   /* some requests are in prefill, others in decode */
    PS_PHASE_DECODE,  /* the next token of requests */
    PS_N_PHASES
};
const char *ps_phase_name(enum ps_phase phase); /* "prefill" */

/* The requests of a step in one phase. -1: the name does not state the number. */
struct ps_serving_group {
    int64_t requests;
    int64_t tokens;            /* Σ q */
    int64_t context;           /* Σ k, new tokens included */
    int64_t tokens_squared;    /* Σ q·q */
    int64_t tokens_by_context; /* Σ q·k */
};

struct ps_serving_step {
    enum ps_engine engine;
    enum ps_phase phase;
    bool is_detailed; /* the name states the sums of both groups */
    /* The name states which requests are new but not whether the others are in decode: those may
     * also be in a later part of a long prefill. They are counted as decode. */
    bool is_assumed;
    int64_t requests; /* of both groups; -1: unknown */
    int64_t tokens;   /* new tokens of both groups; -1: unknown */
    int64_t padded;   /* requests for which the replayed graph was captured; -1: unknown */
    struct ps_serving_group prefill, decode;
};

/* Whether `name` is the name of a step of a serving engine, which is then stored in *out. A number
 * of more than 18 digits makes it none. */
bool ps_serving_step_parse(struct ps_str name, struct ps_serving_step *out);

#endif
