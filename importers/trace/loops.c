/* SPDX-License-Identifier: MIT */
/* loops.c: finds the steps of loops that no ProfilerStep# and no engine marks. */
#include "importers/trace/loops.h"
#include "importers/trace/track.h"

#include <inttypes.h>
#include <stdlib.h>

#include "slices/op_model.h"
#include "slices/roles.h"

#define TOKENS_MAX 1e9 /* more are no batch of token ids */

/* What a name means here. */
enum word {
    WORD_UNKNOWN = PS_NAME_UNKNOWN, /* not determined yet */
    WORD_OTHER,
    WORD_GENERATE, /* frames of transformers: generate, _prefill and _prefill_chunking */
    WORD_PREFILL,
    WORD_MODULE, /* frame nn.Module: NAME */
    WORD_EMBEDDING,
    WORD_BACKWARD, /* an operator of the backward pass */
    WORD_OPTIMIZER,
    WORD_LIGHTNING_BATCH,
    WORD_MEGATRON_PREFILL,
    WORD_MEGATRON_DECODE,
    WORD_DEEPSPEED_FORWARD,
    WORD_DEEPSPEED_BACKWARD,
    WORD_FORWARD_OPERATOR, /* emit_nvtx gives a number to operators that have a backward pass */
};

struct loop {
    struct tr_loop_step *steps;
    size_t n, cap;
};

/* The calls of generate() on the track that is read. */
struct generate_reader {
    int64_t generate_start, generate_end, nested_end, prefill_end, module_end;
    struct tr_loop_step *step; /* the last one of this generate(); NULL: none yet */
};

/* The training loops on the track that is read. */
struct training_reader {
    bool has_backward;  /* since the last micro-batch of DeepSpeed began */
    bool has_optimizer; /* the last iteration has its end */
    bool is_first;      /* the last iteration is the first of the track */
    struct tr_loop_step *micro_batch, *iteration; /* the last ones of the track; NULL: none */
};

struct tr_loops {
    struct tr_trace *trace;
    struct ps_name_kinds words; /* enum word, by text id */
    struct loop of[TR_N_LOOPS];
    bool has_backward, has_optimizer; /* the trace is of a training */
    struct generate_reader generate;  /* of the track that is read */
    struct training_reader training;
};

struct tr_loops *tr_loops_new(struct tr_trace *trace)
{
    struct tr_loops *loops = ps_alloc(sizeof *loops);

    loops->trace = trace;
    return loops;
}

/* --- Names --- */

/* Returns the function name of a Python frame in the file that defines generate(), for example
 * "_prefill" for "PATH/transformers/generation/utils.py(12): _prefill", or an empty string for a
 * frame in another file. Until transformers 4.25 the file was generation_utils.py. */
static struct ps_str generation_function(struct ps_str name)
{
    static const char *const files[] = {
        "transformers/generation/utils.py(", "transformers\\generation\\utils.py(",
        "transformers/generation_utils.py(", "transformers\\generation_utils.py("};

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *at = ps_str_find(name, ps_str_from_c(files[i]));
        struct ps_str rest = at ? ps_str_skip(name, (size_t)(at - name.ptr)) : (struct ps_str){0};
        const char *colon = at ? ps_str_find(rest, PS_STR("): ")) : NULL;

        if (colon)
            return ps_str_skip(rest, (size_t)(colon - rest.ptr) + 3);
    }
    return (struct ps_str){0};
}

static enum word word_of_frame(struct ps_str name)
{
    struct ps_str function;

    if (ps_str_starts_with(name, PS_STR("nn.Module: ")))
        return WORD_MODULE;
    function = generation_function(name);
    return ps_str_eq_c(function, "generate") ? WORD_GENERATE
           : ps_str_eq_c(function, "_prefill") || ps_str_eq_c(function, "_prefill_chunking")
               ? WORD_PREFILL
               : WORD_OTHER;
}

static enum word word_of_name(struct ps_str name)
{
    if (ps_str_eq_c(name, "aten::embedding"))
        return WORD_EMBEDDING;
    if (ps_str_starts_with(name, PS_STR("autograd::engine::evaluate_function")))
        return WORD_BACKWARD;
    if (ps_str_starts_with(name, PS_STR("Optimizer.step#")))
        return WORD_OPTIMIZER;
    if (ps_str_eq_c(name, "[pl][profile]run_training_batch"))
        return WORD_LIGHTNING_BATCH;
    if (ps_str_eq_c(name, "Prefill"))
        return WORD_MEGATRON_PREFILL;
    if (ps_str_eq_c(name, "Decode"))
        return WORD_MEGATRON_DECODE;
    if (ps_str_eq_c(name, "DeepSpeedEngine.forward"))
        return WORD_DEEPSPEED_FORWARD;
    if (ps_str_eq_c(name, "DeepSpeedEngine.backward"))
        return WORD_DEEPSPEED_BACKWARD;
    return ps_str_find(name, PS_STR(", seq = ")) ? WORD_FORWARD_OPERATOR : WORD_OTHER;
}

static enum word word_of(struct tr_loops *loops, const struct tr_track *track, uint32_t row)
{
    uint32_t text = track->name_id[row];
    uint8_t *word = ps_name_kinds_slot(&loops->words, text);

    if (*word == WORD_UNKNOWN) {
        struct ps_str name = tr_text_of_id(loops->trace, text);
        bool is_frame = track->slice_kind[row] == PS_SLICE_PYTHON;

        *word = (uint8_t)(is_frame ? word_of_frame(name) : word_of_name(name));
    }
    return *word;
}

/* --- Steps --- */

static struct tr_loop_step *add_step(struct tr_loops *loops, enum tr_loop which, int64_t start,
                                     int64_t end)
{
    struct loop *loop = &loops->of[which];

    PS_RESERVE_ONE(loop->steps, loop->n, loop->cap);
    loop->steps[loop->n++] =
        (struct tr_loop_step){.start = start, .end = end, .requests = -1, .tokens = -1};
    return &loop->steps[loop->n - 1];
}

static int64_t end_of(const struct tr_track *track, uint32_t row)
{
    return track->start[row] + track->duration[row];
}

/* --- generate() --- */

/* Reads the batch from the shapes of aten::embedding, whose second input are the token ids: [rows,
 * tokens]. */
static void read_batch(const struct tr_loops *loops, uint32_t template, struct tr_loop_step *step)
{
    const struct tr_trace *trace = loops->trace;
    struct ps_str none = {0};
    struct ps_op_call call;
    const double *ids = call.inputs[1].dims;

    if (template >= trace->n_templates || !trace->templates[template].shapes ||
        !ps_op_call_parse(none, tr_text_of_id(trace, trace->templates[template].shapes), none, none,
                          &call) ||
        call.n < 2 || call.inputs[1].n_dims != 2)
        return;
    if (!(ids[0] >= 0 && ids[0] <= TOKENS_MAX && ids[1] >= 0 && ids[0] * ids[1] <= TOKENS_MAX))
        return;
    step->requests = (int64_t)ids[0];
    step->tokens = (int64_t)(ids[0] * ids[1]);
}

static void read_generate(struct tr_loops *loops, const struct tr_track *track, uint32_t row,
                          enum word word)
{
    struct generate_reader *reader = &loops->generate;
    uint32_t arguments = track->template[row];
    int64_t start = track->start[row], end = end_of(track, row);

    if (start >= reader->generate_end) {
        if (word == WORD_GENERATE)
            *reader = (struct generate_reader){start, end, .nested_end = start,
                                               .prefill_end = start, .module_end = start};
    } else if (start < reader->module_end) {
        if (word == WORD_EMBEDDING && reader->step->tokens < 0)
            read_batch(loops, arguments, reader->step);
    } else if (start < reader->nested_end) {
        return;
    } else if (word == WORD_GENERATE) {
        reader->nested_end = end;
    } else if (word == WORD_PREFILL) {
        reader->prefill_end = end;
    } else if (word == WORD_MODULE) {
        bool is_prefill = reader->step == NULL || start < reader->prefill_end;

        if (reader->step)
            reader->step->end = start;
        reader->step =
            add_step(loops, TR_LOOP_GENERATE, reader->step ? start : reader->generate_start,
                     reader->generate_end);
        reader->step->is_prefill = is_prefill;
        reader->module_end = end;
    }
}

/* --- Training --- */

static void read_deepspeed(struct tr_loops *loops, const struct tr_track *track, uint32_t row)
{
    struct training_reader *reader = &loops->training;
    int64_t start = track->start[row];

    if (reader->micro_batch && !reader->has_backward)
        return; /* another forward of the same micro-batch */
    if (reader->micro_batch) {
        reader->micro_batch->end = start;
        reader->micro_batch->is_cut = false;
    }
    reader->has_backward = false;
    reader->micro_batch = add_step(loops, TR_LOOP_DEEPSPEED, start, track->end_ns);
    reader->micro_batch->is_cut = true;
}

static void read_forward(struct tr_loops *loops, const struct tr_track *track, uint32_t row)
{
    struct training_reader *reader = &loops->training;
    int64_t start = track->start[row];

    if (reader->iteration) {
        if (!reader->has_optimizer || start < reader->iteration->end)
            return;
        start = reader->iteration->end;
    }
    reader->is_first = reader->iteration == NULL;
    reader->iteration = add_step(loops, TR_LOOP_OPTIMIZER, start, track->end_ns);
    reader->iteration->is_cut = true;
    reader->has_optimizer = false;
}

static void read_optimizer(struct training_reader *reader, const struct tr_track *track,
                           uint32_t row)
{
    if (!reader->iteration)
        return;
    reader->iteration->end = end_of(track, row);
    /* the recording may have begun inside the first one */
    reader->iteration->is_cut = reader->is_first;
    reader->has_optimizer = true;
}

static void read_training(struct tr_loops *loops, const struct tr_track *track, uint32_t row,
                          enum word word)
{
    bool is_nvtx = track->slice_kind[row] == PS_SLICE_NVTX;

    switch (word) {
    case WORD_BACKWARD:
        loops->has_backward = true;
        break;
    case WORD_OPTIMIZER:
        loops->has_optimizer = true;
        if (is_nvtx)
            read_optimizer(&loops->training, track, row);
        break;
    case WORD_FORWARD_OPERATOR:
        if (is_nvtx)
            read_forward(loops, track, row);
        break;
    case WORD_LIGHTNING_BATCH:
        add_step(loops, TR_LOOP_LIGHTNING, track->start[row], end_of(track, row));
        break;
    case WORD_MEGATRON_PREFILL:
    case WORD_MEGATRON_DECODE:
        if (is_nvtx)
            add_step(loops, TR_LOOP_MEGATRON, track->start[row], end_of(track, row))->is_prefill =
                word == WORD_MEGATRON_PREFILL;
        break;
    case WORD_DEEPSPEED_FORWARD:
        read_deepspeed(loops, track, row);
        break;
    case WORD_DEEPSPEED_BACKWARD:
        loops->training.has_backward = true;
        break;
    default:
        break;
    }
}

void tr_loops_begin_track(struct tr_loops *loops)
{
    loops->generate = (struct generate_reader){.generate_end = INT64_MIN};
    loops->training = (struct training_reader){0};
}

void tr_loops_add_row(struct tr_loops *loops, const struct tr_track *track, uint32_t row)
{
    enum word word = word_of(loops, track, row);

    if (word == WORD_OTHER)
        return;
    read_generate(loops, track, row, word);
    read_training(loops, track, row, word);
}

static bool has_overlap(const struct loop *loop)
{
    for (size_t i = 1; i < loop->n; i++)
        if (loop->steps[i].start < loop->steps[i - 1].end)
            return true;
    return false;
}

static bool has_both_phases(const struct loop *loop)
{
    for (size_t i = 1; i < loop->n; i++)
        if (loop->steps[i].is_prefill != loop->steps[0].is_prefill)
            return true;
    return false;
}

const struct tr_loop_step *tr_loops_steps(struct tr_loops *loops, enum tr_loop loop, size_t *n)
{
    struct loop *of = &loops->of[loop];
    bool is_generate = loop == TR_LOOP_GENERATE;

    ps_sort_records(of->steps, of->n, sizeof *of->steps);
    *n = has_overlap(of) ? 0 : of->n;
    if (is_generate && (loops->has_backward || loops->has_optimizer))
        *n = 0;
    if (!is_generate && *n < 2)
        *n = 0;
    if (loop == TR_LOOP_MEGATRON && !has_both_phases(of))
        *n = 0;
    return of->steps;
}

uint32_t tr_loops_step_name(const struct tr_loops *loops, enum tr_loop loop, size_t index)
{
    static const char *const names[TR_N_LOOPS] = {
        [TR_LOOP_OPTIMIZER] = "iteration",
        [TR_LOOP_DEEPSPEED] = "micro-batch",
        [TR_LOOP_LIGHTNING] = "run_training_batch",
    };
    const struct tr_loop_step *step = &loops->of[loop].steps[index];
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};

    if (loop == TR_LOOP_MEGATRON)
        ps_buf_puts(&name, step->is_prefill ? "Prefill" : "Decode");
    else if (loop != TR_LOOP_GENERATE)
        ps_buf_printf(&name, "%s#%zu", names[loop], index);
    else if (step->requests < 0)
        ps_buf_printf(&name, "generate[%s]", step->is_prefill ? "prefill" : "decode");
    else
        ps_buf_printf(&name, "generate[%s bs=%" PRId64 " tok=%" PRId64 "]",
                      step->is_prefill ? "prefill" : "decode", step->requests, step->tokens);
    return tr_text_id(loops->trace, (struct ps_str){name.ptr, name.len});
}

void tr_loops_free(struct tr_loops *loops)
{
    if (!loops)
        return;
    for (size_t i = 0; i < TR_N_LOOPS; i++)
        free(loops->of[i].steps);
    ps_name_kinds_free(&loops->words);
    free(loops);
}
