/* SPDX-License-Identifier: MIT */
/*
 * engine_log.c: reads what inference engines print of their steps, in any log:
 *
 *   vLLM          Iteration(7): 1 context requests, 52 context tokens, 3 generation requests, 3
 *                 generation tokens, iteration elapsed time: 9.87 ms
 *   SGLang        Prefill batch. #new-seq: 1, #new-token: 2192, #cached-token: 35, token usage:
 *                 0.00, #running-req: 0, #queue-req: 0
 *                 Decode batch. #running-req: 1, #token: 2266, ..., #queue-req: 0
 *   TensorRT-LLM  iter = 7, ..., host_step_time = 9.87ms, ..., states = {'num_ctx_requests': 1,
 *                 'num_ctx_tokens': 52, 'num_generation_tokens': 3}
 *
 * A number may be written with commas, and words may be between those of a line. vLLM's lines of
 * requests ("Received request ID: ...", "Added request ID", "Aborted request(s) ID") give ids.
 *
 * The lines state how long steps took, and when only to the second. So the file has no times
 * (SV_CLOCK_NONE): alone, its steps follow each other, each ends no earlier than in the second in
 * which its line was printed. SGLang prints no lengths, and one decode step of 40.
 */
#include <math.h>

#include "importers/importer.h"
#include "importers/records/run.h"
#include "importers/serving/readers.h"
#include "importers/text/text_report.h"

#define NS_PER_S INT64_C(1000000000)

enum { ID_BYTES_MAX = 512, NOTES_MAX = 50 };

enum engine { NO_ENGINE, VLLM, SGLANG, TENSORRT_LLM };

static const char *const tools[] = {"", "vLLM", "SGLang", "TensorRT-LLM"};

struct reader {
    struct sv_run *run;
    struct ps_report_reader in;
    struct ps_buf source; /* the process whose steps are read: "(EngineCore_DP0 pid=7)", "TP0" */
    enum engine engine;
    bool has_source;
    int64_t end_ns; /* of the last step */
    uint64_t stored, rejected;
    uint64_t of_other_sources, decode_samples;
    int64_t last_number; /* of the last step, as the engine counts; -1: unknown */
    uint64_t missing;    /* steps whose numbers the log leaves out */
};

/* --- Words of a line --- */

/* The text after the first occurrence of `word`; {NULL, 0}: there is none. */
static struct ps_str after(struct ps_str line, const char *word)
{
    const struct ps_str needle = ps_str_from_c(word);
    const char *at = ps_str_find(line, needle);

    return at ? ps_str_skip(line, (size_t)(at - line.ptr) + needle.len) : (struct ps_str){NULL, 0};
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads digits, which commas may group, from the start of the text. */
static bool read_count(struct ps_str text, int64_t *out)
{
    int64_t n = 0;
    size_t i = 0;

    for (; i < text.len && (is_digit(text.ptr[i]) || (text.ptr[i] == ',' && i)); i++) {
        if (text.ptr[i] == ',') {
            if (i + 3 >= text.len || !is_digit(text.ptr[i + 1]) || !is_digit(text.ptr[i + 2]) ||
                !is_digit(text.ptr[i + 3]))
                break;
            continue;
        }
        if (n > INT64_MAX / 10 - 10)
            return false;
        n = n * 10 + (text.ptr[i] - '0');
    }
    *out = n;
    return i > 0;
}

/* The number after a word and what separates them: "max_num_seqs=4", "'max_num_seqs': 4". */
static int64_t count_after(struct ps_str line, const char *word)
{
    struct ps_str rest = after(line, word);
    int64_t n;

    while (rest.len && strchr("'\":= ", rest.ptr[0]))
        rest = ps_str_skip(rest, 1);
    return read_count(rest, &n) ? n : PS_COUNT_UNKNOWN;
}

/* The number before a word: "52 context tokens". */
static int64_t count_before(struct ps_str line, const char *word)
{
    const char *at = ps_str_find(line, ps_str_from_c(word));
    const char *begin = at;
    int64_t n;

    while (begin && begin > line.ptr && (is_digit(begin[-1]) || begin[-1] == ','))
        begin--;
    return begin && begin < at && read_count((struct ps_str){begin, (size_t)(at - begin)}, &n)
               ? n
               : PS_COUNT_UNKNOWN;
}

/* The ms after a word, as ns; PS_COUNT_UNKNOWN. */
static int64_t ms_after(struct ps_str line, const char *word)
{
    struct ps_str rest = ps_str_trim(after(line, word)), digits = rest;
    struct ps_num number;

    for (digits.len = 0; digits.len < rest.len && digits.len < 30 &&
                         (is_digit(rest.ptr[digits.len]) || rest.ptr[digits.len] == '.');)
        digits.len++;
    if (!ps_report_parse_number(digits, &number) || !(ps_num_to_real(number) < 9e11))
        return PS_COUNT_UNKNOWN;
    return (int64_t)llround(ps_num_to_real(number) * 1e6);
}

/* --- Times of lines --- */

/* Reads two digits at an index. */
static int two_digits(struct ps_str text, size_t at)
{
    return at + 2 <= text.len && is_digit(text.ptr[at]) && is_digit(text.ptr[at + 1])
               ? (text.ptr[at] - '0') * 10 + text.ptr[at + 1] - '0'
               : -1;
}

/* Days since the start of a leap year. */
static int64_t day_of_year(int month, int day)
{
    static const int days[] = {0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335};

    return month >= 1 && month <= 12 ? days[month - 1] + day : day;
}

/* The second in which a line was printed, from "11-29 12:05:29" or "2026-11-29 12:05:29", since the
 * start of the year. PS_TIME_UNKNOWN: the line has no time. */
static int64_t second_of(struct ps_str line)
{
    line.len = line.len < 200 ? line.len : 200;
    for (size_t i = 0; i + 8 <= line.len; i++) {
        const int hour = two_digits(line, i), minute = two_digits(line, i + 3);
        const int second = two_digits(line, i + 6);
        int64_t day = 0;

        if (hour < 0 || minute < 0 || second < 0 || line.ptr[i + 2] != ':' ||
            line.ptr[i + 5] != ':')
            continue;
        if (i >= 6 && line.ptr[i - 4] == '-')
            day = day_of_year(two_digits(line, i - 6), two_digits(line, i - 3));
        return ((day * 24 + hour) * 60 + minute) * 60 + second;
    }
    return PS_TIME_UNKNOWN;
}

static int64_t add_length(int64_t start, int64_t length)
{
    int64_t end;

    return __builtin_add_overflow(start, length, &end) ? INT64_MAX : end;
}

/* Gives the step its place after the one before. */
static void place_step(struct reader *r, struct ps_engine_step *step, struct ps_str line,
                       int64_t length_ns)
{
    const int64_t second = second_of(line);
    const int64_t printed =
        second == PS_TIME_UNKNOWN || second > INT64_MAX / NS_PER_S ? 0 : second * NS_PER_S;

    if (r->run->n_steps == 0 || r->run->steps[r->run->n_steps - 1].file != r->run->n_files - 1)
        r->end_ns = printed;
    step->start_ns = r->end_ns;
    if (printed > add_length(step->start_ns, length_ns))
        step->start_ns = printed - length_ns;
    step->end_ns = add_length(step->start_ns, length_ns);
    r->end_ns = step->end_ns;
}

/* --- Lines of steps --- */

#define NO_STEP                                                                                    \
    ((struct ps_engine_step){.number = PS_COUNT_UNKNOWN,                                           \
                             .context_requests = PS_COUNT_UNKNOWN,                                 \
                             .context_tokens = PS_COUNT_UNKNOWN,                                   \
                             .generation_requests = PS_COUNT_UNKNOWN,                              \
                             .generation_tokens = PS_COUNT_UNKNOWN,                                \
                             .running = PS_COUNT_UNKNOWN,                                          \
                             .waiting = PS_COUNT_UNKNOWN})

static bool read_vllm(struct ps_str line, struct ps_engine_step *step, int64_t *length_ns)
{
    const struct ps_str rest = after(line, "Iteration(");

    step->number = rest.ptr ? count_after(line, "Iteration(") : PS_COUNT_UNKNOWN;
    step->context_requests = count_before(rest, " context requests");
    step->context_tokens = count_before(rest, " context tokens");
    step->generation_requests = count_before(rest, " generation requests");
    step->generation_tokens = count_before(rest, " generation tokens");
    *length_ns = ms_after(rest, "iteration elapsed time:");
    return step->number >= 0 && step->context_tokens >= 0 && step->generation_tokens >= 0 &&
           *length_ns >= 0;
}

static bool read_tensorrt(struct ps_str line, struct ps_engine_step *step, int64_t *length_ns)
{
    step->number = count_after(line, "iter =");
    step->context_requests = count_after(line, "num_ctx_requests");
    step->context_tokens = count_after(line, "num_ctx_tokens");
    step->generation_tokens = count_after(line, "num_generation_tokens");
    *length_ns = ms_after(line, "host_step_time =");
    return step->number >= 0 && step->context_tokens >= 0 && step->generation_tokens >= 0 &&
           *length_ns >= 0;
}

static bool read_sglang(struct ps_str line, struct ps_engine_step *step, int64_t *length_ns)
{
    const struct ps_str prefill = after(line, "Prefill batch");
    const struct ps_str rest = prefill.ptr ? prefill : after(line, "Decode batch");

    *length_ns = 0;
    step->name = prefill.ptr ? PS_STR("Prefill batch") : PS_STR("Decode batch");
    step->running = count_after(rest, "#running-req:");
    step->waiting = count_after(rest, "#queue-req:");
    if (prefill.ptr) {
        step->context_requests = count_after(rest, "#new-seq:");
        step->context_tokens = count_after(rest, "#new-token:");
        return step->context_requests >= 0 && step->context_tokens >= 0;
    }
    step->context_requests = step->context_tokens = 0;
    step->generation_requests = step->running;
    return rest.ptr && step->running >= 0;
}

/* Reads a line of a step; NO_ENGINE: it is none. */
static enum engine read_step(struct ps_str line, struct ps_engine_step *step, int64_t *length_ns)
{
    *step = NO_STEP;
    if (ps_str_find(line, PS_STR("iteration elapsed time:")))
        return read_vllm(line, step, length_ns) ? VLLM : NO_ENGINE;
    if (ps_str_find(line, PS_STR(" batch")) && ps_str_find(line, PS_STR("#running-req:")))
        return read_sglang(line, step, length_ns) ? SGLANG : NO_ENGINE;
    if (ps_str_find(line, PS_STR("num_ctx_tokens")))
        return read_tensorrt(line, step, length_ns) ? TENSORRT_LLM : NO_ENGINE;
    return NO_ENGINE;
}

/* The process that printed the line: vLLM's "(EngineCore_DP0 pid=7)", SGLang's "DP0 TP0" after the
 * time, TensorRT-LLM's "rank = 0". Empty: the line does not say. */
static struct ps_str source_of(enum engine engine, struct ps_str line)
{
    const struct ps_str start = engine == VLLM           ? after(line, "(EngineCore")
                                : engine == TENSORRT_LLM ? after(line, "global_rank = ")
                                                         : after(line, "[");
    const char *end = NULL;
    struct ps_str source = start;

    if (start.len)
        end = memchr(start.ptr, engine == VLLM ? ')' : engine == SGLANG ? ']' : ',', start.len);
    source.len = end ? (size_t)(end - start.ptr) : 0;
    if (engine == SGLANG) /* without date and time */
        source = ps_str_skip(source, source.len > 19 ? 19 : source.len);
    return ps_str_trim(source);
}

/* Whether the line is of the process whose steps are read: the first one. */
static bool is_of_source(struct reader *r, enum engine engine, struct ps_str line)
{
    const struct ps_str source = source_of(engine, line);

    if (!r->has_source) {
        ps_buf_add_str(&r->source, source);
        r->has_source = true;
        r->engine = engine;
    }
    return engine == r->engine && ps_str_eq(ps_buf_slice(&r->source), source);
}

/* --- Other lines --- */

static void take_limit(int64_t *to, int64_t value)
{
    if (*to == PS_COUNT_UNKNOWN && value > 0)
        *to = value;
}

static void read_limits(struct reader *r, struct ps_str line)
{
    take_limit(&r->run->slots, count_after(line, "max_num_seqs"));
    take_limit(&r->run->slots, count_after(line, "max_running_requests"));
    take_limit(&r->run->step_tokens, count_after(line, "max_num_batched_tokens"));
    take_limit(&r->run->step_tokens, count_after(line, "chunked_prefill_size"));
}

/* Reads the line of a request. False: it is none. */
static bool read_request(struct reader *r, struct ps_str line)
{
    static const char *const words[] = {"] Received request ", "] Added request ",
                                        "] Aborted request(s) ", "] Aborted request "};
    struct ps_str id = {NULL, 0};
    size_t i = 0, n = 0;
    uint32_t index;

    while (i < sizeof words / sizeof *words && !(id = after(line, words[i])).ptr)
        i++;
    while (n < id.len && n < ID_BYTES_MAX && !strchr(" ,:", id.ptr[n]))
        n++;
    while (n > 0 && id.ptr[n - 1] == '.')
        n--;
    if (n == 0 || !memchr(id.ptr, '-', n) || r->run->n_engine_requests >= SV_REQUESTS_MAX)
        return false;
    if (i >= 2)
        sv_engine_request(r->run, (struct ps_str){id.ptr, n}, &index)->state = PS_REQUEST_CANCELLED;
    else
        (void)sv_engine_request(r->run, (struct ps_str){id.ptr, n}, &index);
    return true;
}

/* --- The log --- */

/* Whether the line begins like one of a step that has more to say. */
static bool is_damaged_step(struct ps_str line)
{
    const struct ps_str iteration = after(line, "Iteration("),
                        batch = ps_str_find(line, PS_STR("Prefill batch"))
                                    ? after(line, "Prefill batch")
                                    : after(line, "Decode batch");
    int64_t number;

    if (iteration.ptr)
        return read_count(iteration, &number) &&
               (ps_str_find(iteration, PS_STR("): ")) || iteration.len < 12);
    if (batch.ptr)
        return ps_str_starts_with(batch, PS_STR(". #")) || batch.len < 3;
    return ps_str_find(line, PS_STR("iter = ")) && ps_str_find(line, PS_STR("host_step_time"));
}

/* Whether the text begins like a line of a logger, which continues no other line. */
static bool begins_line(struct ps_str text)
{
    static const char *const words[] = {"(", "[", "INFO ", "WARNING ", "ERROR ", "DEBUG "};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ps_str_starts_with(text, ps_str_from_c(words[i])))
            return second_of(text) != PS_TIME_UNKNOWN;
    return false;
}

/* A ps_report_classify. */
static enum ps_report_row classify_row(const void *format, struct ps_str text)
{
    struct ps_engine_step step;
    int64_t length_ns;

    (void)format;
    switch (read_step(text, &step, &length_ns)) {
    case NO_ENGINE:
        if (is_damaged_step(text))
            return PS_ROW_INCOMPLETE;
        return begins_line(text) ? PS_ROW_FINAL : PS_ROW_NONE;
    case VLLM:
        return ps_str_ends_with(ps_str_trim(text), PS_STR(" ms")) ? PS_ROW_FINAL
                                                                  : PS_ROW_INCOMPLETE;
    default:
        return PS_ROW_COMPLETE;
    }
}

static size_t count_steps(struct ps_str text)
{
    struct ps_engine_step step;
    int64_t length_ns;
    size_t n = 0;

    while (text.len)
        n += read_step(ps_report_pop_line(&text), &step, &length_ns) != NO_ENGINE;
    return n;
}

static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return count_steps(unwrapped) > count_steps(head);
}

static enum ps_report_line_end find_end(const void *format, struct ps_str text, struct ps_str next)
{
    struct ps_engine_step step;
    int64_t length_ns;

    if (read_step(text, &step, &length_ns) == NO_ENGINE)
        return begins_line(next) ? PS_LINE_END_COMPLETE : PS_LINE_END_UNKNOWN;
    return ps_report_find_row_end(classify_row, format, text, next);
}

static void reject_line(struct reader *r)
{
    if (r->rejected++ < NOTES_MAX)
        ps_sink_note(r->run->out, PS_NOTE_REJECTED, r->in.line.offset, r->in.line.number,
                     "the line of a step lacks a number");
}

static void read_line(struct reader *r)
{
    struct ps_engine_step step;
    struct ps_str line;
    int64_t length_ns;
    enum engine engine;

    ps_report_rejoin(&r->in, classify_row, NULL);
    line = ps_report_visible_text(r->in.line.text);
    engine = read_step(line, &step, &length_ns);

    if (engine == NO_ENGINE) {
        if (read_request(r, line))
            r->stored++;
        else if (is_damaged_step(line))
            reject_line(r);
        else
            read_limits(r, line);
        return;
    }
    if (!is_of_source(r, engine, line)) {
        r->of_other_sources++;
        return;
    }
    if (step.number >= 0 && r->last_number >= 0 && step.number > r->last_number + 1)
        r->missing += (uint64_t)(step.number - r->last_number - 1);
    r->last_number = step.number;
    r->decode_samples += engine == SGLANG && step.context_requests == 0;
    place_step(r, &step, line, length_ns);
    sv_add_step(r->run, &step);
    r->stored++;
}

static void write_notes(const struct reader *r)
{
    ps_report_write_notes(&r->in, r->run->out);
    ps_sink_count(r->run->out, PS_NOTE_WARNING, r->of_other_sources,
                  "steps left out, because another process printed them than the first ones");
    ps_sink_count(r->run->out, PS_NOTE_WARNING, r->missing,
                  "steps whose lines are missing in the log, by their numbers");
    if (r->decode_samples)
        ps_sink_note(r->run->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "SGLang prints no lengths of steps, and one decode step of 40: the steps are "
                     "moments");
}

enum ps_status sv_read_engine_log(struct sv_run *run, struct ps_str name, struct ps_stream *in,
                                  struct ps_err *err)
{
    struct reader r = {.run = run, .in = {.in = in}, .last_number = -1};
    const uint32_t file = sv_begin_file(run, name, PS_SERVING_ENGINE, "", SV_CLOCK_NONE);

    ps_report_unwrap(&r.in, is_wrapped, find_end, NULL);
    while (err->code == PS_OK && ps_report_read_line(&r.in)) {
        read_line(&r);
        if (run->n_steps > SV_STEPS_MAX)
            ps_fail_at(err, PS_LIMIT, r.in.line.offset, "the log has more than %u steps",
                       SV_STEPS_MAX);
        else
            (void)ps_report_check(&r.in, run->out, r.stored, err);
    }
    if (err->code == PS_OK)
        ps_stream_status(in, err);
    run->files[file].row.tool = ps_str_from_c(tools[r.engine]);
    run->ledger.read += r.in.lines - r.in.continuation_lines;
    run->ledger.rejected += r.rejected;
    run->ledger.other += r.in.lines - r.in.continuation_lines - r.stored - r.rejected;
    write_notes(&r);
    ps_buf_free(&r.source);
    ps_report_free(&r.in);
    return err->code;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    return sv_load(sv_read_engine_log, in, out, err);
}

static enum ps_match sniff(struct ps_str head)
{
    struct ps_engine_step step;
    int64_t length_ns;

    while (head.len)
        if (read_step(ps_report_pop_line(&head), &step, &length_ns) != NO_ENGINE)
            return PS_MATCH_SURE;
    return PS_MATCH_NO;
}

const struct ps_importer ps_engine_log = {
    .kind = "serving",
    .label = "log of an inference engine",
    .description = "steps that vLLM, SGLang and TensorRT-LLM print",
    .record_command = "vllm serve MODEL --enable-logging-iteration-details 2> engine.log",
    .may_share_log = true,
    .sniff = sniff,
    .load = load,
};
