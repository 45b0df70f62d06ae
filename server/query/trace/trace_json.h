/* SPDX-License-Identifier: MIT */
/* trace_json.h: writes texts of a trace as JSON. */
#ifndef PS_QUERY_TRACE_TRACE_JSON_H
#define PS_QUERY_TRACE_TRACE_JSON_H

#include "base/json_out.h"
#include "server/runfile/db.h"

/* Writes a key and the text with the id `text` of the trace; "" if the trace has no such text. */
void ps_json_text(struct ps_json *json, const char *key, struct ps_db *db, int64_t text);

#endif
