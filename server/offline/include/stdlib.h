/* SPDX-License-Identifier: MIT */
/* stdlib.h: the stdlib.h of the libc, and functions of glibc that it lacks. */
#include_next <stdlib.h>

#ifndef PS_OFFLINE_STDLIB_H
#define PS_OFFLINE_STDLIB_H

void qsort_r(void *at, size_t n, size_t size, int (*compare)(const void *, const void *, void *),
             void *user);

#endif
