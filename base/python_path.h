/* SPDX-License-Identifier: MIT */
/* python_path.h: parts of the paths of Python files. Both kinds of slashes separate folders. */
#ifndef PS_BASE_PYTHON_PATH_H
#define PS_BASE_PYTHON_PATH_H

#include "base/str.h"

/* The path after the folder of installed packages (site-packages, dist-packages) or of the standard
 * library (lib/python3.11), which is the same on all machines; {NULL, 0}: it has no such folder. */
struct ps_str ps_python_installed_part(struct ps_str path);

/* The top-level package or module that contains the file: "jinja2" of
 * .../site-packages/jinja2/lexer.py, "json" of .../lib/python3.11/json/decoder.py, "importlib" of
 * <frozen importlib._bootstrap>; of a file that is not below such a folder its name without .py. */
struct ps_str ps_python_package_of(struct ps_str path);

#endif
