/* SPDX-License-Identifier: MIT */
/*
 * child.h: this program once more, in a process of its own, with a socket to it; and how that
 * ended.
 */
#ifndef PS_SANDBOX_CHILD_H
#define PS_SANDBOX_CHILD_H

#include <sys/types.h>

#include "server/sandbox/frame.h"
#include "server/sandbox/sandbox.h"

#define PS_CHILD_SOCKET 3 /* its descriptor of the socket */

struct ps_child {
    pid_t pid; /* 0: none */
    int socket;
};

/* Starts `perfshelf VERB ARGUMENT`. It inherits the socket alone, of the environment only what a
 * program needs to be loaded, and ends with the thread that started it. */
enum ps_status ps_child_start(struct ps_child *child, const char *verb, const char *argument,
                              struct ps_err *err);
/* For the child, first thing: makes it end with its parent and closes what else it inherited. */
void ps_child_settle(void);

/* The next frame, as ps_frame_receive; `goes_on` is asked ten times a second and more meanwhile.
 * PS_CANCELLED: it said no. PS_INTERRUPTED: the child has ended or was stopped, ask ps_child_end.
 */
enum ps_status ps_child_receive(struct ps_child *child, bool (*goes_on)(void *user), void *user,
                                struct ps_frame *out, struct ps_err *err);

/* Ends it, if it has not ended, and forgets it. With `why` says what became of one that did not say
 * so itself, where `at` is how far it had read. */
void ps_child_end(struct ps_child *child, const struct ps_sandbox_limits *limits, uint64_t at,
                  struct ps_err *why);

#endif
