/* SPDX-License-Identifier: MIT */
/* speedscope.h: what speedscope.c and speedscope_profile.c share. */
#ifndef PS_IMPORTERS_SPEEDSCOPE_H
#define PS_IMPORTERS_SPEEDSCOPE_H

#include "base/json_in.h"
#include "base/mem.h"
#include "importers/stacks/stacks.h"

#define SP_NO_FRAME 0x7fffffffu /* what is no number of a frame */

/* An event of an evented profile; sorted by `at`. */
struct sp_event {
    int64_t at;
    uint32_t frame;
    bool close, known; /* known: it had all it needs */
};

/* A profile while its object is read: the order of its keys is free. */
struct sp_profile {
    struct ps_buf name;
    struct st_decimal start, end;
    int power; /* of ten: the unit in ns, or thousandths */
    enum st_unit unit;
    struct ps_u32_list stack; /* of the sample at work */
    struct sp_sample {
        uint32_t kept,
            fresh; /* frames of the sample before, from the root on; frames behind them */
    } * samples;
    struct ps_u32s frames; /* the fresh ones */
    size_t n_samples, cap_samples;
    struct sp_weights {
        struct st_decimal each;
        size_t n; /* how often, one behind the other */
    } * weights;
    size_t n_weights, cap_weights;
    struct sp_raw_event {
        struct st_decimal at;
        uint32_t frame;
        char type;
        bool timed;
    } * events;
    size_t n_events, cap_events;
    bool has_start, has_end, has_weights;
};
void sp_profile_free(struct sp_profile *profile);

struct sp_reader {
    struct ps_json_in json;
    struct st_stacks stacks;
    struct ps_sink *out;
    struct ps_err *err;
    struct sp_profile profile;
    uint32_t *frames; /* by number: id */
    size_t n_frames, cap_frames;
    struct ps_buf text, name, file, line, exporter, title;
    bool unit_known;
    uint64_t read, repaired, rejected, other, told;
};

/* Reads a profile whose beginning was taken and pushes its stacks, also of one that the end of the
 * file cuts. False: cut, bad, or a failure in r->err. */
bool sp_profile_read(struct sp_reader *r);
void sp_note(struct sp_reader *r, enum ps_severity severity, const char *what);

#endif
