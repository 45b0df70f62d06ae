/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* renameat2, mkostemp */
#include "server/cli/out_file.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX  40 /* maximum number of links followed, as in the kernel */
#define UNIQUE_MAX 10000

/* --- Target --- */

/* Target of the link at `path`, malloc'ed; NULL: it is not a link. */
static char *read_link(const char *path)
{
    char target[PATH_MAX];
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    const char *slash = strrchr(path, '/');
    ssize_t len = readlink(path, target, sizeof target);
    if (len <= 0 || len == (ssize_t)sizeof target)
        return NULL;
    if (target[0] != '/' && slash)
        ps_buf_add(&out, path, (size_t)(slash + 1 - path));
    ps_buf_add(&out, target, (size_t)len);
    return ps_strdup(ps_buf_slice(&out));
}

/* Sets *out (malloc'ed) to the path after following all links. The target need not exist. */
static enum ps_status follow_links(const char *path, char **out, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *target = ps_strdup(ps_str_from_c(path));
    for (int i = 0; i < LINKS_MAX; i++) {
        char *next = read_link(target);
        if (!next) {
            *out = target;
            target = NULL;
            return PS_OK;
        }
        free(target);
        target = next;
    }
    errno = ELOOP;
    return ps_fail_errno(err, "cannot write", path);
}

/* The descriptor that /dev/fd/3, /proc/self/fd/3 or a link to it names; -1 for other paths. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    PS_AUTO(ps_free_ptr) char *target = ps_strdup(ps_str_from_c(path));
    for (int i = 0; target && i < LINKS_MAX; i++) {
        for (size_t j = 0; j < sizeof folders / sizeof *folders; j++) {
            const size_t len = strlen(folders[j]);
            int64_t n;
            if (strncmp(target, folders[j], len) == 0 &&
                ps_str_parse_i64(ps_str_from_c(target + len), &n) && n >= 0 && n <= INT_MAX)
                return (int)n;
        }
        char *next = read_link(target);
        free(target);
        target = next;
    }
    return -1;
}

/* Fails unless the descriptor was inherited; those that this program opened are closed on exec. */
static enum ps_status check_inherited(int fd, const char *path, struct ps_err *err)
{
    const int flags = fcntl(fd, F_GETFD);
    if (flags >= 0 && !(flags & FD_CLOEXEC))
        return PS_OK;
    errno = EBADF;
    return ps_fail_errno(err, "cannot write", path);
}

/* Whether the file is the one to which stdout is redirected. */
static bool is_stdout(const struct stat *about)
{
    struct stat out;
    return fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == about->st_dev &&
           out.st_ino == about->st_ino;
}

static enum ps_status check_target(const char *path, bool force, const struct stat *about,
                                   struct ps_err *err)
{
    if (S_ISDIR(about->st_mode))
        return ps_fail(err, PS_BAD_REQUEST,
                       "cannot write %s: it is a folder" PS_HINT "name a file in it", path);
    if (S_ISREG(about->st_mode) && !force)
        return ps_fail(err, PS_CONFLICT, "%s already exists" PS_HINT "--force overwrites it", path);
    return PS_OK;
}

/* The folder of a path: "DIR/" for "DIR/x", "" if the path has none. */
static struct ps_str folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return (struct ps_str){path, slash ? (size_t)(slash + 1 - path) : 0};
}

/* Checks that a file at `path` can be created or replaced. */
static enum ps_status check_folder(const char *path, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *target = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf folder = {0};
    if (follow_links(path, &target, err) != PS_OK)
        return err->code;
    ps_buf_add_str(&folder, folder_of(target));
    ps_buf_puts(&folder, ".");
    return access(folder.ptr, W_OK | X_OK) == 0 ? PS_OK : ps_fail_errno(err, "cannot write", path);
}

enum ps_status ps_out_file_check(const char *path, bool force, struct ps_err *err)
{
    struct stat about;
    const int descriptor = descriptor_of(path);
    if (descriptor >= 0)
        return check_inherited(descriptor, path, err);
    const bool exists = stat(path, &about) == 0;
    if (!exists && errno != ENOENT)
        return ps_fail_errno(err, "cannot write", path);
    if (exists && is_stdout(&about))
        return PS_OK;
    if (exists && check_target(path, force, &about, err) != PS_OK)
        return err->code;
    return exists && !S_ISREG(about.st_mode) ? PS_OK : check_folder(path, err);
}

/* --- Opening --- */

/* Opens a nameless temporary file, which ps_out_file_commit copies to the target. */
static enum ps_status open_scratch(struct ps_out_file *out, struct ps_err *err)
{
    const char *folder = getenv("TMPDIR");
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    ps_buf_printf(&path, "%s/perfshelf-XXXXXX", folder && folder[0] == '/' ? folder : "/tmp");
    out->fd = mkostemp(path.ptr, O_CLOEXEC);
    if (out->fd < 0)
        return ps_fail_errno(err, "cannot write", path.ptr);
    (void)unlink(path.ptr);
    return PS_OK;
}

/* Opens a temporary file in the folder of the target. Its name is short, because the name of the
 * target may have the maximum length. */
static enum ps_status open_part(struct ps_out_file *out, mode_t mode, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf part = {0};
    ps_buf_add_str(&part, folder_of(out->path));
    ps_buf_puts(&part, ".perfshelf-XXXXXX");
    out->fd = mkostemp(part.ptr, O_CLOEXEC);
    if (out->fd < 0)
        return ps_fail_errno(err, "cannot write", out->path);
    out->part = ps_strdup(ps_buf_slice(&part));
    if (fchmod(out->fd, mode) != 0)
        return ps_fail_errno(err, "cannot write", out->path);
    return PS_OK;
}

static mode_t mode_of_new_file(void)
{
    mode_t mask = umask(0);
    (void)umask(mask);
    return 0666 & ~mask;
}

enum ps_status ps_out_file_open(const char *path, bool force, struct ps_out_file *out,
                                struct ps_err *err)
{
    struct stat about;
    const bool is_named = strcmp(path, "-") != 0, exists = is_named && stat(path, &about) == 0;
    *out = (struct ps_out_file)PS_OUT_FILE_INIT;
    out->copy_fd = is_named ? descriptor_of(path) : STDOUT_FILENO;
    if (is_named && out->copy_fd >= 0 && check_inherited(out->copy_fd, path, err) != PS_OK)
        return err->code;
    if (exists && out->copy_fd < 0 && is_stdout(&about))
        out->copy_fd = STDOUT_FILENO;
    if (out->copy_fd >= 0) {
        out->path = ps_strdup(ps_str_from_c(out->copy_fd == STDOUT_FILENO ? "-" : path));
        return open_scratch(out, err);
    }
    if (exists && check_target(path, force, &about, err) != PS_OK)
        return err->code;
    if (exists && !S_ISREG(about.st_mode)) {
        out->path = ps_strdup(ps_str_from_c(path));
        return open_scratch(out, err);
    }
    out->replaces = exists;
    if (follow_links(path, &out->path, err) != PS_OK)
        return err->code;
    return open_part(out, exists ? about.st_mode & 07777 : mode_of_new_file(), err);
}

enum ps_status ps_out_file_open_unique(const char *ending, struct ps_out_file *out,
                                       struct ps_err *err)
{
    *out = (struct ps_out_file){
        .fd = -1, .copy_fd = -1, .path = ps_strdup(PS_STR("perfshelf")), .ending = ending};
    return open_part(out, mode_of_new_file(), err);
}

void ps_out_file_name(struct ps_out_file *out, const char *stem)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    ps_buf_printf(&path, "%s%s", stem, out->ending);
    free(out->path);
    out->path = ps_strdup(ps_buf_slice(&path));
    out->stem = strlen(stem);
}

/* --- Writing --- */

static enum ps_status copy_part(struct ps_out_file *out, struct ps_err *err)
{
    static char block[1 << 16];
    PS_AUTO(ps_close_fd)
    int opened = out->copy_fd >= 0 ? -1 : open(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    const int to = out->copy_fd >= 0 ? out->copy_fd : opened;
    enum ps_status status = PS_OK;
    ssize_t got = 0;
    if (to < 0)
        return ps_fail_errno(err, "cannot write", out->path);
    if (lseek(out->fd, 0, SEEK_SET) < 0)
        return ps_fail_errno(err, "cannot read", "the temporary file");
    while (status == PS_OK && (got = read(out->fd, block, sizeof block)) > 0)
        status = ps_write_all(to, (struct ps_str){block, (size_t)got},
                              to == STDOUT_FILENO ? "standard output" : out->path, err);
    return got < 0 ? ps_fail_errno(err, "cannot read", "the temporary file") : status;
}

/* Like rename(), but fails with EEXIST if the new name exists. */
static int rename_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS) /* not supported by the file system or the kernel */
        return -1;
    return link(from, to) == 0 ? unlink(from) : -1;
}

static void set_numbered_name(struct ps_out_file *out, unsigned n)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    ps_buf_printf(&path, "%.*s-%u%s", (int)out->stem, out->path, n, out->ending);
    free(out->path);
    out->path = ps_strdup(ps_buf_slice(&path));
}

static enum ps_status publish_part(struct ps_out_file *out, struct ps_err *err)
{
    int failed = out->replaces ? rename(out->part, out->path) : rename_new(out->part, out->path);
    for (unsigned n = 2; failed && errno == EEXIST && out->ending && n < UNIQUE_MAX; n++) {
        set_numbered_name(out, n);
        failed = rename_new(out->part, out->path);
    }
    if (failed)
        return ps_fail_errno(err, "cannot write", out->path);
    ps_free_ptr(&out->part);
    out->part = NULL;
    return PS_OK;
}

enum ps_status ps_out_file_commit(struct ps_out_file *out, struct ps_err *err)
{
    return out->part ? publish_part(out, err) : copy_part(out, err);
}

void ps_out_file_close(struct ps_out_file *out)
{
    if (out->part)
        (void)unlink(out->part);
    ps_close_fd(&out->fd);
    free(out->path);
    free(out->part);
    *out = (struct ps_out_file)PS_OUT_FILE_INIT;
}
