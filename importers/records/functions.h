/* SPDX-License-Identifier: MIT */
/* functions.h: what a pstats dump holds: functions and their callers. */
#ifndef PS_RECORDS_FUNCTIONS_H
#define PS_RECORDS_FUNCTIONS_H

#include "base/num.h"
#include "base/python_origin.h"
#include "base/str.h"

/* The calls of a function by one caller. The order of the fields differs from that of pstats, which
 * stores primitive calls before calls. */
struct ps_call {
    uint32_t caller;
    /* ncalls is always set; primitive_calls, tottime_s and cumtime_s are none for the `profile`
     * module, which only counts calls */
    struct ps_num ncalls, primitive_calls;
    struct ps_num tottime_s, cumtime_s;
};

/* One function of a pstats dump, in the order of the file. */
struct ps_function {
    uint32_t id;
    struct ps_str file, name; /* valid UTF-8, as in the file */
    /* from 1: the same for all functions of a file, different for different files */
    uint32_t file_key;
    struct ps_num line;
    struct ps_num ncalls, primitive_calls, tottime_s, cumtime_s;
    enum ps_origin origin;
    /* number of the recursion cycle (functions that call each other, directly or indirectly); 0:
     * not recursive */
    uint32_t cycle;
    /* false: the function occurs only as a caller, without an entry; all numbers are 0 */
    bool has_entry;
    const struct ps_call *callers; /* in the order of the file */
    uint32_t n_callers;
    /* ids of the functions that have this function as a caller, ascending */
    const uint32_t *callees;
    uint32_t n_callees;
};

#endif
