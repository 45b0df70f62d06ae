/* SPDX-License-Identifier: MIT */
/* explore_request.c: the tool explore for requests of a load test. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/agent/explore.h"

/* The number in "13" or "request 13"; 0: the name is another. */
static int64_t read_number(const char *name)
{
    char *end;
    long long id;

    if (strncmp(name, "request ", 8) == 0)
        name += 8;
    if (*name < '1' || *name > '9')
        return 0;
    id = strtoll(name, &end, 10);
    return *end ? 0 : id;
}

/* Finds a request by a part of its name. In a run with a trace only the whole name counts, since
 * the name may be that of an operator. 0: there is none. */
static int64_t find_by_name(const struct ps_explored *x, bool has_trace, cJSON **matches,
                            struct ps_err *err)
{
    struct ps_err none = PS_ERR_INIT;

    if (ps_explore_find(x, "requests", "ttft_ns", matches, &none) != PS_OK) {
        if (none.code != PS_NOT_FOUND)
            ps_fail_copy(err, &none);
        return 0;
    }
    if (has_trace && strcmp(ps_cell_text(*matches, 0, "name"), x->name) != 0)
        return 0;
    return (int64_t)ps_cell_number(*matches, 0, "id");
}

enum ps_status ps_explore_request(const struct ps_explored *x, bool has_trace, bool *is_found,
                                  struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *matches = NULL;
    PS_AUTO(ps_json_free) cJSON *request = NULL;
    const bool is_worst = strcmp(x->name, "worst request") == 0;
    int64_t id = read_number(x->name);
    char view[64], route[64], found[200];

    *is_found = false;
    if (is_worst) {
        ps_ask_view(x->call, x->id, "requests", "sort=ttft_ns&limit=1", &matches, err);
        id = ps_count_rows(matches) ? (int64_t)ps_cell_number(matches, 0, "id") : 0;
    } else if (id == 0) {
        id = find_by_name(x, has_trace, &matches, err);
    }
    if (err->code != PS_OK || id <= 0)
        return err->code;
    (void)snprintf(view, sizeof view, "requests/%lld", (long long)id);
    if (ps_ask_view(x->call, x->id, view, "", &request, err) != PS_OK)
        return err->code;
    *is_found = true;
    (void)snprintf(route, sizeof route, "requests?request=%lld", (long long)id);
    (void)snprintf(found, sizeof found, "request %lld%s%.150s", (long long)id,
                   ps_member_text(request, "name")[0] ? " " : "", ps_member_text(request, "name"));
    ps_explore_begin(x, route, found, is_worst ? NULL : matches, "name");
    ps_text_request(x->call->out, request);
    return PS_OK;
}
