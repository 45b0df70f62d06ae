/* SPDX-License-Identifier: MIT */
/* routes.c: every URL there is. docs/api.md says what they answer. The first row that fits is
 * taken. */
#include "server/api/state.h"

#define API "/api/v1/"

const struct ps_route ps_api_routes[] = {
    {"GET", API "shelf", ps_get_shelf, 0},
    {"GET", API "formats", ps_get_formats, 0},
    {"GET", API "events", ps_all_events, 0},

    {"GET", API "runs", ps_list_runs, PS_ROUTE_SLOW},
    {"POST", API "runs", ps_post_runs, PS_ROUTE_UPLOAD | PS_ROUTE_SLOW}, /* syncs what it takes */
    {"PUT", API "runs", ps_post_runs, PS_ROUTE_UPLOAD | PS_ROUTE_SLOW},  /* curl -T FILE .../runs */
    {"PUT", API "runs/{filename}", ps_put_run,
     PS_ROUTE_UPLOAD | PS_ROUTE_SLOW}, /* curl -T FILE .../runs/ */
    {"GET", API "runs/{run}", ps_get_run, 0},
    {"PATCH", API "runs/{run}", ps_patch_run, PS_ROUTE_BODY},
    {"DELETE", API "runs/{run}", ps_delete_run, PS_ROUTE_SLOW},
    {"GET", API "runs/{run}/original", ps_get_original, 0},
    {"PUT", API "runs/{run}/sources", ps_put_source,
     PS_ROUTE_UPLOAD | PS_ROUTE_SMALL | PS_ROUTE_SLOW},
    {"PUT", API "runs/{run}/baseline", ps_put_baseline, 0},
    {"DELETE", API "runs/{run}/baseline", ps_delete_baseline, 0},
    {"GET", API "runs/{run}/{view*}", ps_get_view, PS_ROUTE_SLOW},

    {"GET", API "lines/files", ps_get_line_files, PS_ROUTE_SLOW},
    {"GET", API "lines", ps_get_lines, PS_ROUTE_SLOW},
    {"POST", API "merge", ps_merge_runs, 0},

    {"GET", API "compare", ps_get_compare, PS_ROUTE_SLOW},
    {"GET", API "compare/tree", ps_get_compare_tree, PS_ROUTE_SLOW},
    {"GET", API "compare/twin/{of}", ps_get_compare_twin, PS_ROUTE_SLOW},
    {"GET", API "compare/{of}", ps_get_compare_rows, PS_ROUTE_SLOW},
    {"GET", API "compare/{of}/{row}", ps_get_compare_row, PS_ROUTE_SLOW},

    {"GET", API "trend", ps_get_trend, PS_ROUTE_SLOW},

    {"GET", API "jobs", ps_list_jobs, 0},
    {"GET", API "jobs/{job}", ps_get_job, 0},
    {"DELETE", API "jobs/{job}", ps_cancel_job, 0},
    {"GET", API "jobs/{job}/events", ps_job_events, 0},

    {"GET", "/{path*}", ps_get_asset, 0},
};
const size_t ps_api_routes_count = sizeof ps_api_routes / sizeof *ps_api_routes;
