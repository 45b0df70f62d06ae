/* SPDX-License-Identifier: MIT */
/* python_origin.h: the origin (enum ps_origin) of a Python module name or file path. */
#ifndef PS_BASE_PYTHON_ORIGIN_H
#define PS_BASE_PYTHON_ORIGIN_H

#include "base/str.h"

/* The origin of code. The numbers are stored in run files and sent to the browser: never
 * renumber. */
enum ps_origin {
    PS_ORIGIN_OWN = 0,
    PS_ORIGIN_THIRD_PARTY = 1,
    PS_ORIGIN_STDLIB = 2,
    PS_ORIGIN_BUILTIN = 3,
    PS_ORIGIN_UNKNOWN = 4,
};
#define PS_N_ORIGINS (PS_ORIGIN_UNKNOWN + 1)

/* The origins in answers and parameters: "own", "third-party", "stdlib", "builtin", "unknown". */
extern const char *const ps_origin_names[PS_N_ORIGINS];

/* Classifies a top-level module name: PS_ORIGIN_BUILTIN, PS_ORIGIN_STDLIB, PS_ORIGIN_THIRD_PARTY
 * for well-known PyPI packages, else PS_ORIGIN_UNKNOWN. Never PS_ORIGIN_OWN. */
enum ps_origin ps_python_module_origin(struct ps_str top_level);

/* Classifies the file of a function in a pstats dump. '~' and '' are PS_ORIGIN_BUILTIN; a file name
 * without a folder, or <string>, is PS_ORIGIN_UNKNOWN. */
enum ps_origin ps_python_file_origin(struct ps_str path);

/* The part of a dotted name before its first dot. */
struct ps_str ps_python_top_level(struct ps_str module);

#endif
