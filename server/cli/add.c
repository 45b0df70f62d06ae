/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "importers/importer.h"
#include "server/cli/cli.h"
#include "server/cli/folder.h"
#include "server/cli/plain.h"
#include "server/cli/progress.h"
#include "server/jobs/import.h"

#include "base/json_out.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct adding {
    const struct ps_options *options;
    struct ps_store *store;
    const char *who;
    int status;
};

static const char *login_name(void)
{
    const struct passwd *entry = getpwuid(geteuid());
    return entry && entry->pw_name ? entry->pw_name : "";
}

static void json_line(const struct ps_import_result *result, struct ps_buf *out)
{
    struct ps_json json = ps_json_to(out);
    ps_json_object(&json);
    ps_json_kstr(&json, "id", result->id);
    ps_json_kstr(&json, "kind", result->kind);
    ps_json_kstr(&json, "name", result->name);
    ps_json_kstr(&json, "sha256", result->sha256);
    ps_json_kint(&json, "bytes", (int64_t)result->bytes);
    ps_json_kint(&json, "rows", (int64_t)result->rows);
    ps_json_kint(&json, "repaired", (int64_t)result->repaired);
    ps_json_kint(&json, "rejected", (int64_t)result->rejected);
    ps_json_kbool(&json, "already", result->already);
    ps_json_end(&json);
}

static void plain_line(const char *path, const struct ps_import_result *result, struct ps_buf *out)
{
    char size[48];
    ps_buf_printf(out, "%s  %-10s  ", result->id, result->kind);
    ps_plain_text(out, ps_str_of(result->name));
    ps_buf_puts(out, "  (");
    ps_plain_text(out, ps_str_of(path));
    ps_buf_printf(out, ", %s, %llu rows", ps_figure_bytes((double)result->bytes, size),
                  (unsigned long long)result->rows);
    if (result->repaired || result->rejected)
        ps_buf_printf(out, ", %llu repaired, %llu rejected", (unsigned long long)result->repaired,
                      (unsigned long long)result->rejected);
    ps_buf_puts(out, result->already ? ", already on the shelf)" : ")");
}

static void say_result(const struct adding *adding, const char *path,
                       const struct ps_import_result *result)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    if (adding->options->json)
        json_line(result, &line);
    else
        plain_line(path, result, &line);
    ps_buf_puts(&line, "\n");
    ps_say(&line);
    fflush(stdout);
}

static void import_fd(struct adding *adding, int fd, const char *path, const char *filename)
{
    const struct ps_options *options = adding->options;
    struct ps_progress progress;
    struct ps_import_result result = {0};
    struct ps_err err = PS_ERR_INIT;
    struct ps_import_request request = {
        .fd = fd,
        .filename = filename,
        .name = options->name,
        .series = options->series,
        .who = adding->who,
        .tags = options->tags,
        .n_tags = options->n_tags,
        .progress = ps_progress_step,
        .user = &progress,
    };
    ps_progress_start(&progress, path);
    enum ps_status status = ps_import_file(adding->store, &request, &result, &err);
    ps_progress_end(&progress);
    if (status == PS_OK)
        say_result(adding, path, &result);
    else
        adding->status = ps_say_failure(path, &err);
    ps_import_result_free(&result);
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
        for (ssize_t at = 0; at < got;) {
            ssize_t put = write(to, block + at, (size_t)(got - at));
            if (put < 0 && errno != EINTR)
                return ps_fail_errno(err, "cannot write", "the spool file");
            at += put > 0 ? put : 0;
        }
        done += (uint64_t)got;
    }
}

/* A pipe is read once and an import reads twice (hash, then content), so it goes through a file of
 * the shelf's spool. */
static void import_pipe(struct adding *adding, int pipe, const char *path, const char *filename)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_progress progress;
    PS_AUTO(ps_free_ptr) char *spool = NULL;
    PS_AUTO(ps_close_fd) int fd = -1;
    if (ps_store_spool(adding->store, &spool, &fd, &err) != PS_OK) {
        adding->status = ps_say_failure(path, &err);
        return;
    }
    PS_AUTO(ps_close_fd) int readable = open(spool, O_RDONLY | O_CLOEXEC);
    if (readable < 0)
        ps_fail_errno(&err, "cannot open", spool);
    unlink(spool);
    ps_progress_start(&progress, path);
    if (err.code == PS_OK)
        copy_all(pipe, fd, &progress, path, &err);
    ps_progress_end(&progress);
    if (err.code == PS_OK)
        import_fd(adding, readable, path, filename);
    else
        adding->status = ps_say_failure(path, &err);
}

/* Whether an importer takes the file; false with err filled when none does or it cannot be read. */
static bool is_profile(const char *path, int fd, struct ps_err *err)
{
    const struct ps_importer *importer = NULL;
    struct ps_stream_limits limits = {(uint64_t)8 << 30, 1000};
    struct stat about;
    if (fstat(fd, &about) != 0) {
        ps_fail_errno(err, "cannot read", path);
        return false;
    }
    struct ps_stream *raw = ps_stream_fd(fd, (uint64_t)about.st_size);
    struct ps_stream *in = ps_stream_utf8(ps_stream_unpack(raw, &limits));
    enum ps_status status = ps_importer_pick(in, &importer, err);
    ps_stream_free(in);
    if (lseek(fd, 0, SEEK_SET) != 0)
        status = ps_fail_errno(err, "cannot read", path);
    return status == PS_OK;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void add_folder(struct adding *adding, const char *path)
{
    PS_AUTO(ps_folder_free) struct ps_folder folder = {0};
    struct ps_err err = PS_ERR_INIT;
    size_t known = 0;
    if (ps_folder_read(path, &folder, &err) != PS_OK) {
        adding->status = ps_say_failure(path, &err);
        return;
    }
    for (size_t i = 0; i < folder.count && !ps_progress_interrupted(); i++) {
        const char *file = folder.paths[i];
        struct ps_err why = PS_ERR_INIT;
        PS_AUTO(ps_close_fd) int fd = open(file, O_RDONLY | O_CLOEXEC);
        if (fd < 0) {
            ps_fail_errno(&why, "cannot open", file);
            adding->status = ps_say_failure(file, &why);
        } else if (is_profile(file, fd, &why)) {
            known++;
            import_fd(adding, fd, file, base_name(file));
        } else {
            ps_say_skipped(file, &why);
        }
    }
    if (known || ps_progress_interrupted())
        return;
    ps_fail(&err, PS_UNKNOWN_KIND, "no profile in this folder or below");
    ps_hint(&err, "perfshelf formats lists what can be read");
    adding->status = ps_say_failure(path, &err);
}

static void add_operand(struct adding *adding, const char *path)
{
    struct stat about;
    struct ps_err err = PS_ERR_INIT;
    if (strcmp(path, "-") == 0) {
        import_pipe(adding, STDIN_FILENO, "standard input", "");
        return;
    }
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) != 0) {
        ps_fail_errno(&err, "cannot open", path);
        adding->status = ps_say_failure(path, &err);
    } else if (S_ISDIR(about.st_mode)) {
        add_folder(adding, path);
    } else if (S_ISREG(about.st_mode)) {
        import_fd(adding, fd, path, base_name(path));
    } else {
        import_pipe(adding, fd, path, base_name(path));
    }
}

int ps_cli_add(const struct ps_options *options)
{
    PS_AUTO(ps_store_close_ptr) struct ps_store *store = ps_cli_open(options);
    struct adding adding = {.options = options, .store = store, .who = login_name()};
    if (!store)
        return 1;
    ps_progress_catch_interrupts();
    for (size_t i = 0; i < options->n_operands && !ps_progress_interrupted(); i++)
        add_operand(&adding, options->operands[i]);
    if (ps_progress_interrupted() && adding.status == 0) {
        struct ps_err err = PS_ERR_INIT;
        ps_fail(&err, PS_CANCELLED, "interrupted");
        adding.status = ps_say_failure("add", &err);
    }
    return adding.status;
}
