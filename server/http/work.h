/* SPDX-License-Identifier: MIT */
/*
 * work.h: threads for tasks that would block the threads that serve connections for too long.
 *
 * The duration of a task is not known beforehand, so every task starts in the quick lane. A task
 * that has run for PS_WORK_QUANTUM_MS while others wait is moved to the long lane, which has its
 * own threads. If the long lane is full, the task is asked to return and is run again there. Long
 * tasks therefore do not block the quick lane.
 *
 * Any thread may add tasks; `arg` belongs to the task.
 */
#ifndef PS_HTTP_WORK_H
#define PS_HTTP_WORK_H

#include "base/err.h"

#define PS_WORK_QUANTUM_MS 250

struct ps_work;

/* quick, lengthy: the maximum number of tasks that run concurrently in each lane. */
enum ps_status ps_work_create(unsigned quick, unsigned lengthy, struct ps_work **out,
                              struct ps_err *err);
/* Runs fn(arg) on a thread of the quick lane; tasks start in the order in which they were added. */
void ps_work_add(struct ps_work *work, void (*fn)(void *arg), void *arg);
/* Like ps_work_add, in the long lane. */
void ps_work_add_long(struct ps_work *work, void (*fn)(void *arg), void *arg);
/* Called by a running task that can be repeated: whether it has to return now and be added to the
 * long lane. For each waiting task, at most one running task gets true. */
bool ps_work_must_yield(struct ps_work *work);
/* Finishes all tasks that were added, then ends the threads. NULL is allowed. */
void ps_work_free(struct ps_work *work);

#endif
