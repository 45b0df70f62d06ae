/* SPDX-License-Identifier: MIT */
/* requests_json.h: what the answers about requests and about steps have in common. */
#ifndef PS_QUERY_REQUESTS_JSON_H
#define PS_QUERY_REQUESTS_JSON_H

#include "server/query/requests/requests.h"
#include "server/query/requests/step_work.h"

#define PS_STEP_REQUESTS_MAX 50 /* of a list in an answer */

extern const char *const ps_request_state_words[PS_REQUEST_UNFINISHED + 1];

/* Writes a key and a time, or a count; null if it is unknown. */
void ps_json_time_ns(struct ps_json *json, const char *key, int64_t ns);
void ps_json_count(struct ps_json *json, const char *key, int64_t n);
/* Writes the key "name" with the name of a request. */
void ps_json_request_name(struct ps_db *db, struct ps_json *json, int64_t id, struct ps_err *err);

/* Requests with their tokens, each once. */
struct ps_step_requests {
    struct ps_step_request {
        uint32_t request;
        int64_t tokens;
    } items[PS_STEP_REQUESTS_MAX];
    size_t n;         /* in items */
    size_t n_omitted; /* additions of other requests, because there is no room */
};
void ps_step_requests_add(struct ps_step_requests *list, uint32_t request, int64_t tokens);
/* Adds who is prefilled in a step, or who generates. */
void ps_step_requests_add_served(struct ps_step_requests *list, const struct ps_requests *r,
                                 size_t step, bool is_prefill);
/* Adds who is served in a step for the last time, unless the recording ended there. */
void ps_step_requests_add_finished(struct ps_step_requests *list, const struct ps_requests *r,
                                   size_t step);
void ps_step_requests_write(struct ps_db *db, const struct ps_requests *r, struct ps_json *json,
                            const char *key, const struct ps_step_requests *list,
                            struct ps_err *err);

/* Writes the key "work"; null if the trace has none of the steps. */
void ps_step_work_write(struct ps_db *db, struct ps_json *json, const struct ps_step_work *work);

#endif
