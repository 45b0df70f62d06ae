/* SPDX-License-Identifier: MIT */
/*
 * frame_name.h: the names that sampling profilers give to frames: function, file and line.
 *
 *     filter_state (app.py:35)                py-spy, speedscope, Firefox Profiler, FlameGraph
 *     filter_state (app.py:35:7)              the same with a column
 *     filter_state [app.py:35]                the same in square brackets
 *     /srv/app.py:filter_state:35             austin, profiling.sampling
 *     /srv/app.py:14:small                    flameprof: line of the `def`
 *     torch/nn/conv.py(438):_forward          export_stacks of torch: line of the `def`
 *     memcpy+0x1f (libc.so.6)                 perf: offset of the instruction
 *
 * Names of other forms have neither file nor line. Strings are slices of the name.
 */
#ifndef PS_BASE_FRAME_NAME_H
#define PS_BASE_FRAME_NAME_H

#include "base/buf.h"
#include "base/python_origin.h"

struct ps_frame_name {
    struct ps_str text;     /* the whole name */
    struct ps_str function; /* without place and offset */
    struct ps_str file;     /* {NULL, 0}: the name has none */
    int64_t line;           /* 0: none */
    /* The bytes of `text` that differ between the lines of a function; cut_len 0: none. The line of
     * a `def` is not among them, because it tells two functions of one name apart. */
    size_t cut, cut_len;
};

struct ps_frame_name ps_frame_name_parse(struct ps_str text);

/* Appends the name that all lines of a function share: "filter_state (app.py)". */
void ps_frame_name_write_function(const struct ps_frame_name *name, struct ps_buf *out);

/* The parts of the name that torch.profiler gives to a slice of a Python function,
 * "train.py(12): fit". False: it has no place, or is the name of another slice. */
bool ps_slice_frame_parse(struct ps_str text, struct ps_str *path, int64_t *line,
                          struct ps_str *name);

/* Where the code of a frame is from. is_native: the importer found that it is native code.
 * has_folders: the profile states the folders of files; profiling.sampling leaves them out.
 * BUILTIN: native code, or built into the interpreter. UNKNOWN: the name has no file, or one that
 * does not say. */
enum ps_origin ps_frame_origin(const struct ps_frame_name *name, bool is_native, bool has_folders);

/* The installed package or the module of the standard library of a frame whose origin is
 * THIRD_PARTY or STDLIB: "numpy" of "numpy/core/fromnumeric.py". */
struct ps_str ps_frame_package(const struct ps_frame_name *name);

#endif
