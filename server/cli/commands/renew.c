/* SPDX-License-Identifier: MIT */
/* renew.c: imports again, from their originals, the runs that an older version of perfshelf
 * imported. */
#include "server/cli/cli.h"
#include "server/cli/client/runs.h"
#include "server/cli/commands/import_profile.h"
#include "server/cli/progress.h"

#include <stdlib.h>

/* Decompresses the original of the run into a nameless temporary file. */
static enum ps_status unpack_original(struct ps_store *store, const char *id, int *fd_out,
                                      struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int original_fd = -1;
    PS_AUTO(ps_close_fd) int to = -1;
    struct ps_stream *in = NULL;
    uint64_t bytes;
    enum ps_status status = ps_store_open_original(store, id, &in, &original_fd, &bytes, err);
    if (status == PS_OK)
        status = ps_store_create_scratch_file(store, &to, fd_out, err);
    if (status == PS_OK)
        status = ps_stream_spool(in, to, err);
    ps_stream_free(in);
    return status;
}

static int renew_run(const struct ps_options *options, struct ps_store *store, const char *id)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_run_brief brief = {.name = NULL};
    PS_AUTO(ps_close_fd) int fd = -1;
    int failed = 1;
    if (ps_store_read_brief(store, id, &brief, &err) == PS_OK &&
        unpack_original(store, id, &fd, &err) == PS_OK) {
        const struct ps_label label = {.name = brief.name, .user_name = ps_cli_login_name()};
        failed = ps_cli_import_profile(
            store, &label,
            &(struct ps_import_profile){
                .fd = fd, .path = id, .filename = brief.name, .is_reimport = true},
            options->json, NULL);
    } else {
        ps_print_failure(id, &err);
    }
    ps_run_brief_free(&brief);
    return failed;
}

static int renew_all(const struct ps_options *options, struct ps_store *store)
{
    struct ps_err err = PS_ERR_INIT;
    PS_AUTO(ps_buf_free) struct ps_buf ids = {0};
    int status = 0;
    if (ps_store_list_outdated(store, &ids, &err) != PS_OK)
        return ps_print_failure("renew", &err);
    for (size_t at = 0; at < ids.len && !ps_progress_interrupted(); at += PS_ID_SIZE)
        status |= renew_run(options, store, ids.ptr + at);
    return status;
}

int ps_cli_renew(const struct ps_options *options)
{
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(options);
    PS_AUTO(ps_run_ids_free) struct ps_run_ids ids = {0};
    struct ps_err err = PS_ERR_INIT;
    int status = 0;
    if (!client)
        return 1;
    struct ps_store *store = ps_client_store(client);
    ps_progress_catch_interrupts();
    if (!options->n_operands)
        return renew_all(options, store);
    if (ps_cli_resolve(client, options->operands, options->n_operands, &ids, &err) != PS_OK)
        return ps_print_failure("nothing renewed", &err);
    for (size_t i = 0; i < ids.n && !ps_progress_interrupted(); i++)
        status |= renew_run(options, store, ids.items[i]);
    return status;
}
