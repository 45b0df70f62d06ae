/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/format.h"
#include "base/mem.h"
#include "importers/importer.h"
#include "importers/records/requests.h"
#include "importers/serving/job.h"
#include "server/cli/cli.h"
#include "server/cli/client/client.h"
#include "server/cli/client/remote_import.h"
#include "server/cli/client/server_record.h"
#include "server/cli/commands/conclusion.h"
#include "server/cli/commands/import_profile.h"
#include "server/cli/commands/packed_files.h"
#include "server/cli/input_file.h"
#include "server/cli/options/option_values.h"
#include "server/cli/progress.h"
#include "server/jobs/copies.h"
#include "server/jobs/import_process.h"
#include "server/jobs/merge.h"
#include "server/jobs/sniff.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define DEPTH_MAX 64                  /* maximum depth of nested folders */
#define INPUT_MAX ((uint64_t)8 << 30) /* maximum bytes of standard input or of a pipe */

struct add_state {
    const struct ps_options *options;
    struct ps_client *client;
    struct ps_store *store; /* NULL with --server */
    const char *user_name;
    struct ps_sandbox_limits limits;
    struct ps_sniffer sniffer;
    struct ps_imported_runs *imported_runs;
    int status;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static struct timespec current_timespec(void)
{
    const int64_t ns = ps_wall_clock_ns();
    return (struct timespec){ns / 1000000000, ns % 1000000000};
}

static void import_profile(struct add_state *adding, struct ps_import_profile *profile)
{
    const struct ps_options *options = adding->options;
    const struct ps_label label = {.name = options->name,
                                   .series = options->series,
                                   .note = options->note,
                                   .user_name = adding->user_name,
                                   .tags = options->tags,
                                   .n_tags = options->n_tags,
                                   .update = options->update};
    profile->limits = &adding->limits;
    int failed =
        ps_client_import(adding->client, &label, profile, options->json, adding->imported_runs);
    if (failed)
        adding->status = 1;
}

static void import_file(struct add_state *adding, int fd, const char *path, bool is_from_folder)
{
    struct ps_import_profile profile = {
        .fd = fd,
        .is_from_folder = is_from_folder,
        .path = path,
        .filename = base_name(path),
        .provenance = {path, adding->options->source_root, current_timespec()}};
    struct stat about;
    if (fstat(fd, &about) == 0)
        profile.provenance.modified = about.st_mtim;
    import_profile(adding, &profile);
}

static enum ps_status copy_all(int from, int to, struct ps_progress *progress, const char *path,
                               struct ps_err *err)
{
    static char block[1 << 16];
    uint64_t done = 0;
    for (;;) {
        if (!ps_progress_step(progress, done, 0, 0))
            return ps_fail(err, PS_CANCELLED, "interrupted");
        ssize_t got = read(from, block, sizeof block);
        if (got == 0)
            return PS_OK;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ps_fail_errno(err, "cannot read", path);
        if (ps_write_all(to, (struct ps_str){block, (size_t)got}, "the spool file", err) != PS_OK)
            return err->code;
        done += (uint64_t)got;
        if (done > INPUT_MAX)
            return ps_fail(err, PS_LIMIT, "more than 8 GiB");
    }
}

/* Copies a pipe to a temporary file, because an import reads its input twice (hash, content). */
static void import_pipe(struct add_state *adding, int pipe, const char *path, const char *filename)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_progress progress;
    PS_AUTO(ps_close_fd) int fd = -1;
    PS_AUTO(ps_close_fd) int readable = -1;
    ps_progress_start(&progress, path);
    if (ps_store_create_scratch_file(adding->store, &fd, &readable, &err) == PS_OK)
        copy_all(pipe, fd, &progress, path, &err);
    ps_progress_end(&progress);
    struct ps_import_profile profile = {
        .fd = readable,
        .path = path,
        .filename = filename,
        .provenance = {NULL, adding->options->source_root, current_timespec()}};
    if (err.code == PS_OK)
        import_profile(adding, &profile);
    else
        adding->status = ps_print_failure(path, &err);
}

/* --- Listing a folder --- */

/* The regular files of a folder and its subfolders, sorted by path. */
enum sniffed_state { NOT_SNIFFED, ACCEPTED, REFUSED };

struct folder {
    char **paths; /* array and strings are malloc'ed; each begins with the folder's path */
    size_t count, cap;
    struct listed_file {
        enum sniffed_state state;
        struct ps_sniffed found;
    } * files;                                     /* of each path; NULL: none was sniffed */
    size_t n_hidden, n_links, n_special, n_system; /* entries that are not listed */
};

/* Called for each file or folder that cannot be read, with its path. The remaining files are still
 * listed. */
typedef void folder_unreadable(void *user, const char *path, const struct ps_err *err);

struct walk {
    folder_unreadable *unreadable;
    void *user;
    struct folder *out;
};

static enum ps_status read_folder(const struct walk *walk, const char *path, unsigned depth,
                                  struct ps_err *err);

static enum ps_status add_path(const struct walk *walk, const char *path, unsigned depth,
                               struct ps_err *err)
{
    struct folder *out = walk->out;
    struct stat about;
    if (lstat(path, &about) != 0)
        return ps_fail_errno(err, "cannot read", path);
    if (S_ISDIR(about.st_mode))
        return read_folder(walk, path, depth + 1, err);
    const bool is_link = S_ISLNK(about.st_mode);
    if ((is_link && stat(path, &about) != 0) || !S_ISREG(about.st_mode)) {
        (*(is_link ? &out->n_links : &out->n_special))++;
        return PS_OK;
    }
    PS_RESERVE_ONE(out->paths, out->count, out->cap);
    out->paths[out->count++] = ps_strdup(ps_str_from_c(path));
    return PS_OK;
}

static void add_entry(const struct walk *walk, const char *folder, const char *name, unsigned depth)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    struct ps_err err = PS_ERR_INIT;
    size_t len = strlen(folder);
    ps_buf_printf(&path, "%s%s%s", folder, len && folder[len - 1] == '/' ? "" : "/", name);
    if (add_path(walk, path.ptr, depth, &err) != PS_OK)
        walk->unreadable(walk->user, path.ptr, &err);
}

/* Whether the files of a folder are the kernel's, such as those of /proc, /sys and /dev. */
static bool is_system_folder(const char *path)
{
    struct stat about, dev;
    struct statfs system;
    if (stat(path, &about) == 0 && stat("/dev", &dev) == 0 && about.st_dev == dev.st_dev &&
        about.st_ino == dev.st_ino)
        return true;
    return statfs(path, &system) == 0 &&
           (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC);
}

static enum ps_status read_folder(const struct walk *walk, const char *path, unsigned depth,
                                  struct ps_err *err)
{
    if (is_system_folder(path)) {
        walk->out->n_system++;
        return PS_OK;
    }
    if (depth > DEPTH_MAX)
        return ps_fail(err, PS_LIMIT,
                       "folders are nested more than %d deep" PS_HINT
                       "add a deeper folder by its own name",
                       DEPTH_MAX);
    DIR *dir = opendir(path);
    if (!dir)
        return ps_fail_errno(err, "cannot open", path);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            add_entry(walk, path, entry->d_name, depth);
        else
            walk->out->n_hidden +=
                strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return PS_OK;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the regular files below `path`. Counts but skips hidden names, links to folders, special
 * files and folders of the system. Fails if `path`
 * itself cannot be read. */
static enum ps_status list_folder(const char *path, folder_unreadable *unreadable, void *user,
                                  struct folder *out, struct ps_err *err)
{
    const struct walk walk = {unreadable, user, out};
    enum ps_status status = read_folder(&walk, path, 0, err);
    if (out->count)
        qsort(out->paths, out->count, sizeof *out->paths, by_path);
    return status;
}

static void free_folder(struct folder *folder)
{
    for (size_t i = 0; i < folder->count; i++)
        free(folder->paths[i]);
    free(folder->paths);
    free(folder->files);
    *folder = (struct folder){0};
}

/* --- Merging operands --- */

struct merge_state {
    const char *const *paths;
    size_t n, next;
    struct timespec modified; /* oldest modification time of the opened operands */
};

/* Opens the next operand; *out is unchanged if all operands were opened. */
static enum ps_status next_operand(void *user, struct ps_import_process_file *out,
                                   struct ps_err *err)
{
    struct merge_state *merging = user;
    struct stat about;
    if (merging->next == merging->n)
        return PS_OK;
    const char *path = merging->paths[merging->next++];
    if (ps_input_file_open(path, &out->fd, &about, err) != PS_OK)
        return err->code;
    if (S_ISDIR(about.st_mode))
        return ps_fail(err, PS_BAD_REQUEST,
                       "--merge cannot read a folder" PS_HINT "name the files in it");
    if (S_ISREG(about.st_mode) && about.st_mtim.tv_sec < merging->modified.tv_sec)
        merging->modified = about.st_mtim;
    out->bytes = (uint64_t)about.st_size;
    out->name = base_name(path);
    return PS_OK;
}

static bool may_continue_merging(void *user, uint64_t done, uint64_t total, uint64_t records)
{
    (void)user, (void)done, (void)total, (void)records;
    return !ps_progress_interrupted();
}

/* Merges all files into one run, or fails: a sum without one of the files would be wrong. `name` is
 * the name of the run unless --name is set. */
static void add_merged(struct add_state *adding, const char *const *paths, size_t n,
                       const char *name, const char *archive_folder)
{
    struct ps_err err = PS_ERR_INIT;
    PS_AUTO(ps_close_fd) int fd = -1;
    PS_AUTO(ps_close_fd) int readable = -1;
    struct merge_state merging = {.paths = paths, .n = n, .modified = current_timespec()};
    if (ps_store_create_scratch_file(adding->store, &fd, &readable, &err) == PS_OK) {
        const struct ps_import_process process = {adding->store, fd, &adding->limits,
                                                  may_continue_merging, NULL};
        (void)ps_import_process_merge(&process, archive_folder, next_operand, &merging, &err);
    }
    if (err.code == PS_CANCELLED)
        return; /* an interrupt is reported once, at the end */
    if (err.code != PS_OK)
        adding->status = ps_print_failure(paths[merging.next ? merging.next - 1 : 0], &err);
    else
        import_profile(
            adding, &(struct ps_import_profile){
                        .fd = readable,
                        .path = name,
                        .filename = name,
                        .provenance = {paths[0], adding->options->source_root, merging.modified}});
}

/* The folder in the archive of a serving job if one of the operands is a file of one; else "". */
static const char *find_serving_operands(struct add_state *adding)
{
    const struct ps_options *options = adding->options;
    bool is_serving = false, has_trace = false;
    for (size_t i = 0; i < options->n_operands && !ps_progress_interrupted(); i++) {
        PS_AUTO(ps_close_fd) int fd = -1;
        struct ps_sniffed found = {.serving = PS_SERVING_NO_FACTS};
        struct stat about;
        if (ps_input_file_open(options->operands[i], &fd, &about, PS_ERR_IGNORED) == PS_OK &&
            S_ISREG(about.st_mode))
            (void)ps_sniffer_check(&adding->sniffer, fd, &found, PS_ERR_IGNORED);
        has_trace |= found.serving.role == PS_SERVING_TRACE;
        is_serving |= found.serving.role >= 0 && found.serving.role != PS_SERVING_TRACE;
    }
    return !is_serving ? "" : has_trace ? PS_SERVING_TRACE_FOLDER : PS_SERVING_FOLDER;
}

static void add_operands_merged(struct add_state *adding)
{
    const struct ps_options *options = adding->options;
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};
    ps_buf_puts(&name, base_name(options->operands[0]));
    if (options->n_operands > 1)
        ps_buf_printf(&name, " and %zu more", options->n_operands - 1);
    add_merged(adding, options->operands, options->n_operands, name.ptr,
               find_serving_operands(adding));
}

/* --- Folders --- */

/* What the start of a file says of it; nothing if it cannot be read. */
static const struct listed_file *sniff_listed(struct add_state *adding, struct folder *folder,
                                              size_t i)
{
    struct listed_file *file;
    if (!folder->files)
        folder->files = ps_alloc_array(folder->count, sizeof *folder->files);
    file = &folder->files[i];
    if (file->state == NOT_SNIFFED) {
        PS_AUTO(ps_close_fd) int fd = -1;
        struct stat about;
        struct ps_err err = PS_ERR_INIT;
        file->found = (struct ps_sniffed){.rank = ps_job_rank_of((struct ps_str){0}),
                                          .serving = PS_SERVING_NO_FACTS};
        if (ps_input_file_open(folder->paths[i], &fd, &about, &err) == PS_OK)
            (void)ps_sniffer_check(&adding->sniffer, fd, &file->found, &err);
        file->state = err.code == PS_OK ? ACCEPTED : REFUSED;
    }
    return file;
}

/* Finds the serving jobs in a folder. */
static void find_serving(struct add_state *adding, struct folder *folder,
                         struct ps_packed_files *packed)
{
    PS_AUTO(ps_free_ptr)
    struct ps_serving_file_facts *facts = ps_alloc_array(folder->count + 1, sizeof *facts);
    for (size_t i = 0; i < folder->count; i++) {
        facts[i] = PS_SERVING_NO_FACTS;
        if (packed->set_of[i] == PS_PACKED_NONE && !ps_progress_interrupted())
            facts[i] = sniff_listed(adding, folder, i)->found.serving;
    }
    ps_packed_files_find_serving(folder->paths, facts, folder->count, packed);
}

/* Number of files, from index `at` on, that are profiles of XLA of the hosts of one recording. */
static size_t host_files(struct add_state *adding, struct folder *folder, size_t at)
{
    const char *first = folder->paths[at];
    const size_t folder_len = (size_t)(base_name(first) - first);
    size_t n = 0;
    while (at + n < folder->count && n < PS_MERGE_MAX && !ps_progress_interrupted()) {
        const char *path = folder->paths[at + n];
        if (!ps_str_ends_with(ps_str_from_c(path), PS_STR(".xplane.pb")) ||
            (size_t)(base_name(path) - path) != folder_len || strncmp(path, first, folder_len) != 0)
            break;
        n++;
    }
    for (size_t i = 0; n > 1 && i < n; i++)
        if (sniff_listed(adding, folder, at + i)->state != ACCEPTED)
            return i;
    return n;
}

/* Number of files, from index `at` on, that belong to one training job (workers and spans). They
 * are adjacent because the list is sorted. */
static size_t job_files(struct add_state *adding, struct folder *folder, size_t at)
{
    const char *first = folder->paths[at];
    size_t n = 0, len, first_len;
    if (!ps_is_job_member(first, &first_len))
        return host_files(adding, folder, at);
    while (at + n < folder->count && n < PS_MERGE_MAX &&
           ps_is_job_member(folder->paths[at + n], &len) && len == first_len &&
           memcmp(folder->paths[at + n], first, len) == 0)
        n++;
    if (n < 2)
        return n;
    PS_AUTO(ps_free_ptr) struct ps_job_file *files = ps_alloc_array(n, sizeof *files);
    for (size_t i = 0; i < n && !ps_progress_interrupted(); i++)
        files[i] =
            ps_job_file_of(folder->paths[at + i], sniff_listed(adding, folder, at + i)->found.rank);
    return ps_job_count_files(files, n);
}

static void add_job(struct add_state *adding, const struct folder *folder, size_t at, size_t n)
{
    const char *path = folder->paths[at];
    size_t end = (size_t)(base_name(path) - path);
    PS_AUTO(ps_free_ptr) char *dir = ps_strdup((struct ps_str){path, end ? end - 1 : 0});
    const char *name =
        base_name(dir)[0] && strcmp(base_name(dir), ".") != 0 ? base_name(dir) : base_name(path);
    add_merged(adding, (const char *const *)&folder->paths[at], n, name, "");
}

#define NAMED_MAX 3 /* files that are skipped for one reason and named; the others are counted */

/* The reasons why files of a folder are no profiles. */
struct skipped_files {
    struct {
        struct ps_err why;
        size_t n;
    } * items;
    size_t n, cap;
};

static void skip_file(struct skipped_files *skipped, const char *file, const struct ps_err *why)
{
    size_t i = 0;
    while (i < skipped->n && strcmp(skipped->items[i].why.text, why->text) != 0)
        i++;
    if (i == skipped->n) {
        PS_RESERVE_ONE(skipped->items, skipped->n, skipped->cap);
        skipped->items[skipped->n].why = *why;
        skipped->items[skipped->n++].n = 0;
    }
    if (skipped->items[i].n++ < NAMED_MAX)
        ps_print_skipped(file, why);
}

static void free_skipped(struct skipped_files *skipped)
{
    free(skipped->items);
}

static void add_count(struct ps_buf *out, size_t n, const char *one)
{
    char text[64];
    if (n)
        ps_buf_printf(out, "%s%s", out->len ? ", " : "", ps_format_count(n, one, text));
}

/* Prints what was left out of a folder and not named. */
static void print_left_out(const char *path, const struct skipped_files *skipped,
                           const struct folder *folder)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    struct ps_err note = PS_ERR_INIT;
    for (size_t i = 0; i < skipped->n; i++) {
        const size_t n = skipped->items[i].n;
        char text[64];
        struct ps_err line = PS_ERR_INIT;
        if (n <= NAMED_MAX)
            continue;
        ps_fail(&line, PS_UNKNOWN_KIND, "%s: %s", ps_format_count(n - NAMED_MAX, "more file", text),
                skipped->items[i].why.text);
        ps_print_skipped(path, &line);
    }
    add_count(&out, folder->n_hidden, "hidden name");
    add_count(&out, folder->n_links, "link");
    add_count(&out, folder->n_special, "special file");
    add_count(&out, folder->n_system, "system folder");
    if (!out.len)
        return;
    ps_fail(&note, PS_NOT_FOUND, "not searched: %s", out.ptr);
    ps_print_note(path, &note);
}

/* Removes the files of the folder that are not read: caches of xprof, which JAX users did not write
 * themselves, silently; copies of a recording with a line that names it. */
static void leave_out_copies(struct folder *folder, struct skipped_files *skipped)
{
    PS_AUTO(ps_free_ptr) bool *is_left_out = ps_alloc_array(folder->count + 1, sizeof(bool));
    size_t n = 0;

    for (size_t i = 0; i < folder->count; i++) {
        struct ps_err why = PS_ERR_INIT;

        is_left_out[i] =
            ps_is_xprof_cache(ps_str_from_c(base_name(folder->paths[i])), PS_ERR_IGNORED);
        if (is_left_out[i] ||
            !ps_is_copy_of_recording((const char *const *)folder->paths, folder->count, i, &why))
            continue;
        is_left_out[i] = true;
        skip_file(skipped, folder->paths[i], &why);
    }
    for (size_t i = 0; i < folder->count; i++) {
        if (is_left_out[i])
            free(folder->paths[i]);
        else
            folder->paths[n++] = folder->paths[i];
    }
    folder->count = n;
}

/* Imports one file of a folder. Returns whether it is a profile. */
static bool add_listed_file(struct add_state *adding, const struct folder *folder, size_t i,
                            struct skipped_files *skipped)
{
    const bool is_accepted = folder->files && folder->files[i].state == ACCEPTED;
    const char *file = folder->paths[i];
    struct ps_err err = PS_ERR_INIT;
    struct ps_sniffed found;
    struct stat about;
    PS_AUTO(ps_close_fd) int fd = -1;
    if (ps_input_file_open(file, &fd, &about, &err) != PS_OK) {
        adding->status = ps_print_failure(file, &err);
    } else if (is_accepted || ps_sniffer_check(&adding->sniffer, fd, &found, &err) == PS_OK) {
        import_file(adding, fd, file, true);
        return true;
    } else if (err.code == PS_INTERNAL || err.code == PS_INTERRUPTED) {
        adding->status = ps_print_failure(file, &err);
    } else if (err.code != PS_CANCELLED) { /* an interrupt is reported once, at the end */
        skip_file(skipped, file, &err);
    }
    return false;
}

static bool may_continue_sniffing(void *user)
{
    (void)user;
    return !ps_progress_interrupted();
}

static void print_unreadable(void *user, const char *path, const struct ps_err *err)
{
    struct add_state *adding = user;
    adding->status = ps_print_failure(path, err);
}

/* Imports a set of files as an archive. */
static void add_packed(struct add_state *adding, const struct folder *folder,
                       const struct ps_packed_files *packed, int set)
{
    const struct ps_packed_set *about = &packed->sets[set];
    PS_AUTO(ps_free_ptr)
    char *path = ps_strdup(
        (struct ps_str){about->folder.ptr, about->folder.len ? about->folder.len - 1 : 0});
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};
    PS_AUTO(ps_close_fd) int fd = -1;
    PS_AUTO(ps_close_fd) int readable = -1;
    struct ps_err err = PS_ERR_INIT;
    const char *failed = path;
    ps_packed_set_write_name(about, &name);
    if (ps_store_create_scratch_file(adding->store, &fd, &readable, &err) == PS_OK)
        ps_packed_set_write(packed, set, folder->paths, folder->count, fd, &failed, &err);
    if (err.code != PS_OK)
        adding->status = ps_print_failure(failed, &err);
    else
        import_profile(adding,
                       &(struct ps_import_profile){
                           .fd = readable,
                           .path = path,
                           .filename = name.ptr,
                           .provenance = {path, adding->options->source_root, current_timespec()}});
}

static void add_folder(struct add_state *adding, const char *path)
{
    PS_AUTO(free_folder) struct folder folder = {0};
    PS_AUTO(ps_packed_files_free) struct ps_packed_files packed = {0};
    PS_AUTO(free_skipped) struct skipped_files skipped = {0};
    struct ps_err err = PS_ERR_INIT;
    size_t n_profiles = 0;
    if (list_folder(path, print_unreadable, adding, &folder, &err) != PS_OK) {
        adding->status = ps_print_failure(path, &err);
        return;
    }
    leave_out_copies(&folder, &skipped);
    ps_packed_files_find(path, folder.paths, folder.count, &packed);
    if (folder.count > 1)
        find_serving(adding, &folder, &packed);
    for (size_t i = 0; i < packed.n && !ps_progress_interrupted(); i++, n_profiles++)
        add_packed(adding, &folder, &packed, (int)i);
    for (size_t i = 0; i < folder.count && !ps_progress_interrupted();) {
        if (packed.set_of[i] != PS_PACKED_NONE) {
            i++;
            continue;
        }
        size_t job = job_files(adding, &folder, i);
        if (job > 1)
            add_job(adding, &folder, i, job);
        n_profiles += job > 1 || add_listed_file(adding, &folder, i, &skipped);
        i += job > 1 ? job : 1;
    }
    print_left_out(path, &skipped, &folder);
    if (n_profiles || ps_progress_interrupted())
        return;
    ps_fail(&err, PS_UNKNOWN_KIND,
            "no profile in this folder or its subfolders" PS_HINT
            "`perfshelf formats` lists the formats");
    adding->status = ps_print_failure(path, &err);
}

static void add_operand(struct add_state *adding, const char *path)
{
    struct stat about;
    struct ps_err err = PS_ERR_INIT;
    if (strcmp(path, "-") == 0) {
        import_pipe(adding, STDIN_FILENO, "standard input", "");
        return;
    }
    PS_AUTO(ps_close_fd) int fd = -1;
    if (ps_input_file_open(path, &fd, &about, &err) != PS_OK) {
        adding->status = ps_print_failure(path, &err);
    } else if (S_ISDIR(about.st_mode)) {
        add_folder(adding, path);
    } else if (S_ISREG(about.st_mode)) {
        import_file(adding, fd, path, false);
    } else {
        import_pipe(adding, fd, path, base_name(path));
    }
}

/* Reports an invalid --source-root; the import continues without sources. */
static void check_source_root(struct add_state *adding)
{
    const char *root = adding->options->source_root;
    struct stat about;
    struct ps_err err = PS_ERR_INIT;
    if (!root || (stat(root, &about) == 0 && S_ISDIR(about.st_mode)))
        return;
    ps_fail(&err, PS_BAD_REQUEST,
            "--source-root is not a folder" PS_HINT
            "no sources are attached; add the file again with the right folder");
    adding->status = ps_print_failure(root, &err);
}

int ps_cli_add_files(const struct ps_options *options, struct ps_imported_runs *runs)
{
    struct add_state adding = {
        .options = options, .user_name = ps_cli_login_name(), .imported_runs = runs};
    struct ps_err err = PS_ERR_INIT;
    if (ps_options_read_limits(options, &adding.limits, &err) != PS_OK) {
        ps_print_failure("add", &err);
        return 2;
    }
    PS_AUTO(ps_buf_free) struct ps_buf url = {0};
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(options);
    if (!client)
        return 1;
    adding.client = client;
    runs->url = options->json && ps_server_find_url(options, &url) ? url.ptr : NULL;
    adding.store = ps_client_store(client);
    adding.sniffer =
        (struct ps_sniffer){&adding.limits, may_continue_sniffing, NULL, {.socket = -1}};
    ps_progress_catch_interrupts();
    check_source_root(&adding);
    if (options->merge)
        add_operands_merged(&adding);
    for (size_t i = 0; !options->merge && i < options->n_operands && !ps_progress_interrupted();
         i++)
        add_operand(&adding, options->operands[i]);
    ps_sniffer_end(&adding.sniffer);
    runs->url = NULL; /* freed below */
    ps_cli_print_verdict(client, options, runs);
    if (ps_progress_interrupted() && adding.status == 0) {
        ps_fail(&err, PS_CANCELLED, "interrupted");
        adding.status = ps_print_failure("add", &err);
    }
    return adding.status;
}

int ps_cli_add(const struct ps_options *options)
{
    struct ps_imported_runs runs = {.n = 0};
    const int status = ps_cli_add_files(options, &runs);
    ps_server_print_url(options, &runs);
    return status;
}
