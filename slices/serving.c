/* SPDX-License-Identifier: MIT */
#include "slices/serving.h"

#define DIGITS_MAX 18 /* so that a number, and the sum of a few, fits 64 bits */

static const struct ps_serving_group UNKNOWN_GROUP = {-1, -1, -1, -1, -1};

const char *ps_engine_name(enum ps_engine engine)
{
    static const char *const names[PS_N_ENGINES] = {
        "vLLM", "SGLang", "ATOM", "TensorRT-LLM", "Megatron Core", "transformers"};

    return engine < PS_N_ENGINES ? names[engine] : "";
}

const char *ps_phase_name(enum ps_phase phase)
{
    static const char *const names[PS_N_PHASES] = {"unknown", "idle", "prefill", "mixed", "decode"};

    return phase < PS_N_PHASES ? names[phase] : "";
}

/* --- Reading a name from left to right --- */

static bool skip(struct ps_str *rest, const char *word)
{
    struct ps_str expected = ps_str_from_c(word);

    if (!ps_str_starts_with(*rest, expected))
        return false;
    *rest = ps_str_skip(*rest, expected.len);
    return true;
}

static bool read_number(struct ps_str *rest, int64_t *out)
{
    size_t n = 0;

    *out = 0;
    while (n < rest->len && rest->ptr[n] >= '0' && rest->ptr[n] <= '9') {
        if (n == DIGITS_MAX)
            return false;
        *out = *out * 10 + (rest->ptr[n++] - '0');
    }
    *rest = ps_str_skip(*rest, n);
    return n > 0;
}

/* Reads "WORD NUMBER", such as "sq32". */
static bool read_after(struct ps_str *rest, const char *word, int64_t *out)
{
    return skip(rest, word) && read_number(rest, out);
}

/* --- What follows from the numbers --- */

static int64_t sum_of(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? -1 : a + b;
}

static enum ps_phase phase_of(int64_t prefills, int64_t decodes)
{
    return prefills > 0  ? (decodes > 0 ? PS_PHASE_MIXED : PS_PHASE_PREFILL)
           : decodes > 0 ? PS_PHASE_DECODE
                         : PS_PHASE_IDLE;
}

/* Derives phase and sums from the groups. */
static void add_up(struct ps_serving_step *step)
{
    step->phase = phase_of(step->prefill.requests, step->decode.requests);
    step->requests = sum_of(step->prefill.requests, step->decode.requests);
    step->tokens = sum_of(step->prefill.tokens, step->decode.tokens);
}

/* --- vLLM --- */

static bool read_group(struct ps_str *rest, const char *word, struct ps_serving_group *group)
{
    return read_after(rest, word, &group->requests) && read_after(rest, "(sq", &group->tokens) &&
           read_after(rest, "sk", &group->context) &&
           read_after(rest, "sqsq", &group->tokens_squared) &&
           read_after(rest, "sqsk", &group->tokens_by_context) && skip(rest, ")");
}

static bool read_vllm(struct ps_str rest, struct ps_serving_step *step)
{
    int64_t batch;

    step->engine = PS_ENGINE_VLLM;
    if (!skip(&rest, "execute_"))
        return false;
    if (read_after(&rest, "new_", &step->prefill.requests)) {
        step->is_assumed = true;
        if (!read_after(&rest, "_cached_", &step->decode.requests))
            return false;
    } else if (read_after(&rest, "context_", &step->prefill.requests)) {
        if (!read_after(&rest, "(", &step->prefill.tokens) ||
            !read_after(&rest, ")_generation_", &step->decode.requests) ||
            !read_after(&rest, "(", &step->decode.tokens) || !skip(&rest, ")"))
            return false;
    } else if (read_number(&rest, &batch)) {
        step->is_detailed = true;
        if (!read_group(&rest, "_context_", &step->prefill) ||
            !read_group(&rest, "_generation_", &step->decode))
            return false;
    } else {
        return false;
    }
    add_up(step);
    return true;
}

/* --- SGLang and ATOM: "key=number" between brackets --- */

/* The number of a key, -1 if the fields lack it. `after` is set to what follows the number. */
static int64_t field(struct ps_str fields, const char *key, struct ps_str *after)
{
    struct ps_str word = ps_str_from_c(key);

    for (size_t i = 0; i + word.len < fields.len; i++) {
        struct ps_str rest = ps_str_skip(fields, i);
        int64_t value;

        if ((i > 0 && fields.ptr[i - 1] != ' ') || !ps_str_starts_with(rest, word) ||
            rest.ptr[word.len] != '=')
            continue;
        rest = ps_str_skip(rest, word.len + 1);
        if (!read_number(&rest, &value))
            return -1;
        if (after)
            *after = rest;
        return value;
    }
    return -1;
}

static int64_t or_else(int64_t value, int64_t other)
{
    return value >= 0 ? value : other;
}

/* Cuts `name` to what is between the first and the last bracket. */
static bool between_brackets(struct ps_str *name)
{
    while (name->len && name->ptr[name->len - 1] != ']')
        name->len--;
    if (!name->len)
        return false;
    name->len--;
    return true;
}

static void read_sglang_group(struct ps_str fields, const char *const keys[4],
                              struct ps_serving_group *group)
{
    group->tokens = or_else(field(fields, keys[0], NULL), group->tokens);
    group->context = field(fields, keys[1], NULL);
    group->tokens_squared = field(fields, keys[2], NULL);
    group->tokens_by_context = field(fields, keys[3], NULL);
}

static const struct ps_serving_group NO_GROUP = {0};

/* The phase of a mode of SGLang's ForwardMode. In speculative decoding TARGET_VERIFY is the decode
 * step of the model and DRAFT_EXTEND the one of the draft model. */
static enum ps_phase phase_of_mode(struct ps_str mode)
{
    static const struct {
        const char *mode;
        enum ps_phase phase;
    } modes[] = {
        {"EXTEND", PS_PHASE_PREFILL},
        {"SPLIT_PREFILL", PS_PHASE_PREFILL},
        {"MIXED", PS_PHASE_MIXED},
        {"DECODE", PS_PHASE_DECODE},
        {"TARGET_VERIFY", PS_PHASE_DECODE},
        {"DRAFT_EXTEND", PS_PHASE_DECODE},
        {"IDLE", PS_PHASE_IDLE},
        {"DRAFT_EXTEND_V2", PS_PHASE_DECODE},
    };

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (ps_str_eq_c(mode, modes[i].mode))
            return modes[i].phase;
    return PS_PHASE_UNKNOWN;
}

static bool read_sglang(struct ps_str rest, struct ps_serving_step *step)
{
    static const char *const context_keys[] = {"c_sq", "c_sk", "c_sqsq", "c_sqsk"},
                             *const generation_keys[] = {"g_sq", "g_sk", "g_sqsq", "g_sqsk"};
    struct ps_str mode;
    int64_t requests, tokens;

    step->engine = PS_ENGINE_SGLANG;
    if (!skip(&rest, "step[") || !between_brackets(&rest))
        return false;
    mode = rest;
    mode.len = 0;
    while (mode.len < rest.len && rest.ptr[mode.len] != ' ')
        mode.len++;
    requests = field(rest, "bs", NULL);
    if (requests < 0)
        return false;
    tokens = field(rest, "toks", NULL);
    step->phase = phase_of_mode(mode);
    if (step->phase == PS_PHASE_PREFILL) {
        step->prefill.requests = requests;
        step->prefill.tokens = tokens;
        step->decode = NO_GROUP;
    } else if (step->phase == PS_PHASE_DECODE) {
        step->decode.requests = requests;
        /* a draft or its check adds several tokens for a request, which only detailed names say */
        step->decode.tokens = ps_str_eq_c(mode, "DECODE") ? or_else(tokens, requests) : tokens;
        step->prefill = NO_GROUP;
    } else if (step->phase == PS_PHASE_IDLE) {
        step->prefill = step->decode = NO_GROUP;
    } else if (step->phase == PS_PHASE_MIXED) {
        step->prefill.requests = field(rest, "c", NULL);
        step->decode.requests = field(rest, "g", NULL);
    }
    if (step->phase == PS_PHASE_PREFILL || step->phase == PS_PHASE_MIXED)
        read_sglang_group(rest, context_keys, &step->prefill);
    if (step->phase == PS_PHASE_DECODE || step->phase == PS_PHASE_MIXED)
        read_sglang_group(rest, generation_keys, &step->decode);
    step->is_detailed = step->prefill.tokens_squared > 0 || step->decode.tokens_squared > 0;
    if (step->phase == PS_PHASE_MIXED && step->prefill.requests >= 0 && step->decode.requests >= 0)
        step->phase = phase_of(step->prefill.requests, step->decode.requests);
    step->requests = requests;
    step->tokens = or_else(sum_of(step->prefill.tokens, step->decode.tokens), tokens);
    return true;
}

static bool read_atom(struct ps_str rest, struct ps_serving_step *step)
{
    bool is_prefill = skip(&rest, "prefill[");
    struct ps_serving_group *group = is_prefill ? &step->prefill : &step->decode;
    struct ps_str after = {0};
    int64_t prefills;

    step->engine = PS_ENGINE_ATOM;
    if ((!is_prefill && !skip(&rest, "decode[")) || !between_brackets(&rest))
        return false;
    step->requests = field(rest, "bs", &after);
    step->tokens = field(rest, "tok", NULL);
    if (step->requests < 0 || step->tokens < 0)
        return false;
    if (!read_after(&after, "/", &step->padded))
        step->padded = -1;
    prefills = is_prefill ? step->requests : or_else(field(rest, "p", NULL), 0);
    if (!is_prefill && prefills > 0) {
        /* one graph for both: the sums are not stated for each group */
        step->prefill.requests = prefills;
        step->decode.requests = or_else(field(rest, "d", NULL), step->requests - prefills);
    } else {
        step->prefill = step->decode = NO_GROUP;
        group->requests = step->requests;
        group->tokens = step->tokens;
        group->context = field(rest, "sk", NULL);
        group->tokens_squared = field(rest, "sqsq", NULL);
        group->tokens_by_context = field(rest, "sqsk", NULL);
    }
    step->is_detailed = field(rest, "sqsq", NULL) >= 0;
    step->phase = phase_of(step->prefill.requests, step->decode.requests);
    return true;
}

/* --- TensorRT-LLM --- */

static bool read_tensorrt_llm(struct ps_str rest, struct ps_serving_step *step)
{
    int64_t number;

    step->engine = PS_ENGINE_TENSORRT_LLM;
    if (!skip(&rest, "[Executor] _forward_step"))
        return false;
    if (skip(&rest, " ") && !read_number(&rest, &number))
        return false;
    if (!read_after(&rest, ": ", &step->prefill.requests) || !skip(&rest, " ctx reqs, ") ||
        !read_number(&rest, &number))
        return false;
    if (skip(&rest, " ctx tokens, ")) {
        step->prefill.tokens = number;
        if (!read_number(&rest, &number))
            return false;
    }
    step->decode.requests = number;
    if (!skip(&rest, " gen reqs"))
        return false;
    add_up(step);
    return true;
}

/* --- Megatron Core --- */

static bool read_megatron(struct ps_str rest, struct ps_serving_step *step)
{
    bool is_prefill = ps_str_eq_c(rest, "Prefill");

    step->engine = PS_ENGINE_MEGATRON;
    step->phase = is_prefill ? PS_PHASE_PREFILL : PS_PHASE_DECODE;
    return is_prefill || ps_str_eq_c(rest, "Decode");
}

/* --- generate() of transformers --- */

static bool read_generate(struct ps_str rest, struct ps_serving_step *step)
{
    bool is_prefill;
    struct ps_serving_group *group;

    step->engine = PS_ENGINE_TRANSFORMERS;
    if (!skip(&rest, "generate[") || !between_brackets(&rest))
        return false;
    is_prefill = skip(&rest, "prefill");
    if (!is_prefill && !skip(&rest, "decode"))
        return false;
    group = is_prefill ? &step->prefill : &step->decode;
    step->prefill = step->decode = NO_GROUP;
    *group = UNKNOWN_GROUP;
    group->requests = field(rest, "bs", NULL);
    group->tokens = field(rest, "tok", NULL);
    step->phase = is_prefill ? PS_PHASE_PREFILL : PS_PHASE_DECODE;
    step->requests = group->requests;
    step->tokens = group->tokens;
    return true;
}

bool ps_serving_step_parse(struct ps_str name, struct ps_serving_step *out)
{
    static bool (*const readers[])(struct ps_str, struct ps_serving_step *) = {
        read_vllm, read_sglang, read_atom, read_tensorrt_llm, read_megatron, read_generate};

    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        *out = (struct ps_serving_step){.requests = -1,
                                        .tokens = -1,
                                        .padded = -1,
                                        .prefill = UNKNOWN_GROUP,
                                        .decode = UNKNOWN_GROUP};
        if (readers[i](name, out))
            return true;
    }
    return false;
}
