/* SPDX-License-Identifier: MIT */
/*
 * packed_files.h: files of a folder that belong together, so that they are added as one archive:
 * the results of asv with the file that describes them, the files of Criterion.rs, and those of a
 * serving job. Only names are read of the first two; server/jobs/members.h decides by the content
 * what the runs are.
 */
#ifndef PS_CLI_PACKED_FILES_H
#define PS_CLI_PACKED_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "server/jobs/serving_files.h"

struct ps_packed_set {
    struct ps_str folder; /* with the slash at its end; a slice of a path */
    /* Folder of the files in the archive, which is one run then; "": the archive has runs. Static.
     */
    const char *archive_folder;
    bool is_serving; /* its run has the name of its folder */
    size_t n_files;
};

struct ps_packed_files {
    struct ps_packed_set *sets;
    size_t n, cap;
    int *set_of;     /* of each path: index of its set; PS_PACKED_NONE: it is a file of its own */
    bool *is_packed; /* of each path of a set; others only belong to it and are not read */
};
#define PS_PACKED_NONE (-1)

/* Finds the sets among the files of a folder. `root`: path of the folder. */
void ps_packed_files_find(const char *root, char *const *paths, size_t n,
                          struct ps_packed_files *out);
/* Adds the sets that are serving jobs, of files that are in no set. */
void ps_packed_files_find_serving(char *const *paths, const struct ps_serving_file_facts *facts,
                                  size_t n, struct ps_packed_files *out);
void ps_packed_files_free(struct ps_packed_files *files);
/* Writes a tar file with the files of a set to fd. *failed: the path that cannot be read. */
enum ps_status ps_packed_set_write(const struct ps_packed_files *files, int set, char *const *paths,
                                   size_t n, int fd, const char **failed, struct ps_err *err);
/* Writes a name for the runs of a set: that of the project to which its folder belongs. */
void ps_packed_set_write_name(const struct ps_packed_set *set, struct ps_buf *out);

#endif
