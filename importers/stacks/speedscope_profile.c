/* SPDX-License-Identifier: MIT */
/* speedscope_profile.c: one profile of a speedscope file. */
#include <stdlib.h>

#include "importers/clean.h"
#include "importers/stacks/speedscope.h"
#include "slices/spans.h"

void sp_profile_free(struct sp_profile *profile)
{
    ps_buf_free(&profile->name);
    ps_u32_list_free(&profile->stack);
    free(profile->frames.at);
    free(profile->samples);
    free(profile->weights);
    free(profile->events);
    *profile = (struct sp_profile){0};
}

/* ------------------------------------------------------------------ reading */

static bool read_unit(struct sp_reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token == PS_JSON_STRING)
        (void)st_unit(r->json.text, &r->profile.unit, &r->profile.power);
    return ps_json_in_rest(&r->json, token);
}

static bool read_decimal(struct sp_reader *r, struct st_decimal *out, bool *has)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    *has = token == PS_JSON_NUMBER && st_decimal(r->json.text, out);
    return ps_json_in_rest(&r->json, token);
}

static bool read_name(struct sp_reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    r->profile.name.len = 0;
    if (token == PS_JSON_STRING)
        ps_clean_text(&r->profile.name, r->json.text);
    return ps_json_in_rest(&r->json, token);
}

static void keep_sample(struct sp_profile *p)
{
    const struct ps_u32s *stack = &p->stack.now;

    PS_PUSH_ROOM(p->samples, p->n_samples, p->cap_samples);
    p->samples[p->n_samples++] =
        (struct sp_sample){(uint32_t)p->stack.same, (uint32_t)(stack->n - p->stack.same)};
    for (size_t i = p->stack.same; i < stack->n; i++) {
        PS_PUSH_ROOM(p->frames.at, p->frames.n, p->frames.cap);
        p->frames.at[p->frames.n++] = stack->at[i];
    }
}

/* A sample that is no array counts as an empty stack; one that was cut does not count. */
static bool read_samples(struct sp_reader *r)
{
    struct sp_profile *p = &r->profile;
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token != PS_JSON_ARRAY)
        return ps_json_in_rest(&r->json, token);
    while ((token = ps_json_in_next(&r->json)) != PS_JSON_ARRAY_END) {
        if (token == PS_JSON_ARRAY) {
            if (!ps_json_in_u32_list(&r->json, SP_NO_FRAME, &p->stack))
                return false;
        } else {
            if (!ps_json_in_rest(&r->json, token))
                return false;
            ps_u32_list_clear(&p->stack);
        }
        keep_sample(p);
    }
    return true;
}

static bool read_weights(struct sp_reader *r)
{
    struct sp_profile *p = &r->profile;
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token != PS_JSON_ARRAY)
        return ps_json_in_rest(&r->json, token);
    p->has_weights = true;
    while ((token = ps_json_in_next(&r->json)) != PS_JSON_ARRAY_END) {
        struct sp_weights weights = {.n = 1};

        if (token != PS_JSON_NUMBER || !st_decimal(r->json.text, &weights.each))
            weights.each = (struct st_decimal){.digits = -1};
        if (token == PS_JSON_NUMBER)
            weights.n += ps_json_in_again(&r->json);
        if (!ps_json_in_rest(&r->json, token))
            return false;
        PS_PUSH_ROOM(p->weights, p->n_weights, p->cap_weights);
        p->weights[p->n_weights++] = weights;
    }
    return true;
}

static void take_field(struct ps_json_in *json, char field, struct sp_raw_event *event,
                       enum ps_json_token token)
{
    int64_t frame;

    if (field == 't' && token == PS_JSON_STRING && json->text.len == 1)
        event->type = json->text.at[0];
    if (token != PS_JSON_NUMBER)
        return;
    if (field == 'f' && ps_str_i64(json->text, &frame) && frame >= 0 && frame < SP_NO_FRAME)
        event->frame = (uint32_t)frame;
    if (field == 'a')
        event->timed = st_decimal(json->text, &event->at);
}

static bool read_event(struct sp_reader *r)
{
    struct sp_profile *p = &r->profile;
    struct sp_raw_event event = {.frame = SP_NO_FRAME};
    enum ps_json_token token;

    while ((token = ps_json_in_next(&r->json)) == PS_JSON_KEY) {
        char field = ps_str_is(r->json.text, "type")    ? 't'
                     : ps_str_is(r->json.text, "frame") ? 'f'
                     : ps_str_is(r->json.text, "at")    ? 'a'
                                                        : ' ';

        token = ps_json_in_next(&r->json);
        take_field(&r->json, field, &event, token);
        if (!ps_json_in_rest(&r->json, token))
            return false;
    }
    if (token != PS_JSON_OBJECT_END)
        return false;
    PS_PUSH_ROOM(p->events, p->n_events, p->cap_events);
    p->events[p->n_events++] = event;
    return true;
}

static bool read_events(struct sp_reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token != PS_JSON_ARRAY)
        return ps_json_in_rest(&r->json, token);
    while ((token = ps_json_in_next(&r->json)) != PS_JSON_ARRAY_END)
        if (token == PS_JSON_OBJECT ? !read_event(r) : !ps_json_in_rest(&r->json, token))
            return false;
    return true;
}

static bool read_key(struct sp_reader *r)
{
    struct sp_profile *p = &r->profile;
    struct ps_str key = r->json.text;

    if (ps_str_is(key, "name"))
        return read_name(r);
    if (ps_str_is(key, "unit"))
        return read_unit(r);
    if (ps_str_is(key, "startValue"))
        return read_decimal(r, &p->start, &p->has_start);
    if (ps_str_is(key, "endValue"))
        return read_decimal(r, &p->end, &p->has_end);
    if (ps_str_is(key, "samples"))
        return read_samples(r);
    if (ps_str_is(key, "weights"))
        return read_weights(r);
    return ps_str_is(key, "events") ? read_events(r) : ps_json_in_skip(&r->json);
}

/* ------------------------------------------------------------------ sampled */

/* What the samples of a run weigh in units of the axis. */
struct weighed {
    int64_t weight;
    bool known, rounded; /* false: it is no number, too large, or below zero */
};

static struct weighed weigh(const struct sp_profile *p, const struct st_decimal *each)
{
    struct weighed out = {0};

    out.known = st_scaled(each, p->power, &out.weight, &out.rounded) && out.weight >= 0;
    return out;
}

/* The stack of the profile, n frames of it. */
static void push_sample(struct sp_reader *r, uint32_t track, size_t n, const struct weighed *w)
{
    r->read++;
    if (!w->known) {
        r->rejected++;
        sp_note(r, PS_NOTE_REJECTED, "the weight is not a number, too large or negative");
        return;
    }
    if (w->weight == 0) {
        r->other++;
        return;
    }
    r->stacks.fractions |= w->weight % ST_SCALE != 0;
    if (n > ST_DEEPEST) {
        r->repaired++;
        sp_note(r, PS_NOTE_REPAIRED, "a stack deeper than 10000 frames was truncated");
    }
    (void)st_push(&r->stacks, track, r->profile.stack.now.at,
                  (uint32_t)(n < ST_DEEPEST ? n : ST_DEEPEST), w->weight, r->err);
}

static void push_samples(struct sp_reader *r, uint32_t track)
{
    struct sp_profile *p = &r->profile;
    struct ps_u32s *stack = &p->stack.now;
    const uint32_t *frames = p->frames.at;
    struct weighed weight = weigh(p, &(struct st_decimal){.digits = 1});
    size_t run = 0, left = p->has_weights ? 0 : p->n_samples, i = 0;

    for (; i < p->n_samples && r->err->code == PS_OK; i++, left--) {
        const struct sp_sample *sample = &p->samples[i];

        if (!left && run == p->n_weights)
            break;
        if (!left) {
            weight = weigh(p, &p->weights[run].each);
            left = p->weights[run++].n;
        }
        if (sample->fresh) { /* else there may be no array at all */
            memcpy(stack->at + sample->kept, frames, sample->fresh * sizeof *frames);
            frames += sample->fresh;
        }
        push_sample(r, track, (size_t)sample->kept + sample->fresh, &weight);
    }
    for (; i < p->n_samples && r->err->code == PS_OK; i++) {
        r->read++;
        r->rejected++;
        sp_note(r, PS_NOTE_REJECTED, "the sample has no weight");
    }
}

/* ------------------------------------------------------------------ evented */

/* The events on the axis of the run, by time. The axis begins at startValue, or before. */
static struct sp_event *place_events(struct sp_reader *r, int64_t *last)
{
    const struct sp_profile *p = &r->profile;
    struct sp_event *events = ps_grow(NULL, p->n_events + 1, sizeof *events);
    int64_t first = 0;
    bool rounded = false, any = p->has_start && st_scaled(&p->start, p->power, &first, &rounded);

    for (size_t i = 0; i < p->n_events; i++) {
        const struct sp_raw_event *raw = &p->events[i];

        events[i] = (struct sp_event){.frame = raw->frame, .close = raw->type == 'C'};
        events[i].known = raw->timed && (raw->type == 'O' || raw->type == 'C') &&
                          st_scaled(&raw->at, p->power, &events[i].at, &rounded);
        if (events[i].known && (!any || events[i].at < first))
            first = events[i].at;
        any |= events[i].known;
    }
    ps_sort_runs(events, p->n_events, sizeof *events);
    if (!p->has_end || !st_scaled(&p->end, p->power, last, &rounded))
        *last = first;
    for (size_t i = 0; i < p->n_events; i++) {
        *last = events[i].known && events[i].at > *last ? events[i].at : *last;
        if (__builtin_sub_overflow(events[i].at, first, &events[i].at))
            events[i].known = false;
    }
    if (__builtin_sub_overflow(*last, first, last))
        *last = 0;
    return events;
}

/* An end closes its frame, and what is open above it. */
static void push_close(struct sp_reader *r, uint32_t track, const struct sp_event *event)
{
    uint32_t open = st_open_count(&r->stacks, track), depth = open;

    while (depth && st_open_frame(&r->stacks, track, depth - 1) != event->frame)
        depth--;
    if (!depth) {
        r->rejected++;
        sp_note(r, PS_NOTE_REJECTED, "a frame is closed that is not open");
        return;
    }
    if (depth < open) {
        r->repaired++;
        sp_note(r, PS_NOTE_REPAIRED, "a frame is closed that is not the innermost one");
    }
    (void)st_end(&r->stacks, track, depth - 1, event->at, r->err);
}

static void push_event(struct sp_reader *r, uint32_t track, const struct sp_event *event)
{
    r->read++;
    if (!event->known) {
        r->rejected++;
        sp_note(r, PS_NOTE_REJECTED, "the event has no type or no time");
        return;
    }
    r->stacks.fractions |= event->at % ST_SCALE != 0;
    r->stacks.samples++;
    if (event->close)
        push_close(r, track, event);
    else
        (void)st_begin(&r->stacks, track, event->frame, event->at, r->err);
}

static void push_events(struct sp_reader *r, uint32_t track)
{
    int64_t last = 0;
    struct sp_event *events = place_events(r, &last);
    uint32_t open;

    for (size_t i = 0; i < r->profile.n_events && r->err->code == PS_OK; i++)
        push_event(r, track, &events[i]);
    free(events);
    open = st_open_count(&r->stacks, track);
    if (!open || r->err->code != PS_OK)
        return;
    sp_note(r, PS_NOTE_WARNING, "frames that are never closed, extended to the end of the profile");
    r->stacks.fractions |= last % ST_SCALE != 0;
    (void)st_end(&r->stacks, track, 0, last, r->err);
}

/* ------------------------------------------------------------------ the profile */

static struct ps_str word_behind(struct ps_str text, const char *word)
{
    const char *at = ps_str_find(text, ps_str_of(word));
    struct ps_str rest = {NULL, 0};
    size_t n = 0;

    if (!at)
        return PS_STR("");
    rest = ps_str_skip(text, (size_t)(at - text.at) + strlen(word));
    while (n < rest.len && rest.at[n] != ' ' && rest.at[n] != ':')
        n++;
    return (struct ps_str){rest.at, n};
}

/* py-spy: `Process 12 Thread 34 "MainThread"`. */
static bool new_track(struct sp_reader *r, uint32_t *track)
{
    struct ps_str name = ps_buf_slice(&r->profile.name);
    uint32_t process;

    if (!name.len)
        name = PS_STR("profile");
    process = st_process(&r->stacks, word_behind(name, "Process "), PS_STR(""));
    return st_track(&r->stacks, process, name, word_behind(name, "Thread "), track, r->err) ==
           PS_OK;
}

/* What counts something else than the profiles before has no place on their axis. */
static bool fits(struct sp_reader *r)
{
    const struct sp_profile *p = &r->profile;

    if (!r->unit_known)
        r->stacks.unit = p->unit;
    r->unit_known = true;
    if (p->unit == r->stacks.unit)
        return true;
    r->read += p->n_samples + p->n_events;
    r->rejected += p->n_samples + p->n_events;
    sp_note(r, PS_NOTE_REJECTED, "the profile has a different unit than the profiles before it");
    return false;
}

bool sp_profile_read(struct sp_reader *r)
{
    enum ps_json_token token;
    uint32_t track;
    bool good = true;

    sp_profile_free(&r->profile);
    r->profile.unit = ST_WEIGHT;
    r->profile.power = 3;
    while (good && (token = ps_json_in_next(&r->json)) == PS_JSON_KEY)
        good = read_key(r);
    good = good && token == PS_JSON_OBJECT_END;
    if (!good && !r->profile.has_weights) /* cut before them: what the samples count is not known */
        r->profile.n_samples = 0;
    if (r->profile.n_samples + r->profile.n_events == 0 || !fits(r))
        return good;
    if (!new_track(r, &track))
        return false;
    push_samples(r, track);
    if (r->profile.n_events)
        push_events(r, track);
    sp_profile_free(&r->profile);
    return good && r->err->code == PS_OK;
}
