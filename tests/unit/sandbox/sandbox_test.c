/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* F_SETOWN_EX and the like */
/* What a process in the sandbox cannot do any more; what is a frame and what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "server/sandbox/child.h"

/* --- Sandbox --- */

static const struct ps_sandbox_limits limits = {(uint64_t)1 << 30, 100, (uint64_t)1 << 20};

static pid_t parent; /* asked before: the call itself is forbidden */

/* What `attempt` comes to in a process that is locked in: its exit status, or -signal. */
static int in_sandbox(int (*attempt)(void), const struct ps_sandbox_limits *within)
{
    pid_t pid;
    int status;

    parent = getpid();
    pid = fork();
    if (pid == 0) {
        (void)signal(SIGSYS, SIG_DFL); /* the test library catches it */
        if (ps_sandbox_enter(within, PS_ERR_IGNORED) != PS_OK)
            _exit(99);
        _exit(attempt());
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int try_nothing(void)
{
    return 7;
}

static int try_open(void)
{
    return open("/etc/hostname", O_RDONLY) < 0 ? errno : 0;
}

static int try_create(void)
{
    return open("/tmp/perfshelf-sandbox-test", O_WRONLY | O_CREAT, 0600) < 0 ? errno : 0;
}

static int try_openat2(void)
{
    return (int)syscall(437, AT_FDCWD, "/etc/hostname", NULL, 0);
}

static int try_socket(void)
{
    return socket(AF_INET, SOCK_STREAM, 0);
}

static int try_exec(void)
{
    char *argv[] = {NULL};

    return execv("/bin/true", argv);
}

static int try_fork(void)
{
    return (int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static int try_unlink(void)
{
    return unlinkat(AT_FDCWD, "/tmp/perfshelf-sandbox-test", 0);
}

static int try_signal_parent(void)
{
    return (int)syscall(SYS_tgkill, parent, parent, 0);
}

/* A path where an empty one is expected tells of files outside. */
static int try_stat_by_path(void)
{
    struct stat about;

    return syscall(SYS_newfstatat, AT_FDCWD, "/etc/hostname", &about, AT_EMPTY_PATH) < 0 &&
                   errno == EACCES &&
                   syscall(SYS_newfstatat, AT_FDCWD, "/etc/hostname", &about, 0) < 0
               ? errno
               : 0;
}

/* A signal of the kernel's to whoever is named, when the descriptor gets ready. */
static int try_set_owner(void)
{
    return fcntl(0, F_SETOWN, parent);
}

static int try_set_owner_ex(void)
{
    return fcntl(0, F_SETOWN_EX, &(struct f_owner_ex){F_OWNER_PID, parent});
}

static int try_set_signal(void)
{
    return fcntl(0, F_SETSIG, SIGKILL);
}

static int try_async(void)
{
    return fcntl(0, F_SETFL, O_ASYNC);
}

static int try_lease(void)
{
    return fcntl(0, F_SETLEASE, F_RDLCK);
}

static int try_lock(void)
{
    return fcntl(0, F_SETLK, &(struct flock){.l_type = F_WRLCK});
}

static int try_pipe_size(void)
{
    return fcntl(0, F_SETPIPE_SZ, 1 << 20);
}

static int try_namespace(void)
{
    return (int)syscall(SYS_clone, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_NEWUTS, 0, 0, 0,
                        0);
}

static int try_poison(void)
{
    static char page[2 * 4096];

    return madvise((void *)(((uintptr_t)page + 4095) & ~(uintptr_t)4095), 4096,
                   101 /* MADV_SOFT_OFFLINE */);
}

static int try_others_affinity(void)
{
    char mask[128];

    return syscall(SYS_sched_getaffinity, parent, sizeof mask, mask) < 0 ? errno : 0;
}

static int try_others_clock(void)
{
    struct timespec now;

    return (int)syscall(SYS_clock_gettime, (int)(~(unsigned)parent << 3 | 2), &now);
}

static int try_limits(void)
{
    return (int)syscall(SYS_prlimit64, parent, RLIMIT_NOFILE, NULL, NULL);
}

static int try_kill(void)
{
    return (int)syscall(SYS_kill, parent, 0);
}

static int try_executable(void)
{
    static char page[2 * 4096];

    return mprotect((void *)(((uintptr_t)page + 4095) & ~(uintptr_t)4095), 4096,
                    PROT_READ | PROT_EXEC);
}

static int try_prctl(void)
{
    return syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 ? errno : 0;
}

static int try_terminal(void)
{
    return ioctl(0, TIOCSTI, "x") < 0 ? errno : 0;
}

static int try_ptrace(void)
{
    return (int)syscall(SYS_ptrace, 0, 0, 0, 0);
}

static int try_code(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
           MAP_FAILED;
}

static int try_shared_memory(void)
{
    return mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}

static int try_growing_memory(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1,
                0) == MAP_FAILED;
}

static int written_too_much; /* a descriptor */

static int try_write(void)
{
    static char block[1 << 16];

    for (int i = 0; i < 100; i++)
        if (write(written_too_much, block, sizeof block) < 0)
            return errno;
    return 0;
}

static int try_memory(void)
{
    return mmap(NULL, (size_t)2 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                0) == MAP_FAILED
               ? errno
               : 0;
}

static int try_time(void)
{
    volatile unsigned long i = 1;

    while (i)
        i |= 1;
    return 0;
}

static void *nothing(void *user)
{
    return user;
}

static int try_what_importers_do(void)
{
    pthread_t thread;
    char *much = malloc((size_t)64 << 20);
    struct stat about;
    struct timespec now;

    if (!much || pthread_create(&thread, NULL, nothing, NULL) != 0 ||
        pthread_join(thread, NULL) != 0)
        return 1;
    memset(much, 1, (size_t)64 << 20);
    free(much);
    return fstat(0, &about) == 0 && clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0 &&
                   fcntl(0, F_GETFL) >= 0 && sysconf(_SC_NPROCESSORS_ONLN) > 0
               ? 0
               : 2;
}

static void a_locked_process_does_its_work(void **state)
{
    (void)state;
    assert_int_equal(in_sandbox(try_nothing, &limits), 7);
    assert_int_equal(in_sandbox(try_what_importers_do, &limits), 0);
}

static void it_reaches_nothing(void **state)
{
    (void)state;
    if (!(ps_sandbox_parts() & PS_SANDBOX_SECCOMP))
        skip();
    assert_int_equal(in_sandbox(try_open, &limits), EACCES);
    assert_int_equal(in_sandbox(try_create, &limits), EACCES);
    assert_int_equal(access("/tmp/perfshelf-sandbox-test", F_OK), -1);
    assert_int_equal(in_sandbox(try_openat2, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_socket, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_exec, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_fork, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_unlink, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_signal_parent, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_ptrace, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_stat_by_path, &limits), EACCES);
    assert_int_equal(in_sandbox(try_set_owner, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_set_owner_ex, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_set_signal, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_async, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_lease, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_lock, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_pipe_size, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_namespace, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_poison, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_others_affinity, &limits), ENOSYS);
    assert_int_equal(in_sandbox(try_others_clock, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_limits, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_kill, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_executable, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_prctl, &limits), EINVAL);
    assert_int_equal(in_sandbox(try_terminal, &limits), ENOTTY);
    assert_int_equal(in_sandbox(try_code, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_shared_memory, &limits), -SIGSYS);
    assert_int_equal(in_sandbox(try_growing_memory, &limits), -SIGSYS);
}

/* Without the filter, what Landlock alone forbids. */
static int landlock_alone(void)
{
    return ps_landlock_enter() == 0 ? try_open() : 99;
}

static void landlock_alone_opens_no_file(void **state)
{
    pid_t pid = fork();
    int status;

    (void)state;
    if (pid == 0) {
        if (!ps_landlock_is_supported())
            _exit(EACCES);
        if (syscall(SYS_prctl, 38 /* PR_SET_NO_NEW_PRIVS */, 1, 0, 0, 0) != 0)
            _exit(98);
        _exit(landlock_alone());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), EACCES);
}

static void it_stays_within_its_limits(void **state)
{
    const struct ps_sandbox_limits second = {limits.memory_bytes, 1, limits.file_bytes};
    FILE *file = tmpfile();

    (void)state;
    written_too_much = fileno(file);
    assert_int_equal(in_sandbox(try_write, &limits), -SIGXFSZ);
    assert_int_equal(in_sandbox(try_time, &second), -SIGXCPU);
    if (ps_sandbox_parts() & PS_SANDBOX_MEMORY_LIMIT)
        assert_int_equal(in_sandbox(try_memory, &limits), ENOMEM);
    (void)fclose(file);
}

/* --- What the parent limits --- */

static bool goes_on(void *user)
{
    return ++*(int *)user < 4;
}

static void *sleep_long(void *user)
{
    (void)pause();
    return user;
}

/* Forks a child that starts this many threads and sends nothing. */
static struct ps_child start_idle(unsigned n_threads)
{
    struct ps_child child = {.socket = -1};
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    child.pid = fork();
    assert_true(child.pid >= 0);
    for (unsigned i = 0; child.pid == 0 && i < n_threads; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, sleep_long, NULL) != 0)
            _exit(1);
    }
    if (child.pid == 0)
        (void)pause();
    (void)close(ends[1 - (child.pid == 0)]);
    child.socket = ends[0];
    return child;
}

static enum ps_status wait_for(struct ps_child *child)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_frame frame;
    int n = 0;

    ps_child_receive(child, &limits, goes_on, &n, &frame, &err);
    return err.code;
}

static void an_importer_does_not_run_for_ever(void **state)
{
    struct ps_child child = start_idle(0);

    (void)state;
    assert_int_equal(wait_for(&child), PS_CANCELLED);
    child.working_ns = (int64_t)(limits.cpu_s * PS_SANDBOX_REAL_PER_CPU) * 1000000000;
    assert_int_equal(wait_for(&child), PS_TOO_SLOW);
    ps_child_end(&child);
}

static void an_importer_has_few_threads(void **state)
{
    struct ps_child few = start_idle(8), many = start_idle(PS_SANDBOX_THREADS_MAX);

    (void)state;
    assert_int_equal(wait_for(&few), PS_CANCELLED);
    assert_int_equal(wait_for(&many), PS_LIMIT);
    ps_child_end(&few);
    ps_child_end(&many);
}

/* --- Frames --- */

static struct ps_frame good(void)
{
    struct ps_frame frame = {.type = PS_FRAME_DONE, .numbers = {1, 2, 3}, .word = "pstats"};

    ps_fail_at(&frame.err, PS_BAD_INPUT, 12, "it ends early");
    frame.fd = -1;
    return frame;
}

static void a_frame_is_read_back(void **state)
{
    const struct ps_frame frame = good();
    struct ps_frame out;

    (void)state;
    assert_true(ps_frame_parse(&frame, sizeof frame, &out));
    assert_int_equal(out.type, PS_FRAME_DONE);
    assert_int_equal(out.numbers[2], 3);
    assert_int_equal(out.err.offset, 12);
    assert_string_equal(out.err.text, "it ends early");
    assert_string_equal(out.word, "pstats");
    assert_int_equal(out.fd, -1);
}

static void other_bytes_are_no_frame(void **state)
{
    const struct ps_frame frame = good();
    struct ps_frame bad, out;

    (void)state;
    for (size_t size = 0; size < sizeof frame; size++)
        assert_false(ps_frame_parse(&frame, size, &out));
    for (unsigned type = 0; type < 300; type++) {
        bad = frame;
        memcpy(&bad.type, &type, sizeof type);
        assert_int_equal(ps_frame_parse(&bad, sizeof bad, &out),
                         type >= PS_FRAME_BEGIN && type < PS_N_FRAME_TYPES);
    }
    bad = frame;
    memset(&bad.err.code, 0xff, sizeof bad.err.code);
    assert_false(ps_frame_parse(&bad, sizeof bad, &out));
    bad = frame;
    memset(&bad.err.has_offset, 2, 1);
    assert_false(ps_frame_parse(&bad, sizeof bad, &out));
}

static void texts_of_a_frame_are_made_fit(void **state)
{
    struct ps_frame frame = good(), out;

    (void)state;
    memset(frame.err.text, 'x', sizeof frame.err.text); /* without an end */
    memcpy(frame.err.hint, "a\x1b[2Jb\xff", 8);
    memcpy(frame.word, "\xc3", 2); /* half a letter */
    assert_true(ps_frame_parse(&frame, sizeof frame, &out));
    assert_int_equal(strlen(out.err.text), sizeof out.err.text - 1);
    assert_string_equal(out.err.hint, "a?[2Jb?");
    assert_string_equal(out.word, "?");
}

/* Whatever is sent, the reader answers, and every text it lets through can be shown. */
static void random_bytes_do_no_harm(void **state)
{
    unsigned seed = 1;
    size_t taken = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct ps_frame frame = good(), out;
        unsigned char *bytes = (unsigned char *)&frame;

        for (int k = 0; k < 40; k++) {
            seed = seed * 1103515245u + 12345u;
            bytes[(seed >> 8) % sizeof frame] = (unsigned char)(seed >> 20);
        }
        if (!ps_frame_parse(bytes, sizeof frame, &out))
            continue;
        taken++;
        assert_non_null(memchr(out.word, '\0', sizeof out.word));
        for (const char *c = out.err.text; *c; c++)
            assert_true((unsigned char)*c >= ' ' && *c != 127);
    }
    assert_true(taken > 1000 && taken < 20000);
}

static void frames_come_with_descriptors(void **state)
{
    int ends[2];
    struct ps_frame frame = good(), out;
    FILE *file = tmpfile();
    char byte;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    (void)fputs("z", file);
    (void)fflush(file);
    frame.fd = fileno(file);
    assert_int_equal(ps_frame_send(ends[0], &frame, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_frame_receive(ends[1], &out, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(pread(out.fd, &byte, 1, 0), 1);
    assert_int_equal(byte, 'z');
    (void)close(out.fd);
    (void)fclose(file);
    assert_int_equal(send(ends[0], "garbage", 7, 0), 7);
    assert_int_equal(ps_frame_receive(ends[1], &out, PS_ERR_IGNORED), PS_INTERNAL);
    (void)close(ends[0]);
    assert_int_equal(ps_frame_receive(ends[1], &out, PS_ERR_IGNORED), PS_INTERRUPTED);
    frame.fd = -1;
    assert_int_equal(ps_frame_send(ends[1], &frame, PS_ERR_IGNORED), PS_INTERRUPTED);
    (void)close(ends[1]);
}

/* A parent that sends does not wait for an importer that never reads. */
static void sending_to_an_importer_that_reads_nothing_ends(void **state)
{
    const struct ps_frame frame = good();
    struct ps_child child;
    enum ps_status status = PS_OK;
    int ends[2];

    (void)state;
    assert_int_equal(ps_child_start(&child, "unused", "", PS_ERR_IGNORED), PS_OK);
    assert_true(fcntl(child.socket, F_GETFL) & O_NONBLOCK);
    ps_child_end(&child);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
    for (int i = 0; i < 100000 && status == PS_OK; i++)
        status = ps_frame_send(ends[0], &frame, PS_ERR_IGNORED);
    assert_int_equal(status, PS_INTERNAL);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static unsigned open_descriptors(void)
{
    unsigned n = 0;

    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* Whatever an importer sends along, nothing stays open but what the receiver is told of. */
static void descriptors_that_are_not_agreed_are_closed(void **state)
{
    (void)state;
    for (size_t n = 2; n <= 8; n++) {
        _Alignas(struct cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))] = {0};
        struct ps_frame frame = good(), out;
        struct iovec bytes = {&frame, sizeof frame};
        struct msghdr message = {.msg_iov = &bytes,
                                 .msg_iovlen = 1,
                                 .msg_control = control,
                                 .msg_controllen = CMSG_SPACE(n * sizeof(int))};
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        int ends[2];
        unsigned before;

        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(n * sizeof(int));
        for (size_t i = 0; i < n; i++)
            memcpy(CMSG_DATA(head) + i * sizeof(int), &ends[0], sizeof(int));
        before = open_descriptors();
        assert_int_equal(sendmsg(ends[0], &message, 0), sizeof frame);
        assert_int_equal(ps_frame_receive(ends[1], &out, PS_ERR_IGNORED), PS_INTERNAL);
        assert_int_equal(out.fd, -1);
        bytes.iov_len = 0; /* nothing but descriptors, which looks like an end */
        assert_int_equal(sendmsg(ends[0], &message, 0), 0);
        assert_int_not_equal(ps_frame_receive(ends[1], &out, PS_ERR_IGNORED), PS_OK);
        assert_int_equal(open_descriptors(), before);
        (void)close(ends[0]);
        (void)close(ends[1]);
    }
}

int sandbox_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_locked_process_does_its_work),
        cmocka_unit_test(it_reaches_nothing),
        cmocka_unit_test(landlock_alone_opens_no_file),
        cmocka_unit_test(it_stays_within_its_limits),
        cmocka_unit_test(an_importer_does_not_run_for_ever),
        cmocka_unit_test(an_importer_has_few_threads),
        cmocka_unit_test(a_frame_is_read_back),
        cmocka_unit_test(other_bytes_are_no_frame),
        cmocka_unit_test(texts_of_a_frame_are_made_fit),
        cmocka_unit_test(random_bytes_do_no_harm),
        cmocka_unit_test(frames_come_with_descriptors),
        cmocka_unit_test(sending_to_an_importer_that_reads_nothing_ends),
        cmocka_unit_test(descriptors_that_are_not_agreed_are_closed),
    };

    return cmocka_run_group_tests_name("sandbox", tests, NULL, NULL);
}
