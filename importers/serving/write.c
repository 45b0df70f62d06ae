/* SPDX-License-Identifier: MIT */
/* write.c: writes a serving run to the sink. */
#include "importers/serving/client.h"

#include <math.h>
#include <stdlib.h>

#include "slices/intervals.h"

/* A request or a step, and what it is sorted by. */
struct place {
    int64_t start_ns; /* first member, the sort key */
    int64_t index;
};

static struct place *sorted_places(const void *rows, size_t n,
                                   int64_t (*start_of)(const void *rows, size_t i))
{
    struct place *places = ps_alloc_array(n + 1, sizeof *places);

    for (size_t i = 0; i < n; i++)
        places[i] = (struct place){start_of(rows, i), (int64_t)i};
    ps_sort_records(places, n, sizeof *places);
    return places;
}

static int64_t request_start(const void *rows, size_t i)
{
    const struct ps_serving_request *row = &((const struct sv_request *)rows)[i].row;

    if (row->start_ns != PS_TIME_UNKNOWN)
        return row->start_ns;
    return row->arrival_ns != PS_TIME_UNKNOWN ? row->arrival_ns : INT64_MAX;
}

static int64_t step_start(const void *rows, size_t i)
{
    return ((const struct sv_step *)rows)[i].row.start_ns;
}

static void write_files(struct sv_run *run)
{
    for (size_t i = 0; i < run->n_files; i++)
        run->out->ops->serving_file(run->out, &run->files[i].row);
    for (size_t i = 0; i < run->n_results; i++)
        run->out->ops->serving_result(run->out, &run->results[i]);
}

static void write_requests(struct sv_run *run)
{
    PS_AUTO(ps_free_ptr)
    struct place *places = sorted_places(run->requests, run->n_requests, request_start);

    for (size_t i = 0; i < run->n_requests && ps_sink_ok(run->out); i++) {
        struct sv_request *request = &run->requests[places[i].index];

        request->row.id = (uint32_t)i + 1;
        request->row.gaps_ns = request->row.n_gaps ? run->gaps_ns + request->first_gap : NULL;
        run->out->ops->request(run->out, &request->row);
    }
}

static void write_served(struct sv_run *run, const struct sv_step *step)
{
    for (size_t i = 0; i < step->n_served; i++) {
        const struct sv_served *served = &run->served[step->first_served + i];
        const struct sv_engine_request *engine = &run->engine_requests[served->engine_request];

        run->out->ops->served(run->out,
                              &(struct ps_served){.step = step->row.id,
                                                  .request = run->requests[engine->request].row.id,
                                                  .start_ns = step->row.start_ns,
                                                  .tokens = served->tokens,
                                                  .computed = served->computed,
                                                  .is_prefill = served->is_prefill});
    }
}

static void write_steps(struct sv_run *run)
{
    PS_AUTO(ps_free_ptr) struct place *places = sorted_places(run->steps, run->n_steps, step_start);

    for (size_t i = 0; i < run->n_steps && ps_sink_ok(run->out); i++) {
        struct sv_step *step = &run->steps[places[i].index];

        step->row.id = (uint32_t)i + 1;
        run->out->ops->engine_step(run->out, &step->row);
        write_served(run, step);
    }
}

static void write_count(struct sv_run *run, const char *key, int64_t n)
{
    if (n != PS_COUNT_UNKNOWN)
        run->out->ops->number(run->out, key, ps_int(n));
}

static void write_summary(struct sv_run *run)
{
    int64_t n_of_state[PS_REQUEST_UNFINISHED + 1] = {0};

    for (size_t i = 0; i < run->n_requests; i++)
        n_of_state[run->requests[i].row.state]++;
    if (run->n_requests) {
        write_count(run, "requests", (int64_t)run->n_requests);
        write_count(run, "completed_requests", n_of_state[PS_REQUEST_COMPLETED]);
        write_count(run, "failed_requests", n_of_state[PS_REQUEST_FAILED]);
        write_count(run, "cancelled_requests", n_of_state[PS_REQUEST_CANCELLED]);
    }
    if (run->n_steps)
        write_count(run, "engine_steps", (int64_t)run->n_steps);
    write_count(run, "slots", run->slots);
    write_count(run, "step_tokens", run->step_tokens);
}

static void write_headline(struct sv_run *run)
{
    struct ps_headline headline = {run->p99_ttft_s, "s", "time to first token, p99"};
    int64_t longest_ns = 0;

    for (size_t i = 0; i < run->n_steps; i++) {
        int64_t ns = run->steps[i].row.end_ns - run->steps[i].row.start_ns;

        longest_ns = ns > longest_ns ? ns : longest_ns;
    }
    if (isnan(headline.value) && longest_ns > 0)
        headline = (struct ps_headline){(double)longest_ns / 1e9, "s", "longest step"};
    else if (isnan(headline.value) && run->n_steps && !run->metrics.n_written)
        headline = (struct ps_headline){(double)run->n_steps, "steps", "steps"};
    if (isnan(headline.value) && !run->metrics.n_headline && run->n_requests)
        headline = (struct ps_headline){(double)run->n_requests, "requests", "requests"};
    if (isnan(headline.value)) { /* which counts the metrics too */
        ps_measurement_write_headline(&run->metrics);
        return;
    }
    write_count(run, "measurements", run->metrics.n_written);
    run->out->ops->headline(run->out, &headline);
}

enum ps_status sv_run_write(struct sv_run *run, struct ps_err *err)
{
    sv_complete_results(run);
    sv_join(run);
    write_files(run);
    write_requests(run);
    write_steps(run);
    write_summary(run);
    write_headline(run);
    run->ledger.unit = "records";
    run->ledger.stored =
        run->ledger.read - run->ledger.repaired - run->ledger.rejected - run->ledger.other;
    run->out->ops->ledger(run->out, &run->ledger);
    if (!ps_sink_ok(run->out))
        *err = run->out->err;
    return err->code;
}

enum ps_status sv_load(sv_read_file *read, struct ps_stream *in, struct ps_sink *out,
                       struct ps_err *err)
{
    struct sv_run *run = sv_run_new(out);
    enum ps_status status = read(run, PS_STR(""), in, err);

    if (status == PS_OK)
        status = sv_run_write(run, err);
    sv_run_free(run);
    return status;
}
