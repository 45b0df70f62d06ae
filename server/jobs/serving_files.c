/* SPDX-License-Identifier: MIT */
#include "server/jobs/serving_files.h"

#include "base/intern.h"
#include "importers/records/requests.h"
#include "importers/serving/job.h"

struct ps_serving_file_facts ps_serving_facts_of(const struct ps_importer *importer)
{
    struct ps_serving_file_facts facts = PS_SERVING_NO_FACTS;
    int role;

    if (importer && ps_serving_is_part(importer, &role, &facts.is_view))
        facts.role = role;
    return facts;
}

struct folder {
    size_t n[PS_SERVING_TRACE + 1]; /* files by role */
    size_t n_views;                 /* files of tools that write several */
    size_t n_of_handler;            /* traces with the name of torch's handler */
    int job;
};

/* Whether the traces of a folder are those of the processes of one engine. Of several others nobody
 * knows which is that of the requests; they stay runs of their own. */
static bool has_one_recording(const struct folder *folder)
{
    const size_t n = folder->n[PS_SERVING_TRACE];

    return n == 1 || n == folder->n_of_handler;
}

static bool is_job(const struct folder *folder)
{
    const size_t traces = has_one_recording(folder) ? folder->n[PS_SERVING_TRACE] : 0;
    const size_t engines = folder->n[PS_SERVING_ENGINE];
    const size_t clients = folder->n[PS_SERVING_CLIENT];

    if (engines + traces)
        return clients + engines > 0 && clients + engines + traces > 1;
    return clients > 1 && clients == folder->n_views;
}

size_t ps_serving_find_jobs(struct ps_serving_candidate *files, size_t n)
{
    struct ps_intern names = {0};
    PS_AUTO(ps_free_ptr) struct folder *folders = ps_alloc_array(n + 1, sizeof *folders);
    PS_AUTO(ps_free_ptr) uint32_t *folder_of = ps_alloc_array(n + 1, sizeof *folder_of);
    int jobs = 0;

    for (size_t i = 0; i < n; i++) {
        files[i].job = PS_SERVING_ALONE;
        folder_of[i] = ps_intern_add(&names, files[i].folder);
        if (files[i].facts.role < 0)
            continue;
        folders[folder_of[i]].n[files[i].facts.role]++;
        folders[folder_of[i]].n_views += files[i].facts.is_view;
        folders[folder_of[i]].n_of_handler +=
            files[i].facts.role == PS_SERVING_TRACE && files[i].is_of_handler;
    }
    for (uint32_t i = 0; i < names.count; i++)
        folders[i].job = is_job(&folders[i]) ? jobs++ : PS_SERVING_ALONE;
    for (size_t i = 0; i < n; i++) {
        const struct folder *folder = &folders[folder_of[i]];
        if (files[i].facts.role >= 0 &&
            (files[i].facts.role != PS_SERVING_TRACE || has_one_recording(folder)))
            files[i].job = folder->job;
    }
    ps_intern_free(&names);
    return (size_t)jobs;
}

const char *ps_serving_archive_folder(const struct ps_serving_candidate *files, size_t n, int job)
{
    for (size_t i = 0; i < n; i++)
        if (files[i].job == job && files[i].facts.role == PS_SERVING_TRACE)
            return PS_SERVING_TRACE_FOLDER;
    return PS_SERVING_FOLDER;
}
