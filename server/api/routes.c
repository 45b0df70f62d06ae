/* SPDX-License-Identifier: MIT */
/* routes.c: the table of all URLs; the read-only ones are in server/query/reads.h. docs/api*.md
 * describes them. The first matching row is used. The last column is the minimum right of the
 * client. PS_ROUTE_SLOW marks handlers that may wait for the disk or a database. */
#include "server/api/state.h"

#define API "/api/v1/"

#define READ(path, name, flags)                                                                    \
    {"GET", API path, ps_get_##name, (flags)&PS_READ_SLOW ? PS_ROUTE_SLOW : 0, PS_ACCESS_VIEWER},

const struct ps_route ps_api_routes[] = {
    {"GET", API "health", ps_get_health, 0, PS_ACCESS_NOBODY},
    {"GET", API "me", ps_get_me, 0, PS_ACCESS_NOBODY},
    {"POST", API "login", ps_login, PS_ROUTE_BODY | PS_ROUTE_SLOW, PS_ACCESS_NOBODY},
    {"POST", API "logout", ps_logout, PS_ROUTE_BODY | PS_ROUTE_SLOW, PS_ACCESS_NOBODY},
    {"GET", API "activity", ps_get_activity, PS_ROUTE_SLOW, PS_ACCESS_VIEWER},

    {"GET", API "shelf", ps_get_shelf, PS_ROUTE_SLOW, PS_ACCESS_VIEWER},
    {"GET", API "formats", ps_get_formats, 0, PS_ACCESS_VIEWER},
    {"GET", API "events", ps_stream_events, 0, PS_ACCESS_VIEWER},

    {"PUT", API "runs/{filename}", ps_put_run, PS_ROUTE_UPLOAD | PS_ROUTE_SLOW,
     PS_ACCESS_UPLOADER}, /* for curl -T FILE .../runs/ */
    {"GET", API "samples", ps_get_samples, PS_ROUTE_SLOW, PS_ACCESS_VIEWER},
    {"POST", API "samples", ps_post_samples, PS_ROUTE_SLOW, PS_ACCESS_UPLOADER},
    {"DELETE", API "samples", ps_delete_samples, PS_ROUTE_SLOW, PS_ACCESS_UPLOADER},

    {"POST", API "uploads", ps_begin_partial, PS_ROUTE_SLOW, PS_ACCESS_UPLOADER},
    {"GET", API "uploads/{upload}", ps_get_partial, PS_ROUTE_SLOW, PS_ACCESS_UPLOADER},
    {"PUT", API "uploads/{upload}", ps_put_piece, PS_ROUTE_UPLOAD | PS_ROUTE_SMALL | PS_ROUTE_SLOW,
     PS_ACCESS_UPLOADER},
    {"DELETE", API "uploads/{upload}", ps_delete_partial, PS_ROUTE_SLOW, PS_ACCESS_UPLOADER},
    {"POST", API "uploads/{upload}/end", ps_end_partial, PS_ROUTE_BODY | PS_ROUTE_SLOW,
     PS_ACCESS_UPLOADER},

    {"POST", API "resolve", ps_resolve_runs, PS_ROUTE_BODY | PS_ROUTE_SLOW,
     PS_ACCESS_VIEWER}, /* it only reads */
    {"POST", API "runs/{run}/undelete", ps_undelete_run, PS_ROUTE_SLOW, PS_ACCESS_UPLOADER},
    {"GET", API "deleted", ps_get_deleted, PS_ROUTE_SLOW, PS_ACCESS_UPLOADER},
    {"GET", API "runs/{run}/original", ps_get_original, 0,
     PS_ACCESS_ADMIN}, /* originals contain secrets that the views mask */
    {"PUT", API "runs/{run}/sources", ps_put_source,
     PS_ROUTE_UPLOAD | PS_ROUTE_SMALL | PS_ROUTE_SLOW, PS_ACCESS_UPLOADER},
    {"POST", API "runs/{run}/timeline_notes", ps_post_timeline_note, PS_ROUTE_BODY | PS_ROUTE_SLOW,
     PS_ACCESS_UPLOADER},
    {"PATCH", API "runs/{run}/timeline_notes/{note}", ps_patch_timeline_note,
     PS_ROUTE_BODY | PS_ROUTE_SLOW, PS_ACCESS_UPLOADER},
    {"DELETE", API "runs/{run}/timeline_notes/{note}", ps_delete_timeline_note, PS_ROUTE_SLOW,
     PS_ACCESS_UPLOADER},
    {"PUT", API "runs/{run}/baseline", ps_put_baseline, PS_ROUTE_SLOW, PS_ACCESS_UPLOADER},
    {"DELETE", API "runs/{run}/baseline", ps_delete_baseline, PS_ROUTE_SLOW, PS_ACCESS_UPLOADER},
    {"DELETE", API "baselines", ps_clear_baseline, PS_ROUTE_SLOW, PS_ACCESS_UPLOADER},
    {"GET", API "runs/{run}/reveals", ps_get_reveals, PS_ROUTE_SLOW, PS_ACCESS_VIEWER},
    {"GET", API "runs/{run}/export", ps_get_export, PS_ROUTE_SLOW, PS_ACCESS_VIEWER},
    {"GET", API "compare/reveals", ps_get_reveals, PS_ROUTE_SLOW, PS_ACCESS_VIEWER},
    {"GET", API "compare/export", ps_get_export, PS_ROUTE_SLOW, PS_ACCESS_VIEWER},

    /* clang-format off: the rows of PS_READS end with a comma */
    PS_READS(READ){"POST", API "runs", ps_post_runs, PS_ROUTE_UPLOAD | PS_ROUTE_SLOW,
                   PS_ACCESS_UPLOADER}, /* slow: syncs the files to disk */
    /* clang-format on */
    {"PUT", API "runs", ps_post_runs, PS_ROUTE_UPLOAD | PS_ROUTE_SLOW,
     PS_ACCESS_UPLOADER}, /* for curl -T FILE .../runs */
    {"PATCH", API "runs/{run}", ps_patch_run, PS_ROUTE_BODY | PS_ROUTE_SLOW, PS_ACCESS_UPLOADER},
    {"DELETE", API "runs/{run}", ps_delete_run, PS_ROUTE_SLOW, PS_ACCESS_UPLOADER},
    {"POST", API "merge", ps_merge_runs, 0, PS_ACCESS_UPLOADER},

    {"POST", API "sql", ps_post_sql, PS_ROUTE_BODY, PS_ACCESS_VIEWER}, /* it only reads */
    {"POST", API "queries", ps_post_saved_query, PS_ROUTE_BODY | PS_ROUTE_SLOW, PS_ACCESS_UPLOADER},
    {"DELETE", API "queries/{id}", ps_delete_saved_query, PS_ROUTE_SLOW, PS_ACCESS_UPLOADER},

    {"GET", API "jobs", ps_list_jobs, 0, PS_ACCESS_VIEWER},
    {"GET", API "jobs/{job}", ps_get_job, 0, PS_ACCESS_VIEWER},
    {"DELETE", API "jobs/{job}", ps_cancel_job, 0, PS_ACCESS_UPLOADER},
    {"GET", API "jobs/{job}/events", ps_stream_job_events, 0, PS_ACCESS_VIEWER},

    {"POST", API "agent_calls", ps_post_agent_call, PS_ROUTE_BODY | PS_ROUTE_SLOW,
     PS_ACCESS_VIEWER}, /* as calls at /mcp are logged for viewers */
    {"POST", "/mcp", ps_post_mcp, PS_ROUTE_BODY, PS_ACCESS_VIEWER}, /* tools only read */
    {"GET", "/mcp", ps_refuse_mcp, 0, PS_ACCESS_VIEWER},
    {"DELETE", "/mcp", ps_refuse_mcp, 0, PS_ACCESS_VIEWER},

    {"GET", "/{path*}", ps_get_asset, 0, PS_ACCESS_NOBODY},
};
const size_t ps_api_routes_count = sizeof ps_api_routes / sizeof *ps_api_routes;
