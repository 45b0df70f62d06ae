/* SPDX-License-Identifier: MIT */
/*
 * steps.c: the steps of a training loop and where their time goes.
 *
 * The rules are those of tb_plugin: a step begins at its annotation, or where the device work of
 * the previous step ended, and ends when the last work it launched has ended. Steps at the end of a
 * trace without device work are not counted, nor is a last step that was cut off.
 */
#include "importers/trace/steps.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* tb_plugin: a last step with less device work than this share of the previous one was cut off. */
#define WHOLE_STEP_SHARE 0.8

enum ps_meaning tr_steps_meaning(struct tr_steps *steps, uint32_t name)
{
    uint8_t *meaning = ps_meanings_slot(&steps->meanings, name);

    if (*meaning == PS_MEANS_UNKNOWN)
        *meaning = (uint8_t)ps_meaning_of(tr_text(steps->trace, name));
    return *meaning;
}

struct tr_steps *tr_steps_new(struct tr_trace *trace)
{
    struct tr_steps *steps = ps_alloc(sizeof *steps);

    steps->trace = trace;
    steps->host_start = INT64_MAX;
    steps->host_end = INT64_MIN;
    return steps;
}

static void add_step(struct tr_steps *steps, int64_t start, int64_t end, uint32_t name)
{
    PS_PUSH_ROOM(steps->steps, steps->n_steps, steps->cap_steps);
    steps->steps[steps->n_steps++] = (struct tr_step){
        .host_start = start,
        .host_end = end,
        .start = start,
        .end = end,
        .first_work = INT64_MAX,
        .last_work = INT64_MIN,
        .name = name,
        .counted = true,
    };
}

static void add_launch(struct tr_steps *steps, const struct tr_track *track, uint32_t row)
{
    struct tr_launches *of;

    steps->launches =
        ps_grow_to(steps->launches, &steps->n_launches, track->id, sizeof *steps->launches);
    of = &steps->launches[track->id];
    TR_PUSH_ROOM(steps->trace->room, of->at, of->n, of->cap);
    of->at[of->n++] = (struct tr_launch){
        .start = track->start[row],
        .row = row,
        .duration = track->duration[row] < UINT32_MAX ? (uint32_t)track->duration[row] : UINT32_MAX,
    };
}

static void host_slice(struct tr_steps *steps, const struct tr_track *track, uint32_t row)
{
    uint8_t kind = track->slice_kind[row];
    int64_t start = track->start[row], end = start + track->duration[row];
    enum ps_meaning meaning = tr_steps_meaning(steps, track->name_id[row]);
    enum ps_role role = ps_role_of(kind, track->flags[row], meaning);

    if (kind == PS_SLICE_RUNTIME)
        add_launch(steps, track, row); /* drop_launches adds the time of shorter ones */
    if (role != PS_N_ROLES && (kind != PS_SLICE_RUNTIME || track->duration[row] >= UINT32_MAX))
        ps_spans_add(&steps->roles[role], start, end);
    if (meaning == PS_MEANS_STEP && (kind == PS_SLICE_OP || kind == PS_SLICE_ANNOTATION))
        add_step(steps, start, end, track->name_id[row]);
    if (role != PS_N_ROLES && kind != PS_SLICE_GPU_ANNOTATION) {
        steps->host_start = start < steps->host_start ? start : steps->host_start;
        steps->host_end = end > steps->host_end ? end : steps->host_end;
    }
}

static void host_track(struct tr_steps *steps, const struct tr_track *track)
{
    for (uint32_t row = 0; row < track->n; row++) {
        tr_room_row(track->room, row);
        if (track->slice_kind[row] != PS_SLICE_PYTHON)
            host_slice(steps, track, row);
    }
}

/* After the last host track: sorts the steps by start; a trace without any is one step. */
static void host_done(struct tr_steps *steps)
{
    if (steps->host_done)
        return;
    steps->host_done = true;
    steps->annotated = steps->n_steps > 0;
    ps_sort_runs(steps->steps, steps->n_steps, sizeof *steps->steps);
    if (!steps->annotated && steps->host_start < steps->host_end)
        add_step(steps, steps->host_start, steps->host_end, 0);
}

void tr_steps_track(struct tr_steps *steps, const struct tr_track *track)
{
    if (track->kind != PS_TRACK_STREAM) {
        host_track(steps, track);
        return;
    }
    host_done(steps);
    tr_steps_stream(steps, track);
}

struct tr_step *tr_steps_of(struct tr_steps *steps, const struct tr_launch *launch)
{
    size_t low = 0, high = steps->n_steps;

    while (low < high) { /* find the first step that starts later */
        size_t middle = low + (high - low) / 2;

        if (steps->steps[middle].host_start > launch->start)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == 0 || launch->start + launch->duration > steps->steps[low - 1].host_end)
        return NULL;
    return &steps->steps[low - 1];
}

/* Returns the earliest start of the first step: work that was launched before it may still run. */
static int64_t end_before_steps(const struct tr_steps *steps)
{
    int64_t end = steps->steps[0].host_start;

    if (steps->steps[0].works)
        for (size_t i = 0; i < steps->n_strays; i++)
            if (steps->strays[i] < steps->steps[0].first_work && steps->strays[i] > end)
                end = steps->strays[i];
    return end;
}

static void drop_last(struct tr_steps *steps)
{
    size_t kept = steps->n_steps;

    while (kept > 0 && !steps->steps[kept - 1].works)
        kept--;
    if (kept > 1 && (double)steps->steps[kept - 2].works * WHOLE_STEP_SHARE >
                        (double)steps->steps[kept - 1].works)
        kept--;
    for (size_t i = kept; i < steps->n_steps; i++)
        steps->steps[i].counted = false;
}

/* Extends the steps to the end of their work on the device. */
static void settle(struct tr_steps *steps)
{
    uint64_t works = 0;
    int64_t previous;

    for (size_t i = 0; i < steps->n_steps; i++)
        works += steps->steps[i].works;
    if (!works)
        return;
    if (!steps->annotated && steps->steps[0].first_work < steps->steps[0].host_start)
        steps->steps[0].host_start = steps->steps[0].first_work;
    previous = end_before_steps(steps);
    for (size_t i = 0; i < steps->n_steps; i++) {
        struct tr_step *step = &steps->steps[i];

        step->start = step->host_start > previous ? step->host_start : previous;
        if (step->works)
            step->end = step->last_work > step->host_end ? step->last_work : step->host_end;
        if (step->end < step->start)
            step->end = step->start;
        previous = step->end;
    }
    if (steps->n_steps > 1)
        drop_last(steps);
}

static void add_all(struct ps_spans *to, const struct ps_spans *from)
{
    for (size_t i = 0; i < from->n; i++)
        ps_spans_add(to, from->at[i].start, from->at[i].end);
}

/* All work was matched with its launch: adds the time of the calls to their role and frees them. */
static void drop_launches(struct tr_steps *steps)
{
    for (size_t i = 0; i < steps->n_launches; i++) {
        struct tr_launches *of = &steps->launches[i];

        for (size_t k = 0; k < of->n; k++)
            if (of->at[k].duration < UINT32_MAX)
                ps_spans_add(&steps->roles[PS_ROLE_RUNTIME], of->at[k].start,
                             of->at[k].start + of->at[k].duration);
        tr_room_rest(steps->trace->room);
        tr_room_free(steps->trace->room, of->at);
        *of = (struct tr_launches){0};
    }
}

/* Adds the intervals of the devices to those of the host and joins them. */
static void join_roles(struct tr_steps *steps)
{
    static const enum ps_role roles[TR_N_WORKS] = {
        [TR_WORK_COMPUTE] = PS_ROLE_KERNEL,
        [TR_WORK_COMMUNICATION] = PS_ROLE_COMMUNICATION,
        [TR_WORK_MEMCPY] = PS_ROLE_MEMCPY,
        [TR_WORK_MEMSET] = PS_ROLE_MEMSET,
    };

    for (size_t d = 0; d < steps->n_devices; d++)
        for (size_t k = 0; k < TR_N_WORKS; k++)
            for (size_t late = 0; late < 2; late++) {
                const struct ps_spans *set = &steps->devices[d].works[late][k];

                add_all(&steps->roles[roles[k]], set);
                if (k == TR_WORK_COMMUNICATION)
                    add_all(&steps->communication, set);
            }
    for (size_t k = 0; k < PS_N_ROLES; k++)
        ps_spans_join(&steps->roles[k]);
    ps_spans_join(&steps->communication);
}

/* Without host slices: adds one step from the first to the last work of the devices. */
static void step_of_devices(struct tr_steps *steps)
{
    int64_t start = INT64_MAX, end = INT64_MIN;

    for (size_t k = 0; k <= PS_ROLE_COMMUNICATION; k++) {
        const struct ps_spans *set = &steps->roles[k];

        if (set->n) {
            start = set->at[0].start < start ? set->at[0].start : start;
            end = set->at[set->n - 1].end > end ? set->at[set->n - 1].end : end;
        }
    }
    if (start < end)
        add_step(steps, start, end, 0);
}

static void give_parts(struct tr_steps *steps, const struct tr_step *step, uint32_t id,
                       int64_t *dataloader)
{
    struct ps_sink *out = steps->trace->out;

    for (uint8_t definition = 0; definition < PS_N_BREAKDOWNS; definition++) {
        struct ps_part parts[PS_PARTS_MAX];
        size_t n;

        if (definition != PS_BREAKDOWN_TENSORBOARD && !steps->n_devices)
            break; /* the other breakdowns need a device */
        n = ps_breakdown_of(definition, steps->roles, &steps->communication, step->start, step->end,
                            parts);
        for (size_t i = 0; i < n; i++) {
            struct ps_step_part part = {id, definition, parts[i].name, parts[i].ns};

            out->ops->step_part(out, &part);
        }
        if (definition == PS_BREAKDOWN_TENSORBOARD && step->counted)
            *dataloader = ps_sum(*dataloader, parts[PS_ROLE_DATALOADER].ns);
    }
}

static struct ps_num share(int64_t part, int64_t whole)
{
    return whole > 0 ? ps_real((double)part / (double)whole) : (struct ps_num){0};
}

/* Writes the steps with their parts, and the metrics of steps. */
static void give_steps(struct tr_steps *steps)
{
    struct ps_sink *out = steps->trace->out;
    int64_t wall = 0, dataloader = 0, counted = 0;
    struct ps_num mean = {0}, loading;

    for (size_t i = 0; i < steps->n_steps; i++) {
        const struct tr_step *step = &steps->steps[i];
        struct ps_step row = {
            .id = (uint32_t)i + 1,
            .name = step->name ? tr_text(steps->trace, step->name) : PS_STR("whole trace"),
            .start_ns = step->start,
            .end_ns = step->end,
            .host_start_ns = step->host_start,
            .host_end_ns = step->host_end,
            .counted = step->counted,
        };

        out->ops->step(out, &row);
        give_parts(steps, step, row.id, &dataloader);
        wall = ps_sum(wall, step->counted ? step->end - step->start : 0);
        counted += step->counted;
    }
    if (counted && steps->annotated)
        mean = ps_int(wall / counted);
    loading = share(dataloader, steps->annotated ? wall : 0);
    if (loading.kind == PS_NUM_REAL)
        loading.r *= 100;
    steps->trace->step_ns = mean.kind == PS_NUM_INT ? mean.i : 0;
    out->ops->number(out, "steps", ps_int(steps->annotated ? counted : 0));
    out->ops->number(out, "step_ns", mean);
    out->ops->number(out, "dataloader_pct", loading);
}

enum ps_status tr_steps_end(struct tr_steps *steps)
{
    int64_t from = INT64_MAX, to = INT64_MIN;

    host_done(steps);
    drop_launches(steps);
    join_roles(steps);
    if (steps->n_steps == 0)
        step_of_devices(steps);
    settle(steps);
    give_steps(steps);
    for (size_t i = 0; i < steps->n_steps; i++)
        if (steps->steps[i].counted) {
            from = steps->steps[i].start < from ? steps->steps[i].start : from;
            to = steps->steps[i].end > to ? steps->steps[i].end : to;
        }
    if (from < to)
        tr_steps_devices(steps, from, to);
    return steps->trace->out->err.code;
}

void tr_steps_free(struct tr_steps *steps)
{
    if (!steps)
        return;
    for (size_t i = 0; i < steps->n_launches; i++)
        tr_room_free(steps->trace->room, steps->launches[i].at);
    for (size_t k = 0; k < PS_N_ROLES; k++)
        ps_spans_free(&steps->roles[k]);
    ps_spans_free(&steps->communication);
    tr_steps_devices_free(steps);
    free(steps->launches);
    free(steps->steps);
    ps_meanings_free(&steps->meanings);
    free(steps->params);
    free(steps->strays);
    free(steps->gaps.at);
    free(steps);
}
