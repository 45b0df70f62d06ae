/* SPDX-License-Identifier: MIT */
/* copies.c: see copies.h. */
#include "server/jobs/copies.h"

#include <string.h>

#include "server/jobs/members_state.h"

static const char xplane[] = ".xplane.pb", json[] = ".trace.json.gz";

static bool has_ending(const char *path, const char *ending)
{
    size_t n = strlen(path), end = strlen(ending);

    return n >= end && strcmp(path + n - end, ending) == 0;
}

/* Whether both are in one folder. */
static bool are_beside(const char *a, const char *b)
{
    size_t n = ps_member_folder_len(a);

    return n == ps_member_folder_len(b) && strncmp(a, b, n) == 0;
}

/* Whether `path` says the same as `other`. */
static bool is_copy_of(const char *path, const char *other)
{
    size_t host;

    if (!are_beside(path, other))
        return false;
    if (strcmp(ps_member_base_name(path), "perfetto_trace.json.gz") == 0)
        return has_ending(other, xplane) || has_ending(other, json);
    host = strlen(path) - (sizeof json - 1);
    return strncmp(path, other, host) == 0 && strcmp(other + host, xplane) == 0;
}

bool ps_is_copy_of_recording(const char *const *paths, size_t n, size_t i, struct ps_err *err)
{
    const char *path = paths[i], *other = NULL;

    if (!has_ending(path, json) && strcmp(ps_member_base_name(path), "perfetto_trace.json.gz") != 0)
        return false;
    for (size_t k = 0; k < n; k++)
        if (is_copy_of(path, paths[k]) && (!other || has_ending(paths[k], xplane)))
            other = paths[k];
    if (other)
        (void)ps_fail(err, PS_UNKNOWN_KIND, "the same recording as %s", ps_member_base_name(other));
    return other;
}
