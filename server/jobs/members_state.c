/* SPDX-License-Identifier: MIT */
#include "server/jobs/members_state.h"

#include <unistd.h>

const char *ps_member_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

size_t ps_member_folder_len(const char *path)
{
    return (size_t)(ps_member_base_name(path) - path);
}

int ps_member_part_of(struct ps_members *members, struct ps_str folder)
{
    for (size_t i = 0; i < members->n_parts; i++)
        if (members->parts[i].kind != PS_PART_SERVING && members->parts[i].kind != PS_PART_XLA &&
            ps_str_eq_c(folder, members->parts[i].folder))
            return (int)i;
    PS_RESERVE_ONE(members->parts, members->n_parts, members->cap_parts);
    members->parts[members->n_parts] =
        (struct ps_member_part){.folder = ps_strdup(folder), .fd = -1};
    return (int)members->n_parts++;
}

struct ps_stream *ps_members_open(int fd, struct ps_err *err)
{
    if (lseek(fd, 0, SEEK_SET) == 0)
        return ps_stream_decompress(ps_stream_from_fd(fd, 0), &ps_member_limits);
    (void)ps_fail_errno(err, "cannot read", "the archive");
    return NULL;
}
