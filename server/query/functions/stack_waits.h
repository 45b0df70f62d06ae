/* SPDX-License-Identifier: MIT */
/*
 * stack_waits.h: whether a sample of a thread waits: for a lock, another thread, a process, the
 * network or a timer. The conclusion and the activity of threads share this definition.
 *
 * A sample waits if its innermost Python function is known to wait, or if native or built-in code
 * that is called from it is. time.sleep() is seen only if the profile has native frames.
 */
#ifndef PS_QUERY_FUNCTIONS_STACK_WAITS_H
#define PS_QUERY_FUNCTIONS_STACK_WAITS_H

#include "server/query/conclusion/known_calls.h"
#include "server/query/functions/stack_samples.h"

/* Threads that wait at least so much of their time are idle. */
#define PS_STACK_IDLE_SHARE 0.95

struct ps_frame_kind {
    bool is_seen, is_python;
    bool
        is_own; /* code of the program: Python, and neither installed nor of the standard library */
    bool waits;
    enum ps_time_class wait; /* what for; PS_TIME_WORK: it does not wait */
};

struct ps_stack_waits {
    struct ps_db *db;
    const struct ps_stack_frames *frames;
    struct ps_frame_kind *kinds; /* [text id]: known of frames that were asked for */
};
/* `frames` must remain until the end, without frames that are added later. */
void ps_stack_waits_init(struct ps_stack_waits *out, struct ps_db *db,
                         const struct ps_stack_frames *frames);
void ps_stack_waits_free(struct ps_stack_waits *waits);

/* What is known of a frame; text: a text id of the run. */
const struct ps_frame_kind *ps_stack_frame_kind(struct ps_stack_waits *waits, uint32_t text,
                                                uint8_t family);
/* Says that threads wait at a frame of which nothing else is known. */
void ps_stack_frame_set_waiting(struct ps_stack_waits *waits, uint32_t text);
/* Whether a sample that is not transformed waits. */
bool ps_stack_is_waiting(struct ps_stack_waits *waits, const struct ps_path *sample);

#endif
