/* SPDX-License-Identifier: MIT */
/*
 * stacks.h: converts stacks with weights to slices, so that all views of traces can show stacks.
 *
 * Each thread (or profile) of a file is a track. The stacks of a track follow each other in the
 * order of the file; the length of a stack is its weight. Consecutive stacks share the slices of
 * their common frames, from the root on. Empty stacks are gaps. Lengths are ns if the file measures
 * time, else its counts (samples, bytes) times the run's value_scale.
 *
 * Until the slices are written to the sink, a track is a list of steps. A step has the number of
 * frames that it keeps from the previous stack, and the frames that it adds on top. Steps need a
 * quarter of the memory of slices.
 */
#ifndef PS_IMPORTERS_STACKS_H
#define PS_IMPORTERS_STACKS_H

#include "base/buf.h"
#include "base/intern.h"
#include "base/json_in.h"
#include "importers/importer.h"

enum {
    ST_DEPTH_MAX = 10000, /* maximum number of frames of a stack; deeper frames are dropped */
    ST_TRACKS_MAX = 65536,
    /* weights are stored in thousandths until it is known whether any is fractional */
    ST_SCALE = 1000,
};
#define ST_ROWS_MAX (UINT32_C(1) << 27)
/* the frame of a sample without frames, until st_write */
#define ST_NO_FRAME UINT32_MAX
/* Marks the innermost frame of a sample in which the thread did not run. The frame counts for the
 * same function, but has a text of its own, by which conclusions know that it waits. */
#define ST_IDLE (UINT32_C(1) << 31)

/* The quantity that the weights of a file measure. */
enum st_unit { ST_SAMPLES, ST_TIME, ST_BYTES, ST_WEIGHT };

/* A stack that differs from the previous one. */
struct st_step {
    int64_t weight;
    /* number of frames kept from the previous stack, from the root on; number of frames added on
     * top */
    uint16_t n_kept, n_added;
};

struct st_track {
    uint32_t process;        /* id of the process */
    bool is_named;           /* the name is that of a frame which st_cut_thread_names cut off */
    struct ps_str name, tid; /* stored in st_stacks.arena */
    struct st_step *steps;
    uint32_t n_steps, cap_steps;
    uint32_t *frames; /* the added frames of all steps; each added frame is a slice */
    uint32_t n_frames, cap_frames;
    uint32_t *open_frames; /* the current stack */
    uint32_t n_open, cap_open, max_depth;
    uint32_t n_dropped_frames; /* for events: number of open frames deeper than ST_DEPTH_MAX */
    int64_t next_start;        /* start of the next stack: the sum of the weights */
    int64_t root_start;        /* for events: start of the current outermost frame */
    /* of runs with sample types (importers/records/stacks.h) */
    uint32_t sample_type;
    bool is_negative;
    int64_t place; /* of its thread, the same for all sample types */
};

struct st_process {
    struct ps_str pid, name;
};

struct st_stacks {
    struct ps_sink *out;
    enum st_unit unit;
    struct ps_intern frames; /* names of frames; text id = intern id + 1 */
    struct ps_intern process_keys;
    struct st_process *processes; /* by id - 1 */
    uint32_t n_processes, cap_processes;
    struct st_track *tracks;
    uint32_t n_tracks, cap_tracks;
    struct ps_arena arena;
    uint64_t n_samples, n_slices; /* number of stacks; number of slices of all tracks */
    int64_t weight, idle_weight;  /* sum of the weights of stacks with frames; of empty stacks */
    uint64_t n_empty_stacks;      /* number of empty stacks */
    uint64_t n_frameless;         /* number of samples without a frame, ... */
    int64_t frameless_weight;     /* ... and the sum of their weights */
    uint32_t n_native_frames,
        n_python_frames;     /* number of frames by language, detected from their names */
    uint32_t n_initialisers; /* number of frames that are C++ static initialisers */
    struct ps_u32s idle;     /* frames that occur with ST_IDLE, from st_write on */
    const char *label;       /* of the headline, static; NULL: that of the unit */
    struct ps_str unit_name; /* of ST_WEIGHT, if the file names it; in `arena` */
    bool has_fractions;      /* the unit is not time and at least one weight is fractional */
    bool has_def_lines;      /* lines of frames are those of the `def`, not those that ran */
};

/* Return the id of a frame or process, and add it if it is new. Strings must be clean (clean.h). */
uint32_t st_frame_id(struct st_stacks *stacks, struct ps_str name);
/* The frame "name (file:line)", the form of py-spy's frames. The parts need not be clean; an empty
 * file, or the line 0, is left out. `text`: memory for the name. */
uint32_t st_frame_id_of(struct st_stacks *stacks, struct ps_buf *text, struct ps_str name,
                        struct ps_str file, struct ps_str line);
uint32_t st_process_id(struct st_stacks *stacks, struct ps_str pid, struct ps_str name);
/* Adds a track and sets *out to its index. PS_LIMIT: too many. */
enum ps_status st_add_track(struct st_stacks *stacks, uint32_t process, struct ps_str name,
                            struct ps_str tid, uint32_t *out, struct ps_err *err);

/* Replaces the name of a track. */
void st_name_track(struct st_stacks *stacks, uint32_t track, struct ps_str name);

/* Adds a stack, root first, to a track. weight > 0: ns if the unit is time, else thousandths.
 * Frames deeper than ST_DEPTH_MAX are dropped; their weight becomes self weight of the frame at
 * that depth. PS_LIMIT: the sum of the weights is too large. */
enum ps_status st_add_stack(struct st_stacks *stacks, uint32_t track, const uint32_t *frames,
                            uint32_t n, int64_t weight, struct ps_err *err);
/* The same for a sample of a thread: a sample without frames becomes the frame "(no frame)". A
 * profiler takes such samples while a thread runs no Python code; they are part of its total. */
enum ps_status st_add_sample(struct st_stacks *stacks, uint32_t track, const uint32_t *frames,
                             uint32_t n, int64_t weight, struct ps_err *err);

/* Add events instead of stacks. `at`: time since the start of the track; it must not decrease from
 * call to call. st_begin_frame pushes a frame onto the stack; st_end_frame truncates the stack to
 * its first `depth` frames. */
enum ps_status st_begin_frame(struct st_stacks *stacks, uint32_t track, uint32_t frame, int64_t at,
                              struct ps_err *err);
enum ps_status st_end_frame(struct st_stacks *stacks, uint32_t track, uint32_t depth, int64_t at,
                            struct ps_err *err);
/* Ends the innermost open frame if it was dropped because it was deeper than ST_DEPTH_MAX. False:
 * that frame was not dropped, and is still open. */
bool st_end_dropped_frame(struct st_stacks *stacks, uint32_t track, int64_t at);
/* Return the number of open frames, and the id of the open frame at `depth` (0: outermost). */
uint32_t st_count_open_frames(const struct st_stacks *stacks, uint32_t track);
uint32_t st_open_frame(const struct st_stacks *stacks, uint32_t track, uint32_t depth);

/* For frames that were pushed with the frame numbers of a file: replaces number i by ids[i], and a
 * number >= n by "(unknown frame)". Returns the number of slices with unknown frames. */
uint64_t st_renumber_frames(struct st_stacks *stacks, const uint32_t *ids, size_t n);

/* The frame of calls that a profiler left out of its file, and whose time it gave to their caller.
 */
#define ST_LEFT_OUT "[calls left out]"
/* For the trees of pyinstrument, where a frame with callees has no weight of its own: the weight of
 * a leaf with the frame id `self` becomes own weight of its caller, and weight of a caller after
 * its callees becomes a call of ST_LEFT_OUT. Returns the weight of the calls left out. */
int64_t st_split_own_weight(struct st_stacks *stacks, uint32_t self);
/* Writes a note on the weight of calls that pyinstrument left out, unless it is 0. */
void st_note_left_out(const struct st_stacks *stacks, int64_t weight);

/* Cuts the frames off by which py-spy names the process and the thread of a stack (pyspy.h), and
 * names the tracks after them. Frames must be ids. */
void st_cut_thread_names(struct st_stacks *stacks);

/* Splits a frame of the memory profiler Fil, "app.py:12 (work)". False: the frame has another
 * form. */
bool st_split_fil_frame(struct ps_str frame, struct ps_str *place, struct ps_str *name);
/* Whether all frames of a folded stack are Fil's. */
bool st_is_fil_stack(struct ps_str stack);
/* Returns the id of a frame of Fil as "work (app.py:12)", the form of other profilers. `scratch` is
 * overwritten. */
uint32_t st_fil_frame_id(struct st_stacks *stacks, struct ps_str frame, struct ps_buf *scratch);
/* The label of the headline of Fil's profiles. */
extern const char st_fil_label[];

/* Closes open frames and writes everything to the sink: strings, processes, tracks, the metrics of
 * a trace (docs/api.md), the headline. */
void st_write(struct st_stacks *stacks);
/* The same for stacks of bytes in a run that has a headline and metrics of its own: its kind has
 * the unit in kinds.c. */
void st_write_beside(struct st_stacks *stacks);
/* Write a run with sample types, whose weights are as they are to be stored, track by track:
 * st_begin_typed writes the names, when all frames and processes are known. st_write_typed writes a
 * track, and frees its steps. st_end_typed writes the metrics that all stacks have, with the values
 * of the default sample type. The caller writes notes and headline. */
struct st_emitter;
struct st_emitter *st_begin_typed(struct st_stacks *stacks);
void st_write_typed(struct st_emitter *emitter, uint32_t track);
void st_end_typed(struct st_emitter *emitter, int64_t weight, int64_t span, int64_t value_scale);
void st_free(struct st_stacks *stacks);

/* A decimal number without rounding: digits * 10^exponent. */
struct st_decimal {
    int64_t digits;
    int exponent;
    bool is_inexact; /* the text has more than 18 digits; further digits were dropped */
};
bool st_parse_decimal(struct ps_str text, struct st_decimal *out);
/* Computes digits * 10^(exponent + power), rounded. False: the result does not fit int64_t. Sets
 * *rounded if digits were lost, and never clears it. */
bool st_scale_decimal(const struct st_decimal *decimal, int power, int64_t *out, bool *rounded);

/* A decimal number in thousandths. st_parse_number returns false if the text is not a number or the
 * number is too large. `is_rounded`: digits were lost; `is_fractional`: the number is not an
 * integer. */
struct st_number {
    int64_t thousandths;
    bool is_fractional, is_rounded;
};
bool st_parse_number(struct ps_str text, struct st_number *out);

/* Parses a unit: "samples", "ms", "microseconds". Sets *power to the exponent of the power of ten
 * that converts the unit to the weights of st_add_stack. False: the unit is unknown; nothing was
 * set. */
bool st_parse_unit(struct ps_str word, enum st_unit *unit, int *power);
/* Names the unit of ST_WEIGHT by a word of the file: "requests". Other texts are ignored. */
void st_name_unit(struct st_stacks *stacks, struct ps_str word);

#endif
