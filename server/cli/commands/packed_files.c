/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memrchr */
#include "server/cli/commands/packed_files.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/archive.h"
#include "base/file.h"
#include "importers/measurements/asv.h"
#include "importers/measurements/criterion.h"
#include "server/cli/input_file.h"
#include "server/jobs/members.h"

static struct ps_str folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return (struct ps_str){path, slash ? (size_t)(slash + 1 - path) : 0};
}

static bool is_below(const char *path, struct ps_str folder)
{
    return ps_str_starts_with(ps_str_from_c(path), folder);
}

static int add_set(struct ps_packed_files *files, struct ps_str folder, const char *archive_folder)
{
    for (size_t i = 0; i < files->n; i++)
        if (ps_str_eq(files->sets[i].folder, folder) &&
            strcmp(files->sets[i].archive_folder, archive_folder) == 0)
            return (int)i;
    PS_RESERVE_ONE(files->sets, files->n, files->cap);
    files->sets[files->n] =
        (struct ps_packed_set){.folder = folder, .archive_folder = archive_folder};
    return (int)files->n++;
}

static void pack_file(struct ps_packed_files *files, size_t i, int set)
{
    files->set_of[i] = set;
    files->is_packed[i] = true;
    files->sets[set].n_files++;
}

/* --- asv --- */

/* Whether the path is that of a file MACHINE/RESULT.json of a folder of results. */
static bool is_result_path(const char *path, struct ps_str results)
{
    const char *slash = is_below(path, results) ? strchr(path + results.len, '/') : NULL;

    return slash && !strchr(slash + 1, '/') &&
           ps_str_ends_with(ps_str_from_c(slash + 1), PS_STR(".json"));
}

static void find_asv(struct ps_packed_files *files, char *const *paths, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct ps_str folder = folder_of(paths[i]);
        int set = PS_PACKED_NONE;

        if (strcmp(paths[i] + folder.len, PS_ASV_BENCHMARKS) != 0)
            continue;
        for (size_t k = 0; k < n; k++)
            if (is_result_path(paths[k], folder))
                pack_file(files, k, set = add_set(files, folder, ""));
        if (set != PS_PACKED_NONE)
            pack_file(files, i, set);
    }
}

/* --- Criterion.rs --- */

/* The folder of the run to which a file of a benchmark belongs: the nearest one above it with the
 * name `criterion`, else the folder that is added. */
static struct ps_str criterion_folder(const char *path, size_t benchmark_len, size_t root_len)
{
    static const struct ps_str name = PS_STR("/criterion/");
    struct ps_str folder = {path, root_len};

    for (size_t end = name.len; end <= benchmark_len; end++)
        if (memcmp(path + end - name.len, name.ptr, name.len) == 0)
            folder.len = end;
    return folder;
}

/* Packs the files of the benchmarks. Reports, the samples of the run before and raw.csv, which
 * repeats sample.json, belong to them. */
static void find_criterion(struct ps_packed_files *files, char *const *paths, size_t n,
                           size_t root_len)
{
    const size_t first = files->n;
    size_t len;

    for (size_t i = 0; i < n; i++)
        if (files->set_of[i] == PS_PACKED_NONE && ps_criterion_is_part(paths[i], &len))
            pack_file(
                files, i,
                add_set(files, criterion_folder(paths[i], len, root_len), PS_CRITERION_FOLDER));
    for (size_t i = 0; i < n; i++)
        for (size_t k = first; k < files->n && files->set_of[i] == PS_PACKED_NONE; k++)
            if (is_below(paths[i], files->sets[k].folder) &&
                (strstr(paths[i], "/base/") || strstr(paths[i], "/change/") ||
                 strstr(paths[i], "/report/") ||
                 ps_str_ends_with(ps_str_from_c(paths[i]), PS_STR("/new/raw.csv"))))
                files->set_of[i] = (int)k;
}

/* --- Serving jobs --- */

void ps_packed_files_find_serving(char *const *paths, const struct ps_serving_file_facts *facts,
                                  size_t n, struct ps_packed_files *out)
{
    PS_AUTO(ps_free_ptr)
    struct ps_serving_candidate *files = ps_alloc_array(n + 1, sizeof *files);

    for (size_t i = 0; i < n; i++) {
        size_t len;

        files[i] = (struct ps_serving_candidate){
            .folder = folder_of(paths[i]),
            .is_of_handler = ps_is_job_member(paths[i], &len),
            .facts = out->set_of[i] == PS_PACKED_NONE ? facts[i] : PS_SERVING_NO_FACTS};
    }
    if (ps_serving_find_jobs(files, n) == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        int set;

        if (files[i].job == PS_SERVING_ALONE)
            continue;
        set = add_set(out, files[i].folder, ps_serving_archive_folder(files, n, files[i].job));
        out->sets[set].is_serving = true;
        pack_file(out, i, set);
    }
}

/* --- Interface --- */

void ps_packed_files_find(const char *root, char *const *paths, size_t n,
                          struct ps_packed_files *out)
{
    const size_t len = strlen(root);

    *out = (struct ps_packed_files){.set_of = ps_alloc_array(n + 1, sizeof *out->set_of),
                                    .is_packed = ps_alloc_array(n + 1, sizeof *out->is_packed)};
    for (size_t i = 0; i < n; i++)
        out->set_of[i] = PS_PACKED_NONE;
    find_asv(out, paths, n);
    find_criterion(out, paths, n, len && root[len - 1] == '/' ? len : len + 1);
}

void ps_packed_files_free(struct ps_packed_files *files)
{
    free(files->sets);
    free(files->set_of);
    free(files->is_packed);
}

static enum ps_status add_file(struct ps_archive_writer *archive, const char *path,
                               const char *name, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = -1;
    struct ps_stream *in;
    struct stat about;

    if (ps_input_file_open(path, &fd, &about, err) != PS_OK)
        return err->code;
    in = ps_stream_from_fd(fd, (uint64_t)about.st_size);
    ps_archive_writer_add(archive, name, (uint64_t)about.st_size, in, err);
    ps_stream_free(in);
    return err->code;
}

enum ps_status ps_packed_set_write(const struct ps_packed_files *files, int set, char *const *paths,
                                   size_t n, int fd, const char **failed, struct ps_err *err)
{
    const struct ps_packed_set *about = &files->sets[set];
    struct ps_archive_writer *archive = ps_archive_writer_new(fd);

    for (size_t i = 0; i < n && err->code == PS_OK; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf name = {0};

        if (files->set_of[i] != set || !files->is_packed[i])
            continue;
        *failed = paths[i];
        ps_buf_printf(&name, "%s%s", about->archive_folder, paths[i] + about->folder.len);
        add_file(archive, paths[i], name.ptr, err);
    }
    return ps_archive_writer_end(archive, err);
}

/* Whether a folder has this name in every project: results, .asv, asv_bench, benchmarks. */
static bool is_usual_name(struct ps_str name)
{
    static const char *const starts[] = {".", "asv", "bench", "results", "target", "criterion"};

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (ps_str_starts_with(name, ps_str_from_c(starts[i])))
            return true;
    return false;
}

void ps_packed_set_write_name(const struct ps_packed_set *set, struct ps_buf *out)
{
    PS_AUTO(ps_free_ptr) char *folder = ps_strdup(set->folder.len ? set->folder : PS_STR("."));
    PS_AUTO(ps_free_ptr) char *path = realpath(folder, NULL);
    struct ps_str rest = ps_str_from_c(path), name = {NULL, 0};

    if (set->is_serving && path) {
        ps_buf_add_str(out, ps_str_skip(rest, folder_of(path).len));
        return;
    }

    while (rest.len > 1) {
        const char *slash = memrchr(rest.ptr, '/', rest.len);

        name = ps_str_skip(rest, slash ? (size_t)(slash + 1 - rest.ptr) : 0);
        rest.len = slash ? (size_t)(slash - rest.ptr) : 0;
        if (!is_usual_name(name))
            break;
    }
    ps_buf_add_str(out, name);
}
