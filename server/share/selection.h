/* SPDX-License-Identifier: MIT */
/* selection.h: selects the runs to share by the parameters of command lines and URLs, and writes
 * them to a file. */
#ifndef PS_SHARE_SELECTION_H
#define PS_SHARE_SELECTION_H

#include "server/query/compare/groups.h"
#include "server/query/query.h"
#include "server/share/bundle.h"

#define PS_SHARE_NAME_SIZE 200
/* Name of a response header of GET .../export: the ids of the runs, separated by commas. */
#define PS_SHARE_RUNS_HEADER "Perfshelf-Runs"

struct ps_share_selection {
    char ids[2 * PS_SQL_RUNS_MAX][PS_ID_SIZE];
    size_t n, n_base;
    bool is_comparison;
    char name[PS_SHARE_NAME_SIZE]; /* file name without its ending: the name of the run, "runs" or
                                 "comparison" */
    char kind[PS_SHARE_NAME_SIZE]; /* file name without its ending: the kind of the run, "runs" or
                                 "comparison" */
};
/* Makes a name safe for file systems and HTTP headers: replaces slashes, other reserved characters
 * and control characters by '-', and truncates it. */
void ps_share_sanitize_file_name(const char *name, char out[PS_SHARE_NAME_SIZE]);

/* Selects runs. Either `runs` is a list separated by commas, or NULL; then `base` and `fresh` are
 * the two groups of a comparison, and base NULL means that there is only one group. PS_BAD_REQUEST:
 * both `runs` and `fresh` are given, or neither. */
enum ps_status ps_share_select_runs(struct ps_store *store, const char *runs, const char *base,
                                    const char *fresh, struct ps_share_selection *out,
                                    struct ps_err *err);
struct ps_share_options {
    unsigned redacted_categories; /* bits of enum ps_reveal */
    bool includes_originals;      /* a bundle includes the originals if nothing is redacted */
    bool is_html;                 /* true: an HTML page; false: a bundle */
    struct ps_str shell;          /* for the HTML page: see ps_share_write_page */
};
/* Returns the ending of the file name: ".html" or ".perfshelf". */
const char *ps_share_file_ending(bool html);
/* Returns the file name without its ending. Does not use the name of the run if it may contain
 * redacted values. */
const char *ps_share_choose_file_name(const struct ps_share_selection *picked,
                                      const struct ps_share_options *form);
/* Writes the HTML page or the bundle to the empty file at fd. */
enum ps_status ps_share_write_file(struct ps_store *store, const struct ps_share_selection *picked,
                                   const struct ps_share_options *form, int fd, struct ps_err *err);

#endif
