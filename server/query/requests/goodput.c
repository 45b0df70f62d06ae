/* SPDX-License-Identifier: MIT */
/*
 * goodput.c: which requests of a serving run kept limits that a person sets. The limits have the
 * names that vLLM's option --goodput has, and the number is the one that vLLM calls
 * request_goodput: completed requests that kept each limit, by the duration of the load. A request
 * with one output token keeps each limit of the time per output token.
 */
#include "server/query/requests/goodput.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum limit { TTFT, TPOT, E2EL, N_LIMITS };
static const char *const limit_words[N_LIMITS] = {"ttft", "tpot", "e2el"};

struct limits {
    double ns[N_LIMITS]; /* NAN: no limit */
};

/* The requests of one result. */
struct load {
    int64_t result;
    int64_t n, n_completed, n_good;
    int64_t n_over[N_LIMITS], n_unknown[N_LIMITS]; /* of the completed ones */
    double first_ns, last_ns;                      /* NAN: unknown */
};

/* --- Limits --- */

/* Reads "200ms"; without a unit it is in ms, as vLLM's is. False: it is no time. */
static bool read_time(const char *text, double *ns)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"", 1e6}, {"ms", 1e6}, {"s", 1e9}, {"us", 1e3}, {"ns", 1}, {"min", 60e9}};
    char *end;
    const double value = strtod(text, &end);

    if (end == text || !isfinite(value) || value < 0)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0) {
            *ns = value * units[i].ns;
            return true;
        }
    return false;
}

static enum ps_status fail_limit(const char *text, struct ps_err *err)
{
    return ps_fail(err, PS_BAD_REQUEST,
                   "invalid limit '%.60s'" PS_HINT "write ttft, tpot or e2el with a time, such as "
                   "ttft:200ms,tpot:20ms,e2el:2s",
                   text);
}

static enum ps_status read_limits(const char *text, struct limits *out, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *copy = ps_strdup(ps_str_from_c(text ? text : ""));
    size_t n = 0;
    char *rest = NULL;

    *out = (struct limits){{NAN, NAN, NAN}};
    for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
        char *colon = strchr(word, ':');
        int found = N_LIMITS;

        for (int i = 0; colon && i < N_LIMITS; i++)
            if (strncmp(word, limit_words[i], (size_t)(colon - word)) == 0 &&
                strlen(limit_words[i]) == (size_t)(colon - word))
                found = i;
        if (found == N_LIMITS || !isnan(out->ns[found]) || !read_time(colon + 1, &out->ns[found]))
            return fail_limit(word, err);
        n++;
    }
    return n ? PS_OK : fail_limit("", err);
}

/* --- Requests --- */

static void add_request(struct ps_stmt *stmt, const struct limits *limits, struct load *load)
{
    enum { STATE = 1, FIRST_VALUE, START = FIRST_VALUE + N_LIMITS, END };
    const double start = ps_col_real_or_nan(stmt, START), end = ps_col_real_or_nan(stmt, END);
    bool is_good = true;

    load->n++;
    if (!(start >= load->first_ns))
        load->first_ns = start;
    if (!(end <= load->last_ns))
        load->last_ns = end;
    if (ps_col_int(stmt, STATE) != 0)
        return;
    load->n_completed++;
    for (int i = 0; i < N_LIMITS; i++) {
        const double value = ps_col_real_or_nan(stmt, FIRST_VALUE + i);

        if (isnan(limits->ns[i]))
            continue;
        load->n_unknown[i] += isnan(value);
        load->n_over[i] += value > limits->ns[i];
        is_good &= value <= limits->ns[i];
    }
    load->n_good += is_good;
}

static enum ps_status read_load(struct ps_stmt *requests, const struct limits *limits, bool *has,
                                struct load *out, struct ps_err *err)
{
    while (*has && ps_col_int(requests, 0) < out->result)
        *has = ps_stmt_step(requests, err);
    while (*has && ps_col_int(requests, 0) == out->result) {
        add_request(requests, limits, out);
        *has = ps_stmt_step(requests, err);
    }
    return err->code;
}

/* --- Answer --- */

static void write_limits(const struct limits *limits, const struct load *load, struct ps_json *json)
{
    ps_json_key(json, "limits");
    ps_json_array(json);
    for (int i = 0; i < N_LIMITS; i++) {
        if (isnan(limits->ns[i]))
            continue;
        ps_json_object(json);
        ps_json_key_str(json, "limit", limit_words[i]);
        ps_json_key_real(json, "limit_ns", limits->ns[i]);
        ps_json_key_int(json, "over", load->n_over[i]);
        ps_json_key_int(json, "unknown", load->n_unknown[i]);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_load(struct ps_stmt *result, const struct limits *limits, const struct load *load,
                       struct ps_json *json)
{
    const double stated = ps_col_real_or_nan(result, 3),
                 seconds = isnan(stated) ? (load->last_ns - load->first_ns) / 1e9 : stated;

    ps_json_object(json);
    ps_json_key_int(json, "result", load->result);
    ps_json_key(json, "name");
    ps_json_str(json, ps_col_text(result, 1));
    ps_json_key(json, "parameters");
    ps_json_raw(json, ps_col_text(result, 2));
    ps_json_key_int(json, "requests", load->n);
    ps_json_key_int(json, "completed", load->n_completed);
    ps_json_key_int(json, "good", load->n_good);
    ps_json_key_real(json, "share", load->n ? (double)load->n_good / (double)load->n : (double)NAN);
    ps_json_key_real(json, "duration", seconds);
    ps_json_key_real(json, "per_second",
                     seconds > 0 ? (double)load->n_good / seconds : (double)NAN);
    write_limits(limits, load, json);
    ps_json_end(json);
}

static enum ps_status write_loads(struct ps_stmt *results, struct ps_stmt *requests,
                                  const struct limits *limits, struct ps_json *json,
                                  struct ps_err *err)
{
    bool has = ps_stmt_step(requests, err);

    ps_json_object(json);
    ps_json_key(json, "loads");
    ps_json_array(json);
    while (err->code == PS_OK && ps_stmt_step(results, err)) {
        struct load load = {.result = ps_col_int(results, 0), .first_ns = NAN, .last_ns = NAN};

        if (read_load(requests, limits, &has, &load, err) == PS_OK && load.n)
            write_load(results, limits, &load, json);
    }
    ps_json_end(json);
    ps_json_end(json);
    return err->code;
}

enum ps_status ps_view_goodput(struct ps_db *db, const struct ps_view *view, int64_t id,
                               struct ps_params params, struct ps_answer *answer,
                               struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *results = NULL;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *requests = NULL;
    struct ps_json json = ps_json_writer(&answer->body);
    struct limits limits;

    (void)view, (void)id;
    if (read_limits(ps_param_get(params, "limits"), &limits, err) != PS_OK)
        return err->code;
    if (ps_db_prepare(db, ps_query_sql("goodput_results"), &results, err) == PS_OK &&
        ps_db_prepare(db, ps_query_sql("goodput_requests"), &requests, err) == PS_OK)
        write_loads(results, requests, &limits, &json, err);
    return err->code;
}
