/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "server/cli/serve_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/mem.h"
#include "server/cli/browser.h"
#include "server/cli/sources.h"

struct file_ticket {
    struct ps_job_ticket ticket; /* must be the first member: on_ended casts the ticket */
    struct ps_store *store;
    struct timespec modified;
    char *url; /* URL of the shelf to show when the job has ended, or NULL */
    char path[];
};

static void show_run(const char *shelf, const char *run)
{
    char url[256];

    (void)snprintf(url, sizeof url, "%s%s%s", shelf, run ? "#/run/" : "", run ? run : "");
    ps_browser_show(url);
}

static void free_ticket(struct file_ticket *file)
{
    free(file->url);
    free(file);
}

/* Reports the outcome for a file of an archive. */
static void on_part(const struct file_ticket *file, const struct ps_job_part *part)
{
    if (part->run)
        ps_cli_attach_sources(file->store, part->run,
                              &(struct ps_provenance){file->path, NULL, file->modified});
    else
        ps_log_err(part->name, part->err);
}

static void on_ended(struct ps_job_ticket *ticket, const struct ps_job_view *job)
{
    struct file_ticket *file = (struct file_ticket *)ticket;

    if (job->err->code != PS_OK)
        ps_log_err(file->path, job->err);
    for (size_t i = 0; i < job->parts->n; i++)
        on_part(file, &job->parts->items[i]);
    if (job->run && job->parts->n == 0)
        ps_cli_attach_sources(file->store, job->run,
                              &(struct ps_provenance){file->path, NULL, file->modified});
    if (file->url)
        show_run(file->url, job->run);
    free_ticket(file);
}

static struct file_ticket *new_ticket(struct ps_store *store, const char *path,
                                      struct timespec written, const char *url)
{
    struct file_ticket *file = ps_alloc(sizeof *file + strlen(path) + 1);

    file->ticket.on_ended = on_ended;
    file->store = store;
    file->modified = written;
    file->url = url ? ps_strdup(ps_str_from_c(url)) : NULL;
    memcpy(file->path, path, strlen(path) + 1);
    return file;
}

/* url: URL of the shelf to show when the import has ended, or NULL. */
static enum ps_status queue_file(struct ps_store *store, struct ps_jobs *jobs, const char *path,
                                 const char *url, struct ps_err *err)
{
    const char *slash = strrchr(path, '/');
    struct stat st;
    struct file_ticket *ticket;
    struct ps_job_request request = {.filename = slash ? slash + 1 : path};
    uint64_t id;
    enum ps_status status;

    if (stat(path, &st) != 0)
        return ps_fail_errno(err, "cannot open", path);
    if (!S_ISREG(st.st_mode)) {
        ps_err_hint(err, "add folders and pipes with `perfshelf add`");
        return ps_fail(err, PS_BAD_REQUEST, "not a regular file");
    }
    ticket = new_ticket(store, path, st.st_mtim, url);
    request.path = ps_strdup(ps_str_from_c(path));
    request.bytes = (uint64_t)st.st_size;
    request.ticket = &ticket->ticket;
    status = ps_jobs_add(jobs, &request, &id, err);
    if (status != PS_OK)
        free_ticket(ticket);
    return status;
}

void ps_serve_files(struct ps_store *store, struct ps_jobs *jobs,
                    const struct ps_serve_options *options, const char *url)
{
    bool to_show = options->open;

    for (size_t i = 0; i < options->n_files; i++) {
        struct ps_err err = PS_ERR_INIT;

        if (queue_file(store, jobs, options->files[i], to_show ? url : NULL, &err) == PS_OK)
            to_show = false;
        else
            ps_log_err(options->files[i], &err);
    }
    if (to_show)
        show_run(url, options->run);
}
