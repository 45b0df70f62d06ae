/* SPDX-License-Identifier: MIT */
/* pattern.h: reads events of a known form without parsing them. Private to the reading part of
 * importers/trace. */
#ifndef PS_TRACE_PATTERN_H
#define PS_TRACE_PATTERN_H

#include "importers/trace/parse.h"

struct tr_patterns *tr_patterns_new(void);
void tr_patterns_free(struct tr_patterns *patterns);
/* Whether they use too much memory. They hold local ids: free them together with the tables of the
 * parser. */
bool tr_patterns_full(const struct tr_patterns *patterns);

/* Reads the event at parser->at if it has one of the expected forms, and appends its record to
 * local. False: it must be parsed. */
bool tr_pattern_event(struct tr_parser *parser);
/* Call after an event was parsed and stored as the last record of local; it began at `start`. */
void tr_pattern_learn(struct tr_parser *parser, const char *start);

#endif
