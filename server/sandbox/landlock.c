/* SPDX-License-Identifier: MIT */
/* landlock.c: denies everything that Landlock can deny, with a ruleset without rules. It defines
 * the constants of the kernel itself, for systems with older headers. */
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "server/sandbox/sandbox.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444 /* the same on all architectures */
#define SYS_landlock_restrict_self  446
#endif

struct ruleset {
    uint64_t files;   /* access rights to files and folders */
    uint64_t network; /* 1: bind, 2: connect */
    uint64_t scopes;  /* 1: abstract sockets, 2: signals to processes outside of the sandbox */
};

/* Returns all file access rights of a Landlock version, a bit each: 13 in version 1; version 2
 * added refer, version 3 truncate, version 5 ioctl of devices. */
static uint64_t file_rights(long version)
{
    unsigned n = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;

    return ((uint64_t)1 << n) - 1;
}

static long version_of_kernel(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, 1u);
}

bool ps_landlock_is_supported(void)
{
    return version_of_kernel() > 0;
}

int ps_landlock_enter(void)
{
    const long version = version_of_kernel();
    const struct ruleset rules = {
        .files = file_rights(version),
        .network = version >= 4 ? 3 : 0,
        .scopes = version >= 6 ? 3 : 0,
    };
    const size_t size = version >= 6 ? sizeof rules : version >= 4 ? 16 : 8;
    long fd = syscall(SYS_landlock_create_ruleset, &rules, size, 0u), done;

    if (fd < 0)
        return -1;
    done = syscall(SYS_landlock_restrict_self, (int)fd, 0u);
    (void)close((int)fd);
    return done == 0 ? 0 : -1;
}
