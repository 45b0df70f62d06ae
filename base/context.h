/* SPDX-License-Identifier: MIT */
/*
 * context.h: deadline and cancellation of the work that a thread does for a request.
 *
 * The thread that starts the work begins a context. Code at any depth below calls
 * ps_context_has_ended() in its loops and returns early when it is true. The result is then
 * incomplete: do not cache it. The code that began the context reports the failure of the context
 * instead. A thread without a context is never interrupted.
 *
 * ps_context_has_ended() takes a few nanoseconds: call it at least once in every millisecond of
 * work.
 */
#ifndef PS_BASE_CONTEXT_H
#define PS_BASE_CONTEXT_H

#include "base/err.h"

struct ps_context {
    int64_t deadline_ms; /* monotonic clock; 0: none */
    /* Called at most fifty times a second, on the thread that does the work. If it fills err, the
     * work ends with that error. NULL: the work cannot be cancelled. */
    enum ps_status (*poll)(void *user, struct ps_err *err);
    void *user;
    struct ps_err err; /* PS_OK while the work may continue */
    struct ps_context *outer;
    int64_t next_poll_ms;
    unsigned n_checks;
};

/* Makes *context the context of this thread. timeout_ms 0: no deadline; poll may be NULL. Contexts
 * nest: when an outer one ends, so do the inner ones. */
void ps_context_begin(struct ps_context *context, int64_t timeout_ms,
                      enum ps_status (*poll)(void *user, struct ps_err *err), void *user);
/* Makes the outer context the context of the thread again. Returns context->err.code. */
enum ps_status ps_context_end(struct ps_context *context);

/* Whether this thread must stop its work. Once true, it remains true. */
bool ps_context_has_ended(void);
/* Like ps_context_has_ended, but returns an error: PS_TOO_SLOW, or the error that `poll` set. */
enum ps_status ps_context_check(struct ps_err *err);

#endif
