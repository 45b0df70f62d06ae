/* SPDX-License-Identifier: MIT */
/* python_origin.h: whose code a module name or a file path is. */
#ifndef PS_IMPORTERS_PYTHON_ORIGIN_H
#define PS_IMPORTERS_PYTHON_ORIGIN_H

#include "importers/sink.h"

/* What a top-level module name tells by itself: BUILTIN, STDLIB, THIRD_PARTY when it is a package
 * that is known to be installed, never written; else UNKNOWN. */
enum ps_origin ps_python_module_origin(struct ps_str top_level);

/* What the file of a function in a pstats dump tells. '~' and '' are builtins; a bare base name or
 * <string> is UNKNOWN. */
enum ps_origin ps_python_file_origin(struct ps_str path);

/* The part of a dotted name before its first dot. */
struct ps_str ps_python_top_level(struct ps_str module);

/* Names between blanks, in python_names.c. */
extern const char ps_python_builtin[], ps_python_stdlib[], ps_python_installed[];

#endif
