/* SPDX-License-Identifier: MIT */
/*
 * sandbox.h: restricts a process that reads untrusted bytes. The process keeps its open
 * descriptors, and cannot open files, connect sockets or start processes.
 *
 *   memory   RLIMIT_DATA; mapped files do not count, since the kernel may drop their pages
 *   time     RLIMIT_CPU; the parent ends a process that runs for too long (child.h)
 *   threads  the parent ends a process that has too many
 *   files    RLIMIT_FSIZE for each; no new ones: Landlock without a rule, and no system call
 *   system   a seccomp filter that allows the calls of one table (filter.c)
 *
 * Landlock and seccomp need kernel support. Under AddressSanitizer, memory is not limited, because
 * the shadow memory is larger than any useful limit.
 */
#ifndef PS_SANDBOX_SANDBOX_H
#define PS_SANDBOX_SANDBOX_H

#include "base/err.h"

struct ps_sandbox_limits {
    uint64_t memory_bytes; /* maximum bytes of memory (RLIMIT_DATA) */
    uint64_t cpu_s;        /* maximum seconds of CPU time of all threads together */
    uint64_t file_bytes;   /* maximum bytes of each file that the process writes */
};

#define PS_SANDBOX_MEMORY_BYTES ((uint64_t)4 << 30)
#define PS_SANDBOX_CPU_S        ((uint64_t)600)
#define PS_SANDBOX_FILE_BYTES   ((uint64_t)64 << 30)

/* Seconds that an importer may run for each second of CPU time that it may use; time in which it
 * waits for its parent does not count. */
#define PS_SANDBOX_REAL_PER_CPU ((uint64_t)6)
#define PS_SANDBOX_THREADS_MAX  64u

/* Parts of the sandbox that a system may lack, as bits. */
enum { PS_SANDBOX_LANDLOCK = 1, PS_SANDBOX_SECCOMP = 2, PS_SANDBOX_MEMORY_LIMIT = 4 };

/* Returns the parts that this system supports, as bits. */
unsigned ps_sandbox_parts(void);

/* Restricts this process and all threads that it starts later, permanently. Omits the parts that
 * the system lacks. Call it before the process starts other threads. */
enum ps_status ps_sandbox_enter(const struct ps_sandbox_limits *limits, struct ps_err *err);

/* The parts of ps_sandbox_enter for Landlock and for seccomp. Return 0, or -1 with errno. */
int ps_landlock_enter(void);
int ps_seccomp_enter(void);
/* Whether the kernel supports Landlock; whether it supports seccomp filters. */
bool ps_landlock_is_supported(void);
bool ps_seccomp_is_supported(void);

#endif
