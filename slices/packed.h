/* SPDX-License-Identifier: MIT */
/*
 * packed.h: the families of rows in the table `packed` (schema/run.sql) and the columns of each, in
 * order. The numbers are stored in run files: never change them, only append.
 */
#ifndef PS_SLICES_PACKED_H
#define PS_SLICES_PACKED_H

enum ps_packed_family {
    PS_PACKED_FLOWS = 1,
    PS_PACKED_COUNTS = 2,
    PS_PACKED_MEMORY = 3,
    PS_PACKED_COLLECTIVES = 4,
    PS_PACKED_STEPS = 5,
};
enum { PS_FLOW_KIND, PS_FLOW_FROM, PS_FLOW_TO, PS_FLOW_FROM_NS, PS_FLOW_TO_NS, PS_N_FLOW_COLUMNS };
enum { PS_COUNT_T, PS_COUNT_VALUE, PS_N_COUNT_COLUMNS };
enum {
    PS_MEMORY_T,
    PS_MEMORY_TYPE,
    PS_MEMORY_DEVICE,
    PS_MEMORY_BYTES,
    PS_MEMORY_ADDRESS,
    PS_MEMORY_ALLOCATED,
    PS_MEMORY_RESERVED,
    PS_MEMORY_SLICE,
    PS_MEMORY_OUTSIDE,
    PS_MEMORY_WORKER,
    PS_N_MEMORY_COLUMNS
};
enum {
    PS_COLLECTIVE_START,
    PS_COLLECTIVE_DURATION,
    PS_COLLECTIVE_SLICE,
    PS_COLLECTIVE_ID,
    PS_COLLECTIVE_SEQUENCE,
    PS_COLLECTIVE_BYTES_IN,
    PS_COLLECTIVE_BYTES_OUT,
    PS_N_COLLECTIVE_COLUMNS
};
enum {
    PS_STEP_START,
    PS_STEP_END,
    PS_STEP_ID,
    PS_STEP_WORKER,
    PS_STEP_NAME, /* id of the first step with the same name */
    PS_STEP_COMPUTATION,
    PS_STEP_COMMUNICATION,
    PS_STEP_LOADING,
    PS_N_STEP_COLUMNS
};

/* Columns of the family that has the most. */
#define PS_PACKED_COLUMNS_MAX PS_N_MEMORY_COLUMNS

#endif
