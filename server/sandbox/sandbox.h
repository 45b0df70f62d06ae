/* SPDX-License-Identifier: MIT */
/*
 * sandbox.h: restricts a process that reads untrusted bytes. It keeps the descriptors it has, and
 * cannot open files, connect or start processes.
 *
 *   memory   RLIMIT_DATA; mapped files do not count, since the kernel may drop their pages
 *   time     RLIMIT_CPU
 *   files    RLIMIT_FSIZE for each; no new ones: Landlock without a rule, and no system call
 *   system   a seccomp filter that allows the calls of one table (filter.c)
 *
 * Landlock and seccomp need kernel support. Under AddressSanitizer memory is not limited: its
 * shadow memory is larger than any limit.
 */
#ifndef PS_SANDBOX_SANDBOX_H
#define PS_SANDBOX_SANDBOX_H

#include "base/err.h"

struct ps_sandbox_limits {
    uint64_t memory; /* bytes */
    uint64_t cpu_s;  /* seconds of CPU time of all threads together */
    uint64_t file;   /* maximum bytes of each file that it writes */
};

#define PS_SANDBOX_MEMORY ((uint64_t)4 << 30)
#define PS_SANDBOX_CPU_S  ((uint64_t)600)
#define PS_SANDBOX_FILE   ((uint64_t)64 << 30)

/* Parts of the sandbox that a system may lack, a bit each. */
enum { PS_SANDBOX_LANDLOCK = 1, PS_SANDBOX_SECCOMP = 2, PS_SANDBOX_MEMORY_LIMIT = 4 };

/* The parts that this system supports; determined once. */
unsigned ps_sandbox_parts(void);

/* Restricts this process permanently, with every thread that it starts from now on. Parts that the
 * system lacks are omitted. Call it before other threads exist. */
enum ps_status ps_sandbox_enter(const struct ps_sandbox_limits *limits, struct ps_err *err);

/* The two main parts of ps_sandbox_enter. Return 0, or -1 with errno. */
int ps_landlock_enter(void);
int ps_filter_enter(void);
/* Whether the kernel supports them. */
bool ps_landlock_is_supported(void);
bool ps_filter_is_supported(void);

#endif
