/* SPDX-License-Identifier: MIT */
/* pick.h: which runs are to be shared, in the words of command lines and URLs. */
#ifndef PS_SHARE_PICK_H
#define PS_SHARE_PICK_H

#include "server/query/query.h"
#include "server/share/bundle.h"

#define PS_SHARE_NAME 200
/* A header of the answer to GET .../export: the ids of its runs, with commas between them. */
#define PS_SHARE_RUNS_HEADER "Perfshelf-Runs"

struct ps_share_picked {
    char ids[2 * PS_SQL_RUNS_MOST][PS_ID_SIZE];
    size_t n, n_base;
    bool compared;
    char name[PS_SHARE_NAME]; /* of the run, or what several are called, for the name of a file */
    char kind[PS_SHARE_NAME]; /* the same without the name that people gave */
};
/* A name as file systems and headers of HTTP take it: without folders and control characters. */
void ps_share_file_name(const char *name, char out[PS_SHARE_NAME]);

/* `runs`: with commas between them; else the groups of a comparison, of which base may be NULL: one
 * group. PS_BAD_REQUEST: nothing is named, or both. */
enum ps_status ps_share_pick(struct ps_store *store, const char *runs, const char *base,
                             const char *fresh, struct ps_share_picked *out, struct ps_err *err);
struct ps_share_form {
    unsigned redact;     /* bits of enum ps_reveal */
    bool originals;      /* a bundle of which nothing is redacted holds the originals */
    bool html;           /* the page with the runs in it; else a bundle */
    struct ps_str shell; /* of that: see ps_share_page */
};
/* How such a file ends: ".html", ".perfshelf". */
const char *ps_share_ending(bool html);
/* What such a file is called, without its ending: a name that is redacted is not in it. */
const char *ps_share_name(const struct ps_share_picked *picked, const struct ps_share_form *form);
/* Writes it into the empty file at fd. */
enum ps_status ps_share_write(struct ps_store *store, const struct ps_share_picked *picked,
                              const struct ps_share_form *form, int fd, struct ps_err *err);

#endif
