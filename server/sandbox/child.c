/* SPDX-License-Identifier: MIT */
#include "server/sandbox/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

#define ASK_MS 50

/* --- Start --- */

/* Chooses the environment variables of the child: those of the loader and of the sanitizers. out:
 * up to 3 entries and NULL. */
static void choose_environment(char *out[4])
{
    static const char *const names[] = {"LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "UBSAN_OPTIONS="};
    size_t n = 0;

    for (char **entry = environ; *entry && n < 3; entry++)
        for (size_t i = 0; i < 3; i++)
            if (n < 3 && strncmp(*entry, names[i], strlen(names[i])) == 0)
                out[n++] = *entry;
    out[n] = NULL;
}

/* Spawns the child with the socket `theirs`, in its own process group: a terminal then sends its
 * signals only to the parent, which ends the child. Returns an errno. */
static int spawn_self(pid_t *pid, int theirs, char *argv[])
{
    char *environment[4];
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t none, usual;
    int code;

    choose_environment(environment);
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &usual);
    posix_spawnattr_setpgroup(&attr, 0);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                        POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&files, 0, 1);
    if (ps_sandbox_parts() & PS_SANDBOX_MEMORY_LIMIT) /* without a memory limit, sanitizers are in
                                                         use and report to stderr */
        posix_spawn_file_actions_adddup2(&files, 0, 2);
    posix_spawn_file_actions_adddup2(&files, theirs, PS_CHILD_SOCKET);
    code = posix_spawn(pid, "/proc/self/exe", &files, &attr, argv, environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    return code;
}

enum ps_status ps_child_start(struct ps_child *child, const char *verb, const char *argument,
                              struct ps_err *err)
{
    char name[] = "perfshelf";
    char *argv[] = {name, (char *)(uintptr_t)verb, (char *)(uintptr_t)argument, NULL};
    int ends[2], code;

    *child = (struct ps_child){.socket = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return ps_fail_errno(err, "cannot create", "a socket for the importer");
    code = spawn_self(&child->pid, ends[1], argv);
    (void)close(ends[1]);
    child->socket = ends[0];
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    if (code == 0)
        return PS_OK;
    child->pid = 0;
    ps_close_fd(&child->socket);
    errno = code;
    return ps_fail_errno(err, "cannot start", "the importer");
}

void ps_child_isolate(void)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)syscall(__NR_close_range, PS_CHILD_SOCKET + 1U, ~0U, 0U); /* glibc 2.34 has a function */
    (void)fcntl(PS_CHILD_SOCKET, F_SETFD, FD_CLOEXEC);
}

/* --- Receiving --- */

/* Whether a signal such as SIGSTOP has stopped the child; nothing would continue it. */
static bool was_stopped(const struct ps_child *child)
{
    siginfo_t what = {.si_pid = 0};

    return waitid(P_PID, (id_t)child->pid, &what, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
           what.si_pid == child->pid;
}

/* The number of threads of a process; 0: unknown. Its folder in /proc has two links more. */
static unsigned long count_threads(pid_t pid)
{
    struct stat about;
    char path[32];

    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    return stat(path, &about) == 0 && about.st_nlink > 2 ? (unsigned long)about.st_nlink - 2 : 0;
}

/* Checks what the kernel does not limit. `since_ns`: since when the parent waits; updated. */
static enum ps_status check_limits(struct ps_child *child, const struct ps_sandbox_limits *limits,
                                   int64_t *since_ns, struct ps_err *err)
{
    const int64_t now_ns = ps_monotonic_ns();
    const uint64_t most_s = limits->cpu_s * PS_SANDBOX_REAL_PER_CPU;

    child->working_ns += now_ns - *since_ns;
    *since_ns = now_ns;
    if ((uint64_t)child->working_ns / 1000000000 >= most_s)
        return ps_fail(err, PS_TOO_SLOW,
                       "the importer was stopped: it ran for more than %llu s" PS_HINT
                       "allow %u times as much as CPU time with --import-cpu SECONDS",
                       (unsigned long long)most_s, (unsigned)PS_SANDBOX_REAL_PER_CPU);
    if (now_ns - child->counted_ns < (int64_t)ASK_MS * 1000000)
        return PS_OK;
    child->counted_ns = now_ns;
    return count_threads(child->pid) <= PS_SANDBOX_THREADS_MAX
               ? PS_OK
               : ps_fail(err, PS_LIMIT, "the importer was stopped: it has more than %u threads",
                         PS_SANDBOX_THREADS_MAX);
}

enum ps_status ps_child_receive(struct ps_child *child, const struct ps_sandbox_limits *limits,
                                bool (*goes_on)(void *user), void *user, struct ps_frame *out,
                                struct ps_err *err)
{
    struct pollfd socket = {child->socket, POLLIN, 0};
    int64_t since_ns = ps_monotonic_ns();

    out->fd = -1;
    for (;;) {
        int ready = poll(&socket, 1, ASK_MS);

        if (ready < 0 && errno != EINTR)
            return ps_fail_errno(err, "cannot wait for", "the importer");
        if (check_limits(child, limits, &since_ns, err) != PS_OK)
            return err->code;
        if (ready > 0)
            return ps_frame_receive(child->socket, out, err);
        if (!goes_on(user))
            return ps_fail(err, PS_CANCELLED, "the import was cancelled");
        if (was_stopped(child))
            return ps_fail(err, PS_INTERRUPTED, "the importer was stopped");
    }
}

/* --- End --- */

static const char *size_text(uint64_t bytes, char out[32])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;

    while (unit < 4 && bytes >= 1024 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    (void)snprintf(out, 32, "%llu %s", (unsigned long long)bytes, units[unit]);
    return out;
}

static void explain_signal(int signal, const struct ps_sandbox_limits *limits, uint64_t at,
                           struct ps_err *why)
{
    char size[32];

    if (signal == SIGXCPU) {
        ps_fail_at(why, PS_TOO_SLOW, at,
                   "the importer was stopped: it used more than %llu s of CPU time" PS_HINT
                   "allow more with --import-cpu SECONDS",
                   (unsigned long long)limits->cpu_s);
    } else if (signal == SIGXFSZ) {
        ps_fail_at(why, PS_LIMIT, at, "the importer was stopped: it wrote more than %s",
                   size_text(limits->file_bytes, size));
    } else if (signal == SIGKILL) {
        ps_fail_at(why, PS_INTERRUPTED, at,
                   "the importer was killed (SIGKILL)" PS_HINT
                   "the system may have run out of memory; try again");
    } else if (signal == SIGTERM || signal == SIGSTOP) {
        ps_fail_at(why, PS_INTERRUPTED, at, "the importer was stopped by signal %d", signal);
    } else {
        ps_fail_at(why, PS_INTERNAL, at,
                   "the importer crashed with signal %d" PS_HINT
                   "this is a bug: please report it with the file",
                   signal);
    }
}

/* Waits up to a second until the child has ended or stopped. False: the child still runs, so it has
 * only closed its socket. */
static bool find_end(const struct ps_child *child, siginfo_t *what)
{
    for (int i = 0; i < 200; i++) {
        what->si_pid = 0;
        if (waitid(P_PID, (id_t)child->pid, what, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0)
            return false;
        if (what->si_pid == child->pid)
            return true;
        ps_sleep_ms(5);
    }
    return false;
}

void ps_child_explain(const struct ps_child *child, const struct ps_sandbox_limits *limits,
                      uint64_t at, struct ps_err *why)
{
    siginfo_t what;

    if (child->pid == 0)
        return;
    if (find_end(child, &what) && what.si_code != CLD_EXITED)
        explain_signal(what.si_status, limits, at, why);
    else
        ps_fail_at(why, PS_INTERNAL, at, "the importer ended without a result");
}

void ps_child_end(struct ps_child *child)
{
    if (child->pid == 0)
        return;
    (void)kill(child->pid, SIGKILL);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    ps_close_fd(&child->socket);
    child->pid = 0;
}
