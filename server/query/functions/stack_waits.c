/* SPDX-License-Identifier: MIT */
#include "server/query/functions/stack_waits.h"

#include <stdlib.h>

#include "base/python_path.h"

/* Python functions that wait for other threads, processes, the network or a timer, by file. Those
 * of threading, selectors, socket, zmq, gevent and tornado are what py-spy takes for idle
 * (heuristic_is_thread_idle in its python_spy.rs); the others call a C function that blocks, which
 * has no frame of its own (CPython, Lib/). */
static const struct {
    const char *file, *function;
    enum ps_time_class class;
} python_waits[] = {
    {"threading.py", "wait", PS_TIME_LOCK},
    {"threading.py", "join", PS_TIME_LOCK},
    {"threading.py", "_wait_for_tstate_lock", PS_TIME_LOCK},
    {"threading.py", "acquire", PS_TIME_LOCK},
    {"selectors.py", "select", PS_TIME_EVENTS},
    {"socket.py", "accept", PS_TIME_NETWORK},
    {"socket.py", "readinto", PS_TIME_NETWORK},
    {"ssl.py", "read", PS_TIME_NETWORK},
    {"ssl.py", "recv_into", PS_TIME_NETWORK},
    {"queue.py", "get", PS_TIME_LOCK},
    {"subprocess.py", "wait", PS_TIME_PROCESS},
    {"subprocess.py", "_wait", PS_TIME_PROCESS},
    {"subprocess.py", "_try_wait", PS_TIME_PROCESS},
    {"concurrent/futures/thread.py", "_worker", PS_TIME_LOCK},
    {"multiprocessing/connection.py", "_recv", PS_TIME_PROCESS},
    {"multiprocessing/connection.py", "recv", PS_TIME_PROCESS},
    {"multiprocessing/connection.py", "wait", PS_TIME_PROCESS},
    {"multiprocessing/connection.py", "_poll", PS_TIME_PROCESS},
    {"multiprocessing/pool.py", "_handle_tasks", PS_TIME_PROCESS},
    {"multiprocessing/pool.py", "wait", PS_TIME_PROCESS},
    {"multiprocessing/popen_fork.py", "poll", PS_TIME_PROCESS},
    {"multiprocessing/synchronize.py", "__enter__", PS_TIME_PROCESS},
    {"multiprocessing/queues.py", "get", PS_TIME_PROCESS},
    /* the thread runs another interpreter, whose stack is sampled too */
    {"concurrent/interpreters/__init__.py", "Interpreter.exec", PS_TIME_LOCK},
    {"concurrent/interpreters/__init__.py", "Interpreter.call", PS_TIME_LOCK},
    {"concurrent/futures/interpreter.py", "WorkerContext.run", PS_TIME_LOCK},
    {"asyncio/tasks.py", "sleep", PS_TIME_EVENTS},
    {"asyncio/locks.py", "wait", PS_TIME_EVENTS},
    {"asyncio/locks.py", "acquire", PS_TIME_EVENTS},
    {"asyncio/queues.py", "get", PS_TIME_EVENTS},
    {"asyncio/queues.py", "join", PS_TIME_EVENTS},
    {"asyncio/windows_events.py", "_poll", PS_TIME_EVENTS},
    {"asyncore.py", "poll", PS_TIME_EVENTS},
    {"zmq/sugar/poll.py", "poll", PS_TIME_EVENTS},
    {"gevent/hub.py", "run", PS_TIME_EVENTS},
    {"tornado/platform/epoll.py", "poll", PS_TIME_EVENTS},
    {"twisted/internet/epollreactor.py", "doPoll", PS_TIME_EVENTS},
    {"twisted/internet/pollreactor.py", "doPoll", PS_TIME_EVENTS},
    {"twisted/internet/selectreactor.py", "doSelect", PS_TIME_EVENTS},
    /* Go: all that waits is parked */
    {"runtime/proc.go", "gopark", PS_TIME_OTHER_WAIT},
};

/* Built-in functions by their last name, and functions of C libraries: POSIX, glibc, the GIL of
 * CPython (Python/ceval_gil.c), macOS and Windows. */
static const struct {
    const char *function;
    enum ps_time_class class;
} native_waits[] = {
    {"[await]", PS_TIME_EVENTS}, /* pyinstrument: a coroutine waits */
    {"(idle)", PS_TIME_EVENTS},  /* V8: the event loop has nothing to do */
    {"sleep", PS_TIME_SLEEP},
    {"acquire", PS_TIME_LOCK},
    {"select", PS_TIME_EVENTS},
    {"poll", PS_TIME_EVENTS},
    {"accept", PS_TIME_NETWORK},
    {"recv", PS_TIME_NETWORK},
    {"recv_into", PS_TIME_NETWORK},
    {"recvfrom", PS_TIME_NETWORK},
    {"wait", PS_TIME_PROCESS},
    {"waitpid", PS_TIME_PROCESS},
    {"take_gil", PS_TIME_LOCK},
    {"PyThread_acquire_lock_timed", PS_TIME_LOCK},
    {"__poll", PS_TIME_EVENTS},
    {"ppoll", PS_TIME_EVENTS},
    {"__select", PS_TIME_EVENTS},
    {"pselect", PS_TIME_EVENTS},
    {"epoll_wait", PS_TIME_EVENTS},
    {"epoll_pwait", PS_TIME_EVENTS},
    {"kevent", PS_TIME_EVENTS},
    {"nanosleep", PS_TIME_SLEEP},
    {"clock_nanosleep", PS_TIME_SLEEP},
    {"__clock_nanosleep", PS_TIME_SLEEP},
    {"pthread_cond_wait", PS_TIME_LOCK},
    {"pthread_cond_timedwait", PS_TIME_LOCK},
    {"__pthread_cond_wait", PS_TIME_LOCK},
    {"__pthread_cond_timedwait", PS_TIME_LOCK},
    {"pthread_join", PS_TIME_LOCK},
    {"__futex_abstimed_wait_common", PS_TIME_LOCK},
    {"do_futex_wait", PS_TIME_LOCK},
    {"futex_wait", PS_TIME_LOCK},
    {"sem_wait", PS_TIME_LOCK},
    {"sem_timedwait", PS_TIME_LOCK},
    {"sem_clockwait", PS_TIME_LOCK},
    {"accept4", PS_TIME_NETWORK},
    {"recvmsg", PS_TIME_NETWORK},
    {"__libc_recv", PS_TIME_NETWORK},
    {"wait4", PS_TIME_PROCESS},
    {"__wait4", PS_TIME_PROCESS},
    {"sigwait", PS_TIME_OTHER_WAIT},
    {"pause", PS_TIME_OTHER_WAIT},
    {"__psynch_cvwait", PS_TIME_LOCK},
    {"__psynch_mutexwait", PS_TIME_LOCK},
    {"__semwait_signal", PS_TIME_LOCK},
    {"semaphore_wait_trap", PS_TIME_LOCK},
    {"mach_msg_trap", PS_TIME_OTHER_WAIT},
    {"mach_msg2_trap", PS_TIME_OTHER_WAIT},
    {"NtWaitForSingleObject", PS_TIME_OTHER_WAIT},
    {"WaitForSingleObjectEx", PS_TIME_OTHER_WAIT},
    {"SleepEx", PS_TIME_SLEEP},
    {"GetQueuedCompletionStatusEx", PS_TIME_EVENTS},
};

/* The part of a qualified name after its last dot. */
static struct ps_str last_name(struct ps_str function)
{
    for (size_t i = function.len; i > 0; i--)
        if (function.ptr[i - 1] == '.')
            return ps_str_skip(function, i);
    return function;
}

/* Whether `path` ends with the components of `end`. A path without folders matches its last one. */
static bool is_file(struct ps_str path, const char *end)
{
    struct ps_str wanted = ps_str_from_c(end);
    size_t skipped;

    if (ps_path_file_name(path).len == path.len)
        wanted = ps_path_file_name(wanted);
    if (path.len < wanted.len)
        return false;
    skipped = path.len - wanted.len;
    if (skipped && !ps_is_slash(path.ptr[skipped - 1]))
        return false;
    for (size_t i = 0; i < wanted.len; i++)
        if (path.ptr[skipped + i] != wanted.ptr[i] &&
            !(ps_is_slash(wanted.ptr[i]) && ps_is_slash(path.ptr[skipped + i])))
            return false;
    return true;
}

/* PS_TIME_WORK: the function is not known to wait. */
static enum ps_time_class wait_in_python(const struct ps_frame_name *name)
{
    struct ps_str function = last_name(name->function);

    for (size_t i = 0; i < sizeof python_waits / sizeof *python_waits; i++)
        if ((ps_str_eq_c(function, python_waits[i].function) ||
             ps_str_eq_c(name->function, python_waits[i].function)) &&
            is_file(name->file, python_waits[i].file))
            return python_waits[i].class;
    return PS_TIME_WORK;
}

static enum ps_time_class wait_in_native_code(const struct ps_frame_name *name)
{
    struct ps_str function = last_name(name->function);

    for (size_t i = 0; i < sizeof native_waits / sizeof *native_waits; i++)
        if (ps_str_eq_c(function, native_waits[i].function))
            return native_waits[i].class;
    return PS_TIME_WORK;
}

static bool is_python(const struct ps_frame_name *name, enum ps_origin origin)
{
    struct ps_str file = name->file;

    return origin == PS_ORIGIN_OWN || origin == PS_ORIGIN_THIRD_PARTY ||
           origin == PS_ORIGIN_STDLIB ||
           (origin == PS_ORIGIN_UNKNOWN && file.len > 3 &&
            (memcmp(file.ptr + file.len - 3, ".py", 3) == 0 || file.ptr[0] == '<'));
}

void ps_stack_waits_init(struct ps_stack_waits *out, struct ps_db *db,
                         const struct ps_stack_frames *frames)
{
    *out = (struct ps_stack_waits){db, frames, NULL};
    out->kinds = ps_alloc_array(frames->n + 1, sizeof *out->kinds);
}

void ps_stack_waits_free(struct ps_stack_waits *waits)
{
    free(waits->kinds);
    waits->kinds = NULL;
}

const struct ps_frame_kind *ps_stack_frame_kind(struct ps_stack_waits *waits, uint32_t text,
                                                uint8_t family)
{
    struct ps_frame_kind *kind = &waits->kinds[text];
    struct ps_frame_name name;
    enum ps_origin origin;

    if (kind->is_seen)
        return kind;
    name = ps_frame_name_parse(ps_trace_text(waits->db, text));
    origin = ps_stack_origin(waits->frames, text, family);
    kind->is_seen = true;
    kind->is_python = is_python(&name, origin);
    kind->is_own = kind->is_python && (origin == PS_ORIGIN_OWN || origin == PS_ORIGIN_UNKNOWN);
    kind->wait = kind->is_python ? wait_in_python(&name) : wait_in_native_code(&name);
    if (kind->wait == PS_TIME_WORK && waits->frames->idle_from && text >= waits->frames->idle_from)
        kind->wait = PS_TIME_OTHER_WAIT;
    kind->waits = kind->wait != PS_TIME_WORK;
    return kind;
}

void ps_stack_frame_set_waiting(struct ps_stack_waits *waits, uint32_t text)
{
    struct ps_frame_kind *kind;

    (void)ps_stack_frame_kind(waits, text, PS_FAMILY_NONE);
    kind = &waits->kinds[text];
    if (kind->wait == PS_TIME_WORK)
        kind->wait = PS_TIME_OTHER_WAIT;
    kind->waits = true;
}

bool ps_stack_is_waiting(struct ps_stack_waits *waits, const struct ps_path *sample)
{
    for (size_t i = sample->n; i > 0; i--) {
        const struct ps_path_frame *frame = &sample->frames[i - 1];
        const struct ps_frame_kind *kind = ps_stack_frame_kind(waits, frame->text, frame->family);

        if (kind->waits || kind->is_python)
            return kind->waits;
    }
    return false;
}
