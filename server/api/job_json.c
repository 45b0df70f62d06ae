/* SPDX-License-Identifier: MIT */
/* job_json.c: writes import jobs and their outcomes as JSON, for replies and events. */
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

void ps_source_outcomes_json(struct ps_json *out, const struct ps_source_outcomes *sources)
{
    ps_json_array(out);
    for (size_t i = 0; i < sources->n; i++) {
        const struct ps_source_outcome *outcome = &sources->items[i];
        bool attached = outcome->err.code == PS_OK;

        ps_json_object(out);
        ps_json_key_str(out, "name", outcome->name);
        ps_json_key_str(out, "path", outcome->path);
        ps_json_key_str(out, "state", attached ? "attached" : NULL);
        ps_json_key_str(out, "sha256", attached ? outcome->source.sha256 : NULL);
        ps_json_key(out, "error");
        if (attached)
            ps_json_null(out);
        else
            ps_json_error(out, &outcome->err);
        ps_json_end(out);
    }
    ps_json_end(out);
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
