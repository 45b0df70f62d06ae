/* SPDX-License-Identifier: MIT */
/*
 * causes.h: what a profile of functions says about its program: the own function that causes most
 * of the time that could be avoided, or that there is no single one.
 *
 * A function is ranked by its charged time (own_time.h) times how likely time of that kind can be
 * avoided. Below CAUSE_SCORE nothing is named as the cause. A saving is a share of the total, never
 * more than the function's own share, and is only stated if something is repeated or is known to be
 * slow.
 */
#ifndef PS_QUERY_CAUSES_H
#define PS_QUERY_CAUSES_H

#include "server/query/conclusion/conclusion.h"
#include "server/query/conclusion/own_time.h"

/* Charges the times of a cProfile dump, says the sentence and adds the causes. False, and nothing
 * is said: too little of the time is caused by own code. */
bool ps_conclude_own_time(struct ps_conclusion *c, struct ps_own_time *times);

/* The same of times that are charged already. */
bool ps_conclude_charged_time(struct ps_conclusion *c, const struct ps_own_time *times);

#endif
