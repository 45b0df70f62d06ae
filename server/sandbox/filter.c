/* SPDX-License-Identifier: MIT */
/*
 * filter.c: a seccomp filter for the system calls of an importer. The filter allows the calls in a
 * table, or refuses them with an error that the C library handles. Any other call, and a call whose
 * arguments violate the table, is not executed and raises SIGSYS.
 */
#define _GNU_SOURCE /* CLONE_*, stat64 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "server/sandbox/sandbox.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

/* A condition on an argument: (argument & mask) == value; with `differs`, != value. Mask 0: no
 * condition. */
struct test {
    unsigned argument;
    uint32_t mask, value; /* applied to the lower 32 bits of the argument */
    bool differs;
};

enum { N_TESTS = 3 };

/* A row of the table of calls. If a call has several rows, the first row whose conditions hold
 * applies. */
struct call {
    unsigned number;
    int refusal; /* errno of a refused call; 0: allowed */
    struct test tests[N_TESTS];
};

/* clang-format off */
#define ALLOW(name)             {SYS_##name, 0, {{0, 0, 0, false}}}
#define REFUSE(name, why)       {SYS_##name, why, {{0, 0, 0, false}}}
#define ONLY(name, n, value)    {SYS_##name, 0, {{n, ALL_BITS, (uint32_t)(value), false}}}
#define BELOW(name, n, power)   {SYS_##name, 0, {{n, ~((uint32_t)(power) - 1), 0, false}}}
#define ALL_BITS          UINT32_MAX
#define OWN_PID           UINT32_MAX /* as a value: the pid of this process */
#define NOT_SHARED        {3, MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS, true}
#define NOT_EXECUTABLE    {2, PROT_EXEC, 0, false}
#define NOT_GROWING       {3, MAP_GROWSDOWN, 0, false}
/* The flags of clone must be exactly those of pthread_create: if the filter required only
 * CLONE_THREAD, a root process could create namespaces. musl adds CLONE_DETACHED, which has no
 * effect. */
#define THREAD_FLAGS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |            \
                      CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)
#define A_THREAD     {0, ALL_BITS & ~(uint32_t)CLONE_DETACHED, THREAD_FLAGS, false}

static const struct call calls[] = {
    /* memory, the most frequent calls; not executable. The memory limit counts neither shared
     * memory, which must therefore map a file, nor mappings that grow like a stack */
    {SYS_mmap, 0, {NOT_EXECUTABLE, NOT_SHARED, NOT_GROWING}},
    {SYS_mprotect, 0, {NOT_EXECUTABLE}},
    ALLOW(munmap), ALLOW(mremap), ALLOW(brk),
    /* all advice except MADV_HWPOISON and MADV_SOFT_OFFLINE, with which root can disable pages */
    BELOW(madvise, 2, 32),
    /* descriptors that the process received: input, run file, temporary files, the socket to the
     * parent */
    ALLOW(read), ALLOW(pread64), ALLOW(readv), ALLOW(write), ALLOW(pwrite64), ALLOW(writev),
    ALLOW(lseek), ALLOW(fstat), ALLOW(ftruncate), ALLOW(fallocate), ALLOW(close), ALLOW(dup),
    ALLOW(fadvise64),
    /* flags of descriptors, for libraries; not commands that send signals (F_SETOWN, F_SETSIG,
     * F_SETLEASE, F_NOTIFY), change state shared with the parent (F_SETFL) or lock files */
    ONLY(fcntl, 1, F_GETFD), ONLY(fcntl, 1, F_SETFD), ONLY(fcntl, 1, F_GETFL),
    /* messages to and from the parent: the process has no other socket and cannot create one */
    ALLOW(sendmsg), ALLOW(recvmsg),
    /* threads, not processes: if clone3 fails, glibc calls clone, whose flags a filter can check */
    {SYS_clone, 0, {A_THREAD}},
    REFUSE(clone3, ENOSYS),
    ALLOW(futex), ALLOW(set_robust_list), ALLOW(rseq), ALLOW(sched_yield), ALLOW(gettid),
    /* the number of CPUs of this process (pid 0), not whether another process exists.
     * AddressSanitizer passes its own pid, and works without a result */
    ONLY(sched_getaffinity, 0, 0), REFUSE(sched_getaffinity, ENOSYS),
    ALLOW(exit), ALLOW(exit_group),
    /* signals of this process: a failed assertion raises SIGABRT */
    ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(sigaltstack),
    ALLOW(getpid), ONLY(tgkill, 0, OWN_PID),
    /* clocks of the system and of this process, not of other processes (negative ids); random
     * numbers; the memory of the machine */
    BELOW(clock_gettime, 0, 16), BELOW(clock_nanosleep, 0, 16), ALLOW(gettimeofday), ALLOW(getrandom),
    ALLOW(sysinfo),
    /* optional calls of libraries that read files of the system or query terminals. newfstatat is
     * refused, too, since a filter cannot check whether its path is empty (see fstat below) */
    REFUSE(openat, EACCES), REFUSE(readlinkat, EACCES), REFUSE(faccessat, EACCES),
    REFUSE(newfstatat, EACCES), REFUSE(ioctl, ENOTTY), REFUSE(prctl, EINVAL), REFUSE(getcwd, EACCES),
#ifdef SYS_open
    REFUSE(open, EACCES), REFUSE(readlink, EACCES), REFUSE(access, EACCES), REFUSE(stat, EACCES),
    REFUSE(lstat, EACCES),
#endif
};
/* clang-format on */

#define N_CALLS (sizeof calls / sizeof *calls)
/* maximum instructions for each row of the table; and before and after the rows */
enum { OF_CALL = 4 + 3 * N_TESTS, HEAD = 6 };

struct program {
    struct sock_filter instructions[N_CALLS * OF_CALL + HEAD];
    unsigned short n;
};

static struct sock_filter *add_instruction(struct program *p, unsigned code, size_t k)
{
    struct sock_filter *one = &p->instructions[p->n++];

    *one = (struct sock_filter){.code = (uint16_t)code, .k = (uint32_t)k};
    return one;
}

static void add_load(struct program *p, size_t offset)
{
    add_instruction(p, BPF_LD | BPF_W | BPF_ABS, offset);
}

static void add_return(struct program *p, uint32_t verdict)
{
    add_instruction(p, BPF_RET | BPF_K, verdict);
}

/* Jump offsets for conditions that do not hold. They are set when the position of the next row is
 * known. */
struct exits {
    uint8_t *offsets[1 + N_TESTS];
    unsigned positions[1 + N_TESTS], n;
};

static void add_exit(struct exits *exits, const struct program *p, uint8_t *offset)
{
    exits->offsets[exits->n] = offset;
    exits->positions[exits->n++] = p->n;
}

/* Adds the instructions of a condition. Both architectures are little-endian, so the lower half of
 * an argument has the lower offset. */
static void add_test(struct program *p, const struct test *test, struct exits *exits)
{
    uint32_t value = test->value == OWN_PID ? (uint32_t)getpid() : test->value;
    struct sock_filter *jump;

    add_load(p, offsetof(struct seccomp_data, args) + 8 * test->argument);
    add_instruction(p, BPF_ALU | BPF_AND | BPF_K, test->mask);
    jump = add_instruction(p, BPF_JMP | BPF_JEQ | BPF_K, value);
    add_exit(exits, p, test->differs ? &jump->jt : &jump->jf);
}

static void add_call(struct program *p, const struct call *call)
{
    struct exits exits = {.n = 0};
    struct sock_filter *skip;

    add_load(p, offsetof(struct seccomp_data, nr));
    skip = add_instruction(p, BPF_JMP | BPF_JEQ | BPF_K, call->number);
    add_exit(&exits, p, &skip->jf);
    for (size_t i = 0; i < N_TESTS && call->tests[i].mask; i++)
        add_test(p, &call->tests[i], &exits);
    add_return(p, call->refusal ? SECCOMP_RET_ERRNO | (uint32_t)call->refusal : SECCOMP_RET_ALLOW);
    for (unsigned i = 0; i < exits.n; i++)
        *exits.offsets[i] = (uint8_t)(p->n - exits.positions[i]);
}

static void build_filter(struct program *p)
{
    add_load(p, offsetof(struct seccomp_data, arch));
    add_instruction(p, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE)->jt = 1;
    add_return(p, SECCOMP_RET_KILL_PROCESS);
    for (size_t i = 0; i < N_CALLS; i++)
        add_call(p, &calls[i]); /* the call numbers of the x32 ABI match no row */
    add_return(p, SECCOMP_RET_TRAP);
}

/* Replaces fstat of glibc in this program and its libraries: glibc of Debian 12 calls newfstatat
 * with an empty path, which the filter refuses. */
int fstat(int fd, struct stat *out)
{
    return (int)syscall(SYS_fstat, fd, out);
}

int fstat64(int fd, struct stat64 *out)
{
    return (int)syscall(SYS_fstat, fd, out);
}

bool ps_seccomp_is_supported(void)
{
    const uint32_t action = SECCOMP_RET_TRAP;

    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0u, &action) == 0;
}

int ps_seccomp_enter(void)
{
    PS_AUTO(ps_free_ptr) struct program *p = ps_alloc(sizeof *p);
    struct sock_fprog all = {.filter = p->instructions};

    build_filter(p);
    all.len = p->n;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0u, &all);
}

#else

bool ps_seccomp_is_supported(void)
{
    return false;
}

int ps_seccomp_enter(void)
{
    errno = ENOSYS;
    return -1;
}

#endif
