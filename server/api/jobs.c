/* SPDX-License-Identifier: MIT */
/* jobs.c: handlers for import jobs. */
#define _POSIX_C_SOURCE 200809L /* gmtime_r */
#include <stdio.h>
#include <time.h>

#include "server/api/state.h"

/* Formats a time in ms since 1970 UTC as "2026-11-20T14:02:11.120Z". */
static void iso_time(int64_t ms, char out[32])
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    char day[24];

    if (!gmtime_r(&seconds, &tm) || strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm) == 0)
        day[0] = '\0';
    (void)snprintf(out, 32, "%s.%03dZ", day, (int)(ms % 1000));
}

void ps_job_parts_json(struct ps_json *out, const struct ps_job_parts *parts)
{
    ps_json_array(out);
    for (size_t i = 0; i < parts->n; i++) {
        const struct ps_job_part *part = &parts->items[i];

        ps_json_object(out);
        ps_json_key_str(out, "name", part->name);
        ps_json_key_str(out, "run", part->run);
        ps_json_key_str(out, "kind", part->kind);
        ps_json_key_bool(out, "already", part->already_existed);
        ps_json_key_bool(out, "left_out", part->is_skipped);
        ps_json_key(out, "error");
        if (part->run)
            ps_json_null(out);
        else
            ps_json_error(out, part->err);
        ps_json_end(out);
    }
    ps_json_end(out);
}

void ps_job_json(struct ps_json *out, const struct ps_job_view *job)
{
    char id[24], created[32];

    if (job->text.len) {
        ps_json_raw(out, job->text);
        return;
    }
    (void)snprintf(id, sizeof id, "j%llu", (unsigned long long)job->id);
    iso_time(job->created_ms, created);
    ps_json_object(out);
    ps_json_key_str(out, "id", id);
    ps_json_key_str(out, "state", ps_job_state_word(job->state));
    ps_json_key_str(out, "name", job->name);
    ps_json_key_str(out, "kind", job->kind);
    ps_json_key_int(out, "bytes_total", (int64_t)job->bytes_total);
    ps_json_key_int(out, "bytes_done", (int64_t)job->bytes_done);
    ps_json_key_int(out, "records", (int64_t)job->records);
    ps_json_key_str(out, "run", job->run);
    ps_json_key_bool(out, "already", job->already_existed);
    ps_json_key(out, "error");
    if (job->err->code == PS_OK)
        ps_json_null(out);
    else
        ps_json_error(out, job->err);
    ps_json_key_str(out, "created_at", created);
    if (job->sources->n) {
        ps_json_key(out, "sources");
        ps_source_outcomes_json(out, job->sources);
    }
    if (job->parts->n) {
        ps_json_key(out, "members");
        ps_job_parts_json(out, job->parts);
        ps_json_key_int(out, "members_untold", (int64_t)job->parts->n_unlisted);
    }
    ps_json_end(out);
}

enum ps_status ps_api_parse_job_id(const struct ps_request *req, uint64_t *id_out,
                                   struct ps_err *err)
{
    const char *text = req->args[0];
    int64_t id = 0;

    if (text[0] != 'j' || !ps_str_parse_i64(ps_str_from_c(text + 1), &id) || id < 1)
        return ps_fail(err, PS_NOT_FOUND, "no job %.20s", text);
    *id_out = (uint64_t)id;
    return PS_OK;
}

static void write_job(void *user, const struct ps_job_view *job)
{
    ps_job_json(user, job);
}

enum ps_status ps_list_jobs(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_json out = ps_reply_json_writer(reply);

    ps_json_object(&out);
    ps_json_key(&out, "rows");
    ps_json_array(&out);
    ps_jobs_each(ps_request_api(req)->jobs, write_job, &out, err);
    ps_json_end(&out);
    ps_json_end(&out);
    return err->code;
}

enum ps_status ps_get_job(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_json out = ps_reply_json_writer(reply);
    uint64_t id = 0;

    if (ps_api_parse_job_id(req, &id, err) != PS_OK)
        return err->code;
    return ps_jobs_show(ps_request_api(req)->jobs, id, write_job, &out, err);
}

enum ps_status ps_cancel_job(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    uint64_t id = 0;

    if (ps_api_parse_job_id(req, &id, err) != PS_OK ||
        ps_jobs_cancel(ps_request_api(req)->jobs, id, err) != PS_OK)
        return err->code;
    return ps_get_job(req, reply, err);
}
