/* SPDX-License-Identifier: MIT */
/*
 * engine_events.c: reads a log of events of an engine, one JSON object a line, with the ids of
 * requests and times in ns since 1970:
 *
 *     {"event": "arrival", "id": "cmpl-7", "unix_ns": 1795953929496557400, "prompt_tokens": 52}
 *     {"event": "iteration", "iteration": 0, "start_unix_ns": 1795953929497815884,
 *      "end_unix_ns": 1795953929507686678, "running": 1, "waiting": [],
 *      "context": [{"id": "cmpl-7", "tokens": 52, "computed": 0}], "generation": [],
 *      "finished": []}
 *     {"event": "response_end", "id": "cmpl-7", "unix_ns": 1795953929570769640, "tokens": 11}
 *
 * `context` are the requests of which the step computes tokens of the prompt, `generation` those
 * that are in decode. `running` and `waiting` are numbers or lists. Other events are skipped.
 */
#include "importers/document.h"
#include "importers/importer.h"
#include "importers/records/run.h"
#include "importers/serving/readers.h"
#include "importers/text/text_report.h"

#define TIME_MAX_NS (INT64_MAX / 2) /* in 2116: differences of such times always fit */

enum {
    LINE_BYTES_MAX = 16 << 20,
    NOTES_MAX = 50,
};

struct reader {
    struct sv_run *run;
    struct ps_report_reader in;
    uint64_t rejected, stored, other;
};

static const cJSON *item(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* A number, or the length of a list; PS_COUNT_UNKNOWN. */
static int64_t count_of(const cJSON *event, const char *key)
{
    const cJSON *value = item(event, key);
    int64_t n = PS_COUNT_UNKNOWN;

    if (cJSON_IsArray(value))
        return cJSON_GetArraySize(value);
    if (!ps_document_integer(event, key, &n) || n < 0)
        return PS_COUNT_UNKNOWN;
    return n;
}

static int64_t time_of(const cJSON *event, const char *key)
{
    int64_t ns = PS_TIME_UNKNOWN;

    if (!ps_document_integer(event, key, &ns) || ns < 0 || ns > TIME_MAX_NS)
        return PS_TIME_UNKNOWN;
    return ns;
}

/* The request that the object or text names; NULL: it names none. */
static struct sv_engine_request *request_of(struct reader *r, const cJSON *value, uint32_t *index)
{
    const cJSON *id = cJSON_IsObject(value) ? item(value, "id") : value;

    if (!cJSON_IsString(id) || !id->valuestring[0] || r->run->n_engine_requests >= SV_REQUESTS_MAX)
        return NULL;
    return sv_engine_request(r->run, ps_str_from_c(id->valuestring), index);
}

static bool read_arrival(struct reader *r, const cJSON *event)
{
    uint32_t index;
    struct sv_engine_request *request = request_of(r, event, &index);

    if (!request)
        return false;
    request->arrival_ns = time_of(event, "unix_ns");
    request->prompt_tokens = count_of(event, "prompt_tokens");
    request->cached_tokens = count_of(event, "cached_tokens");
    return true;
}

static bool read_end(struct reader *r, const cJSON *event)
{
    uint32_t index;
    struct sv_engine_request *request = request_of(r, event, &index);

    if (!request)
        return false;
    request->end_ns = time_of(event, "unix_ns");
    request->output_tokens = count_of(event, "tokens");
    request->state = PS_REQUEST_COMPLETED;
    return true;
}

static int64_t sum_of_tokens(const cJSON *requests)
{
    const cJSON *request;
    int64_t sum = 0;

    cJSON_ArrayForEach(request, requests)
    {
        int64_t tokens = count_of(request, "tokens");

        if (tokens == PS_COUNT_UNKNOWN || __builtin_add_overflow(sum, tokens, &sum))
            return PS_COUNT_UNKNOWN;
    }
    return sum;
}

static void read_served(struct reader *r, const cJSON *requests, bool is_prefill)
{
    const cJSON *value;
    uint32_t index;

    cJSON_ArrayForEach(value, requests)
    {
        struct sv_engine_request *request = request_of(r, value, &index);

        if (!request)
            continue;
        if (is_prefill && request->prompt_tokens == PS_COUNT_UNKNOWN)
            request->prompt_tokens = count_of(value, "prompt");
        sv_add_served(r->run, index, count_of(value, "tokens"), count_of(value, "computed"),
                      is_prefill);
    }
}

static bool read_iteration(struct reader *r, const cJSON *event)
{
    const cJSON *context = item(event, "context"), *generation = item(event, "generation");
    const cJSON *name = item(event, "name"), *finished;
    const struct ps_engine_step step = {
        .number = count_of(event, "iteration"),
        .name =
            cJSON_IsString(name) ? sv_text(r->run, ps_str_from_c(name->valuestring)) : PS_STR(""),
        .start_ns = time_of(event, "start_unix_ns"),
        .end_ns = time_of(event, "end_unix_ns"),
        .context_requests = count_of(event, "context"),
        .context_tokens = sum_of_tokens(context),
        .generation_requests = count_of(event, "generation"),
        .generation_tokens = sum_of_tokens(generation),
        .running = count_of(event, "running"),
        .waiting = count_of(event, "waiting"),
    };
    uint32_t index;

    if (step.start_ns == PS_TIME_UNKNOWN || step.end_ns < step.start_ns)
        return false;
    sv_add_step(r->run, &step);
    read_served(r, context, true);
    read_served(r, generation, false);
    cJSON_ArrayForEach(finished, item(event, "finished"))
    {
        struct sv_engine_request *request = request_of(r, finished, &index);

        if (request)
            request->state = PS_REQUEST_COMPLETED;
    }
    return true;
}

/* Reads a line. False: it is an event of this format without what its kind needs. */
static bool read_event(struct reader *r, const cJSON *event)
{
    const cJSON *kind = item(event, "event");
    const char *word = cJSON_IsString(kind) ? kind->valuestring : "";

    r->stored++;
    if (strcmp(word, "arrival") == 0)
        return read_arrival(r, event);
    if (strcmp(word, "iteration") == 0)
        return read_iteration(r, event);
    if (strcmp(word, "response_end") == 0)
        return read_end(r, event);
    r->stored--;
    r->other++;
    return true;
}

static void read_line(struct reader *r)
{
    const struct ps_str text = ps_str_trim(r->in.line.text);
    struct ps_err why = PS_ERR_INIT;
    cJSON *event;

    if (!ps_str_starts_with(text, PS_STR("{"))) {
        r->other += text.len > 0;
        return;
    }
    event = ps_document_parse_exact(text, &why);
    if (event && read_event(r, event)) {
        cJSON_Delete(event);
        return;
    }
    r->stored -= event != NULL;
    if (r->rejected++ < NOTES_MAX)
        ps_sink_note(r->run->out, PS_NOTE_REJECTED, r->in.line.offset, r->in.line.number, "%s",
                     event ? "the event lacks its request or its times" : why.text);
    cJSON_Delete(event);
}

enum ps_status sv_read_engine_events(struct sv_run *run, struct ps_str name, struct ps_stream *in,
                                     struct ps_err *err)
{
    struct reader r = {.run = run, .in = {.in = in, .line_max = LINE_BYTES_MAX}};

    sv_begin_file(run, name, PS_SERVING_ENGINE, "", SV_CLOCK_UNIX);
    while (err->code == PS_OK && ps_report_read_line(&r.in)) {
        read_line(&r);
        if (run->n_steps > SV_STEPS_MAX || run->n_engine_requests >= SV_REQUESTS_MAX)
            ps_fail_at(err, PS_LIMIT, r.in.line.offset,
                       "the log has more than %u steps or requests", SV_STEPS_MAX);
        else
            (void)ps_report_check(&r.in, run->out, r.stored, err);
    }
    if (err->code == PS_OK)
        ps_stream_status(in, err);
    run->ledger.read += r.stored + r.rejected + r.other;
    run->ledger.rejected += r.rejected;
    run->ledger.other += r.other;
    ps_report_free(&r.in);
    return err->code;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    return sv_load(sv_read_engine_events, in, out, err);
}

/* Whether the line is an event with its time. */
static bool is_event(struct ps_str line)
{
    static const char *const kinds[] = {"\"arrival\"", "\"iteration\"", "\"response_end\"",
                                        "\"profile_start\""};

    if (!ps_str_starts_with(line, PS_STR("{\"event\"")) || !ps_str_find(line, PS_STR("unix_ns\"")))
        return false;
    line.len = line.len < 64 ? line.len : 64;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ps_str_find(line, ps_str_from_c(kinds[i])))
            return true;
    return false;
}

static enum ps_match sniff(struct ps_str head)
{
    for (int i = 0; i < 4 && head.len; i++)
        if (is_event(ps_str_trim(ps_report_pop_line(&head))))
            return PS_MATCH_SURE;
    return PS_MATCH_NO;
}

const struct ps_importer ps_engine_events = {
    .kind = "serving",
    .label = "events of an inference engine",
    .description = "JSON lines with arrivals, iterations and ends of requests",
    .record_command = "python serve.py > engine.jsonl",
    .sniff = sniff,
    .load = load,
};
