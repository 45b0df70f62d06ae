/* SPDX-License-Identifier: MIT */
/* edit.h: changes to what people call a run. */
#ifndef PS_CLI_EDIT_H
#define PS_CLI_EDIT_H

#include "server/cli/client.h"

struct ps_edit {
    const char *name, *series, *note; /* NULL: unchanged */
    const struct ps_tag *tags;        /* to be set; value NULL: removed. The others stay */
    size_t n_tags;
};

/* The body of PATCH runs/{id}. */
void ps_edit_json(const struct ps_edit *edit, struct ps_buf *out);
/* Whether the RUN would become another. */
bool ps_edit_changes(const struct ps_edit *edit, const cJSON *run);
/* Appends the RUN as it is then to out. */
enum ps_status ps_edit_run(struct ps_client *client, const char *id, const struct ps_edit *edit,
                           struct ps_buf *out, struct ps_err *err);

#endif
