/* SPDX-License-Identifier: MIT */
/*
 * pyspy.h: the frames by which py-spy names the process and the thread of a stack. They precede the
 * functions of the stack:
 *
 *     process 7:"python app.py";process 9:"python -c a(); b()";thread (9): worker; 2;f (app.py:3)
 *
 * py-spy writes commands and names as they are, so they may contain the ';' that separates frames.
 */
#ifndef PS_IMPORTERS_STACKS_PYSPY_H
#define PS_IMPORTERS_STACKS_PYSPY_H

#include "base/buf.h"

/* Process and thread of a stack: slices of the stack; empty: unknown. */
struct st_thread_names {
    struct ps_str pid, process, tid, thread;
};

/* Returns the bytes of the first frame of a stack if it names a process or thread, and sets the
 * names; 0: it does not. */
size_t st_pyspy_name(struct ps_str stack, struct st_thread_names *names);

/* Appends the name of a track: "thread 9 (worker)". */
void st_write_thread_name(const struct st_thread_names *names, struct ps_buf *out);

#endif
