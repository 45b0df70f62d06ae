/* SPDX-License-Identifier: MIT */
/* python_path.h: parts of the paths of Python files. Both kinds of slashes separate folders. */
#ifndef PS_BASE_PYTHON_PATH_H
#define PS_BASE_PYTHON_PATH_H

#include "base/str.h"

/* The part of a path after its last folder. */
struct ps_str ps_path_file_name(struct ps_str path);

/* The path after the folder of installed packages (site-packages, dist-packages, an egg or a wheel)
 * or of the standard library (lib/python3.11, on Windows Lib), which is the same on all machines;
 * {NULL, 0}: it has no such folder. */
struct ps_str ps_python_installed_part(struct ps_str path);

/* The top-level package or module that contains the file: "jinja2" of
 * .../site-packages/jinja2/lexer.py, "json" of .../lib/python3.11/json/decoder.py, "importlib" of
 * <frozen importlib._bootstrap>; of a file that is not below such a folder its name without .py. */
struct ps_str ps_python_package_of(struct ps_str path);

/* How likely two recorded paths mean the same source file, from least to most. */
enum ps_same_file {
    PS_SAME_NOTHING, /* different files */
    PS_SAME_NAME,    /* no more is known than that their names are equal */
    PS_SAME_ROOT,    /* the paths below a folder of the project are equal */
    PS_SAME_PACKAGE, /* the paths below the folder of installed packages are equal; or one path has
                        none, and ends with that part of the other */
    PS_SAME_PATH     /* the paths are equal and contain a folder */
};

/* Compares two paths. The folder of a project is the folder that a relative path begins with; that
 * of two absolute paths is the first of at least three common last parts. Stores the common last
 * parts, a slice of `a`, in *shared. */
enum ps_same_file ps_python_same_file(struct ps_str a, struct ps_str b, struct ps_str *shared);

#endif
