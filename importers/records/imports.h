/* SPDX-License-Identifier: MIT */
/* imports.h: what an import log holds: imports and their packages. */
#ifndef PS_RECORDS_IMPORTS_H
#define PS_RECORDS_IMPORTS_H

#include "base/num.h"
#include "base/python_origin.h"
#include "base/str.h"

/* One row of an import log, in the order of the log: a row is written when its import ends. */
struct ps_import {
    uint32_t id;
    uint32_t parent; /* id of the importing row; 0: none or unknown; always 0 for cached rows */
    /* id of the importing row, as in `parent`; for cached rows (importtime=2) inferred from the
     * indentation, or 0 */
    uint32_t importer;
    /* several importers are possible; `importer` is the importer with the lowest depth */
    bool is_importer_estimated;
    int32_t depth; /* as printed, 0 for roots; -1: a cached row whose depth is unknown */
    /* from 1, in the order in which the timed imports began (preorder); 0 for cached rows */
    uint32_t start_order;
    struct ps_str module; /* valid UTF-8 */
    uint32_t package;     /* id of a ps_package */
    /* microseconds; none for cached rows; may be negative if threads import at the same time */
    struct ps_num self_us;
    struct ps_num cumulative_us;
    /* max(self, 0) + sum of the children's total_us: width in a chart; 0 for cached rows */
    int64_t total_us;
    bool is_cached;
    bool is_startup;  /* imported by the start-up of the interpreter, before the program */
    bool is_recorded; /* cached rows: seen by the recorder, which lists every import */
    /* recorded rows: the importer imports the module only in functions */
    bool is_in_function;
    bool is_unfinished; /* the parent row is missing: the program was killed or the log is truncated
                         */
    /* no ancestor is in the same package, so the cumulative time of the row counts for the
     * package */
    bool is_topmost;
    bool is_first_of_module; /* no earlier row (cached or not) has this module name */
    uint32_t n_children;     /* number of direct timed children */
    uint32_t interpreter;    /* number of log headers up to this row, from 1 */
    uint64_t line;           /* line number in the input, from 1 */
};

/* A top-level package of an import log. Written before the first import. */
struct ps_package {
    uint32_t id;
    struct ps_str name;
    enum ps_origin origin;
    uint32_t n_modules;    /* number of timed rows */
    struct ps_num self_us; /* sum over the timed rows of the package */
    /* sum of the cumulative times of the topmost rows of the package, so that nested rows count
     * once */
    struct ps_num inclusive_us;
    uint32_t first_import; /* id of the topmost row that started first; 0: none */
};

#endif
