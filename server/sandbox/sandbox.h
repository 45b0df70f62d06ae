/* SPDX-License-Identifier: MIT */
/*
 * sandbox.h: what a process that reads bytes from others may do. It keeps the descriptors it has,
 * and can open, connect and start nothing more.
 *
 *   memory      RLIMIT_DATA; files that are mapped do not count, for the kernel may drop their
 * pages time        RLIMIT_CPU files       RLIMIT_FSIZE for each; no new ones: Landlock without a
 * rule, and no system call system      a seccomp filter that allows the calls of one table
 * (filter.c)
 *
 * Landlock and seccomp need a kernel that has them. Under AddressSanitizer memory is not limited:
 * its shadow is larger than any limit.
 */
#ifndef PS_SANDBOX_SANDBOX_H
#define PS_SANDBOX_SANDBOX_H

#include "base/err.h"

struct ps_sandbox_limits {
    uint64_t memory; /* bytes */
    uint64_t cpu_s;  /* seconds of processor time, of all threads together */
    uint64_t file;   /* bytes of one file that it writes */
};

#define PS_SANDBOX_MEMORY ((uint64_t)4 << 30)
#define PS_SANDBOX_CPU_S  ((uint64_t)600)
#define PS_SANDBOX_FILE   ((uint64_t)64 << 30)

/* Parts of the sandbox that a system may lack; a bit each. */
enum { PS_SANDBOX_LANDLOCK = 1, PS_SANDBOX_SECCOMP = 2, PS_SANDBOX_MEMORY_LIMIT = 4 };

/* Those that this system has, asked once. */
unsigned ps_sandbox_parts(void);

/* Locks this process in, for good, with every thread that it starts from now on. What the system
 * lacks is left out. Call it before there are other threads. */
enum ps_status ps_sandbox_enter(const struct ps_sandbox_limits *limits, struct ps_err *err);

/* The two halves of the lock, for ps_sandbox_enter. 0, or -1 with errno. */
int ps_landlock_enter(void);
int ps_filter_enter(void);
/* Whether the kernel knows them. */
bool ps_landlock_there(void);
bool ps_filter_there(void);

#endif
