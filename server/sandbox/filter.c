/* SPDX-License-Identifier: MIT */
/*
 * filter.c: the system calls of an importer, as a seccomp filter. A call that is in the table is
 * allowed, or refused with an error that the C library lives with. Any other, and one whose
 * arguments are not as the table says, is not carried out and raises SIGSYS.
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

/* What has to hold: (argument & mask) == value, or with `differs` !=. Mask 0: nothing. */
struct test {
    unsigned argument;
    uint32_t mask, value; /* of the lower half */
    bool differs;
};

/* A call may stand in several rows: it is allowed when the tests of one of them hold. */
struct call {
    unsigned number;
    int refusal; /* the errno of it; 0: allowed */
    struct test tests[2];
};

/* clang-format off */
#define ALLOW(name)             {SYS_##name, 0, {{0, 0, 0, false}}}
#define REFUSE(name, why)       {SYS_##name, why, {{0, 0, 0, false}}}
#define ONLY(name, n, value)    {SYS_##name, 0, {{n, ALL_BITS, (uint32_t)(value), false}}}
#define BELOW(name, n, power)   {SYS_##name, 0, {{n, ~((uint32_t)(power) - 1), 0, false}}}
#define ALL_BITS          UINT32_MAX
#define OWN_PID           UINT32_MAX /* as a value: this process */
#define NOT_SHARED        {3, MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS, true}
#define NOT_EXECUTABLE    {2, PROT_EXEC, 0, false}
/* The flags of pthread_create, and no others: with CLONE_THREAD alone a process of root could make
 * namespaces. musl adds CLONE_DETACHED, which means nothing. */
#define THREAD_FLAGS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |            \
                      CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)
#define A_THREAD     {0, ALL_BITS & ~(uint32_t)CLONE_DETACHED, THREAD_FLAGS, false}

static const struct call calls[] = {
    /* memory, asked for most: no code, and no shared memory but of files, which its limit would
     * not count */
    {SYS_mmap, 0, {NOT_EXECUTABLE, NOT_SHARED}},
    {SYS_mprotect, 0, {NOT_EXECUTABLE}},
    ALLOW(munmap), ALLOW(mremap), ALLOW(brk),
    BELOW(madvise, 2, 32), /* all advice but that of root, which takes pages of memory out of use */
    /* what it was handed: the input, the run file, temporary files, the socket to its parent */
    ALLOW(read), ALLOW(pread64), ALLOW(readv), ALLOW(write), ALLOW(pwrite64), ALLOW(writev),
    ALLOW(lseek), ALLOW(fstat), ALLOW(ftruncate), ALLOW(fallocate), ALLOW(close), ALLOW(dup),
    ALLOW(fadvise64),
    /* flags of descriptors, for libraries that look: nothing that sends signals (F_SETOWN, F_SETSIG,
     * F_SETLEASE, F_NOTIFY), changes what the parent shares (F_SETFL) or locks */
    ONLY(fcntl, 1, F_GETFD), ONLY(fcntl, 1, F_SETFD), ONLY(fcntl, 1, F_GETFL),
    /* to its parent and from it: it has no other socket and cannot make one */
    ALLOW(sendmsg), ALLOW(recvmsg),
    /* threads, no processes: glibc takes clone, whose flags can be seen, where clone3 is unknown */
    {SYS_clone, 0, {A_THREAD}},
    REFUSE(clone3, ENOSYS),
    ALLOW(futex), ALLOW(set_robust_list), ALLOW(rseq), ALLOW(sched_yield), ALLOW(gettid),
    /* how many threads make sense, but not whether another process is there; AddressSanitizer asks
     * by number, and does without an answer */
    ONLY(sched_getaffinity, 0, 0), REFUSE(sched_getaffinity, ENOSYS),
    ALLOW(exit), ALLOW(exit_group),
    /* its own signals: an assertion that fails raises one */
    ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(sigaltstack),
    ALLOW(getpid), ONLY(tgkill, 0, OWN_PID),
    /* clocks of the system and its own, not those of other processes (negative numbers); chance and
     * the size of the machine */
    BELOW(clock_gettime, 0, 16), BELOW(clock_nanosleep, 0, 16), ALLOW(gettimeofday), ALLOW(getrandom),
    ALLOW(sysinfo),
    /* what libraries try and can do without: files that tell of the system, terminals. newfstatat
     * among them: a filter cannot see whether its path is empty (see fstat below) */
    REFUSE(openat, EACCES), REFUSE(readlinkat, EACCES), REFUSE(faccessat, EACCES),
    REFUSE(newfstatat, EACCES), REFUSE(ioctl, ENOTTY), REFUSE(prctl, EINVAL), REFUSE(getcwd, EACCES),
#ifdef SYS_open
    REFUSE(open, EACCES), REFUSE(readlink, EACCES), REFUSE(access, EACCES), REFUSE(stat, EACCES),
    REFUSE(lstat, EACCES),
#endif
};
/* clang-format on */

#define N_CALLS (sizeof calls / sizeof *calls)
enum { OF_CALL = 10, HEAD = 6 }; /* instructions at most */

struct program {
    struct sock_filter at[N_CALLS * OF_CALL + HEAD];
    unsigned short n;
};

static struct sock_filter *add(struct program *p, unsigned code, size_t k)
{
    struct sock_filter *one = &p->at[p->n++];

    *one = (struct sock_filter){.code = (uint16_t)code, .k = (uint32_t)k};
    return one;
}

static void load(struct program *p, size_t offset)
{
    add(p, BPF_LD | BPF_W | BPF_ABS, offset);
}

static void give(struct program *p, uint32_t verdict)
{
    add(p, BPF_RET | BPF_K, verdict);
}

/* The way that a comparison takes to the next row; filled when that is known. */
struct exits {
    uint8_t *at[3];
    unsigned from[3], n;
};

static void add_exit(struct exits *exits, const struct program *p, uint8_t *offset)
{
    exits->at[exits->n] = offset;
    exits->from[exits->n++] = p->n;
}

/* Both machines have the lower half of an argument first. */
static void add_test(struct program *p, const struct test *test, struct exits *exits)
{
    uint32_t value = test->value == OWN_PID ? (uint32_t)getpid() : test->value;
    struct sock_filter *jump;

    load(p, offsetof(struct seccomp_data, args) + 8 * test->argument);
    add(p, BPF_ALU | BPF_AND | BPF_K, test->mask);
    jump = add(p, BPF_JMP | BPF_JEQ | BPF_K, value);
    add_exit(exits, p, test->differs ? &jump->jt : &jump->jf);
}

static void add_call(struct program *p, const struct call *call)
{
    struct exits exits = {.n = 0};
    struct sock_filter *skip;

    load(p, offsetof(struct seccomp_data, nr));
    skip = add(p, BPF_JMP | BPF_JEQ | BPF_K, call->number);
    add_exit(&exits, p, &skip->jf);
    for (size_t i = 0; i < 2 && call->tests[i].mask; i++)
        add_test(p, &call->tests[i], &exits);
    give(p, call->refusal ? SECCOMP_RET_ERRNO | (uint32_t)call->refusal : SECCOMP_RET_ALLOW);
    for (unsigned i = 0; i < exits.n; i++)
        *exits.at[i] = (uint8_t)(p->n - exits.from[i]);
}

static void make(struct program *p)
{
    load(p, offsetof(struct seccomp_data, arch));
    add(p, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE)->jt = 1;
    give(p, SECCOMP_RET_KILL_PROCESS);
    for (size_t i = 0; i < N_CALLS; i++)
        add_call(p, &calls[i]); /* x32's numbers are beyond all of them */
    give(p, SECCOMP_RET_TRAP);
}

/* In place of glibc's, for us and the libraries: that of Debian 12 makes newfstatat with an empty
 * path of it, which is refused. */
int fstat(int fd, struct stat *out)
{
    return (int)syscall(SYS_fstat, fd, out);
}

int fstat64(int fd, struct stat64 *out)
{
    return (int)syscall(SYS_fstat, fd, out);
}

bool ps_filter_there(void)
{
    const uint32_t action = SECCOMP_RET_TRAP;

    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0u, &action) == 0;
}

int ps_filter_enter(void)
{
    PS_AUTO(ps_free_ptr) struct program *p = ps_alloc(sizeof *p);
    struct sock_fprog all = {.filter = p->at};

    make(p);
    all.len = p->n;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0u, &all);
}

#else

bool ps_filter_there(void)
{
    return false;
}

int ps_filter_enter(void)
{
    errno = ENOSYS;
    return -1;
}

#endif
