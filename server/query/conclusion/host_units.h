/* SPDX-License-Identifier: MIT */
/*
 * host_units.h: the time of a traced thread, charged to the functions and annotations of the
 * program.
 *
 * A unit is a Python function that the reader can edit, an annotation or an NVTX range. A slice of
 * a library, of an operator or of a comprehension is charged to the innermost unit around it; so
 * the times of units do not overlap. The backward pass of an operator is charged to the unit that
 * called the operator, if both ran on the same thread, as without a GPU: its time depends on that
 * unit. What the profiler and torch.compile do is charged to none.
 */
#ifndef PS_QUERY_HOST_UNITS_H
#define PS_QUERY_HOST_UNITS_H

#include "base/intern.h"
#include "server/query/conclusion/known_calls.h"
#include "server/query/trace/utilisation/overview.h"
#include "server/runfile/trace.h"
#include "slices/roles.h"

#define PS_NO_UNIT   UINT32_MAX
#define PS_LEADS_MAX 3

/* What a unit spends its time in: an operator, else a function of a library. */
struct ps_unit_lead {
    uint32_t name; /* text id */
    int64_t calls, ns;
};

struct ps_host_unit {
    uint32_t name;      /* text id of the first; 0: of what runs in no unit */
    uint32_t n_names;   /* annotations whose names differ by the number at the end are one unit */
    bool is_annotation; /* else a Python function */
    bool trains;        /* runs a backward pass */
    bool is_derived;    /* its operators have a backward pass, which is charged to it */
    int64_t calls, ns;  /* ns: all that is charged */
    int64_t own_ns;     /* of ns: in its own code */
    int64_t small_ns;   /* of ns: in operators that take less than PS_SMALL_NS themselves */
    int64_t needed_ns;  /* of ns: in matrix products, convolutions and attention, and in backward
                           of no unit */
    int64_t large_ns;   /* of ns: in other operators that take longer */
    int64_t wait_ns;    /* of ns: in calls that wait */
    int64_t covered_ns; /* durations of its calls in steps, without those in itself */
    int64_t n_operators, operators_ns; /* outermost operators that it called, and their durations */
    int64_t n_items;                   /* conversions of tensors to Python numbers */
    int64_t longest, longest_ns;       /* slice id */
    uint32_t caller;                   /* index of the unit around its first call, or PS_NO_UNIT */
    int64_t caller_calls;              /* calls from it */
};

/* An operator that takes less is mostly the cost of a call. */
#define PS_SMALL_NS 30000

struct ps_host_units {
    struct ps_host_unit *units; /* the first is what runs in no unit */
    size_t n, cap;
    uint32_t *unit_of_text; /* index + 1 by text id; 0: none */
    size_t n_texts;
    struct ps_intern stems; /* of the names of annotations */
    uint32_t *unit_of_stem; /* index + 1 by id in `stems`; 0: none */
    size_t n_stems;
    bool has_functions;                /* Python functions were recorded */
    int64_t n_operators, operators_ns; /* outermost operators, also of backward passes */
    int64_t small_ns, large_ns, needed_ns, n_items; /* of all units */
    int64_t double_ns;  /* self time of operators on float64; 0 if types were not recorded */
    int64_t compile_ns; /* in phases of torch.compile, with all that runs below them */
};

/* What is charged of a worker: moments in `steps`, but not in `busy`. Both are joined. */
struct ps_host_window {
    uint32_t track; /* 0: none */
    const struct ps_intervals *steps, *busy;
};

struct ps_host_windows {
    const struct ps_host_window *items; /* by worker */
    uint32_t n;
    const struct ps_track_owners *owners;
    const char *step; /* name of the annotations that are the steps, and no units; or NULL */
};

/* Memory: 8 bytes for each slice of the longest track. The caller frees *out. */
enum ps_status ps_host_units_read(struct ps_db *db, const struct ps_host_windows *windows,
                                  struct ps_host_units *out, struct ps_err *err);
/* Finds what the unit (its index) spends most time in, longest first. Returns their number in *n.
 */
enum ps_status ps_host_units_leads(struct ps_db *db, const struct ps_host_windows *windows,
                                   struct ps_host_units *units, uint32_t unit,
                                   struct ps_unit_lead leads[PS_LEADS_MAX], size_t *n,
                                   struct ps_err *err);
void ps_host_units_free(struct ps_host_units *units);

/* What is known of a Python or built-in function by the name of its slice; NULL: nothing. */
const struct ps_known_call *ps_slice_known_call(struct ps_str text);

#endif
