/* SPDX-License-Identifier: MIT */
/*
 * agent_command.c: a command is a process of this program in a process group of its own, so that
 * it and the programs that it records can be stopped together. Its stdin is empty: ours has the
 * messages of the agent.
 */
#define _GNU_SOURCE
#include "server/cli/commands/agent_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/file.h"
#include "base/words.h"
#include "server/cli/recorder/child.h"

#define OUTPUT_MAX ((size_t)16 << 20)
#define LOG_MAX    ((size_t)16 << 10)
#define POLL_MS    50
#define GRACE_MS   5000 /* after SIGTERM, before SIGKILL */

extern char **environ;

/* --- Signals --- */

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
#define N_ENDING (sizeof ending_signals / sizeof *ending_signals)

static volatile sig_atomic_t running_group; /* process group of the command; 0: none */

static void on_signal(int number)
{
    if (running_group)
        (void)kill(-(pid_t)running_group, SIGTERM);
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* --- Starting --- */

struct process {
    pid_t pid; /* also its process group */
    int output, log;
    int64_t deadline_ms, kill_ms; /* kill_ms: when SIGKILL follows SIGTERM; 0: not stopped yet */
    bool has_ended;
};

static enum ps_status spawn(struct process *process, const char *const *argv, const char *folder,
                            int output, int log, struct ps_err *err)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    int code;

    posix_spawnattr_init(&attr);
    posix_spawnattr_setpgroup(&attr, 0);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, log, STDERR_FILENO);
    if (folder)
        posix_spawn_file_actions_addchdir_np(&files, folder);
    code = posix_spawn(&process->pid, "/proc/self/exe", &files, &attr,
                       (char *const *)(uintptr_t)argv, environ);
    running_group = code == 0 ? process->pid : 0;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    errno = code;
    return code ? ps_fail_errno(err, "cannot run a command in", folder ? folder : ".") : PS_OK;
}

static enum ps_status start(struct process *process, const char *const *argv, const char *folder,
                            struct ps_err *err)
{
    int output[2], log[2];

    if (pipe2(output, O_CLOEXEC) != 0)
        return ps_fail_errno(err, "cannot create", "a pipe");
    if (pipe2(log, O_CLOEXEC) != 0) {
        ps_fail_errno(err, "cannot create", "a pipe");
        (void)close(output[0]);
        (void)close(output[1]);
        return err->code;
    }
    spawn(process, argv, folder, output[1], log[1], err);
    (void)close(output[1]);
    (void)close(log[1]);
    process->output = output[0];
    process->log = log[0];
    return err->code;
}

/* --- Waiting --- */

/* Appends what can be read. False at the end of the pipe. */
static bool read_some(int fd, struct ps_buf *out)
{
    char block[16384];
    const ssize_t n = read(fd, block, sizeof block);

    if (n > 0)
        ps_buf_add(out, block, (size_t)n);
    return n > 0 || (n < 0 && errno == EINTR);
}

/* Keeps the first whole lines. `before`: length before the last reading. */
static void limit_output(struct ps_agent_outcome *out, size_t before)
{
    const char *end;

    if (out->is_output_cut)
        out->output.len = before;
    if (out->output.len <= OUTPUT_MAX)
        return;
    end = memrchr(out->output.ptr, '\n', OUTPUT_MAX);
    out->output.len = end ? (size_t)(end - out->output.ptr) + 1 : 0;
    out->is_output_cut = true;
}

/* Keeps the last lines. */
static void limit_log(struct ps_buf *log, bool *is_cut)
{
    const char *begin, *newline;

    if (log->len <= LOG_MAX)
        return;
    begin = log->ptr + log->len - LOG_MAX;
    newline = memchr(begin, '\n', LOG_MAX - 1);
    begin = newline ? newline + 1 : begin;
    log->len -= (size_t)(begin - log->ptr);
    memmove(log->ptr, begin, log->len);
    *is_cut = true;
}

/* Reads for a moment. False: both pipes have ended, or the process has ended and they are empty; a
 * program in the background may keep them open. */
static bool read_pipes(struct process *process, struct ps_agent_outcome *out)
{
    struct pollfd pipes[] = {{.fd = process->output, .events = POLLIN},
                             {.fd = process->log, .events = POLLIN}};
    const size_t before = out->output.len;
    const int ready = poll(pipes, 2, process->has_ended ? 0 : POLL_MS);

    if (ready < 0)
        return errno == EINTR;
    if (ready == 0)
        return !process->has_ended;
    if (pipes[0].revents && !read_some(process->output, &out->output))
        ps_close_fd(&process->output);
    if (pipes[1].revents && !read_some(process->log, &out->log))
        ps_close_fd(&process->log);
    limit_output(out, before);
    if (out->log.len > 2 * LOG_MAX)
        limit_log(&out->log, &out->is_log_cut);
    return process->output >= 0 || process->log >= 0;
}

/* Stops the group, at first gently. */
static void stop(struct process *process)
{
    const int64_t now_ms = ps_monotonic_ms();

    if (!process->kill_ms) {
        process->kill_ms = now_ms + GRACE_MS;
        (void)kill(-process->pid, SIGTERM);
    } else if (now_ms >= process->kill_ms) {
        (void)kill(-process->pid, SIGKILL);
    }
}

/* What a program left in the background ends too. */
static int reap(struct process *process)
{
    int status = 0;

    (void)ps_process_has_ended(process->pid, true);
    (void)kill(-process->pid, SIGKILL);
    running_group = 0; /* before its number can be used again */
    (void)waitpid(process->pid, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static enum ps_status wait_for(struct process *process, struct ps_agent_outcome *out,
                               struct ps_err *err)
{
    bool has_more = true;

    while (has_more || !process->has_ended) {
        const bool is_late = ps_monotonic_ms() >= process->deadline_ms;

        process->has_ended = process->has_ended || ps_process_has_ended(process->pid, false);
        if (!process->has_ended && (is_late || ps_context_has_ended())) {
            out->is_stopped = true;
            stop(process);
        }
        if (has_more)
            has_more = read_pipes(process, out);
        else
            (void)poll(NULL, 0, POLL_MS);
    }
    out->status = reap(process);
    limit_log(&out->log, &out->is_log_cut);
    return ps_context_check(err);
}

/* --- The command --- */

/* Adds "OPTION=PATH"; the command may run in another folder, so the path is made absolute. */
static void add_path(struct ps_words *words, struct ps_arena *arena, const char *option,
                     const char *path)
{
    char *absolute = path ? realpath(path, NULL) : NULL;

    if (path)
        ps_words_add(words, ps_arena_printf(arena, "%s=%s", option, absolute ? absolute : path));
    free(absolute);
}

static void add_shelf(struct ps_words *words, struct ps_arena *arena,
                      const struct ps_options *options)
{
    if (options->server) {
        ps_words_add(words, ps_arena_printf(arena, "--server=%s", options->server));
        add_path(words, arena, "--token-file", options->token_file);
        add_path(words, arena, "--ca", options->ca);
        return;
    }
    add_path(words, arena, "--data", options->data);
    if (options->store && options->cache_size)
        ps_words_add(words, ps_arena_printf(arena, "--cache-size=%s", options->cache_size));
}

static enum ps_status run(void *user, const struct ps_agent_command *command,
                          struct ps_agent_outcome *out, struct ps_err *err)
{
    PS_AUTO(ps_words_free) struct ps_words words = {0};
    PS_AUTO(ps_arena_free) struct ps_arena arena = {0};
    struct process process = {
        .output = -1, .log = -1, .deadline_ms = ps_monotonic_ms() + command->timeout_ms};

    ps_words_add(&words, "perfshelf");
    ps_words_add(&words, command->words[0]);
    add_shelf(&words, &arena, user);
    for (const char *const *word = command->words + 1; *word; word++)
        ps_words_add(&words, *word);
    if (start(&process, ps_words_end(&words), command->folder, err) == PS_OK)
        wait_for(&process, out, err);
    ps_close_fd(&process.output);
    ps_close_fd(&process.log);
    return err->code;
}

void ps_cli_allow_write(struct ps_agent *agent, const struct ps_options *options)
{
    struct sigaction action = {.sa_handler = on_signal};

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < N_ENDING; i++) {
        struct sigaction before;

        (void)sigaction(ending_signals[i], &action, &before);
        if (before.sa_handler == SIG_IGN) /* nohup */
            (void)sigaction(ending_signals[i], &before, NULL);
    }
    /* secrets are not passed as arguments, which other users of the machine can see */
    if (options->token)
        (void)setenv("PERFSHELF_TOKEN", options->token, 1);
    if (options->store)
        (void)setenv("PERFSHELF_STORE", options->store, 1);
    agent->run = run;
    agent->run_user = (void *)(uintptr_t)options;
}
