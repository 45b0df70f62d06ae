/* SPDX-License-Identifier: MIT */
/* fuzz_main.c: runs a fuzz target over the files of the folders it is given, where there is no
 * libFuzzer. */
#include <dirent.h>
#include <stdio.h>

#include "base/buf.h"
#include "tests/fuzz/fuzz.h"

static int run_file(const char *folder, const char *name)
{
    struct ps_buf path = {0}, bytes = {0};
    FILE *file;
    size_t got = 0;

    ps_buf_printf(&path, "%s/%s", folder, name);
    file = fopen(path.at, "rb");
    if (!file) {
        perror(path.at);
        ps_buf_free(&path);
        return 1;
    }
    do {
        ps_buf_room(&bytes, 65536);
        got = fread(bytes.at + bytes.len, 1, 65536, file);
        bytes.len += got;
    } while (got);
    (void)fclose(file);
    LLVMFuzzerTestOneInput((const uint8_t *)bytes.at, bytes.len);
    ps_buf_free(&path);
    ps_buf_free(&bytes);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0, ran = 0;

    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        const struct dirent *entry;

        if (!folder) {
            perror(argv[i]);
            return 1;
        }
        while ((entry = readdir(folder)))
            if (entry->d_name[0] != '.') {
                failed |= run_file(argv[i], entry->d_name);
                ran++;
            }
        (void)closedir(folder);
    }
    (void)printf("%d files\n", ran);
    return failed || ran == 0;
}
