/* SPDX-License-Identifier: MIT */
/*
 * python_plumbing.h: Python functions that only forward calls, such as _call_impl of PyTorch.
 * Pictures of stacks leave their frames out. What PyTorch's own viewer leaves out is decided by the
 * importer of snapshots.
 */
#ifndef PS_BASE_PYTHON_PLUMBING_H
#define PS_BASE_PYTHON_PLUMBING_H

#include "base/str.h"

enum ps_plumbing_view {
    PS_PLUMBING_TIME = 1,  /* time on the device by Python */
    PS_PLUMBING_MEMORY = 2 /* allocations by stack: a function that allocates is shown */
};

/* Whether pictures of this view leave out a function of a file. path: absolute, or below a folder
 * of sys.path as torch.profiler writes it; with either kind of slashes. A function of the program
 * that has the name of a function of a library, such as `inner`, is not left out. */
bool ps_python_is_plumbing(struct ps_str function, struct ps_str path, enum ps_plumbing_view view);

#endif
