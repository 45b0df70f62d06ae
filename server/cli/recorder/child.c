/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "server/cli/recorder/child.h"

#include "base/clock.h"
#include "base/file.h"
#include "server/cli/recorder/import_split.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROMPT_DELAY_MS 20 /* print an incomplete line after this pause: it may be a prompt */
#define OUTPUT_MAX      65536

extern char **environ;

/* --- Finding a program --- */

static bool is_executable(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

char *ps_find_program(const char *name)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/'))
        return ps_strdup(ps_str_from_c(name));
    for (const char *at = path ? path : "/usr/bin:/bin"; name[0] && at;) {
        size_t len = strcspn(at, ":");
        struct ps_buf file = {0};
        ps_buf_printf(&file, "%.*s%s%s", (int)len, at, len ? "/" : "./", name);
        if (is_executable(file.ptr))
            return file.ptr;
        ps_buf_free(&file);
        at = at[len] ? at + len + 1 : NULL;
    }
    return NULL;
}

/* --- Signals --- */

static const int forwarded_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define N_FORWARDED (sizeof forwarded_signals / sizeof *forwarded_signals)

static volatile sig_atomic_t child_pid; /* pid of the child, 0 if there is none */
static volatile sig_atomic_t was_interrupted;

bool ps_child_interrupted(void)
{
    return was_interrupted;
}

/* The terminal sends its signals to the child too. Only a signal that a process sent to this
 * process alone (si_code <= 0) must be passed on. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    was_interrupted = 1;
    if (child_pid && info->si_code <= 0)
        kill((pid_t)child_pid, number);
}

static void block_signals(sigset_t *before)
{
    sigset_t all;
    sigemptyset(&all);
    for (size_t i = 0; i < N_FORWARDED; i++)
        sigaddset(&all, forwarded_signals[i]);
    sigprocmask(SIG_BLOCK, &all, before);
}

/* Installs on_signal. Signals that are ignored (nohup) remain ignored, in this process and in the
 * child. */
static void catch_signals(struct sigaction before[N_FORWARDED])
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < N_FORWARDED; i++) {
        sigaction(forwarded_signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(forwarded_signals[i], &action, NULL);
    }
}

static void restore_signals(const struct sigaction before[N_FORWARDED])
{
    for (size_t i = 0; i < N_FORWARDED; i++)
        sigaction(forwarded_signals[i], &before[i], NULL);
}

/* --- Running --- */

/* Descriptors for stdin, stdout and stderr of the child. -1: inherited, DEV_NULL: /dev/null. */
struct descriptors {
    int in, out, err;
    const sigset_t *mask; /* signal mask of the child; NULL: inherited */
};
#define DEV_NULL (-2)

static void redirect(posix_spawn_file_actions_t *files, int theirs, int ours)
{
    if (ours == DEV_NULL)
        posix_spawn_file_actions_addopen(files, theirs, "/dev/null", O_RDWR, 0);
    else if (ours >= 0)
        posix_spawn_file_actions_adddup2(files, ours, theirs);
}

static enum ps_status spawn_child(const char *path, const char *const *argv,
                                  const struct descriptors *to, pid_t *pid, struct ps_err *err)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    posix_spawnattr_init(&attr);
    if (to->mask) {
        posix_spawnattr_setsigmask(&attr, to->mask);
        posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    }
    posix_spawn_file_actions_init(&files);
    redirect(&files, STDIN_FILENO, to->in);
    redirect(&files, STDOUT_FILENO, to->out);
    redirect(&files, STDERR_FILENO, to->err);
    int code = posix_spawn(pid, path, &files, &attr, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    if (code == 0)
        return PS_OK;
    *pid = 0;
    errno = code;
    return ps_fail_errno(err, "cannot run", path);
}

bool ps_process_has_ended(pid_t pid, bool waits)
{
    siginfo_t about = {0};
    while (waitid(P_PID, (id_t)pid, &about, WEXITED | WNOWAIT | (waits ? 0 : WNOHANG)) != 0)
        if (errno != EINTR)
            return true;
    return about.si_pid == pid;
}

/* Returns the exit status, or 128 + n after signal n. Resets `child_pid` before waitpid, because
 * the kernel may reuse the pid afterwards and signals must not be sent to another process. */
static int reap_child(pid_t pid, int64_t *ended_ns, struct rusage *usage)
{
    sigset_t before;
    int status = 0;
    (void)ps_process_has_ended(pid, true);
    *ended_ns = ps_monotonic_ns();
    block_signals(&before);
    child_pid = 0;
    wait4(pid, &status, 0, usage);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Writes the output of the program to stderr and the lines about imports to the log. If stderr is
 * closed, only the output of the program is lost. */
static enum ps_status write_output(struct ps_import_split *split, const struct ps_child *child,
                                   struct ps_err *err)
{
    /* no message can be printed if stderr is closed */
    if (!child->drops_output)
        (void)ps_write_all(STDERR_FILENO, ps_buf_slice(&split->other_output), "stderr",
                           PS_ERR_IGNORED);
    split->other_output.len = 0;
    enum ps_status status =
        ps_write_all(child->import_log, ps_buf_slice(&split->log), "the import-time log", err);
    split->log.len = 0;
    return status;
}

/* Reads until the pipe has no writer, or until the child has ended and the pipe is empty: a
 * background process of the child may keep the write end open. */
static enum ps_status split_stderr(int pipe, pid_t pid, const struct ps_child *child,
                                   struct ps_err *err)
{
    PS_AUTO(ps_import_split_free) struct ps_import_split split = {0};
    char block[16384];
    for (;;) {
        struct pollfd ready = {.fd = pipe, .events = POLLIN};
        bool ended = ps_process_has_ended(pid, false);
        int n_ready = poll(&ready, 1, ended ? 0 : PROMPT_DELAY_MS);
        if (n_ready < 0 && errno == EINTR)
            continue; /* reading now would wait for the background process */
        if (n_ready == 0) {
            if (ended)
                break;
            ps_import_split_flush(&split, false);
        } else {
            ssize_t n = read(pipe, block, sizeof block);
            if (n == 0 || (n < 0 && errno != EINTR))
                break;
            ps_import_split_feed(&split, block, n > 0 ? (size_t)n : 0);
        }
        (void)write_output(&split, child, err);
    }
    ps_import_split_flush(&split, true);
    return write_output(&split, child, err);
}

static enum ps_status run_split(const struct ps_child *child, struct descriptors *to,
                                struct ps_err *err)
{
    int ends[2];
    pid_t pid = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        sigprocmask(SIG_SETMASK, to->mask, NULL);
        return ps_fail_errno(err, "cannot create", "a pipe");
    }
    PS_AUTO(ps_close_fd) int read_end = ends[0];
    to->err = ends[1];
    enum ps_status status = spawn_child(child->path, child->argv, to, &pid, err);
    close(ends[1]);
    child_pid = pid;
    sigprocmask(SIG_SETMASK, to->mask, NULL);
    return status == PS_OK ? split_stderr(read_end, pid, child, err) : status;
}

static enum ps_status run_plain(const struct ps_child *child, struct descriptors *to,
                                struct ps_err *err)
{
    pid_t pid = 0;
    enum ps_status status = spawn_child(child->path, child->argv, to, &pid, err);
    child_pid = pid;
    sigprocmask(SIG_SETMASK, to->mask, NULL);
    return status;
}

/* own_rss_kib: memory that this process used before the start. Linux counts it as memory of the
 * child, so a child with less has an unknown maximum. */
static void fill_usage(const struct rusage *usage, int64_t real_ns, int64_t own_rss_kib,
                       struct ps_child_usage *out)
{
    *out = (struct ps_child_usage){
        .real_ns = real_ns,
        .user_us = (int64_t)usage->ru_utime.tv_sec * 1000000 + usage->ru_utime.tv_usec,
        .system_us = (int64_t)usage->ru_stime.tv_sec * 1000000 + usage->ru_stime.tv_usec,
        .max_rss_kib = usage->ru_maxrss > own_rss_kib ? usage->ru_maxrss : -1,
        .major_faults = usage->ru_majflt,
        .minor_faults = usage->ru_minflt,
        .voluntary_switches = usage->ru_nvcsw,
        .involuntary_switches = usage->ru_nivcsw,
        .inputs = usage->ru_inblock,
        .outputs = usage->ru_oublock,
    };
}

enum ps_status ps_child_run(const struct ps_child *child, int *status_out, struct ps_err *err)
{
    struct sigaction before[N_FORWARDED];
    struct rusage own, usage;
    sigset_t mask;
    struct descriptors to = {child->no_input ? DEV_NULL : -1,
                             child->out_to_stderr ? STDERR_FILENO : -1, -1, &mask};
    if (child->is_silent)
        to = (struct descriptors){DEV_NULL, DEV_NULL, DEV_NULL, &mask};
    if (child->drops_output)
        to.out = to.err = DEV_NULL;
    was_interrupted = 0;
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1); /* for ps_child_list_left */
    block_signals(&mask);
    catch_signals(before);
    getrusage(RUSAGE_SELF, &own);
    const int64_t started_ns = ps_monotonic_ns();
    enum ps_status status =
        child->import_log >= 0 ? run_split(child, &to, err) : run_plain(child, &to, err);
    if (child_pid) {
        int64_t ended_ns;
        *status_out = reap_child((pid_t)child_pid, &ended_ns, &usage);
        if (child->usage)
            fill_usage(&usage, ended_ns - started_ns, own.ru_maxrss, child->usage);
    }
    restore_signals(before);
    return status;
}

/* --- Processes that a program leaves behind --- */

#define LEFT_WAIT_MS 500 /* helpers of a program may end shortly after it */
#define LEFT_POLL_MS 10
#define LEFT_SHOWN   8

/* Reads a file of /proc as a string. */
static char *read_proc(const char *path, char *out, size_t size)
{
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, out, size - 1);
    out[n > 0 ? n : 0] = '\0';
    return out;
}

/* Whether a process is left, except those that have ended. `children`: their ids. */
static bool is_left(char *children, size_t size)
{
    char path[64];
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    return read_proc(path, children, size)[0] != '\0';
}

bool ps_child_list_left(struct ps_buf *out)
{
    char children[4096], path[64], name[32];
    unsigned n = 0;
    for (int waited_ms = 0; is_left(children, sizeof children); waited_ms += LEFT_POLL_MS) {
        if (waited_ms >= LEFT_WAIT_MS)
            break;
        ps_sleep_ms(LEFT_POLL_MS);
    }
    for (char *at = children; *at; n++) {
        const long pid = strtol(at, &at, 10);
        at += strspn(at, " ");
        (void)snprintf(path, sizeof path, "/proc/%ld/comm", pid);
        read_proc(path, name, sizeof name);
        name[strcspn(name, "\n")] = '\0';
        if (n < LEFT_SHOWN)
            ps_buf_printf(out, "%s%ld (%s)", n ? ", " : "", pid, name);
    }
    if (n > LEFT_SHOWN)
        ps_buf_printf(out, " and %u more", n - LEFT_SHOWN);
    return n > 0;
}

static void read_output(int pipe, struct ps_buf *out)
{
    char block[4096];
    ssize_t n;
    while ((n = read(pipe, block, sizeof block)) != 0) {
        if (n < 0 && errno != EINTR)
            return;
        size_t room = OUTPUT_MAX > out->len ? OUTPUT_MAX - out->len : 0;
        if (n > 0)
            ps_buf_add(out, block, (size_t)n < room ? (size_t)n : room);
    }
}

enum ps_status ps_child_capture(const char *path, const char *const *argv, bool drops_stderr,
                                struct ps_buf *out, int *status_out, struct ps_err *err)
{
    int ends[2];
    pid_t pid = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return ps_fail_errno(err, "cannot create", "a pipe");
    struct descriptors to = {DEV_NULL, ends[1], drops_stderr ? DEV_NULL : -1, NULL};
    enum ps_status status = spawn_child(path, argv, &to, &pid, err);
    close(ends[1]);
    if (status == PS_OK) {
        read_output(ends[0], out);
        int64_t ended_ns;
        struct rusage usage;
        *status_out = reap_child(pid, &ended_ns, &usage);
    }
    close(ends[0]);
    return status;
}
