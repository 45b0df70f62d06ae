/* SPDX-License-Identifier: MIT */
/* import_dump: prints what an importer makes of files, as tests/golden holds it. -q: only the
 * verdict. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/dump_sink.h"

static int dump_file(const char *path, bool quiet)
{
    struct ps_buf out = {0};
    struct dump_sink dump;
    struct ps_err err = PS_ERR_INIT;
    const struct ps_importer *picked = NULL;
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    char line[800];
    enum ps_status status;

    if (fd < 0 || fstat(fd, &st) != 0) {
        perror(path);
        return 1;
    }
    dump_sink_init(&dump, quiet ? NULL : &out);
    status =
        ps_import_stream(ps_stream_from_fd(fd, (uint64_t)st.st_size), &dump.sink, &picked, &err);
    if (!quiet)
        (void)fwrite(out.ptr, 1, out.len, stdout);
    if (status == PS_OK)
        (void)printf("kind %s rows=%llu notes=%llu\n", picked->kind, (unsigned long long)dump.rows,
                     (unsigned long long)dump.notes);
    else
        (void)printf("failed %s: %s\n", ps_status_name(status),
                     ps_err_format(&err, line, sizeof line));
    ps_buf_free(&out);
    return status != PS_OK;
}

int main(int argc, char **argv)
{
    bool quiet = argc > 1 && strcmp(argv[1], "-q") == 0;
    int failed = 0;

    for (int i = 1 + quiet; i < argc; i++)
        failed |= dump_file(argv[i], quiet);
    return failed;
}
