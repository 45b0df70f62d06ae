/* SPDX-License-Identifier: MIT */
#include "server/sandbox/sandbox.h"

#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#ifdef PS_SANITIZED
#define LIMITS_MEMORY 0
#else
#define LIMITS_MEMORY 1
#endif

/* Bytes of address space in addition to the memory limit, for program code and for temporary files
 * that importers map. */
#define ADDRESSES ((uint64_t)2 << 40)

/* The usual size of a stack. RLIMIT_DATA does not count the stack of the first thread, which may be
 * unlimited. */
#define STACK_BYTES ((uint64_t)8 << 20)

unsigned ps_sandbox_parts(void)
{
    static atomic_uint known; /* 0: not determined yet; else the parts and bit 3 */
    unsigned parts = atomic_load(&known);

    if (parts == 0) {
        parts = 8u | (ps_landlock_is_supported() ? PS_SANDBOX_LANDLOCK : 0u) |
                (ps_seccomp_is_supported() ? PS_SANDBOX_SECCOMP : 0u) |
                (LIMITS_MEMORY ? PS_SANDBOX_MEMORY_LIMIT : 0u);
        atomic_store(&known, parts);
    }
    return parts & 7u;
}

/* Lowers a resource limit to `most`; never raises it. `after`: hard limit minus soft limit. */
static enum ps_status set_limit(int what, const char *name, uint64_t most, uint64_t after,
                                struct ps_err *err)
{
    struct rlimit now;

    if (getrlimit((__rlimit_resource_t)what, &now) != 0)
        return ps_fail_errno(err, "cannot read the limit on", name);
    if (most < now.rlim_cur)
        now.rlim_cur = (rlim_t)most;
    if (most + after < now.rlim_max)
        now.rlim_max = (rlim_t)(most + after);
    if (setrlimit((__rlimit_resource_t)what, &now) != 0)
        return ps_fail_errno(err, "cannot limit", name);
    return PS_OK;
}

static enum ps_status limit_all(const struct ps_sandbox_limits *limits, struct ps_err *err)
{
    enum ps_status status = set_limit(RLIMIT_CORE, "core dumps", 0, 0, err);

    if (status == PS_OK)
        status = set_limit(RLIMIT_CPU, "processor time", limits->cpu_s, 5, err);
    if (status == PS_OK)
        status = set_limit(RLIMIT_FSIZE, "the size of files", limits->file_bytes, 0, err);
    if (status == PS_OK && LIMITS_MEMORY)
        status = set_limit(RLIMIT_DATA, "memory", limits->memory_bytes, 0, err);
    if (status == PS_OK && LIMITS_MEMORY)
        status = set_limit(RLIMIT_STACK, "the stack", STACK_BYTES, 0, err);
    if (status == PS_OK && LIMITS_MEMORY)
        status = set_limit(RLIMIT_AS, "addresses", limits->memory_bytes + ADDRESSES, 0, err);
    return status;
}

enum ps_status ps_sandbox_enter(const struct ps_sandbox_limits *limits, struct ps_err *err)
{
    unsigned parts = ps_sandbox_parts();

    if (limit_all(limits, err) != PS_OK)
        return err->code;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        return ps_fail_errno(err, "cannot drop", "privileges");
    if ((parts & PS_SANDBOX_LANDLOCK) && ps_landlock_enter() != 0)
        return ps_fail_errno(err, "cannot restrict", "the file system");
    if ((parts & PS_SANDBOX_SECCOMP) && ps_seccomp_enter() != 0)
        return ps_fail_errno(err, "cannot filter", "system calls");
    return PS_OK;
}
