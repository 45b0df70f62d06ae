/* SPDX-License-Identifier: MIT */
/* xla.h: the operators of a trace of XLA's profiler, and what its steps are made of. */
#ifndef PS_QUERY_TRACE_XLA_H
#define PS_QUERY_TRACE_XLA_H

#include "base/hash_table.h"
#include "base/intern.h"
#include "server/query/rowset.h"
#include "server/runfile/trace.h"
#include "slices/intervals.h"

/* What the arguments of a slice say of its operator. */
struct ps_xla_call {
    uint32_t name, program, category, scope; /* text ids; 0: the arguments do not say it */
    int64_t device;                          /* -1: unknown */
    int64_t flops, bytes;                    /* -1: unknown */
};

/* Reads the arguments of slices. Each template is parsed once. */
struct ps_xla_arguments {
    struct ps_db *db;
    struct ps_intern texts;            /* the texts of the run */
    uint32_t *text_ids;                /* by index in `texts` */
    struct ps_xla_template *templates; /* by template id */
    size_t n_templates;
};
enum ps_status ps_xla_arguments_open(struct ps_db *db, struct ps_xla_arguments *out,
                                     struct ps_err *err);
void ps_xla_arguments_close(struct ps_xla_arguments *arguments); /* for PS_AUTO */
struct ps_xla_call ps_xla_read_call(struct ps_xla_arguments *arguments,
                                    const struct ps_chunk *chunk, uint32_t i);

/* The columns of chunks from which ps_xla_read_call reads; the query needs wants_args too. */
#define PS_XLA_CALL_COLUMNS (PS_COL_BIT(PS_COL_TEMPLATE) | PS_COL_BIT(PS_COL_ARGS_AT))

/* The rows of ps_temp_xla_operators: operators of a program, summed over devices and threads, and
 * device work without an operator. */
ps_make_rows ps_make_xla_operators;

/* An operator, or device work without one, in a range; those of equal names in several programs
 * together. Collectives are left out. */
struct ps_xla_operator_sum {
    uint32_t name; /* text id */
    int64_t calls, self_ns;
};
/* The tracks of a worker. */
enum ps_status ps_xla_worker_tracks(struct ps_db *db, uint32_t worker, struct ps_track_set *out,
                                    struct ps_err *err);
/* Stores the operators of a worker with most time, longest first, and the time of all. *n: at most
 * `most`. */
enum ps_status ps_xla_operators_read(struct ps_db *db, uint32_t worker, struct ps_range range,
                                     struct ps_xla_operator_sum *out, size_t most, size_t *n,
                                     int64_t *all_ns, struct ps_err *err);

/* The rows of ps_temp_xla_steps: the parts of each counted step. */
ps_make_rows ps_make_xla_steps;

/* What a moment of the program is spent on. A moment counts for the first part that is active. */
enum ps_xla_part {
    PS_XLA_COMPUTE,    /* an operator or other work of a device runs */
    PS_XLA_COLLECTIVE, /* only collectives run, with their waiting */
    PS_XLA_EXECUTE,    /* a program runs, but no operator that was recorded */
    PS_XLA_COMPILE,    /* JAX traces, lowers and compiles a program */
    PS_XLA_TRANSFER,   /* values are moved between the program and a device */
    PS_XLA_DISPATCH,   /* a program is started */
    PS_XLA_WAIT,       /* the program waits for XLA */
    PS_XLA_OUTSIDE,    /* nothing of these: the program does other work */
    PS_N_XLA_PARTS
};
/* Names in the API. */
extern const char *const ps_xla_part_words[PS_N_XLA_PARTS];

/* What a device does in the window. */
struct ps_xla_device {
    int64_t number; /* -1: the arguments do not say it */
    uint32_t worker;
    struct ps_intervals busy;       /* joined: it computes, collectives apart */
    struct ps_intervals collective; /* joined: it is in collectives */
    int64_t busy_ns, wait_ns;       /* in the window; wait_ns: in collectives, for others */
};

/* The time of one worker: of the program on one host. */
struct ps_xla_time {
    uint32_t worker;
    struct ps_range window; /* from the first step to the end of the last one, or of all XLA does */
    struct ps_intervals steps;                 /* those that the file marks; n 0: none */
    struct ps_intervals parts[PS_XLA_OUTSIDE]; /* joined */
    int64_t part_ns[PS_N_XLA_PARTS];           /* in the window */
    struct ps_xla_device *devices;
    size_t n_devices, cap_devices;
    uint32_t main_track;             /* the thread that starts programs; 0: none */
    struct ps_intervals outside;     /* moments of PS_XLA_OUTSIDE, joined */
    int64_t compiled, compile_steps; /* programs that are compiled, and steps with some */
    int64_t programs, reads;         /* that are started; results that the program reads */
    int64_t operators;               /* calls of operators */
};
enum ps_status ps_xla_time_read(struct ps_db *db, uint32_t worker, struct ps_xla_time *out,
                                struct ps_err *err);
/* Moves the devices of `from`, another worker, to `to`, and computes anew how long each waits. */
void ps_xla_time_add_devices(struct ps_xla_time *to, struct ps_xla_time *from);
enum ps_status ps_xla_count_workers(struct ps_db *db, uint32_t *out, struct ps_err *err);
/* Divides [from, to) among the parts. */
void ps_xla_time_divide(const struct ps_xla_time *time, int64_t from, int64_t to,
                        int64_t out[PS_N_XLA_PARTS]);
void ps_xla_time_free(struct ps_xla_time *time); /* for PS_AUTO */

/* What the program does while no part of XLA is active: a slice name of its thread. */
struct ps_xla_unit {
    uint32_t name;   /* text id */
    int64_t ns;      /* of the moments outside that its slices cover */
    int64_t calls;   /* slices that cover some */
    int64_t longest; /* id of the slice that covers most */
    int64_t depth;   /* of that slice */
    int64_t longest_ns;
};
/* Finds the unit that covers most of the moments of PS_XLA_OUTSIDE: the innermost of those that
 * cover nearly as much; *callee is what it calls for nearly all of that time. Their names are 0 if
 * nothing covers half of these moments. */
enum ps_status ps_xla_outside_read(struct ps_db *db, const struct ps_xla_time *time,
                                   struct ps_xla_unit *unit, struct ps_xla_unit *callee,
                                   struct ps_err *err);
/* Finds the function of the program that operators call back, as those of jax.pure_callback do: the
 * innermost of those that are called once for each of these calls, and cover nearly all of them.
 * Its name is 0 if there is none, or if the Python tracer was off. */
enum ps_status ps_xla_callback_read(struct ps_db *db, const struct ps_xla_time *time,
                                    struct ps_xla_unit *out, struct ps_err *err);
/* Whether the name is that of a Python frame, "$app.py:12 load", and of a built-in function, "$time
 * sleep". */
bool ps_xla_is_frame(struct ps_str name);
bool ps_xla_is_builtin(struct ps_str name);

/* What a name of a host slice means. */
enum ps_xla_name {
    PS_XLA_NAME_OTHER,
    PS_XLA_NAME_COMPILES,
    PS_XLA_NAME_MOVES,
    PS_XLA_NAME_READS,
    PS_XLA_NAME_STARTS,
    PS_XLA_NAME_WAITS
};
enum ps_xla_name ps_xla_name_of(struct ps_str name);

#endif
