/* SPDX-License-Identifier: MIT */
/*
 * work.h: threads for work that takes longer than the threads that talk to clients may spend.
 *
 * Nobody knows beforehand how long a task takes, so every task starts in the quick lane. A task
 * that has run for PS_WORK_QUANTUM_MS while others wait moves to the long lane, which has threads
 * of its own; when the long lane is full, the task is asked to return and is run again there. Tasks
 * that take long therefore never occupy the threads of the quick lane.
 */
#ifndef PS_HTTP_WORK_H
#define PS_HTTP_WORK_H

#include "base/err.h"

#define PS_WORK_QUANTUM_MS 250

struct ps_work;

/* So many tasks run at the same time in each lane. */
enum ps_status ps_work_create(unsigned quick, unsigned lengthy, struct ps_work **out,
                              struct ps_err *err);
/* Runs fn(arg) on one of the threads of the quick lane, in the order of adding. */
void ps_work_add(struct ps_work *work, void (*fn)(void *arg), void *arg);
/* The same in the long lane. */
void ps_work_add_long(struct ps_work *work, void (*fn)(void *arg), void *arg);
/* Asked by a task that can be run again: whether it is to return now and to be added to the long
 * lane. True once for each task that waits. */
bool ps_work_must_yield(struct ps_work *work);
/* Lets what was added finish, then ends the threads. NULL is fine. */
void ps_work_free(struct ps_work *work);

#endif
