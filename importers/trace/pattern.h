/* SPDX-License-Identifier: MIT */
/* pattern.h: events of a form that was seen before, read without parsing; for the reading part of
 * importers/trace alone. */
#ifndef PS_TRACE_PATTERN_H
#define PS_TRACE_PATTERN_H

#include "importers/trace/parse.h"

struct tr_patterns *tr_patterns_new(void);
void tr_patterns_free(struct tr_patterns *patterns);
/* They hold local ids: when the tables of the parser are forgotten they must be too. */
bool tr_patterns_full(const struct tr_patterns *patterns);

/* The event at parser->at, when it is of a form that may be expected here: its record is in local.
 * False: it has to be parsed. */
bool tr_pattern_event(struct tr_parser *parser);
/* Behind an event that was parsed and kept as the last record of local. */
void tr_pattern_learn(struct tr_parser *parser, const char *start);

#endif
