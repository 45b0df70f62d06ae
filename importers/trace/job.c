/* SPDX-License-Identifier: MIT */
/* job.c: the files of a job, one after the other, and what they say of themselves put together. */
#include "importers/trace/job.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "importers/trace/job_impl.h"

/* How figures of several files become one; what is not listed is the first file's. */
static const struct {
    const char *key;
    enum { SUM, MOST, MEAN } how;
} rules[] = {{"events", SUM},
             {"slices", SUM},
             {"tracks", SUM},
             {"processes", SUM},
             {"devices", SUM},
             {"kernels", SUM},
             {"steps", SUM},
             {"operators", MOST},
             {"peak_bytes", MOST},
             {"peak_device", MOST},
             {"torch", MOST},
             {"shapes", MOST},
             {"stacks", MOST},
             {"memory", MOST},
             {"flops", MOST},
             {"step_ns", MEAN},
             {"gpu_busy", MEAN},
             {"dataloader_pct", MEAN},
             {"host_wait_idle_ns", SUM},
             {"gaps_host_wait", SUM},
             {"gaps_host_wait_ns", SUM},
             {"gaps_kernel_wait", SUM},
             {"gaps_kernel_wait_ns", SUM},
             {"gaps_other", SUM},
             {"gaps_other_ns", SUM}};

struct tr_job *tr_job_new(struct ps_sink *out)
{
    struct tr_job *job = ps_alloc(sizeof *job);

    job->sink.ops = &tr_job_ops;
    job->out = out;
    job->first_ns = INT64_MAX;
    job->last_ns = INT64_MIN;
    job->next = job->base = (struct tr_job_ids){.template = PS_TEMPLATE_WHOLE};
    return job;
}

/* "host_4711" of "host_4711.1727759448000.pt.trace.json.gz"; a name of another form is its own. */
static struct ps_str worker_of(struct ps_str name)
{
    const char *slash = memrchr(name.at, '/', name.len), *dot;

    if (slash)
        name = ps_str_skip(name, (size_t)(slash + 1 - name.at));
    dot = memchr(name.at, '.', name.len);
    if (dot && dot + 1 < name.at + name.len && dot[1] >= '0' && dot[1] <= '9')
        name.len = (size_t)(dot - name.at);
    return name;
}

static struct ps_str without_ending(struct ps_str name)
{
    static const char *const endings[] = {".gz", ".json", ".trace", ".pt"};

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        struct ps_str ending = ps_str_of(endings[i]);

        if (name.len > ending.len &&
            memcmp(name.at + name.len - ending.len, ending.at, ending.len) == 0)
            name.len -= ending.len;
    }
    return name;
}

static void worker_meta(struct tr_job *job, const char *key, struct ps_str value)
{
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};

    ps_buf_printf(&name, "worker.%u.%s", job->worker, key);
    job->out->ops->meta(job->out, name.at, value);
}

struct ps_sink *tr_job_begin(struct tr_job *job, struct ps_str name)
{
    struct ps_str worker = worker_of(name);

    job->name = ps_arena_copy(&job->arena, name);
    job->worker = ps_intern_id(&job->workers, worker);
    if (job->workers.count > job->named) {
        worker_meta(job, "name", without_ending(worker));
        job->named = job->workers.count;
    }
    job->base = job->next;
    free(job->texts);
    job->texts = NULL;
    job->n_texts = 0;
    return &job->sink;
}

/* Nanoseconds of the file's 0 on the machine's clock, less those of the first file's. */
static int64_t clock_of(struct tr_job *job, const struct tr_trace *trace)
{
    int64_t base = 0, origin = trace->origin_us, ns;

    for (size_t i = 0; i < trace->n_headers; i++)
        if (ps_str_is(trace->headers[i].key, "baseTimeNanoseconds"))
            (void)ps_str_i64(trace->headers[i].json, &base);
    if (trace->first_ns > INT64_MIN + 1000)
        origin += (trace->first_ns - (trace->first_ns % 1000 + 1000) % 1000) / 1000;
    if (!job->clocked) {
        job->clocked = true;
        job->base_ns = base;
        job->origin_us = origin;
    }
    if (__builtin_sub_overflow(origin, job->origin_us, &ns) ||
        __builtin_mul_overflow(ns, 1000, &ns) ||
        __builtin_add_overflow(ns, base - job->base_ns, &ns))
        return 0;
    return ns;
}

static void say_rank(struct tr_job *job, const struct tr_trace *trace)
{
    for (size_t i = 0; i < trace->n_headers; i++) {
        cJSON *info, *rank;
        char digits[24];

        if (!ps_str_is(trace->headers[i].key, "distributedInfo") || job->ranked > job->worker)
            continue;
        info = cJSON_ParseWithLength(trace->headers[i].json.at, trace->headers[i].json.len);
        rank = cJSON_GetObjectItemCaseSensitive(info, "rank");
        if (cJSON_IsNumber(rank)) {
            (void)snprintf(digits, sizeof digits, "%.0f", rank->valuedouble);
            worker_meta(job, "rank", ps_str_of(digits));
            job->ranked = job->worker + 1;
        }
        cJSON_Delete(info);
    }
}

void tr_job_read(struct tr_job *job, const struct tr_trace *trace)
{
    job->trace = trace;
    job->shift = clock_of(job, trace);
    say_rank(job, trace);
}

void tr_job_end_file(struct tr_job *job)
{
    job->trace = NULL;
    job->files++;
}

/* --- what files say of themselves ----------------------------------------------------------------
 */

struct tr_job_figure *tr_job_figure(struct tr_job *job, const char *key)
{
    for (size_t i = 0; i < job->n_figures; i++)
        if (strcmp(job->figures[i].key, key) == 0)
            return &job->figures[i];
    PS_PUSH_ROOM(job->figures, job->n_figures, job->figures_cap);
    job->figures[job->n_figures] =
        (struct tr_job_figure){.key = ps_arena_copy(&job->arena, ps_str_of(key)).at};
    return &job->figures[job->n_figures++];
}

static struct ps_num put_together(const struct tr_job_figure *figure)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (strcmp(rules[i].key, figure->key) != 0)
            continue;
        switch (rules[i].how) {
        case SUM:
            return figure->whole ? ps_int(figure->sum_i) : ps_real(figure->sum);
        case MOST:
            return figure->most;
        default:
            return ps_real(figure->sum / (double)figure->n);
        }
    }
    return figure->first;
}

static void span(struct tr_job *job)
{
    struct tr_job_figure *figure = tr_job_figure(job, "span_ns");
    int64_t ns = 0;

    if (job->last_ns >= job->first_ns && __builtin_sub_overflow(job->last_ns, job->first_ns, &ns))
        ns = INT64_MAX;
    figure->first = ps_int(ns);
}

void tr_job_give(struct tr_job *job)
{
    struct ps_sink *out = job->out;

    span(job);
    tr_job_figure(job, "workers")->first = ps_int(job->workers.count);
    for (size_t i = 0; i < job->n_figures; i++)
        if (put_together(&job->figures[i]).kind != PS_NUM_NONE)
            out->ops->number(out, job->figures[i].key, put_together(&job->figures[i]));
    out->ops->ledger(out, &job->ledger);
    if (job->headlines)
        job->headline.value /= job->headlines;
    out->ops->headline(out, &job->headline);
}

void tr_job_free(struct tr_job *job)
{
    if (!job)
        return;
    for (int i = 0; i < PS_N_SLICE_COLUMNS; i++)
        free(job->column[i]);
    free(job->texts);
    free(job->given);
    free(job->figures);
    ps_intern_free(&job->names);
    ps_intern_free(&job->workers);
    ps_arena_free(&job->arena);
    free(job);
}
