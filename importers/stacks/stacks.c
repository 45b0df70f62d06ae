/* SPDX-License-Identifier: MIT */
/*
 * stacks.c: converts stacks with weights to the slices of tracks (stacks.h).
 *
 * The end of a slice depends on the steps after its first step, so the end is computed by a walk
 * over the steps from last to first. Chunks, however, are written from first to last. So a first
 * walk stores the state of the open frames at the end of each chunk, and a second walk fills the
 * chunks.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/format.h"
#include "base/powers_of_ten.h"
#include "importers/records/run.h"
#include "importers/records/stacks.h"
#include "importers/records/trace.h"
#include "importers/stacks/pyspy.h"
#include "importers/stacks/stacks.h"
#include "importers/text/clean.h"
#include "slices/intervals.h"

/* --- Decimal numbers and units --- */

/* an integer below this limit can take another digit without overflow */
#define DIGITS_MAX INT64_C(100000000000000000)

/* Parses the exponent of a number, such as "+12" or "-3", and adds it to *out. */
static bool add_exponent(struct ps_str text, int *out)
{
    int64_t value;

    if (text.len && text.ptr[0] == '+')
        text = ps_str_skip(text, 1);
    if (!ps_str_parse_i64(text, &value) || value < -1000 || value > 1000)
        return false;
    *out += (int)value;
    return true;
}

bool st_parse_decimal(struct ps_str text, struct st_decimal *out)
{
    bool negative = text.len && text.ptr[0] == '-', point = false, any = false;
    size_t i = negative || (text.len && text.ptr[0] == '+');

    *out = (struct st_decimal){0};
    for (; i < text.len; i++) {
        char c = text.ptr[i];

        if (c == '.' && !point) {
            point = true;
        } else if (c >= '0' && c <= '9') {
            any = true;
            if (out->digits >= DIGITS_MAX) {
                out->is_inexact |= c != '0';
                out->exponent += !point;
                continue;
            }
            out->digits = out->digits * 10 + (c - '0');
            out->exponent -= point;
        } else {
            break;
        }
    }
    out->digits = negative ? -out->digits : out->digits;
    if (i < text.len && (text.ptr[i] == 'e' || text.ptr[i] == 'E'))
        return any && add_exponent(ps_str_skip(text, i + 1), &out->exponent);
    return any && i == text.len;
}

bool st_scale_decimal(const struct st_decimal *decimal, int power, int64_t *out, bool *rounded)
{
    int by = decimal->exponent + power;
    int64_t half, rest;

    *rounded |= decimal->is_inexact;
    *out = 0;
    if (decimal->digits == 0)
        return true;
    if (by >= 0)
        return by <= PS_POWERS_OF_TEN_MAX &&
               !__builtin_mul_overflow(decimal->digits, ps_powers_of_ten[by], out);
    if (by < -PS_POWERS_OF_TEN_MAX) {
        *rounded = true;
        return true;
    }
    rest = decimal->digits % ps_powers_of_ten[-by];
    half = ps_powers_of_ten[-by] / 2;
    *out = decimal->digits / ps_powers_of_ten[-by];
    *rounded |= rest != 0;
    *out += rest >= half ? 1 : rest <= -half ? -1 : 0;
    return true;
}

bool st_parse_number(struct ps_str text, struct st_number *out)
{
    struct st_decimal decimal;

    *out = (struct st_number){0};
    if (!st_parse_decimal(text, &decimal) ||
        !st_scale_decimal(&decimal, 3, &out->thousandths, &out->is_rounded))
        return false;
    out->is_fractional = out->thousandths % ST_SCALE != 0;
    return true;
}

bool st_parse_unit(struct ps_str word, enum st_unit *unit, int *power)
{
    static const struct {
        const char *word;
        enum st_unit unit;
        int power;
    } units[] = {
        {"samples", ST_SAMPLES, 3},
        {"sample", ST_SAMPLES, 3},
        {"bytes", ST_BYTES, 3},
        {"none", ST_WEIGHT, 3},
        {"ns", ST_TIME, 0},
        {"nanoseconds", ST_TIME, 0},
        {"us", ST_TIME, 3},
        {"microseconds", ST_TIME, 3},
        {"\xc2\xb5s", ST_TIME, 3},
        {"\xce\xbcs", ST_TIME, 3},
        {"\xef\xbf\xbds", ST_TIME, 3}, /* µs in Latin-1: U+FFFD replaced the invalid byte */
        {"ms", ST_TIME, 6},
        {"milliseconds", ST_TIME, 6},
        {"s", ST_TIME, 9},
        {"seconds", ST_TIME, 9},
    };
    PS_AUTO(ps_buf_free) struct ps_buf mended = {0};

    word = ps_repair_signs(&mended, word);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (ps_str_eq_c(word, units[i].word)) {
            *unit = units[i].unit;
            *power = units[i].power;
            return true;
        }
    return false;
}

void st_name_unit(struct st_stacks *stacks, struct ps_str word)
{
    enum { WORD_MAX = 20 };

    for (size_t i = 0; i < word.len; i++)
        if (!isalpha((unsigned char)word.ptr[i]))
            return;
    if (word.len > 1 && word.len <= WORD_MAX)
        stacks->unit_name = ps_arena_copy(&stacks->arena, word);
}

/* --- The language of a frame, from its name --- */

static bool contains_word(struct ps_str text, const char *word)
{
    return ps_str_find(text, ps_str_from_c(word)) != NULL;
}

/* Matches "name (app.py:12)", "app.py:name:12", "app.py(12):_name", "<module>", "<frozen
 * runpy>:run:3". */
static bool is_python(struct ps_str frame)
{
    static const char *const words[] = {
        ".py:",     ".py)",     ".py(",       ".pyx:",     "<frozen ",
        "<module>", "<lambda>", "<listcomp>", "<genexpr>", "<string>:"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (contains_word(frame, words[i]))
            return true;
    return ps_str_ends_with(frame, PS_STR(".py")) || ps_str_ends_with(frame, PS_STR(".ipynb"));
}

/* Matches shared libraries, C++ names, addresses, builtins, and the annotations of FlameGraph's
 * scripts. */
static bool is_native(struct ps_str frame)
{
    static const char *const words[] = {".so)",
                                        ".so.",
                                        ".so:",
                                        ".dylib",
                                        ".dll",
                                        "::",
                                        "(anonymous namespace)",
                                        ".cpp:",
                                        ".cpp)",
                                        ".c:",
                                        ".c)",
                                        ".cc:",
                                        ".cc)",
                                        ".rs:",
                                        ".rs)",
                                        ".h:",
                                        "_GLOBAL__",
                                        "+0x",
                                        "[user] 0x",
                                        "<built-in",
                                        "<method '",
                                        "(<native>"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (contains_word(frame, words[i]))
            return true;
    return ps_str_starts_with(frame, PS_STR("0x")) || ps_str_ends_with(frame, PS_STR(".so")) ||
           ps_str_ends_with(frame, PS_STR("_[k]")) || ps_str_ends_with(frame, PS_STR("_[j]")) ||
           ps_str_ends_with(frame, PS_STR("_[i]"));
}

/* The enum ps_family of a frame, detected from its name: PS_FAMILY_RUNTIME for native code,
 * which is drawn differently; else none. */
static int64_t family_of_frame(struct ps_str frame)
{
    return is_native(frame) && !is_python(frame) ? PS_FAMILY_RUNTIME : PS_FAMILY_NONE;
}

/* --- Frames, tracks and steps --- */

uint32_t st_frame_id(struct st_stacks *stacks, struct ps_str name)
{
    return ps_intern_add(&stacks->frames, name);
}

uint32_t st_frame_id_of(struct st_stacks *stacks, struct ps_buf *text, struct ps_str name,
                        struct ps_str file, struct ps_str line)
{
    text->len = 0;
    ps_clean_text(text, name.len ? name : PS_STR("(no name)"));
    if (file.len) {
        ps_buf_puts(text, " (");
        ps_clean_text(text, file);
        if (line.len && !ps_str_eq_c(line, "0")) {
            ps_buf_puts(text, ":");
            ps_clean_text(text, line);
        }
        ps_buf_puts(text, ")");
    }
    return st_frame_id(stacks, ps_buf_slice(text));
}

uint32_t st_process_id(struct st_stacks *stacks, struct ps_str pid, struct ps_str name)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};
    uint32_t id;

    ps_buf_add_str(&key, pid);
    ps_buf_add(&key, "", 1);
    ps_buf_add_str(&key, name);
    id = ps_intern_add(&stacks->process_keys, ps_buf_slice(&key));
    if (id == stacks->n_processes) {
        PS_RESERVE_ONE(stacks->processes, stacks->n_processes, stacks->cap_processes);
        stacks->processes[stacks->n_processes++] = (struct st_process){
            ps_arena_copy(&stacks->arena, pid), ps_arena_copy(&stacks->arena, name)};
    }
    return id + 1;
}

enum ps_status st_add_track(struct st_stacks *stacks, uint32_t process, struct ps_str name,
                            struct ps_str tid, uint32_t *out, struct ps_err *err)
{
    if (stacks->n_tracks >= ST_TRACKS_MAX)
        return ps_fail(err, PS_LIMIT, "the file has more than %d threads", ST_TRACKS_MAX);
    PS_RESERVE_ONE(stacks->tracks, stacks->n_tracks, stacks->cap_tracks);
    *out = stacks->n_tracks;
    stacks->tracks[stacks->n_tracks++] = (struct st_track){
        .process = process,
        .name = ps_arena_copy(&stacks->arena, name),
        .tid = ps_arena_copy(&stacks->arena, tid),
    };
    return PS_OK;
}

/* Appends frames to the track. The capacity grows by a factor of 1.5, not 2, because the arrays
 * become large. */
static void add_frames(struct st_track *track, const uint32_t *frames, uint32_t n)
{
    while (track->cap_frames - track->n_frames < n) {
        track->cap_frames += track->cap_frames / 2 + 64;
        track->frames = ps_grow(track->frames, track->cap_frames, sizeof *track->frames);
    }
    if (n)
        memcpy(track->frames + track->n_frames, frames, n * sizeof *frames);
    track->n_frames += n;
}

/* Adds a step, which truncates the stack to `kept` frames and then adds n frames. */
static void add_step(struct st_track *track, uint32_t kept, const uint32_t *frames, uint32_t n)
{
    PS_RESERVE_ONE(track->steps, track->n_steps, track->cap_steps);
    track->steps[track->n_steps++] =
        (struct st_step){.n_kept = (uint16_t)kept, .n_added = (uint16_t)n};
    add_frames(track, frames, n);
    if (kept + n > track->cap_open) {
        track->cap_open = kept + n + 64;
        track->open_frames =
            ps_grow(track->open_frames, track->cap_open, sizeof *track->open_frames);
    }
    if (n)
        memcpy(track->open_frames + kept, frames, n * sizeof *frames);
    track->n_open = kept + n;
    if (track->n_open > track->max_depth)
        track->max_depth = track->n_open;
}

static uint32_t count_shared(const struct st_track *track, const uint32_t *frames, uint32_t n)
{
    uint32_t common = 0, most = n < track->n_open ? n : track->n_open;

    while (common < most && track->open_frames[common] == frames[common])
        common++;
    return common;
}

static bool reserve_slices(struct st_stacks *stacks, uint32_t frames, struct ps_err *err)
{
    if (stacks->n_slices + frames <= ST_ROWS_MAX)
        return true;
    ps_fail(err, PS_LIMIT, "a stack has more than %u different frames", ST_ROWS_MAX);
    return false;
}

enum ps_status st_add_stack(struct st_stacks *stacks, uint32_t index, const uint32_t *frames,
                            uint32_t n, int64_t weight, struct ps_err *err)
{
    struct st_track *track = &stacks->tracks[index];
    uint32_t common;

    n = n < ST_DEPTH_MAX ? n : ST_DEPTH_MAX;
    common = count_shared(track, frames, n);
    if (__builtin_add_overflow(n ? stacks->weight : stacks->idle_weight, weight,
                               n ? &stacks->weight : &stacks->idle_weight) ||
        stacks->weight > INT64_MAX / 4 || stacks->idle_weight > INT64_MAX / 4)
        return ps_fail(err, PS_LIMIT, "the sum of the weights exceeds 64 bits");
    if (!reserve_slices(stacks, n - common, err))
        return err->code;
    if (common < n || n < track->n_open || !track->n_steps)
        add_step(track, common, n ? frames + common : NULL, n - common);
    track->steps[track->n_steps - 1].weight += weight;
    track->next_start += weight;
    stacks->n_slices += n - common;
    stacks->n_samples++;
    stacks->n_empty_stacks += n == 0;
    return PS_OK;
}

void st_name_track(struct st_stacks *stacks, uint32_t track, struct ps_str name)
{
    stacks->tracks[track].name = ps_arena_copy(&stacks->arena, name);
}

enum ps_status st_add_sample(struct st_stacks *stacks, uint32_t track, const uint32_t *frames,
                             uint32_t n, int64_t weight, struct ps_err *err)
{
    const uint32_t no_frame = ST_NO_FRAME;

    if (n)
        return st_add_stack(stacks, track, frames, n, weight, err);
    stacks->n_frameless++;
    stacks->frameless_weight = ps_add_saturated(stacks->frameless_weight, weight);
    return st_add_stack(stacks, track, &no_frame, 1, weight, err);
}

/* Number of frames at the root of a stack that name its process and thread. */
static uint32_t count_names(const struct st_track *track, const bool *names, uint32_t from,
                            uint32_t n)
{
    uint32_t count = from;

    while (count < n && track->open_frames[count] != ST_NO_FRAME &&
           names[track->open_frames[count]])
        count++;
    return count;
}

/* Sets the name of a track from the frames that are cut off. */
static void name_track(struct st_stacks *stacks, struct st_track *track, uint32_t n)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct st_thread_names names = {.tid = {NULL, 0}};

    for (uint32_t i = 0; i < n; i++)
        (void)st_pyspy_name(stacks->frames.items[track->open_frames[i]], &names);
    if (names.process.len && track->process)
        stacks->processes[track->process - 1].name = ps_arena_copy(&stacks->arena, names.process);
    if (!names.tid.len || (!names.thread.len && track->is_named))
        return;
    track->is_named = true;
    st_write_thread_name(&names, &text);
    track->name = ps_arena_copy(&stacks->arena, ps_buf_slice(&text));
}

static void cut_names_of_track(struct st_stacks *stacks, struct st_track *track, const bool *names)
{
    PS_AUTO(ps_free_ptr)
    uint32_t *frames = ps_grow(NULL, (size_t)track->n_frames + track->n_steps + 1, sizeof *frames);
    uint32_t cut = 0, from = 0, n = 0; /* cut: frames of the current stack that are cut off */

    track->max_depth = 0;

    for (uint32_t i = 0; i < track->n_steps; i++) {
        struct st_step *step = &track->steps[i];
        uint32_t kept = step->n_kept, depth = kept + step->n_added;

        memcpy(track->open_frames + kept, track->frames + from, step->n_added * sizeof *frames);
        from += step->n_added;
        if (kept <= cut)
            cut = count_names(track, names, kept, depth);
        if (cut > kept)
            name_track(stacks, track, cut);
        step->n_kept = (uint16_t)(kept > cut ? kept - cut : 0);
        step->n_added = (uint16_t)(depth - cut - step->n_kept);
        memcpy(frames + n, track->open_frames + cut + step->n_kept, step->n_added * sizeof *frames);
        if (depth == cut) {
            frames[n] = ST_NO_FRAME;
            step->n_added = 1;
            stacks->n_frameless++;
            stacks->frameless_weight = ps_add_saturated(stacks->frameless_weight, step->weight);
        }
        n += step->n_added;
        depth = (uint32_t)step->n_kept + step->n_added;
        track->max_depth = depth > track->max_depth ? depth : track->max_depth;
    }
    track->cap_frames = track->n_frames + track->n_steps + 1;
    stacks->n_slices += n;
    stacks->n_slices -= track->n_frames;
    free(track->frames);
    track->frames = frames;
    frames = NULL;
    track->n_frames = n;
}

void st_cut_thread_names(struct st_stacks *stacks)
{
    PS_AUTO(ps_free_ptr) bool *names = ps_alloc_array(stacks->frames.count + 1, sizeof *names);
    struct st_thread_names none;
    bool any = false;

    for (uint32_t i = 0; i < stacks->frames.count; i++) {
        names[i] = st_pyspy_name(stacks->frames.items[i], &none) == stacks->frames.items[i].len;
        any |= names[i];
    }
    for (uint32_t i = 0; any && i < stacks->n_tracks; i++)
        cut_names_of_track(stacks, &stacks->tracks[i], names);
}

/* Extends the weight of the current stack, so that the stack ends at time `at`. */
static void extend_until(struct st_track *track, int64_t at)
{
    if (at <= track->next_start)
        return;
    if (!track->n_steps)
        add_step(track, 0, NULL, 0);
    track->steps[track->n_steps - 1].weight += at - track->next_start;
    track->next_start = at;
}

enum ps_status st_begin_frame(struct st_stacks *stacks, uint32_t index, uint32_t frame, int64_t at,
                              struct ps_err *err)
{
    struct st_track *track = &stacks->tracks[index];

    if (at > INT64_MAX / 4)
        return ps_fail(err, PS_LIMIT, "the times exceed 64 bits");
    if (!reserve_slices(stacks, 1, err))
        return err->code;
    extend_until(track, at);
    if (track->n_open < ST_DEPTH_MAX) {
        if (!track->n_open)
            track->root_start = at;
        add_step(track, track->n_open, &frame, 1);
        stacks->n_slices++;
    } else {
        track->n_dropped_frames++;
    }
    return PS_OK;
}

bool st_end_dropped_frame(struct st_stacks *stacks, uint32_t index, int64_t at)
{
    struct st_track *track = &stacks->tracks[index];

    if (!track->n_dropped_frames || at > INT64_MAX / 4)
        return false;
    extend_until(track, at);
    track->n_dropped_frames--;
    return true;
}

enum ps_status st_end_frame(struct st_stacks *stacks, uint32_t index, uint32_t depth, int64_t at,
                            struct ps_err *err)
{
    struct st_track *track = &stacks->tracks[index];

    if (at > INT64_MAX / 4)
        return ps_fail(err, PS_LIMIT, "the times exceed 64 bits");
    extend_until(track, at);
    if (depth == 0 && track->n_open &&
        (__builtin_add_overflow(stacks->weight, track->next_start - track->root_start,
                                &stacks->weight) ||
         stacks->weight > INT64_MAX / 4))
        return ps_fail(err, PS_LIMIT, "the sum of the weights exceeds 64 bits");
    add_step(track, depth, NULL, 0);
    track->n_dropped_frames = 0;
    return PS_OK;
}

uint32_t st_count_open_frames(const struct st_stacks *stacks, uint32_t track)
{
    return stacks->tracks[track].n_open;
}

uint32_t st_open_frame(const struct st_stacks *stacks, uint32_t index, uint32_t depth)
{
    return stacks->tracks[index].open_frames[depth];
}

uint64_t st_renumber_frames(struct st_stacks *stacks, const uint32_t *ids, size_t n)
{
    uint64_t others = 0;
    uint32_t other = 0;

    for (uint32_t t = 0; t < stacks->n_tracks; t++)
        for (uint32_t i = 0; i < stacks->tracks[t].n_frames; i++) {
            uint32_t *frame = &stacks->tracks[t].frames[i];

            if (*frame < n) {
                *frame = ids[*frame];
                continue;
            }
            if (*frame == ST_NO_FRAME)
                continue;
            if (!others++)
                other = st_frame_id(stacks, PS_STR("(unknown frame)"));
            *frame = other;
        }
    return others;
}

/* Writes the frames and steps of a track again, see st_split_own_weight. */
static int64_t split_track(struct st_stacks *stacks, struct st_track *track, uint32_t self)
{
    struct st_track old = *track;
    const uint32_t *frames = old.frames;
    int64_t weight = 0;

    track->steps = NULL;
    track->frames = NULL;
    track->n_steps = track->cap_steps = track->n_frames = track->cap_frames = 0;
    for (uint32_t i = 0; i < old.n_steps; i++) {
        const struct st_step *step = &old.steps[i];
        uint32_t depth = (uint32_t)step->n_kept + step->n_added, n = step->n_added;
        bool is_leaf = i + 1 == old.n_steps || step[1].n_kept < depth;

        n -= n && depth > 1 && is_leaf && frames[n - 1] == self;
        if (!step->n_added && step->n_kept && step->weight > 0) {
            uint32_t left_out = st_frame_id(stacks, PS_STR(ST_LEFT_OUT));

            add_step(track, step->n_kept, &left_out, 1);
            weight += step->weight;
        } else {
            add_step(track, step->n_kept, frames, n);
        }
        track->steps[track->n_steps - 1].weight = step->weight;
        frames += step->n_added;
    }
    stacks->n_slices += track->n_frames;
    stacks->n_slices -= old.n_frames;
    free(old.steps);
    free(old.frames);
    return weight;
}

int64_t st_split_own_weight(struct st_stacks *stacks, uint32_t self)
{
    int64_t weight = 0;

    for (uint32_t t = 0; t < stacks->n_tracks; t++)
        weight += split_track(stacks, &stacks->tracks[t], self);
    return weight;
}

void st_note_left_out(const struct st_stacks *stacks, int64_t weight)
{
    if (weight > 0)
        ps_sink_note(stacks->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "pyinstrument left out calls with less than 1 %% of the time: %s are shown "
                     "as " ST_LEFT_OUT "; calls without others below them may have more. A session "
                     "has all samples: `pyinstrument -o app.pyisession app.py`",
                     ps_format_seconds((double)weight / 1e9, (char[48]){0}));
}

void st_free(struct st_stacks *stacks)
{
    for (uint32_t i = 0; i < stacks->n_tracks; i++) {
        struct st_track *track = &stacks->tracks[i];

        free(track->steps);
        free(track->frames);
        free(track->open_frames);
    }
    free(stacks->tracks);
    free(stacks->processes);
    ps_intern_free(&stacks->frames);
    ps_intern_free(&stacks->process_keys);
    free(stacks->idle.items);
    ps_arena_free(&stacks->arena);
}

/* --- Writing slices to the sink --- */

/* A frame that is open during the backward walk. */
struct open_frame {
    /* end: end of its slice; callees_total: total duration of its callees that were walked so
     * far */
    int64_t end, callees_total;
};

/* Consecutive steps whose slices fit into one chunk. */
struct block {
    uint32_t step, n_steps;
    uint32_t row, n_rows;
    int64_t start, end;
    uint32_t n_open; /* number of frames in `open`, which the step after the block keeps */
    struct open_frame *open;
};

struct st_emitter {
    struct st_stacks *stacks;
    uint8_t *family; /* by text id */
    int64_t *column[PS_N_SLICE_COLUMNS];
    uint32_t *last;          /* row of the slice that is open at a depth */
    struct open_frame *open; /* by depth */
    struct block *blocks;    /* of the current track */
    uint32_t n_blocks, cap_blocks;
    struct ps_arena open_arena; /* open frames of the blocks */
};

static const uint8_t made_columns[] = {PS_COL_START, PS_COL_DURATION, PS_COL_SELF,  PS_COL_PARENT,
                                       PS_COL_DEPTH, PS_COL_NAME,     PS_COL_FAMILY};

/* Returns the divisor for weights: ST_SCALE if the unit is not time and all weights are integers,
 * so that thousandths are not needed; else 1. */
static int64_t weight_divisor(const struct st_stacks *stacks)
{
    return stacks->unit == ST_TIME || stacks->has_fractions ? 1 : ST_SCALE;
}

static void divide_weights(struct st_stacks *stacks)
{
    for (uint32_t t = 0; t < stacks->n_tracks && weight_divisor(stacks) == ST_SCALE; t++) {
        struct st_track *track = &stacks->tracks[t];

        for (uint32_t i = 0; i < track->n_steps; i++)
            track->steps[i].weight /= ST_SCALE;
        track->next_start /= ST_SCALE;
    }
}

/* --- Blocks --- */

static void cut_blocks(struct st_emitter *e, const struct st_track *track)
{
    struct block *block = NULL;
    int64_t at = 0;
    uint32_t row = 0;

    e->n_blocks = 0;
    for (uint32_t i = 0; i < track->n_steps; i++) {
        const struct st_step *step = &track->steps[i];

        if (!block || block->n_rows + step->n_added > PS_CHUNK_ROWS) {
            PS_RESERVE_ONE(e->blocks, e->n_blocks, e->cap_blocks);
            block = &e->blocks[e->n_blocks++];
            *block = (struct block){.step = i, .row = row, .start = at};
        }
        block->n_steps++;
        block->n_rows += step->n_added;
        row += step->n_added;
        block->end = at += step->weight;
    }
}

/* Walks the steps of a block backward. Changes e->open from the state after the block to the state
 * before the block. `fill`: also writes start, duration and self time of the slices. */
static inline void walk_back(struct st_emitter *e, const struct st_track *track,
                             const struct block *block, bool fill)
{
    struct open_frame *open = e->open;
    int64_t *starts = e->column[PS_COL_START], *durations = e->column[PS_COL_DURATION],
            *selfs = e->column[PS_COL_SELF];
    uint32_t row = block->n_rows, stay = block->n_open;
    int64_t end = block->end;

    for (uint32_t i = block->step + block->n_steps; i-- > block->step;) {
        const struct st_step *step = &track->steps[i];
        uint32_t depth = (uint32_t)step->n_kept + step->n_added;
        int64_t start = end - step->weight;

        for (uint32_t d = stay; d < depth; d++)
            open[d] = (struct open_frame){.end = end};
        for (; depth > step->n_kept; depth--) {
            int64_t duration = open[depth - 1].end - start;

            row--;
            if (fill) {
                starts[row] = start;
                durations[row] = duration;
                selfs[row] = duration - open[depth - 1].callees_total;
            }
            if (depth > 1)
                open[depth - 2].callees_total += duration;
        }
        stay = step->n_kept;
        end = start;
    }
}

static void store_open_frames(struct st_emitter *e, const struct st_track *track)
{
    for (uint32_t b = e->n_blocks; b-- > 0;) {
        struct block *block = &e->blocks[b];

        if (b + 1 < e->n_blocks)
            block->n_open = track->steps[block[1].step].n_kept;
        block->open = ps_arena_alloc(&e->open_arena, block->n_open * sizeof *block->open);
        memcpy(block->open, e->open, block->n_open * sizeof *block->open);
        if (b)
            walk_back(e, track, block, false);
    }
}

/* --- Chunks --- */

/* Walks the steps of a block forward and fills the other columns. */
static void walk_forward(struct st_emitter *e, const struct st_track *track,
                         const struct block *block)
{
    const uint32_t *frames = track->frames + block->row;
    int64_t *parents = e->column[PS_COL_PARENT], *depths = e->column[PS_COL_DEPTH],
            *names = e->column[PS_COL_NAME], *families = e->column[PS_COL_FAMILY];
    uint32_t *last = e->last, row = block->row, i = 0;

    for (uint32_t s = 0; s < block->n_steps; s++) {
        const struct st_step *step = &track->steps[block->step + s];
        uint32_t depth = step->n_kept, end = depth + step->n_added;

        for (; depth < end; depth++, row++, i++) {
            last[depth] = row;
            parents[i] = depth ? row - last[depth - 1] : 0;
            depths[i] = depth;
            names[i] = frames[i] + 1;
            families[i] = e->family[frames[i] + 1];
        }
    }
}

static void write_block(struct st_emitter *e, const struct st_track *track, uint32_t id,
                        const struct block *block)
{
    struct ps_chunk chunk = {
        .track = id, .track_kind = PS_TRACK_THREAD, .first = block->row, .n = block->n_rows};

    if (!chunk.n)
        return;
    if (block->n_open)
        memcpy(e->open, block->open, block->n_open * sizeof *block->open);
    walk_back(e, track, block, true);
    walk_forward(e, track, block);
    chunk.start_ns = e->column[PS_COL_START][0];
    for (uint32_t i = 0; i < chunk.n; i++) {
        int64_t end = e->column[PS_COL_START][i] + e->column[PS_COL_DURATION][i];

        chunk.end_ns = end > chunk.end_ns ? end : chunk.end_ns;
    }
    for (size_t c = 0; c < sizeof made_columns; c++)
        chunk.column[made_columns[c]] = e->column[made_columns[c]];
    e->stacks->out->ops->slices(e->stacks->out, &chunk);
}

static void write_track(struct st_emitter *e, uint32_t index)
{
    struct st_track *track = &e->stacks->tracks[index];
    struct ps_sink *out = e->stacks->out;
    struct ps_track given = {.id = index + 1,
                             .process = track->process,
                             .kind = PS_TRACK_THREAD,
                             .name = track->name,
                             .tid = track->tid,
                             .device = -1,
                             .stream = -1,
                             .sort_key = track->sample_type ? track->place : index,
                             .n_slices = track->n_frames,
                             .n_lanes = track->max_depth,
                             .end_ns = track->next_start,
                             .sample_type = track->sample_type,
                             .is_negative = track->is_negative};

    out->ops->track(out, &given);
    cut_blocks(e, track);
    store_open_frames(e, track);
    for (uint32_t b = 0; b < e->n_blocks && ps_sink_ok(out); b++)
        write_block(e, track, index + 1, &e->blocks[b]);
    ps_arena_free(&e->open_arena);
}

/* --- Reporting --- */

static void write_names(struct st_emitter *e)
{
    struct st_stacks *stacks = e->stacks;

    for (uint32_t i = 0; i < stacks->frames.count && ps_sink_ok(stacks->out); i++) {
        struct ps_trace_text text = {.id = i + 1, .text = stacks->frames.items[i]};

        e->family[i + 1] = (uint8_t)family_of_frame(text.text);
        stacks->n_native_frames += e->family[i + 1] == PS_FAMILY_RUNTIME;
        stacks->n_python_frames += is_python(text.text);
        stacks->n_initialisers += ps_str_starts_with(text.text, PS_STR("_GLOBAL__sub_I_"));
        stacks->out->ops->text(stacks->out, &text);
    }
    for (uint32_t i = 0; i < stacks->idle.n && ps_sink_ok(stacks->out); i++) {
        struct ps_trace_text text = {.id = stacks->frames.count + i + 1,
                                     .text = stacks->frames.items[stacks->idle.items[i]]};

        e->family[text.id] = e->family[stacks->idle.items[i] + 1];
        stacks->out->ops->text(stacks->out, &text);
    }
    for (uint32_t i = 0; i < stacks->n_processes; i++) {
        struct ps_process process = {.id = i + 1,
                                     .pid = stacks->processes[i].pid,
                                     .name = stacks->processes[i].name,
                                     .labels = PS_STR(""),
                                     .sort_key = i,
                                     .device = -1};

        stacks->out->ops->process(stacks->out, &process);
    }
}

static int64_t span(const struct st_stacks *stacks)
{
    int64_t most = 0;

    for (uint32_t i = 0; i < stacks->n_tracks; i++)
        most = stacks->tracks[i].next_start > most ? stacks->tracks[i].next_start : most;
    return most;
}

static void write_metrics(const struct st_stacks *stacks, int64_t weight, int64_t span,
                          int64_t value_scale)
{
    static const char *const nothing[] = {"origin_us", "devices", "kernels",    "torch", "shapes",
                                          "stacks",    "memory",  "peak_bytes", "flops", "steps"};
    const struct {
        const char *key;
        int64_t value;
    } figures[] = {
        {"events", (int64_t)stacks->n_samples},
        {"slices", (int64_t)stacks->n_slices},
        {"tracks", stacks->n_tracks},
        {"processes", stacks->n_processes},
        {"span_ns", span},
        {"workers", 1},
        {"samples", (int64_t)stacks->n_samples},
        {"frames", stacks->frames.count},
        {"native", stacks->n_native_frames},
        {"python", stacks->n_python_frames},
        {"initialisers", stacks->n_initialisers},
        {"weight", weight},
        {"idle", stacks->idle_weight / weight_divisor(stacks)},
        {"value_scale", value_scale},
    };

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        stacks->out->ops->number(stacks->out, figures[i].key, ps_int(figures[i].value));
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        stacks->out->ops->number(stacks->out, nothing[i], ps_int(0));
    if (stacks->has_def_lines)
        stacks->out->ops->number(stacks->out, "def_lines", ps_int(1));
    if (stacks->idle.n)
        stacks->out->ops->number(stacks->out, "idle_texts",
                                 ps_int((int64_t)stacks->frames.count + 1));
}

/* --- Fil --- */

const char st_fil_label[] = "allocated at the peak";

static const struct ps_str fil_no_stack = PS_STR("[No Python stack]");

bool st_split_fil_frame(struct ps_str frame, struct ps_str *place, struct ps_str *name)
{
    size_t at = frame.len, digits = 0;

    if (!frame.len || frame.ptr[frame.len - 1] != ')')
        return false;
    while (at > 1 && (frame.ptr[at - 1] != '(' || frame.ptr[at - 2] != ' '))
        at--;
    if (at < 2)
        return false;
    *name = (struct ps_str){frame.ptr + at, frame.len - at - 1};
    *place = (struct ps_str){frame.ptr, at - 2};
    while (digits < place->len && place->ptr[place->len - 1 - digits] >= '0' &&
           place->ptr[place->len - 1 - digits] <= '9')
        digits++;
    return digits && digits + 1 < place->len && place->ptr[place->len - 1 - digits] == ':' &&
           name->len;
}

bool st_is_fil_stack(struct ps_str stack)
{
    struct ps_str place, name;

    if (ps_str_eq(stack, fil_no_stack))
        return true;
    while (stack.len) {
        const char *end = memchr(stack.ptr, ';', stack.len);
        size_t len = end ? (size_t)(end - stack.ptr) : stack.len;

        if (!st_split_fil_frame((struct ps_str){stack.ptr, len}, &place, &name))
            return false;
        stack = ps_str_skip(stack, len + 1);
    }
    return true;
}

uint32_t st_fil_frame_id(struct st_stacks *stacks, struct ps_str frame, struct ps_buf *scratch)
{
    struct ps_str place, name;

    if (!st_split_fil_frame(frame, &place, &name))
        return st_frame_id(stacks, frame);
    scratch->len = 0;
    ps_buf_add_str(scratch, name);
    ps_buf_puts(scratch, " (");
    ps_buf_add_str(scratch, place);
    ps_buf_puts(scratch, ")");
    return st_frame_id(stacks, ps_buf_slice(scratch));
}

static const struct {
    const char *unit, *label;
    double by;
} words[] = {
    [ST_SAMPLES] = {"samples", "samples", ST_SCALE},
    [ST_TIME] = {"s", "sampled", 1e9},
    [ST_BYTES] = {"B", "allocated", ST_SCALE},
    [ST_WEIGHT] = {"", "weight", ST_SCALE},
};

static char *format_weight(const struct st_stacks *stacks, int64_t weight, char out[64])
{
    return ps_format_value((double)weight / words[stacks->unit].by, words[stacks->unit].unit, out);
}

/* Writes notes on weights that are all 0, on samples without a frame, and on empty stacks: times in
 * which nothing was recorded. */
static void write_notes(const struct st_stacks *stacks)
{
    if (stacks->n_samples && stacks->weight <= 0)
        ps_sink_note(stacks->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "all stacks of the file have the weight 0: it measured nothing");
    if (stacks->n_frameless)
        ps_sink_note(stacks->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "stacks without a frame: %llu, %s in total; the profiler saw no Python "
                     "function, so they are counted as (no frame)",
                     (unsigned long long)stacks->n_frameless,
                     format_weight(stacks, stacks->frameless_weight, (char[64]){0}));
    if (stacks->n_empty_stacks)
        ps_sink_note(
            stacks->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
            "samples without a frame: %llu, %s in total; the total of the run excludes them",
            (unsigned long long)stacks->n_empty_stacks,
            format_weight(stacks, stacks->idle_weight, (char[64]){0}));
}

static void write_headline(const struct st_stacks *stacks)
{
    struct ps_headline headline = {
        .value = (double)stacks->weight / words[stacks->unit].by,
        .unit = words[stacks->unit].unit,
        .label = stacks->label ? stacks->label : words[stacks->unit].label,
    };

    if (stacks->unit == ST_WEIGHT && stacks->unit_name.len)
        headline.unit = headline.label = stacks->unit_name.ptr;
    stacks->out->ops->headline(stacks->out, &headline);
}

/* Gives the frame of samples without frames its id. */
static void name_no_frame(struct st_stacks *stacks)
{
    uint32_t id = stacks->n_frameless ? st_frame_id(stacks, PS_STR(PS_NO_FRAME)) : 0;

    for (uint32_t t = 0; t < stacks->n_tracks && stacks->n_frameless; t++)
        for (uint32_t i = 0; i < stacks->tracks[t].n_frames; i++)
            if (stacks->tracks[t].frames[i] == ST_NO_FRAME)
                stacks->tracks[t].frames[i] = id;
}

/* Gives the frames with ST_IDLE ids above those of the others. */
static void name_idle_frames(struct st_stacks *stacks)
{
    uint32_t count = stacks->frames.count;
    PS_AUTO(ps_free_ptr) uint32_t *ids = ps_alloc_array((size_t)count + 1, sizeof *ids);

    for (uint32_t t = 0; t < stacks->n_tracks; t++)
        for (uint32_t i = 0; i < stacks->tracks[t].n_frames; i++) {
            uint32_t *frame = &stacks->tracks[t].frames[i], named = *frame & ~ST_IDLE;

            if (*frame < ST_IDLE || named >= count)
                continue;
            if (!ids[named]) {
                PS_RESERVE_ONE(stacks->idle.items, stacks->idle.n, stacks->idle.cap);
                stacks->idle.items[stacks->idle.n++] = named;
                ids[named] = count + (uint32_t)stacks->idle.n - 1;
            }
            *frame = ids[named];
        }
}

static struct st_emitter *emitter_new(struct st_stacks *stacks)
{
    struct st_emitter *e = ps_alloc(sizeof *e);

    e->stacks = stacks;
    e->family = ps_alloc((size_t)stacks->frames.count + stacks->idle.n + 1);
    for (size_t c = 0; c < sizeof made_columns; c++)
        e->column[made_columns[c]] = ps_grow(NULL, PS_CHUNK_ROWS, sizeof(int64_t));
    e->last = ps_grow(NULL, ST_DEPTH_MAX, sizeof *e->last);
    e->open = ps_grow(NULL, ST_DEPTH_MAX, sizeof *e->open);
    write_names(e);
    return e;
}

static void emitter_free(struct st_emitter *e)
{
    for (size_t c = 0; c < sizeof made_columns; c++)
        free(e->column[made_columns[c]]);
    free(e->last);
    free(e->open);
    free(e->blocks);
    free(e->family);
    free(e);
}

/* Writes names and tracks to the sink. */
static void write_tracks(struct st_stacks *stacks)
{
    struct st_emitter *e = emitter_new(stacks);

    divide_weights(stacks);
    for (uint32_t i = 0; i < stacks->n_tracks && ps_sink_ok(stacks->out); i++)
        write_track(e, i);
    emitter_free(e);
}

void st_write(struct st_stacks *stacks)
{
    name_no_frame(stacks);
    name_idle_frames(stacks);
    write_tracks(stacks);
    write_metrics(stacks, stacks->weight / weight_divisor(stacks), span(stacks),
                  stacks->unit != ST_TIME && stacks->has_fractions ? ST_SCALE : 1);
    write_notes(stacks);
    write_headline(stacks);
}

struct st_emitter *st_begin_typed(struct st_stacks *stacks)
{
    stacks->unit = ST_TIME; /* weights are not thousandths */
    return emitter_new(stacks);
}

void st_write_typed(struct st_emitter *e, uint32_t index)
{
    struct st_track *track = &e->stacks->tracks[index];

    if (ps_sink_ok(e->stacks->out))
        write_track(e, index);
    free(track->steps);
    free(track->frames);
    free(track->open_frames);
    track->steps = NULL;
    track->frames = track->open_frames = NULL;
}

void st_end_typed(struct st_emitter *e, int64_t weight, int64_t span, int64_t value_scale)
{
    write_metrics(e->stacks, weight, span, value_scale);
    emitter_free(e);
}

void st_write_beside(struct st_stacks *stacks)
{
    const struct ps_sink_ops *ops = stacks->out->ops;

    name_no_frame(stacks);
    name_idle_frames(stacks);
    write_tracks(stacks);
    ops->number(stacks->out, "weight", ps_int(stacks->weight / weight_divisor(stacks)));
    ops->number(stacks->out, "value_scale", ps_int(stacks->has_fractions ? ST_SCALE : 1));
    ops->number(stacks->out, "byte_stacks", ps_int(1));
    write_notes(stacks);
}
