/* SPDX-License-Identifier: MIT */
/* engine_steps.h: what a conclusion says of the steps of an engine. */
#ifndef PS_QUERY_CONCLUSION_ENGINE_STEPS_H
#define PS_QUERY_CONCLUSION_ENGINE_STEPS_H

#include "server/query/conclusion/conclusion.h"
#include "server/query/requests/requests.h"

/* The step as the subject of a fact, by the number that the engine gave it. */
struct ps_subject ps_engine_step_subject(struct ps_conclusion *c, const struct ps_requests *r,
                                         size_t step);

/* Says how long the steps of a log take, of which no request is known. False: there are none. */
bool ps_conclude_engine_steps(struct ps_conclusion *c, const struct ps_requests *r);

#endif
