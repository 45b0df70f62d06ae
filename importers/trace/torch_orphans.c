/* SPDX-License-Identifier: MIT */
/*
 * torch_orphans.c: device work whose call is not in the file (dropped, or replayed from a graph).
 * Its External id names the operator, unless it is always equal to the correlation, as torch wrote
 * it for two years.
 */
#include "importers/trace/torch_device.h"

#include <stdlib.h>

static bool external_of(const struct tr_correlations *links, const struct tr_track *track,
                        uint32_t row, int64_t *out)
{
    uint32_t template_id = track->template[row];
    return template_id > PS_TEMPLATE_WHOLE &&
           tr_slice_param(links->trace, track, row,
                          links->trace->templates[template_id].external_id, out);
}

/* Whether External id equals the correlation on all work that has both. */
static bool external_is_correlation(const struct tr_correlations *links)
{
    bool any = false;
    for (size_t i = 0; i < links->n_entries; i++) {
        const struct tr_entry *entry = &links->entries[i];
        const struct tr_track *track = &links->devices->at[entry->device];
        int64_t external, correlation;
        if (!external_of(links, track, entry->row, &external) ||
            !tr_correlation_of(links->trace, track, entry->row, &correlation))
            continue;
        if (external != correlation)
            return false;
        any = true;
    }
    return any;
}

static int by_external_id(const void *a, const void *b)
{
    const struct tr_orphan *one = a, *other = b;
    if (one->external_id != other->external_id)
        return one->external_id < other->external_id ? -1 : 1;
    return (one->entry > other->entry) - (one->entry < other->entry);
}

void tr_collect_orphans(struct tr_correlations *links)
{
    bool asked = false;
    for (size_t i = 0; i < links->n_entries; i++) {
        const struct tr_entry *entry = &links->entries[i];
        const struct tr_track *track = &links->devices->at[entry->device];
        int64_t correlation, external;
        const struct tr_group *group = NULL;
        if (tr_correlation_of(links->trace, track, entry->row, &correlation))
            group = tr_group_of(links, correlation);
        if ((group && group->calls) || !external_of(links, track, entry->row, &external))
            continue;
        if (!asked && external_is_correlation(links))
            return;
        asked = true;
        TR_PUSH_ROOM(links->trace->room, links->orphans, links->n_orphans, links->orphans_cap);
        links->orphans[links->n_orphans++] =
            (struct tr_orphan){.external_id = external, .entry = (uint32_t)i};
    }
    if (links->n_orphans)
        qsort(links->orphans, links->n_orphans, sizeof *links->orphans, by_external_id);
}

bool tr_correlations_orphans(const struct tr_correlations *links)
{
    return links->n_orphans > 0;
}

static size_t first_orphan(const struct tr_correlations *links, int64_t external_id)
{
    size_t low = 0, high = links->n_orphans;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (links->orphans[middle].external_id < external_id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t tr_correlations_adopt(struct tr_correlations *links, const struct tr_track *track,
                              uint32_t row)
{
    int64_t external;
    uint64_t sum = 0;
    if (!external_of(links, track, row, &external))
        return 0;
    for (size_t i = first_orphan(links, external); i < links->n_orphans; i++) {
        struct tr_orphan *orphan = &links->orphans[i];
        if (orphan->external_id != external || orphan->adopted)
            break;
        orphan->adopted = true;
        sum += (uint64_t)tr_give_work(links, orphan->entry, track, TR_NO_ROW, row);
    }
    return (int64_t)sum;
}
