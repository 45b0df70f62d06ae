/* SPDX-License-Identifier: MIT */
/*
 * stack_frames.h: the frames of a stack run by text id: the function that a frame belongs to, and
 * where its code is from.
 *
 * Samplers name a frame by function, file and line, so a function has a frame for each of its lines
 * (base/frame_name.h). The parameter mode selects what is one frame in the answers: "function" (the
 * default) or "line". If a file states the line of each `def` instead (pyinstrument, `py-spy
 * --function`), a line tells functions apart, and both modes are the same. A file does so if its
 * importer says it, or if most of its `<module>` frames have line 1.
 */
#ifndef PS_QUERY_STACK_FRAMES_H
#define PS_QUERY_STACK_FRAMES_H

#include "base/frame_name.h"
#include "base/intern.h"
#include "server/query/view.h"
#include "server/runfile/trace.h"

/* The mode of comparisons: the line of a `def` moves when the file changes, so functions of one
 * name in one file are one, and count once in a stack. */
#define PS_STACK_MODE_NAME "name"

struct ps_stack_frames {
    size_t
        n; /* ids are below n: text ids of the run, and above them those of ps_stack_frames_add */
    uint32_t *function;  /* [text id]: the least text id of the function; mode=line: the text id */
    uint32_t *all_lines; /* [text id]: the least text id of the function, with any mode */
    uint8_t *origin;     /* [text id]: enum ps_origin; of native code UNKNOWN */
    uint32_t *name_of;   /* [text id]: id of the name of its function */
    int32_t *line;       /* [text id]: the line that the name of its function lacks; 0: none */
    uint32_t idle_from;  /* least text id of frames in which a thread does not run; 0: none */
    bool lacks_folders;  /* files may have lost their folders */
    bool has_one_line;   /* the file states the line of each `def` */
    bool by_line;        /* each frame is a function of its own */
    bool is_mode_line;   /* ... because the parameter mode says so */
    struct ps_intern names; /* of functions */
};

/* Reads the parameter mode and all texts of the run. Free with ps_stack_frames_free, also after a
 * failure. Belongs to the handle of the run. */
enum ps_status ps_stack_frames_read(struct ps_db *db, struct ps_params params,
                                    struct ps_stack_frames *out, struct ps_err *err);
void ps_stack_frames_free(struct ps_stack_frames *frames);

/* Adds a frame that the run does not have, such as a library that is shown as one frame. Returns
 * its id, by which all functions of this header know it. It is a function without lines. */
uint32_t ps_stack_frames_add(struct ps_stack_frames *frames, struct ps_str name,
                             enum ps_origin origin);

/* The text id under which a frame is counted; 0: the run has no such text. */
static inline uint32_t ps_stack_function(const struct ps_stack_frames *frames, int64_t text)
{
    return text > 0 && (uint64_t)text < frames->n ? frames->function[text] : 0;
}

/* The origin of a frame; family: of its slice. */
static inline enum ps_origin ps_stack_origin(const struct ps_stack_frames *frames, int64_t text,
                                             int64_t family)
{
    if (family == PS_FAMILY_RUNTIME)
        return PS_ORIGIN_BUILTIN;
    return text > 0 && (uint64_t)text < frames->n ? (enum ps_origin)frames->origin[text]
                                                  : PS_ORIGIN_UNKNOWN;
}

/* Appends the name of the function of a frame of the run: "filter_state (app.py)", also with
 * mode=line. */
void ps_stack_function_name(const struct ps_stack_frames *frames, struct ps_str text,
                            struct ps_buf *out);

/* The name of a frame in the answers: "filter_state (app.py)", with the line if mode=line. {NULL,
 * 0}: the run has no such text. */
struct ps_str ps_stack_name(const struct ps_stack_frames *frames, uint32_t text);

#endif
