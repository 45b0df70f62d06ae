/* SPDX-License-Identifier: MIT */
/* renew.c: runs that an older perfshelf wrote, imported again from their originals. */
#include "base/file.h"
#include "server/cli/cli.h"
#include "server/cli/progress.h"
#include "server/cli/shelve.h"

#include <stdlib.h>
#include <unistd.h>

static enum ps_status copy_stream(struct ps_stream *in, int to, struct ps_err *err)
{
    struct ps_str bytes;
    while ((bytes = ps_stream_peek(in, 1)).len) {
        if (ps_write_all(to, bytes, "the spool file", err) != PS_OK)
            return err->code;
        ps_stream_skip(in, bytes.len);
    }
    return ps_stream_status(in, err);
}

/* Its original as it came in, in a file that is gone when it is closed. */
static enum ps_status unpack(struct ps_store *store, const char *id, int *fd_out,
                             struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    PS_AUTO(ps_close_fd) int kept = -1;
    struct ps_stream *in = NULL;
    uint64_t bytes;
    enum ps_status status = ps_store_original(store, id, &in, &kept, &bytes, err);
    if (status == PS_OK)
        status = ps_store_spool(store, &path, fd_out, err);
    if (path)
        (void)unlink(path);
    if (status == PS_OK)
        status = copy_stream(in, *fd_out, err);
    ps_stream_free(in);
    return status;
}

static int renew(const struct ps_options *options, struct ps_store *store, const char *run)
{
    char id[PS_ID_SIZE];
    struct ps_err err = PS_ERR_INIT;
    struct ps_run_brief brief = {.name = NULL};
    PS_AUTO(ps_close_fd) int fd = -1;
    int failed = 1;
    if (ps_store_resolve(store, run, id, &err) == PS_OK &&
        ps_store_brief(store, id, &brief, &err) == PS_OK && unpack(store, id, &fd, &err) == PS_OK) {
        const struct ps_label label = {.name = brief.name, .who = ps_cli_login_name()};
        failed = ps_cli_shelve(
            store, &label,
            &(struct ps_shelving){.fd = fd, .path = id, .filename = brief.name, .again = true},
            options->json, NULL);
    } else {
        ps_say_failure(run, &err);
    }
    free(brief.name);
    return failed;
}

static int renew_all(const struct ps_options *options, struct ps_store *store)
{
    struct ps_err err = PS_ERR_INIT;
    PS_AUTO(ps_buf_free) struct ps_buf ids = {0};
    int status = 0;
    if (ps_store_outdated(store, &ids, &err) != PS_OK)
        return ps_say_failure("renew", &err);
    for (size_t at = 0; at < ids.len && !ps_progress_interrupted(); at += PS_ID_SIZE)
        status |= renew(options, store, ids.at + at);
    return status;
}

int ps_cli_renew(const struct ps_options *options)
{
    PS_AUTO(ps_store_close_ptr) struct ps_store *store = ps_cli_open(options);
    int status = store ? 0 : 1;
    if (!store)
        return 1;
    ps_progress_catch_interrupts();
    if (!options->n_operands)
        return renew_all(options, store);
    for (size_t i = 0; i < options->n_operands && !ps_progress_interrupted(); i++)
        status |= renew(options, store, options->operands[i]);
    return status;
}
