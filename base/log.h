/* SPDX-License-Identifier: MIT */
/* log.h: writes lines to stderr for the operator of the server. Only `perfshelf serve` logs;
 * libraries return errors instead. */
#ifndef PS_BASE_LOG_H
#define PS_BASE_LOG_H

#include "base/err.h"

/* "perfshelf: ..." in one write, so that lines of several threads do not mix; control characters
 * become '?'. */
void ps_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Logs an error: "perfshelf: SUBJECT: message at byte N; hint". */
void ps_log_err(const char *subject, const struct ps_err *err);

#endif
