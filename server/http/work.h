/* SPDX-License-Identifier: MIT */
/* work.h: a few threads for what takes its time, so that the threads that talk to clients never do.
 */
#ifndef PS_HTTP_WORK_H
#define PS_HTTP_WORK_H

#include "base/err.h"

struct ps_work;

enum ps_status ps_work_create(unsigned threads, struct ps_work **out, struct ps_err *err);
/* Runs fn(arg) on one of the threads, in the order of adding. */
void ps_work_add(struct ps_work *work, void (*fn)(void *arg), void *arg);
/* Lets what was added finish, then ends the threads. NULL is fine. */
void ps_work_free(struct ps_work *work);

#endif
