/* SPDX-License-Identifier: MIT */
/* track_set.c: sets of tracks, to which queries are restricted. */
#include <stdlib.h>

#include "server/runfile/trace.h"

static int compare_ids(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

bool ps_track_set_has(const struct ps_track_set *set, int64_t track)
{
    uint32_t id = (uint32_t)track;

    if (set->n == 0)
        return true;
    return track > 0 && track <= PS_TRACKS_MAX &&
           bsearch(&id, set->ids, set->n, sizeof id, compare_ids);
}

void ps_track_set_free(struct ps_track_set *set)
{
    free(set->ids);
    *set = (struct ps_track_set){0};
}

static enum ps_status parse_ids(struct ps_str rest, struct ps_track_set *out, struct ps_err *err)
{
    while (rest.len) {
        const char *comma = memchr(rest.ptr, ',', rest.len);
        struct ps_str word = {rest.ptr, comma ? (size_t)(comma - rest.ptr) : rest.len};
        int64_t value;

        if (!ps_str_parse_i64(word, &value) || value < 1 || value > PS_TRACKS_MAX)
            return ps_fail(err, PS_BAD_REQUEST,
                           "the parameter tracks must be ids of tracks, separated by commas");
        if (out->n == PS_TRACK_SET_MAX)
            return ps_fail(err, PS_BAD_REQUEST, "the parameter tracks accepts at most %d ids",
                           PS_TRACK_SET_MAX);
        out->ids[out->n++] = (uint32_t)value;
        rest = ps_str_skip(rest, word.len + 1);
    }
    return err->code;
}

static void sort_ids(struct ps_track_set *set)
{
    size_t n = 0;

    qsort(set->ids, set->n, sizeof *set->ids, compare_ids);
    for (size_t i = 0; i < set->n; i++)
        if (n == 0 || set->ids[n - 1] != set->ids[i])
            set->ids[n++] = set->ids[i];
    set->n = n;
}

/* Fails unless each id is the id of a track of the run. */
static enum ps_status check_ids(struct ps_db *db, const struct ps_track_set *set,
                                struct ps_err *err)
{
    const struct ps_track_row *tracks;
    size_t n_tracks = 0, found = 0;
    PS_AUTO(ps_free_ptr) bool *is_known = ps_alloc_array(set->n, sizeof *is_known);

    ps_trace_get_tracks(db, &tracks, &n_tracks, err);
    for (size_t i = 0; err->code == PS_OK && i < n_tracks; i++) {
        const uint32_t *id =
            bsearch(&tracks[i].id, set->ids, set->n, sizeof *set->ids, compare_ids);

        if (id)
            is_known[id - set->ids] = true;
    }
    while (found < set->n && is_known[found])
        found++;
    if (found < set->n)
        return ps_fail(err, PS_BAD_REQUEST, "this run has no track %u", (unsigned)set->ids[found]);
    return err->code;
}

enum ps_status ps_track_set_parse(struct ps_db *db, struct ps_str text, struct ps_track_set *out,
                                  struct ps_err *err)
{
    *out = (struct ps_track_set){0};
    if (err->code != PS_OK || text.len == 0)
        return err->code;
    out->ids = ps_alloc_array(PS_TRACK_SET_MAX, sizeof *out->ids);
    if (parse_ids(text, out, err) == PS_OK) {
        sort_ids(out);
        check_ids(db, out, err);
    }
    if (err->code != PS_OK)
        ps_track_set_free(out);
    return err->code;
}
