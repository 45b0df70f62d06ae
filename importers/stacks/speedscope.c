/* SPDX-License-Identifier: MIT */
/*
 * speedscope.c: reads the format of speedscope, which py-spy, pyinstrument, austin, Tachyon and
 * others also write.
 *
 *     {"$schema": "https://www.speedscope.app/file-format-schema.json",
 *      "shared": {"frames": [{"name": "f", "file": "a.py", "line": 3}, ...]},
 *      "profiles": [{"type": "sampled", "unit": "seconds", "samples": [[0, 1], ...],
 *                    "weights": [0.01, ...]},
 *                   {"type": "evented", "events": [{"type": "O", "frame": 0, "at": 0}, ...]}]}
 *
 * Each profile is a track. The frames may follow the profiles, so stacks are first pushed with the
 * frame numbers of the file. At the end, ids replace these numbers.
 */
#include <stdlib.h>

#include "base/json_in.h"
#include "base/mem.h"
#include "importers/reading.h"
#include "importers/records/run.h"
#include "importers/stacks/stacks.h"
#include "importers/text/clean.h"
#include "slices/intervals.h"

#define SP_NO_FRAME 0x7fffffffu /* not a valid frame number */

/* An event of an evented profile; sorted by `time`. */
struct sp_event {
    int64_t time;
    uint32_t frame;
    bool close, is_valid; /* close: the event ends a frame; is_valid: its type and time are valid */
};

/* A profile while its object is read; its keys may have any order. */
struct sp_profile {
    struct ps_buf name;
    struct st_decimal start, end;
    int power; /* exponent of the power of ten that converts the unit to ns, or to thousandths */
    enum st_unit unit;
    struct ps_u32_list stack; /* the current sample */
    struct sp_sample {
        /* number of frames shared with the previous sample, from the root on; number of frames
         * after these */
        uint32_t n_kept, n_added;
    } * samples;
    struct ps_u32s frames; /* the added frames of all samples */
    size_t n_samples, cap_samples;
    struct sp_weights {
        struct st_decimal weight;
        size_t n; /* number of consecutive samples with this weight */
    } * weights;
    size_t n_weights, cap_weights;
    struct sp_raw_event {
        struct st_decimal time;
        uint32_t frame;
        char type;
        bool timed;
    } * events;
    size_t n_events, cap_events;
    bool has_start, has_end, has_weights;
};

struct sp_reader {
    struct ps_json_in json;
    struct st_stacks stacks;
    struct ps_sink *out;
    struct ps_err *err;
    struct sp_profile profile;
    uint32_t *frames;    /* ids of the frames, by frame number */
    uint32_t self_frame; /* id of the frame "[self]" of pyinstrument; else SP_NO_FRAME */
    size_t n_frames, cap_frames;
    struct ps_buf text, name, file, line, exporter, title;
    bool unit_known;
    size_t n_samples; /* of the last profile that was read */
    uint64_t read, repaired, rejected, other, told;
};

static void sp_profile_free(struct sp_profile *profile)
{
    ps_buf_free(&profile->name);
    ps_u32_list_free(&profile->stack);
    free(profile->frames.items);
    free(profile->samples);
    free(profile->weights);
    free(profile->events);
    *profile = (struct sp_profile){0};
}

/* --- Reading of a profile --- */

static bool read_unit(struct sp_reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token == PS_JSON_STRING)
        (void)st_parse_unit(r->json.text, &r->profile.unit, &r->profile.power);
    return ps_json_in_skip_rest(&r->json, token);
}

static bool read_decimal(struct sp_reader *r, struct st_decimal *out, bool *has)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    *has = token == PS_JSON_NUMBER && st_parse_decimal(r->json.text, out);
    return ps_json_in_skip_rest(&r->json, token);
}

static bool read_name(struct sp_reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    r->profile.name.len = 0;
    if (token == PS_JSON_STRING)
        ps_clean_text(&r->profile.name, r->json.text);
    return ps_json_in_skip_rest(&r->json, token);
}

static void store_sample(struct sp_profile *p)
{
    const struct ps_u32s *stack = &p->stack.items;

    PS_RESERVE_ONE(p->samples, p->n_samples, p->cap_samples);
    p->samples[p->n_samples++] =
        (struct sp_sample){(uint32_t)p->stack.n_common, (uint32_t)(stack->n - p->stack.n_common)};
    for (size_t i = p->stack.n_common; i < stack->n; i++) {
        PS_RESERVE_ONE(p->frames.items, p->frames.n, p->frames.cap);
        p->frames.items[p->frames.n++] = stack->items[i];
    }
}

/* Reads the samples. A sample that is not an array counts as an empty stack; a truncated one is
 * dropped. */
static bool read_samples(struct sp_reader *r)
{
    struct sp_profile *p = &r->profile;
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token != PS_JSON_ARRAY)
        return ps_json_in_skip_rest(&r->json, token);
    while ((token = ps_json_in_next(&r->json)) != PS_JSON_ARRAY_END) {
        if (token == PS_JSON_ARRAY) {
            if (!ps_json_in_read_u32_list(&r->json, SP_NO_FRAME, &p->stack))
                return false;
        } else {
            if (!ps_json_in_skip_rest(&r->json, token))
                return false;
            ps_u32_list_clear(&p->stack);
        }
        store_sample(p);
    }
    return true;
}

static bool read_weights(struct sp_reader *r)
{
    struct sp_profile *p = &r->profile;
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token != PS_JSON_ARRAY)
        return ps_json_in_skip_rest(&r->json, token);
    p->has_weights = true;
    while ((token = ps_json_in_next(&r->json)) != PS_JSON_ARRAY_END) {
        struct sp_weights weights = {.n = 1};

        if (token != PS_JSON_NUMBER || !st_parse_decimal(r->json.text, &weights.weight))
            weights.weight = (struct st_decimal){.digits = -1};
        if (token == PS_JSON_NUMBER)
            weights.n += ps_json_in_skip_numbers(&r->json);
        if (!ps_json_in_skip_rest(&r->json, token))
            return false;
        PS_RESERVE_ONE(p->weights, p->n_weights, p->cap_weights);
        p->weights[p->n_weights++] = weights;
    }
    return true;
}

static void read_event_field(struct ps_json_in *json, char field, struct sp_raw_event *event,
                             enum ps_json_token token)
{
    int64_t frame;

    if (field == 't' && token == PS_JSON_STRING && json->text.len == 1)
        event->type = json->text.ptr[0];
    if (token != PS_JSON_NUMBER)
        return;
    if (field == 'f' && ps_str_parse_i64(json->text, &frame) && frame >= 0 && frame < SP_NO_FRAME)
        event->frame = (uint32_t)frame;
    if (field == 'a')
        event->timed = st_parse_decimal(json->text, &event->time);
}

static bool read_event(struct sp_reader *r)
{
    struct sp_profile *p = &r->profile;
    struct sp_raw_event event = {.frame = SP_NO_FRAME};
    enum ps_json_token token;

    while ((token = ps_json_in_next(&r->json)) == PS_JSON_KEY) {
        char field = ps_str_eq_c(r->json.text, "type")    ? 't'
                     : ps_str_eq_c(r->json.text, "frame") ? 'f'
                     : ps_str_eq_c(r->json.text, "at")    ? 'a'
                                                          : ' ';

        token = ps_json_in_next(&r->json);
        read_event_field(&r->json, field, &event, token);
        if (!ps_json_in_skip_rest(&r->json, token))
            return false;
    }
    if (token != PS_JSON_OBJECT_END)
        return false;
    PS_RESERVE_ONE(p->events, p->n_events, p->cap_events);
    p->events[p->n_events++] = event;
    return true;
}

static bool read_events(struct sp_reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token != PS_JSON_ARRAY)
        return ps_json_in_skip_rest(&r->json, token);
    while ((token = ps_json_in_next(&r->json)) != PS_JSON_ARRAY_END)
        if (token == PS_JSON_OBJECT ? !read_event(r) : !ps_json_in_skip_rest(&r->json, token))
            return false;
    return true;
}

static bool read_key(struct sp_reader *r)
{
    struct sp_profile *p = &r->profile;
    struct ps_str key = r->json.text;

    if (ps_str_eq_c(key, "name"))
        return read_name(r);
    if (ps_str_eq_c(key, "unit"))
        return read_unit(r);
    if (ps_str_eq_c(key, "startValue"))
        return read_decimal(r, &p->start, &p->has_start);
    if (ps_str_eq_c(key, "endValue"))
        return read_decimal(r, &p->end, &p->has_end);
    if (ps_str_eq_c(key, "samples"))
        return read_samples(r);
    if (ps_str_eq_c(key, "weights"))
        return read_weights(r);
    return ps_str_eq_c(key, "events") ? read_events(r) : ps_json_in_skip(&r->json);
}

/* --- Sampled profiles --- */

/* The weight of samples, in the unit of the track. */
struct scaled_weight {
    int64_t weight;
    bool is_valid, rounded; /* is_valid: the weight is a number, not negative and not too large */
};

static struct scaled_weight scale_weight(const struct sp_profile *p, const struct st_decimal *each)
{
    struct scaled_weight out = {0};

    out.is_valid = st_scale_decimal(each, p->power, &out.weight, &out.rounded) && out.weight >= 0;
    return out;
}

enum { NOTES_MAX = 20 };

static void sp_note(struct sp_reader *r, enum ps_severity severity, const char *what)
{
    if (r->told++ < NOTES_MAX)
        ps_sink_note(r->out, severity, ps_json_in_offset(&r->json), 0, "%s", what);
}

/* Pushes the first n frames of the profile's current stack. */
static void push_sample(struct sp_reader *r, uint32_t track, size_t n,
                        const struct scaled_weight *w)
{
    r->read++;
    if (!w->is_valid) {
        r->rejected++;
        sp_note(r, PS_NOTE_REJECTED, "the weight is not a number, too large or negative");
        return;
    }
    if (w->weight == 0) {
        r->other++;
        return;
    }
    r->stacks.has_fractions |= w->weight % ST_SCALE != 0;
    if (n > ST_DEPTH_MAX) {
        r->repaired++;
        sp_note(r, PS_NOTE_REPAIRED, "a stack deeper than 10000 frames was truncated");
    }
    (void)st_add_sample(&r->stacks, track, r->profile.stack.items.items,
                        (uint32_t)(n < ST_DEPTH_MAX ? n : ST_DEPTH_MAX), w->weight, r->err);
}

static void push_samples(struct sp_reader *r, uint32_t track)
{
    struct sp_profile *p = &r->profile;
    struct ps_u32s *stack = &p->stack.items;
    const uint32_t *frames = p->frames.items;
    struct scaled_weight weight = scale_weight(p, &(struct st_decimal){.digits = 1});
    size_t run = 0, left = p->has_weights ? 0 : p->n_samples, i = 0;

    for (; i < p->n_samples && r->err->code == PS_OK; i++, left--) {
        const struct sp_sample *sample = &p->samples[i];

        if (!left && run == p->n_weights)
            break;
        if (!left) {
            weight = scale_weight(p, &p->weights[run].weight);
            left = p->weights[run++].n;
        }
        if (sample->n_added) { /* the arrays may be NULL if no frames were added */
            memcpy(stack->items + sample->n_kept, frames, sample->n_added * sizeof *frames);
            frames += sample->n_added;
        }
        push_sample(r, track, (size_t)sample->n_kept + sample->n_added, &weight);
    }
    for (; i < p->n_samples && r->err->code == PS_OK; i++) {
        r->read++;
        r->rejected++;
        sp_note(r, PS_NOTE_REJECTED, "the sample has no weight");
    }
}

/* --- Evented profiles --- */

/* Returns the events in order of time. Times are relative to the start of the track, which is
 * startValue or the time of the first event, whichever is earlier. Sets *last to the end of the
 * track. Release the events with free(). */
static struct sp_event *sort_events(struct sp_reader *r, int64_t *last)
{
    const struct sp_profile *p = &r->profile;
    struct sp_event *events = ps_grow(NULL, p->n_events + 1, sizeof *events);
    int64_t first = 0;
    bool rounded = false,
         any = p->has_start && st_scale_decimal(&p->start, p->power, &first, &rounded);

    for (size_t i = 0; i < p->n_events; i++) {
        const struct sp_raw_event *raw = &p->events[i];

        events[i] = (struct sp_event){.frame = raw->frame, .close = raw->type == 'C'};
        events[i].is_valid = raw->timed && (raw->type == 'O' || raw->type == 'C') &&
                             st_scale_decimal(&raw->time, p->power, &events[i].time, &rounded);
        if (events[i].is_valid && (!any || events[i].time < first))
            first = events[i].time;
        any |= events[i].is_valid;
    }
    ps_sort_records(events, p->n_events, sizeof *events);
    if (!p->has_end || !st_scale_decimal(&p->end, p->power, last, &rounded))
        *last = first;
    for (size_t i = 0; i < p->n_events; i++) {
        *last = events[i].is_valid && events[i].time > *last ? events[i].time : *last;
        if (__builtin_sub_overflow(events[i].time, first, &events[i].time))
            events[i].is_valid = false;
    }
    if (__builtin_sub_overflow(*last, first, last))
        *last = 0;
    return events;
}

/* Ends the frame of an end event, and all frames above it on the stack. */
static void push_end(struct sp_reader *r, uint32_t track, const struct sp_event *event)
{
    uint32_t open = st_count_open_frames(&r->stacks, track), depth = open;

    if (st_end_dropped_frame(&r->stacks, track, event->time))
        return;
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
    (void)st_end_frame(&r->stacks, track, depth - 1, event->time, r->err);
}

static void push_event(struct sp_reader *r, uint32_t track, const struct sp_event *event)
{
    r->read++;
    if (!event->is_valid) {
        r->rejected++;
        sp_note(r, PS_NOTE_REJECTED, "the event has no type or no time");
        return;
    }
    r->stacks.has_fractions |= event->time % ST_SCALE != 0;
    r->stacks.n_samples++;
    if (event->close) {
        push_end(r, track, event);
        return;
    }
    if (st_count_open_frames(&r->stacks, track) == ST_DEPTH_MAX) {
        r->repaired++;
        sp_note(r, PS_NOTE_REPAIRED, "a stack deeper than 10000 frames was truncated");
    }
    (void)st_begin_frame(&r->stacks, track, event->frame, event->time, r->err);
}

/* Warns if most of a profile has no event: its total is not the time of the program then. */
static void note_coverage(struct sp_reader *r, int64_t covered, int64_t whole)
{
    if (r->profile.has_end && whole > 0 && covered < whole / 2)
        ps_sink_note(
            r->out, PS_NOTE_WARNING, ps_json_in_offset(&r->json), 0,
            "the events cover %.1f %% of the time from startValue to endValue: the rest is "
            "missing from the file",
            100.0 * (double)covered / (double)whole);
}

static void push_events(struct sp_reader *r, uint32_t track)
{
    int64_t last = 0;
    struct sp_event *events = sort_events(r, &last);
    int64_t before = r->stacks.weight;
    uint32_t open;

    for (size_t i = 0; i < r->profile.n_events && r->err->code == PS_OK; i++)
        push_event(r, track, &events[i]);
    free(events);
    open = st_count_open_frames(&r->stacks, track);
    if (r->err->code != PS_OK)
        return;
    if (!open) {
        note_coverage(r, r->stacks.weight - before, last);
        return;
    }
    sp_note(r, PS_NOTE_WARNING, "frames that are never closed, extended to the end of the profile");
    r->stacks.has_fractions |= last % ST_SCALE != 0;
    (void)st_end_frame(&r->stacks, track, 0, last, r->err);
}

/* --- Profiles --- */

static struct ps_str word_after(struct ps_str text, const char *word)
{
    const char *at = ps_str_find(text, ps_str_from_c(word));
    struct ps_str rest = {NULL, 0};
    size_t n = 0;

    if (!at)
        return PS_STR("");
    rest = ps_str_skip(text, (size_t)(at - text.ptr) + strlen(word));
    while (n < rest.len && rest.ptr[n] != ' ' && rest.ptr[n] != ':')
        n++;
    return (struct ps_str){rest.ptr, n};
}

/* Adds a track. py-spy names profiles `Process 12 Thread 34 "MainThread"`. */
static bool new_track(struct sp_reader *r, uint32_t *track)
{
    struct ps_str name = ps_buf_slice(&r->profile.name);
    uint32_t process;

    if (name.len > 3 && memcmp(name.ptr + name.len - 3, " \"\"", 3) == 0)
        name.len -= 3; /* py-spy before it knows the name of the thread */
    if (!name.len)
        name = PS_STR("profile");
    process = st_process_id(&r->stacks, word_after(name, "Process "), PS_STR(""));
    return st_add_track(&r->stacks, process, name, word_after(name, "Thread "), track, r->err) ==
           PS_OK;
}

/* Rejects a profile whose unit differs from that of the profiles before it. */
static bool check_unit(struct sp_reader *r)
{
    const struct sp_profile *p = &r->profile;

    if (!r->unit_known)
        r->stacks.unit = p->unit;
    r->unit_known = true;
    if (p->unit == r->stacks.unit) {
        r->n_samples = p->n_samples;
        return true;
    }
    /* memray: the number of allocations of the same stacks */
    if (p->unit == ST_WEIGHT && p->n_samples == r->n_samples && !p->n_events) {
        r->read += p->n_samples;
        r->other += p->n_samples;
        sp_note(
            r, PS_NOTE_INFO,
            "the profile has another measure of the same stacks, which perfshelf does not show");
        return false;
    }
    r->read += p->n_samples + p->n_events;
    r->rejected += p->n_samples + p->n_events;
    sp_note(r, PS_NOTE_REJECTED, "the profile has a different unit than the profiles before it");
    return false;
}

/* Reads a profile whose opening brace was read, and pushes its stacks, even if the profile is
 * truncated by the end of the file. False: truncated, invalid, or an error in r->err. */
static bool sp_profile_read(struct sp_reader *r)
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
    /* the file was truncated before the weights, so the weights of the samples are unknown */
    if (!good && !r->profile.has_weights)
        r->profile.n_samples = 0;
    if (r->profile.n_samples + r->profile.n_events == 0 || !check_unit(r))
        return good;
    if (!new_track(r, &track))
        return false;
    push_samples(r, track);
    if (r->profile.n_events)
        push_events(r, track);
    sp_profile_free(&r->profile);
    return good && r->err->code == PS_OK;
}

/* --- Frames --- */

static bool copy_text(struct ps_json_in *json, struct ps_buf *out)
{
    enum ps_json_token token = ps_json_in_next(json);

    out->len = 0;
    if (token == PS_JSON_STRING || token == PS_JSON_NUMBER)
        ps_buf_add_str(out, json->text);
    return ps_json_in_skip_rest(json, token);
}

/* Reads a frame whose opening brace was read. */
static bool read_frame(struct sp_reader *r)
{
    enum ps_json_token token;
    bool good = true;

    r->name.len = r->file.len = r->line.len = 0;
    while (good && (token = ps_json_in_next(&r->json)) == PS_JSON_KEY) {
        if (ps_str_eq_c(r->json.text, "name"))
            good = copy_text(&r->json, &r->name);
        else if (ps_str_eq_c(r->json.text, "file"))
            good = copy_text(&r->json, &r->file);
        else if (ps_str_eq_c(r->json.text, "line"))
            good = copy_text(&r->json, &r->line);
        else
            good = ps_json_in_skip(&r->json);
    }
    if (!good || token != PS_JSON_OBJECT_END)
        return false;
    PS_RESERVE_ONE(r->frames, r->n_frames, r->cap_frames);
    r->frames[r->n_frames] = st_frame_id_of(&r->stacks, &r->text, ps_buf_slice(&r->name),
                                            ps_buf_slice(&r->file), ps_buf_slice(&r->line));
    if (ps_str_eq_c(ps_buf_slice(&r->name), "[self]"))
        r->self_frame = r->frames[r->n_frames];
    r->n_frames++;
    return true;
}

static bool read_frames(struct sp_reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token != PS_JSON_ARRAY)
        return ps_json_in_skip_rest(&r->json, token);
    while ((token = ps_json_in_next(&r->json)) != PS_JSON_ARRAY_END) {
        if (token == PS_JSON_OBJECT ? !read_frame(r) : !ps_json_in_skip_rest(&r->json, token))
            return false;
    }
    return true;
}

static bool read_shared(struct sp_reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);
    bool good = true;

    if (token != PS_JSON_OBJECT)
        return ps_json_in_skip_rest(&r->json, token);
    while (good && (token = ps_json_in_next(&r->json)) == PS_JSON_KEY)
        good = ps_str_eq_c(r->json.text, "frames") ? read_frames(r) : ps_json_in_skip(&r->json);
    return good && token == PS_JSON_OBJECT_END;
}

/* --- Document --- */

static bool read_profiles(struct sp_reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token != PS_JSON_ARRAY)
        return ps_json_in_skip_rest(&r->json, token);
    while ((token = ps_json_in_next(&r->json)) != PS_JSON_ARRAY_END) {
        if (token == PS_JSON_OBJECT ? !sp_profile_read(r) : !ps_json_in_skip_rest(&r->json, token))
            return false;
        if (r->err->code != PS_OK || ps_reading_check(r->json.in, r->out, r->read, r->err) != PS_OK)
            return false;
    }
    return true;
}

static bool read_document(struct sp_reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);
    bool good = true;

    if (token != PS_JSON_OBJECT)
        return false;
    while (good && (token = ps_json_in_next(&r->json)) == PS_JSON_KEY) {
        if (ps_str_eq_c(r->json.text, "shared"))
            good = read_shared(r);
        else if (ps_str_eq_c(r->json.text, "profiles"))
            good = read_profiles(r);
        else if (ps_str_eq_c(r->json.text, "exporter"))
            good = copy_text(&r->json, &r->exporter);
        else if (ps_str_eq_c(r->json.text, "name"))
            good = copy_text(&r->json, &r->title);
        else
            good = ps_json_in_skip(&r->json);
    }
    return good && token == PS_JSON_OBJECT_END;
}

/* --- Reporting --- */

static void write_text(struct sp_reader *r, const char *key, struct ps_str text)
{
    r->text.len = 0;
    ps_clean_text(&r->text, text);
    if (text.len)
        ps_sink_meta(r->out, key, ps_buf_slice(&r->text));
}

/* Splits an exporter such as "py-spy@0.4.1" into tool and version. */
static void write_tool_name(struct sp_reader *r)
{
    struct ps_str tool = ps_buf_slice(&r->exporter);
    const char *at = tool.len ? memchr(tool.ptr, '@', tool.len) : NULL;
    size_t name = at ? (size_t)(at - tool.ptr) : tool.len;

    write_text(r, "tool", (struct ps_str){tool.ptr, name});
    write_text(r, "tool_version", ps_str_skip(tool, at ? name + 1 : name));
    write_text(r, "title", ps_buf_slice(&r->title));
}

static void write_all(struct sp_reader *r)
{
    uint64_t unknown;
    struct ps_ledger ledger = {.unit = "samples",
                               .read = r->read,
                               .stored = r->read - r->repaired - r->rejected - r->other,
                               .repaired = r->repaired,
                               .rejected = r->rejected,
                               .other = r->other};

    unknown = st_renumber_frames(&r->stacks, r->frames, r->n_frames);
    r->stacks.has_def_lines = ps_str_eq_c(ps_buf_slice(&r->exporter), "pyinstrument");
    if (r->stacks.has_def_lines)
        st_note_left_out(&r->stacks, st_split_own_weight(&r->stacks, r->self_frame));
    if (ps_str_starts_with(ps_buf_slice(&r->exporter), PS_STR("py-spy")))
        st_cut_thread_names(&r->stacks);
    if (unknown)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "frame numbers that are missing from the frame list: %llu",
                     (unsigned long long)unknown);
    if (r->told > NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0, "more notes like these: %llu",
                     (unsigned long long)(r->told - NOTES_MAX));
    write_tool_name(r);
    if (ps_str_starts_with(ps_buf_slice(&r->exporter), PS_STR("memray@"))) {
        r->stacks.label = "recorded";
        ps_sink_note(
            r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
            "memray writes the same kind of file for the peak, for leaks and for temporary "
            "allocations: the file does not say which of them it holds");
    }
    st_write(&r->stacks);
    r->out->ops->ledger(r->out, &ledger);
}

/* Determines the status after reading. If the document is truncated or damaged, the part that was
 * read is stored. */
static enum ps_status finish_reading(struct sp_reader *r, bool whole)
{
    struct ps_err *err = r->err;

    if (err->code != PS_OK)
        return err->code;
    if (ps_stream_status(r->json.in, err) != PS_OK && !ps_stream_is_truncated(r->json.in))
        return err->code;
    *err = (struct ps_err)PS_ERR_INIT;
    if (r->stacks.n_samples == 0) {
        if (!whole)
            return r->json.error ? ps_json_in_fail(&r->json, err)
                                 : ps_fail_at(err, PS_BAD_INPUT, ps_json_in_offset(&r->json),
                                              "the file is truncated before its first sample");
        return ps_fail(err, PS_BAD_INPUT,
                       "the profile contains no samples" PS_HINT
                       "the program may have ended before the first sample; record a longer run");
    }
    if (!r->n_frames)
        return ps_fail_at(err, PS_BAD_INPUT, ps_json_in_offset(&r->json),
                          "the file contains no frame list; it may be truncated");
    if (!whole)
        ps_sink_note(r->out, PS_NOTE_WARNING, ps_json_in_offset(&r->json), 0,
                     "%s; perfshelf imported the data before that point",
                     r->json.error ? r->json.error : "the file is truncated");
    return PS_OK;
}

static void reader_free(struct sp_reader *r)
{
    st_free(&r->stacks);
    ps_json_in_free(&r->json);
    sp_profile_free(&r->profile);
    free(r->frames);
    ps_buf_free(&r->text);
    ps_buf_free(&r->name);
    ps_buf_free(&r->file);
    ps_buf_free(&r->line);
    ps_buf_free(&r->exporter);
    ps_buf_free(&r->title);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct sp_reader r = {.json = {.in = in},
                          .out = out,
                          .stacks = {.out = out},
                          .err = err,
                          .self_frame = SP_NO_FRAME};
    enum ps_status status = finish_reading(&r, read_document(&r));

    if (status == PS_OK)
        write_all(&r);
    reader_free(&r);
    return status;
}

/* Whether the head has a member with this key and value. */
static bool has_member(struct ps_str head, const char *key, const char *value)
{
    const char *at;

    while ((at = ps_str_find(head, ps_str_from_c(key)))) {
        head = ps_str_skip(head, (size_t)(at - head.ptr) + strlen(key));
        while (head.len && strchr(": \t\r\n", head.ptr[0]) && head.ptr[0])
            head = ps_str_skip(head, 1);
        if (ps_str_starts_with(head, ps_str_from_c(value)))
            return true;
    }
    return false;
}

static enum ps_match sniff(struct ps_str head)
{
    while (head.len && strchr(" \t\r\n", head.ptr[0]) && head.ptr[0])
        head = ps_str_skip(head, 1);
    if (!head.len || head.ptr[0] != '{')
        return PS_MATCH_NO;
    if (ps_str_find(head, PS_STR("speedscope.app/file-format-schema")))
        return PS_MATCH_SURE;
    return ps_str_find(head, PS_STR("\"profiles\"")) &&
                   (has_member(head, "\"type\"", "\"sampled\"") ||
                    has_member(head, "\"type\"", "\"evented\""))
               ? PS_MATCH_LIKELY
               : PS_MATCH_NO;
}

const struct ps_importer ps_speedscope = {
    .kind = "speedscope",
    .label = "speedscope profile",
    .description = "sampled and evented profiles of py-spy, pyinstrument, austin and others",
    .record_command = "py-spy record --format speedscope -o profile.json -- python app.py",
    .sniff = sniff,
    .load = load,
};
