/* SPDX-License-Identifier: MIT */
/* log.h: one line on stderr for whoever runs the server. Only serve uses it; libraries return
 * errors instead. */
#ifndef PS_BASE_LOG_H
#define PS_BASE_LOG_H

#include "base/err.h"

/* "perfshelf: ..." in one write, so that lines of several threads do not mix; control characters
 * become '?'. */
void ps_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same for a failure: "perfshelf: SUBJECT: what is wrong at byte N; what to do". */
void ps_log_err(const char *subject, const struct ps_err *err);

#endif
