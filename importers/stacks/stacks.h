/* SPDX-License-Identifier: MIT */
/*
 * stacks.h: stacks with weights become slices, so that all that shows traces shows them too.
 *
 * Each thread (or profile) of a file is a track. Its stacks lie on it one behind the other in the
 * order of the file, each as long as its weight; frames that neighbours share from the root on are
 * one slice. Empty stacks are gaps. Lengths are ns where the file counts time, else what it counts
 * (samples, bytes) times the run's value_scale.
 *
 * Until the sink is given the slices, a track is a list of steps: how many frames of the stack
 * before stay, and which come on top. That is a quarter of what its slices take.
 */
#ifndef PS_IMPORTERS_STACKS_H
#define PS_IMPORTERS_STACKS_H

#include "base/buf.h"
#include "base/intern.h"
#include "importers/importer.h"

enum {
    ST_DEEPEST = 10000, /* frames of one stack; those below are cut off */
    ST_TRACKS_MAX = 65536,
    ST_SCALE = 1000, /* fractions are counted in thousandths until it is known whether there are */
};
#define ST_ROWS_MAX (UINT32_C(1) << 27)

/* What a file counts. */
enum st_unit { ST_SAMPLES, ST_TIME, ST_BYTES, ST_WEIGHT };

/* A stack that differs from the one before it. */
struct st_step {
    int64_t weight;
    uint16_t kept, fresh; /* frames of the stack before, from the root on; frames on top of them */
};

struct st_track {
    uint32_t process;        /* id */
    struct ps_str name, tid; /* in the arena of the stacks */
    struct st_step *steps;
    uint32_t n_steps, cap_steps;
    uint32_t *frames; /* those on top, step by step: a slice each */
    uint32_t n_frames, cap_frames;
    uint32_t *open; /* the stack now */
    uint32_t n_open, cap_open, deepest;
    int64_t at;      /* where the next stack begins: the sum of the weights */
    int64_t root_at; /* events: where the outermost frame that is open began */
};

struct st_process {
    struct ps_str pid, name;
};

struct st_stacks {
    struct ps_sink *out;
    enum st_unit unit;
    struct ps_intern frames; /* text id - 1 */
    struct ps_intern process_keys;
    struct st_process *processes; /* id - 1 */
    uint32_t n_processes, cap_processes;
    struct st_track *tracks;
    uint32_t n_tracks, cap_tracks;
    struct ps_arena text;
    uint64_t samples, rows;  /* stacks with a weight; slices of all tracks */
    int64_t weight, idle;    /* sums: of stacks with a frame, of empty ones */
    uint64_t empty;          /* stacks without a frame */
    uint32_t native, python; /* frames by language, as far as their names tell */
    uint32_t initialisers;   /* frames that are C++ static initialisers */
    bool fractions;          /* unit other than time: a weight is no whole number */
};

/* Ids of frames and processes; texts must be clean (clean.h). */
uint32_t st_frame(struct st_stacks *stacks, struct ps_str name);
uint32_t st_process(struct st_stacks *stacks, struct ps_str pid, struct ps_str name);
/* A new track; its index. PS_LIMIT: too many. */
enum ps_status st_track(struct st_stacks *stacks, uint32_t process, struct ps_str name,
                        struct ps_str tid, uint32_t *out, struct ps_err *err);

/* A stack, root first, on a track. weight > 0: ns of time, thousandths of all else. Deeper frames
 * than ST_DEEPEST count for the last one kept. PS_LIMIT: the sum is beyond what can be counted. */
enum ps_status st_push(struct st_stacks *stacks, uint32_t track, const uint32_t *frames, uint32_t n,
                       int64_t weight, struct ps_err *err);

/* The same in events: `at` from the beginning of the track, which must not go back. A frame is put
 * on the stack; the stack is cut to its first `depth` frames. */
enum ps_status st_begin(struct st_stacks *stacks, uint32_t track, uint32_t frame, int64_t at,
                        struct ps_err *err);
enum ps_status st_end(struct st_stacks *stacks, uint32_t track, uint32_t depth, int64_t at,
                      struct ps_err *err);
/* How many frames are open, and which: its id. */
uint32_t st_open_count(const struct st_stacks *stacks, uint32_t track);
uint32_t st_open_frame(const struct st_stacks *stacks, uint32_t track, uint32_t depth);

/* Frames were pushed by numbers of the file: number i becomes frame ids[i], what is not among the n
 * "(frame that the file does not list)". Returns how many slices those are. */
uint64_t st_rename(struct st_stacks *stacks, const uint32_t *ids, size_t n);

/* Closes what is open and gives all to the sink: texts, processes, tracks, the figures of a trace
 * (docs/api.md), the headline. */
void st_give(struct st_stacks *stacks);
void st_free(struct st_stacks *stacks);

/* A decimal number as it stands: digits * 10^exponent. */
struct st_decimal {
    int64_t digits;
    int exponent;
    bool lost; /* it had more than 18 digits */
};
bool st_decimal(struct ps_str text, struct st_decimal *out);
/* digits * 10^(exponent + power), rounded. False: beyond int64. *rounded is only ever set. */
bool st_scaled(const struct st_decimal *decimal, int power, int64_t *out, bool *rounded);

/* A decimal number in thousandths. False: none, or too large. *rounded is set where digits were
 * lost; *fraction where it is no whole number. */
struct st_number {
    int64_t thousandths;
    bool fraction, rounded;
};
bool st_number(struct ps_str text, struct st_number *out);

/* A word for a unit: "samples", "ms", "microseconds", and how many powers of ten one of it is on
 * the axis of st_push. False: it is none, and nothing was set. */
bool st_unit(struct ps_str word, enum st_unit *unit, int *power);

/* enum ps_family of a frame by the way tools write frames: PS_FAMILY_RUNTIME for native code, which
 * is drawn apart; else none. */
int64_t st_family(struct ps_str frame);

/* The name says that it is Python. */
bool st_is_python(struct ps_str frame);

#endif
