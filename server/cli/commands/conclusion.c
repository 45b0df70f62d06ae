/* SPDX-License-Identifier: MIT */
#include "server/cli/commands/conclusion.h"

#include "server/cli/cli.h"
#include "server/cli/client/client.h"
#include "server/cli/client/runs.h"
#include "server/cli/commands/import_profile.h"
#include "server/text/text.h"

#include <unistd.h>

enum ps_status ps_cli_read_conclusion(struct ps_client *client, const char *run_id,
                                      const char *step, const char *sample_type, cJSON **out,
                                      struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    ps_buf_printf(&path, "runs/%s/conclusion", run_id);
    ps_url_add_param(&path, "step", step);
    ps_url_add_param(&path, "sample_type", sample_type);
    return ps_client_read(client, path.ptr, out, err);
}

void ps_cli_print_verdict(struct ps_client *client, const struct ps_options *options,
                          const struct ps_imported_runs *runs)
{
    PS_AUTO(ps_json_free) cJSON *conclusion = NULL;
    PS_AUTO(ps_output_free) struct ps_output out = ps_output_terminal(0, NULL);
    if (runs->n != 1 || options->json || !isatty(STDOUT_FILENO) ||
        ps_cli_read_conclusion(client, runs->id, NULL, NULL, &conclusion, PS_ERR_IGNORED) != PS_OK)
        return;
    ps_text_verdict(&out, conclusion);
    ps_buf_printf(&out.text, "`perfshelf show %.8s` prints the causes and the first table\n",
                  runs->id);
    ps_print(&out.text);
}
