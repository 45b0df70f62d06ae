/* SPDX-License-Identifier: MIT */
/*
 * child.h: starts this program as a child process, connected by a socket, and finds out how it
 * ended.
 */
#ifndef PS_SANDBOX_CHILD_H
#define PS_SANDBOX_CHILD_H

#include <sys/types.h>

#include "server/sandbox/frame.h"
#include "server/sandbox/sandbox.h"

#define PS_CHILD_SOCKET 3 /* descriptor of the socket to the parent in the child */

struct ps_child {
    pid_t pid;          /* 0: no child */
    int socket;         /* sending to it never waits: the child reads each message at once */
    int64_t working_ns; /* time in which the parent waited for the child */
    int64_t counted_ns; /* when its threads were counted */
};

/* Starts `perfshelf VERB ARGUMENT`. The child inherits only the socket and the environment
 * variables that loading a program needs. The kernel kills the child when the thread that started
 * it ends. */
enum ps_status ps_child_start(struct ps_child *child, const char *verb, const char *argument,
                              struct ps_err *err);
/* Call it first in the child. Makes the kernel kill the child when its parent ends, and closes all
 * descriptors above PS_CHILD_SOCKET. */
void ps_child_isolate(void);

/* Receives the next frame like ps_frame_receive, but calls `goes_on` at least ten times a second
 * while it waits. PS_CANCELLED: goes_on returned false. PS_TOO_SLOW, PS_LIMIT: the child has run
 * for too long, or has too many threads. PS_INTERRUPTED: the child ended or was stopped;
 * ps_child_explain finds the reason. */
enum ps_status ps_child_receive(struct ps_child *child, const struct ps_sandbox_limits *limits,
                                bool (*goes_on)(void *user), void *user, struct ps_frame *out,
                                struct ps_err *err);

/* Sets *why to the reason why the child ended without a result. `at`: the last input offset that
 * the child reported, in bytes. Call it before ps_child_end. */
void ps_child_explain(const struct ps_child *child, const struct ps_sandbox_limits *limits,
                      uint64_t at, struct ps_err *why);
/* Kills the child if it has not ended, and clears *child. */
void ps_child_end(struct ps_child *child);

#endif
