/* SPDX-License-Identifier: MIT */
/* selection.h: selects the runs to share, from the parameters of command lines and URLs. */
#ifndef PS_SHARE_SELECTION_H
#define PS_SHARE_SELECTION_H

#include "server/query/query.h"
#include "server/share/bundle.h"

#define PS_SHARE_NAME 200
/* A response header of GET .../export: the ids of the runs, separated by commas. */
#define PS_SHARE_RUNS_HEADER "Perfshelf-Runs"

struct ps_share_selection {
    char ids[2 * PS_SQL_RUNS_MAX][PS_ID_SIZE];
    size_t n, n_base;
    bool compared;
    char name[PS_SHARE_NAME]; /* file name without its ending: the name of the run, or "runs" or
                                 "comparison" */
    char kind[PS_SHARE_NAME]; /* the same, but with the kind instead of the name of the run */
};
/* Makes a name safe for file systems and HTTP headers: replaces slashes, other reserved characters
 * and control characters by '-'. */
void ps_share_file_name(const char *name, char out[PS_SHARE_NAME]);

/* `runs`: separated by commas; or NULL, and the two groups of a comparison, of which base may be
 * NULL: one group. PS_BAD_REQUEST: neither is given, or both. */
enum ps_status ps_share_select(struct ps_store *store, const char *runs, const char *base,
                               const char *fresh, struct ps_share_selection *out,
                               struct ps_err *err);
struct ps_share_options {
    unsigned redact;     /* bits of enum ps_reveal */
    bool originals;      /* a bundle includes the originals if nothing is redacted */
    bool html;           /* true: an HTML page; false: a bundle */
    struct ps_str shell; /* for the HTML page: see ps_share_write_page */
};
/* The ending of the file name: ".html", ".perfshelf". */
const char *ps_share_file_ending(bool html);
/* The file name without its ending; does not contain a name that is redacted. */
const char *ps_share_name(const struct ps_share_selection *picked,
                          const struct ps_share_options *form);
/* Writes the file to the empty file at fd. */
enum ps_status ps_share_write(struct ps_store *store, const struct ps_share_selection *picked,
                              const struct ps_share_options *form, int fd, struct ps_err *err);

#endif
