/* SPDX-License-Identifier: MIT */
/* edit.h: changes the labels of runs. */
#ifndef PS_CLI_EDIT_H
#define PS_CLI_EDIT_H

#include "server/cli/client/client.h"

struct ps_edit {
    const char *name, *series, *note; /* NULL: unchanged */
    const struct ps_tag *tags;        /* value NULL: remove the tag. Other tags are unchanged */
    size_t n_tags;
};

/* Appends the JSON body of PATCH runs/{id}. */
void ps_edit_append_json(const struct ps_edit *edit, struct ps_buf *out);
/* Whether the edit would change the RUN. */
bool ps_edit_changes(const struct ps_edit *edit, const cJSON *run);
/* Changes the run, and appends its changed RUN object (JSON) to out. */
enum ps_status ps_edit_run(struct ps_client *client, const char *id, const struct ps_edit *edit,
                           struct ps_buf *out, struct ps_err *err);

#endif
