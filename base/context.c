/* SPDX-License-Identifier: MIT */
#include "base/context.h"

#include <stddef.h>

#include "base/clock.h"

#define POLL_MS 20
#define CHECKS_PER_CLOCK_READ                                                                      \
    8 /* number of calls of ps_context_has_ended per reading of the clock */

static _Thread_local struct ps_context *current;

void ps_context_begin(struct ps_context *context, int64_t timeout_ms,
                      enum ps_status (*poll)(void *user, struct ps_err *err), void *user)
{
    *context = (struct ps_context){
        .deadline_ms = timeout_ms ? ps_monotonic_ms() + timeout_ms : 0,
        .poll = poll,
        .user = user,
        .err = PS_ERR_INIT,
        .outer = current,
    };
    current = context;
}

enum ps_status ps_context_end(struct ps_context *context)
{
    current = context->outer;
    return context->err.code;
}

static bool has_ended(struct ps_context *context, int64_t now)
{
    if (context->err.code != PS_OK)
        return true;
    if (context->deadline_ms && now >= context->deadline_ms) {
        ps_fail(&context->err, PS_TOO_SLOW, "the request took too long and was stopped");
    } else if (context->poll && now >= context->next_poll_ms) {
        context->next_poll_ms = now + POLL_MS;
        (void)context->poll(context->user, &context->err);
    }
    if (context->err.code == PS_OK && context->outer && has_ended(context->outer, now))
        (void)ps_fail_copy(&context->err, &context->outer->err);
    return context->err.code != PS_OK;
}

bool ps_context_has_ended(void)
{
    struct ps_context *context = current;

    if (!context)
        return false;
    if (context->err.code != PS_OK)
        return true;
    return context->n_checks++ % CHECKS_PER_CLOCK_READ == 0 &&
           has_ended(context, ps_monotonic_coarse_ms());
}

enum ps_status ps_context_check(struct ps_err *err)
{
    return ps_context_has_ended() ? ps_fail_copy(err, &current->err) : PS_OK;
}
