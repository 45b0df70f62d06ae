/* SPDX-License-Identifier: MIT */
/* inference_view.c: the view inference: the steps of a serving engine as columns, and a summary of
 * each phase. */
#include "server/query/trace/inference/inference.h"
#include "server/query/trace/odd_step.h"
#include "server/query/view.h"
#include "server/runfile/trace.h"

/* A steady state has more than this number of steps in a row with nearly the greatest number of
 * requests: at most 10 % or 1 fewer. This is the definition of TraceLens. */
#define STEADY_STEPS 5

#define TOKENS_MAX 1000000000 /* more are no step of a model; their rate would not fit 64 bits */

/* Time from the first work of a step to that of the next step with work, on the host from the start
 * of its annotation to that of the next; -1: there is none. */
static int64_t period_of(const struct ps_inference *inference, size_t i)
{
    if (inference->is_host)
        return i + 1 < inference->n
                   ? inference->steps[i + 1].host_start_ns - inference->steps[i].host_start_ns
                   : -1;
    if (inference->steps[i].n_kernels == 0)
        return -1;
    for (size_t next = i + 1; next < inference->n; next++)
        if (inference->steps[next].n_kernels > 0) {
            int64_t period = inference->steps[next].first_ns - inference->steps[i].first_ns;

            return period > 0 ? period : -1;
        }
    return -1;
}

static int64_t span_of(const struct ps_inference_step *step)
{
    return step->n_kernels > 0 ? step->last_ns - step->first_ns : -1;
}

/* The lower median of the numbers that are not negative; -1: there are none. Sorts them. */
static int64_t median_of(int64_t *values, size_t n)
{
    size_t skipped = 0;

    ps_sort_records(values, n, sizeof *values);
    while (skipped < n && values[skipped] < 0)
        skipped++;
    return skipped == n ? -1 : values[skipped + (n - skipped - 1) / 2];
}

/* --- Phases --- */

enum { BUSY, SPAN, PERIOD, HOST_TIME, TOKENS, REQUESTS, N_MEDIANS };

/* Median of a number over the steps of a phase; `values` has room for all steps. */
static int64_t phase_median(const struct ps_inference *inference, enum ps_phase phase, int what,
                            int64_t *values)
{
    size_t n = 0;

    for (size_t i = 0; i < inference->n; i++) {
        const struct ps_inference_step *step = &inference->steps[i];

        if (step->serving.phase != phase)
            continue;
        values[n++] = what == BUSY        ? (step->n_kernels > 0 ? step->busy_ns : -1)
                      : what == SPAN      ? span_of(step)
                      : what == PERIOD    ? period_of(inference, i)
                      : what == HOST_TIME ? ps_inference_host_ns(step)
                      : what == TOKENS    ? step->serving.tokens
                                          : step->serving.requests;
    }
    return median_of(values, n);
}

/* Writes tokens a second: the median over the steps of their tokens by the time until the next
 * step, or by their busy time; null if no step has both. */
static void write_rate(struct ps_json *json, const char *key, const struct ps_inference *inference,
                       enum ps_phase phase, bool by_busy, int64_t *values)
{
    size_t n = 0;
    int64_t per_second;

    for (size_t i = 0; i < inference->n; i++) {
        const struct ps_inference_step *step = &inference->steps[i];
        int64_t ns = by_busy ? step->busy_ns : period_of(inference, i);

        if (step->serving.phase == phase && step->serving.tokens >= 0 &&
            step->serving.tokens <= TOKENS_MAX && ns > 0)
            values[n++] = (int64_t)((double)step->serving.tokens * 1e9 / (double)ns + 0.5);
    }
    per_second = median_of(values, n);
    ps_json_key_int_or_null(json, key, per_second, per_second >= 0);
}

static void write_phase(struct ps_json *json, const struct ps_inference *inference,
                        enum ps_phase phase, int64_t *values)
{
    static const char *const keys[N_MEDIANS] = {"busy_ns", "span_ns", "period_ns",
                                                "host_ns", "tokens",  "requests"};
    int64_t median = ps_inference_median(inference, phase);
    size_t n = 0;

    for (size_t i = 0; i < inference->n; i++)
        n += inference->steps[i].serving.phase == phase;
    if (n == 0)
        return;
    ps_json_object(json);
    ps_json_key_str(json, "phase", ps_phase_name(phase));
    ps_json_key_int(json, "steps", (int64_t)n);
    ps_json_key_int_or_null(json, "median_step", median < 0 ? 0 : inference->steps[median].id,
                            median >= 0);
    for (int what = 0; what < N_MEDIANS; what++) {
        int64_t value = phase_median(inference, phase, what, values);

        ps_json_key_int_or_null(json, keys[what], value, value >= 0);
    }
    write_rate(json, "tokens_per_s", inference, phase, false, values);
    write_rate(json, "tokens_per_busy_s", inference, phase, true, values);
    ps_json_end(json);
}

static void write_phases(struct ps_json *json, const struct ps_inference *inference)
{
    PS_AUTO(ps_free_ptr)
    int64_t *values = ps_alloc_array(inference->n + 1, sizeof *values);

    ps_json_key(json, "phases");
    ps_json_array(json);
    for (int phase = PS_PHASE_UNKNOWN; phase < PS_N_PHASES; phase++)
        write_phase(json, inference, (enum ps_phase)phase, values);
    ps_json_end(json);
}

static void write_steady(struct ps_json *json, const struct ps_inference *inference)
{
    int64_t most = 0, margin;
    size_t first = 0, longest = 0, longest_first = 0;

    for (size_t i = 0; i < inference->n; i++)
        if (inference->steps[i].serving.requests > most)
            most = inference->steps[i].serving.requests;
    margin = most / 10 > 1 ? most / 10 : 1;
    for (size_t i = 0; i < inference->n; i++) {
        if (inference->steps[i].serving.requests < most - margin)
            first = i + 1;
        else if (i + 1 - first > longest) {
            longest = i + 1 - first;
            longest_first = first;
        }
    }
    ps_json_key(json, "steady");
    if (most == 0 || longest <= STEADY_STEPS) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key_int(json, "first", (int64_t)longest_first);
    ps_json_key_int(json, "steps", (int64_t)longest);
    ps_json_end(json);
}

/* Writes the step that dominates the time of all steps, or null. */
static void write_odd(struct ps_json *json, const struct ps_inference *inference)
{
    PS_AUTO(ps_free_ptr)
    int64_t *values = ps_alloc_array(inference->n + 1, sizeof *values);
    int64_t longest_ns = -1, median_ns;
    size_t n = 0, longest = 0;
    double all = 0;

    for (size_t i = 0; i < inference->n; i++) {
        int64_t ns = ps_inference_step_ns(inference, i);

        if (ns < 0)
            continue;
        if (ns > longest_ns) {
            longest_ns = ns;
            longest = i;
        }
        all += (double)ns;
        values[n++] = ns;
    }
    median_ns = median_of(values, n);
    ps_json_key(json, "odd");
    if (!ps_step_dominates((double)longest_ns, (double)median_ns, all, n)) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key_int(json, "step", (int64_t)longest);
    ps_json_key_int(json, "ns", longest_ns);
    ps_json_key_real(json, "share", (double)longest_ns / all);
    ps_json_key_int(json, "median_ns", median_ns);
    ps_json_end(json);
}

/* --- Columns --- */

enum column {
    ID,
    HOST_START,
    HOST,
    FIRST,
    SPAN_NS,
    PERIOD_NS,
    BUSY_NS,
    KERNELS,
    STEP_REQUESTS,
    STEP_TOKENS,
    PADDED,
    PREFILL_REQUESTS,
    PREFILL_TOKENS,
    PREFILL_CONTEXT,
    DECODE_REQUESTS,
    DECODE_TOKENS,
    DECODE_CONTEXT,
    N_STEP_COLUMNS
};

static const char *const column_keys[N_STEP_COLUMNS] = {"id",
                                                        "host_start_ns",
                                                        "host_ns",
                                                        "first_ns",
                                                        "span_ns",
                                                        "period_ns",
                                                        "busy_ns",
                                                        "kernels",
                                                        "requests",
                                                        "tokens",
                                                        "padded",
                                                        "prefill_requests",
                                                        "prefill_tokens",
                                                        "prefill_context",
                                                        "decode_requests",
                                                        "decode_tokens",
                                                        "decode_context"};

/* The value of a column; -1: unknown. */
static int64_t value_of(const struct ps_inference *inference, size_t i, enum column column)
{
    const struct ps_inference_step *step = &inference->steps[i];
    const struct ps_serving_step *serving = &step->serving;

    switch (column) {
    case ID:
        return step->id;
    case HOST_START:
        return step->host_start_ns;
    case HOST:
        return ps_inference_host_ns(step);
    case FIRST:
        return step->n_kernels > 0 ? step->first_ns : -1;
    case SPAN_NS:
        return span_of(step);
    case PERIOD_NS:
        return period_of(inference, i);
    case BUSY_NS:
        return step->busy_ns;
    case KERNELS:
        return step->n_kernels;
    case STEP_REQUESTS:
        return serving->requests;
    case STEP_TOKENS:
        return serving->tokens;
    case PADDED:
        return serving->padded;
    case PREFILL_REQUESTS:
        return serving->prefill.requests;
    case PREFILL_TOKENS:
        return serving->prefill.tokens;
    case PREFILL_CONTEXT:
        return serving->prefill.context;
    case DECODE_REQUESTS:
        return serving->decode.requests;
    case DECODE_TOKENS:
        return serving->decode.tokens;
    case DECODE_CONTEXT:
        return serving->decode.context;
    case N_STEP_COLUMNS:
        break;
    }
    return -1;
}

static void write_column(struct ps_json *json, const struct ps_inference *inference,
                         enum column column)
{
    ps_json_key(json, column_keys[column]);
    ps_json_array(json);
    for (size_t i = 0; i < inference->n; i++) {
        int64_t value = value_of(inference, i, column);

        if (value >= 0)
            ps_json_int(json, value);
        else
            ps_json_null(json);
    }
    ps_json_end(json);
}

static void write_families(struct ps_json *json, const struct ps_inference *inference)
{
    ps_json_key(json, "families");
    ps_json_array(json);
    for (int family = 0; family < PS_N_FAMILIES; family++) {
        int64_t most = 0;

        for (size_t i = 0; i < inference->n; i++)
            if (inference->steps[i].family_ns[family] > most)
                most = inference->steps[i].family_ns[family];
        if (most == 0)
            continue;
        ps_json_object(json);
        ps_json_key_int(json, "family", family);
        ps_json_key(json, "ns");
        ps_json_array(json);
        for (size_t i = 0; i < inference->n; i++)
            ps_json_int(json, inference->steps[i].family_ns[family]);
        ps_json_end(json);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_steps(struct ps_json *json, const struct ps_inference *inference)
{
    ps_json_key(json, "columns");
    ps_json_object(json);
    ps_json_key(json, "phase");
    ps_json_array(json);
    for (size_t i = 0; i < inference->n; i++)
        ps_json_int(json, inference->steps[i].serving.phase);
    ps_json_end(json);
    for (int column = 0; column < N_STEP_COLUMNS; column++)
        write_column(json, inference, (enum column)column);
    ps_json_end(json);
}

static void write_inference(struct ps_json *json, const struct ps_inference *inference)
{
    bool detailed = false, assumed = false;

    for (size_t i = 0; i < inference->n; i++) {
        detailed = detailed || inference->steps[i].serving.is_detailed;
        assumed = assumed || inference->steps[i].serving.is_assumed;
    }
    ps_json_object(json);
    ps_json_key(json, "engine");
    if (inference->n)
        ps_json_str(json, ps_str_from_c(ps_engine_name(inference->steps[0].serving.engine)));
    else
        ps_json_null(json);
    ps_json_key_str(json, "time", inference->is_host ? "host" : "device");
    ps_json_key_int(json, "worker", inference->worker);
    ps_json_key_int(json, "workers", inference->owners.n_workers);
    ps_json_key_bool(json, "detailed", detailed);
    ps_json_key_bool(json, "assumed", assumed);
    ps_json_key_int(json, "steps", (int64_t)inference->n);
    ps_json_key_int(json, "omitted", (int64_t)inference->n_omitted);
    ps_json_key_int(json, "outside_ns", inference->outside_ns);
    ps_json_key_int(json, "outside_kernels", inference->outside_kernels);
    ps_json_key(json, "phase_names");
    ps_json_array(json);
    for (int phase = 0; phase < PS_N_PHASES; phase++)
        ps_json_str(json, ps_str_from_c(ps_phase_name((enum ps_phase)phase)));
    ps_json_end(json);
    write_phases(json, inference);
    write_steady(json, inference);
    write_odd(json, inference);
    write_steps(json, inference);
    write_families(json, inference);
    ps_json_end(json);
}

enum ps_status ps_view_inference(struct ps_db *db, const struct ps_view *view, int64_t id,
                                 struct ps_params params, struct ps_answer *answer,
                                 struct ps_err *err)
{
    PS_AUTO(ps_inference_free) struct ps_inference inference = {0};
    struct ps_json json = ps_json_writer(&answer->body);

    (void)view, (void)id, (void)params;
    if (ps_inference_read(db, &inference, err) == PS_OK)
        write_inference(&json, &inference);
    return err->code;
}
