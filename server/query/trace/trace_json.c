/* SPDX-License-Identifier: MIT */
#include "server/query/trace/trace_json.h"

#include "server/runfile/trace.h"

void ps_json_text(struct ps_json *json, const char *key, struct ps_db *db, int64_t text)
{
    struct ps_str found = ps_trace_text(db, (uint32_t)text);

    ps_json_key(json, key);
    ps_json_str(json, found.ptr ? found : PS_STR(""));
}
