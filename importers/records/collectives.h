/* SPDX-License-Identifier: MIT */
/* collectives.h: collectives of a trace and their calls. */
#ifndef PS_RECORDS_COLLECTIVES_H
#define PS_RECORDS_COLLECTIVES_H

#include "base/str.h"

/* What calls of a collective have in common. Written before its calls. */
struct ps_collective {
    uint32_t id; /* from 1 */
    /* as its arguments state it; the name of the kernel if they do not describe a collective */
    struct ps_str name;
    bool is_described; /* the arguments describe the collective, so the members below are known */
    struct ps_str group, description; /* name and description of the process group; may be empty */
    struct ps_str members; /* its ranks as in the file, which may be abbreviated; may be empty */
    uint32_t group_size;   /* ranks of the process group; 0: unknown */
    struct ps_str dtype;   /* type of the elements, as torch names it: "BFloat16"; may be empty */
};

/* A call of a collective on one rank: a kernel; in a trace without kernels of collectives the
 * operator or annotation of the host. */
struct ps_collective_call {
    int64_t slice_id;
    int64_t start_ns, duration_ns;
    uint32_t collective;
    int64_t sequence;            /* number of the collective in its process group; -1: unknown */
    int64_t bytes_in, bytes_out; /* of the messages of this rank; 0: unknown */
};

#endif
