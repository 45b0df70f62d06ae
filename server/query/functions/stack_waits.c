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
} python_waits[] = {
    {"threading.py", "wait"},
    {"threading.py", "join"},
    {"threading.py", "_wait_for_tstate_lock"},
    {"threading.py", "acquire"},
    {"selectors.py", "select"},
    {"socket.py", "accept"},
    {"socket.py", "readinto"},
    {"ssl.py", "read"},
    {"ssl.py", "recv_into"},
    {"queue.py", "get"},
    {"subprocess.py", "wait"},
    {"subprocess.py", "_wait"},
    {"subprocess.py", "_try_wait"},
    {"concurrent/futures/thread.py", "_worker"},
    {"multiprocessing/connection.py", "_recv"},
    {"multiprocessing/connection.py", "recv"},
    {"multiprocessing/connection.py", "wait"},
    {"multiprocessing/connection.py", "_poll"},
    {"multiprocessing/pool.py", "_handle_tasks"},
    {"multiprocessing/pool.py", "wait"},
    {"multiprocessing/popen_fork.py", "poll"},
    {"multiprocessing/synchronize.py", "__enter__"},
    {"multiprocessing/queues.py", "get"},
    /* the thread runs another interpreter, whose stack is sampled too */
    {"concurrent/interpreters/__init__.py", "Interpreter.exec"},
    {"concurrent/interpreters/__init__.py", "Interpreter.call"},
    {"concurrent/futures/interpreter.py", "WorkerContext.run"},
    {"asyncio/tasks.py", "sleep"},
    {"asyncio/locks.py", "wait"},
    {"asyncio/locks.py", "acquire"},
    {"asyncio/queues.py", "get"},
    {"asyncio/queues.py", "join"},
    {"asyncio/windows_events.py", "_poll"},
    {"asyncore.py", "poll"},
    {"zmq/sugar/poll.py", "poll"},
    {"gevent/hub.py", "run"},
    {"tornado/platform/epoll.py", "poll"},
    {"twisted/internet/epollreactor.py", "doPoll"},
    {"twisted/internet/pollreactor.py", "doPoll"},
    {"twisted/internet/selectreactor.py", "doSelect"},
};

/* Built-in functions by their last name, and functions of C libraries: POSIX, glibc, the GIL of
 * CPython (Python/ceval_gil.c), macOS and Windows. */
static const char *const native_waits[] = {
    "[await]", /* pyinstrument: a coroutine waits */
    "sleep",
    "acquire",
    "select",
    "poll",
    "accept",
    "recv",
    "recv_into",
    "recvfrom",
    "wait",
    "waitpid",
    "take_gil",
    "PyThread_acquire_lock_timed",
    "__poll",
    "ppoll",
    "__select",
    "pselect",
    "epoll_wait",
    "epoll_pwait",
    "kevent",
    "nanosleep",
    "clock_nanosleep",
    "__clock_nanosleep",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "__pthread_cond_wait",
    "__pthread_cond_timedwait",
    "pthread_join",
    "__futex_abstimed_wait_common",
    "do_futex_wait",
    "futex_wait",
    "sem_wait",
    "sem_timedwait",
    "sem_clockwait",
    "accept4",
    "recvmsg",
    "__libc_recv",
    "wait4",
    "__wait4",
    "sigwait",
    "pause",
    "__psynch_cvwait",
    "__psynch_mutexwait",
    "__semwait_signal",
    "semaphore_wait_trap",
    "mach_msg_trap",
    "mach_msg2_trap",
    "NtWaitForSingleObject",
    "WaitForSingleObjectEx",
    "SleepEx",
    "GetQueuedCompletionStatusEx",
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

static bool waits_in_python(const struct ps_frame_name *name)
{
    struct ps_str function = last_name(name->function);

    for (size_t i = 0; i < sizeof python_waits / sizeof *python_waits; i++)
        if ((ps_str_eq_c(function, python_waits[i].function) ||
             ps_str_eq_c(name->function, python_waits[i].function)) &&
            is_file(name->file, python_waits[i].file))
            return true;
    return false;
}

static bool waits_in_native_code(const struct ps_frame_name *name)
{
    struct ps_str function = last_name(name->function);

    for (size_t i = 0; i < sizeof native_waits / sizeof *native_waits; i++)
        if (ps_str_eq_c(function, native_waits[i]))
            return true;
    return false;
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
    kind->waits = (waits->frames->idle_from && text >= waits->frames->idle_from) ||
                  (kind->is_python ? waits_in_python(&name) : waits_in_native_code(&name));
    return kind;
}

bool ps_stack_is_waiting(struct ps_stack_waits *waits, const struct ps_stack_sample *sample)
{
    for (size_t i = sample->n; i > 0; i--) {
        const struct ps_stack_frame *frame = &sample->frames[i - 1];
        const struct ps_frame_kind *kind = ps_stack_frame_kind(waits, frame->text, frame->family);

        if (kind->waits || kind->is_python)
            return kind->waits;
    }
    return false;
}
