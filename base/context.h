/* SPDX-License-Identifier: MIT */
/*
 * context.h: the deadline and the cancellation of the work that a thread does for a request.
 *
 * Whoever starts the work begins a context; code at any depth below asks ps_context_ended() in its
 * loops and returns early. Its result is worthless then: it must not be cached, and whoever began
 * the context reports its failure instead. A thread without a context is never ended.
 *
 * The check costs a few nanoseconds: call it at least every millisecond of work.
 */
#ifndef PS_BASE_CONTEXT_H
#define PS_BASE_CONTEXT_H

#include "base/err.h"

struct ps_context {
    int64_t deadline_ms; /* CLOCK_MONOTONIC; 0: none */
    /* Asked about fifty times a second, on the thread that works. Not PS_OK: the work is to end,
     * and err says why. NULL: nobody cancels it. */
    enum ps_status (*poll)(void *user, struct ps_err *err);
    void *user;
    struct ps_err why; /* PS_OK while the work may continue */
    struct ps_context *outer;
    int64_t next_poll_ms;
    unsigned checks;
};

/* Makes *context that of this thread. timeout_ms 0: no deadline; poll may be NULL. Contexts nest:
 * an outer one that has ended ends the inner one. */
void ps_context_begin(struct ps_context *context, int64_t timeout_ms,
                      enum ps_status (*poll)(void *user, struct ps_err *err), void *user);
/* The thread has its previous context again. Returns context->why.code. */
enum ps_status ps_context_leave(struct ps_context *context);

/* Whether this thread is to stop what it does. Once true, it remains true. */
bool ps_context_ended(void);
/* The same as a failure: PS_TOO_SLOW, PS_CANCELLED, or what poll returned. */
enum ps_status ps_context_check(struct ps_err *err);

int64_t ps_monotonic_ms(void);
/* The wall clock: ms since 1970, UTC. */
int64_t ps_now_ms(void);

#endif
