/* SPDX-License-Identifier: MIT */
#include "server/cli/commands/sources.h"

#include "server/cli/cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES_SHOWN 3

/* Names for one note: text of the first NAMES_SHOWN names, and the number of all names. */
struct name_list {
    struct ps_buf text;
    size_t n;
};

struct attach_state {
    ps_attach_source *attach;
    void *user; /* passed to attach */
    const struct ps_provenance *provenance;
    char *root;   /* real path of provenance->root, or NULL */
    char *folder; /* folder of the profile with a trailing slash; "": current folder */
    size_t n_wanted;
    struct name_list missing, changed;
};

static void add_name(struct name_list *names, const char *name)
{
    if (names->n++ < NAMES_SHOWN)
        ps_buf_printf(&names->text, "%s%s", names->text.len ? ", " : "", name);
}

static void report_names(const struct attach_state *a, const char *what,
                         const struct name_list *names)
{
    struct ps_err note = PS_ERR_INIT;
    const char *subject = a->provenance->profile ? a->provenance->profile : "standard input";
    char more[40] = "";

    if (names->n == 0)
        return;
    if (names->n > NAMES_SHOWN)
        snprintf(more, sizeof more, " and %zu more", names->n - NAMES_SHOWN);
    ps_fail(&note, PS_NOT_FOUND, "%s: %s%s", what, names->text.ptr, more);
    ps_print_note(subject, &note);
}

/* --- Reading a source --- */

static bool has_python_shebang(int fd)
{
    char head[128];
    ssize_t n = pread(fd, head, sizeof head - 1, 0);

    head[n > 0 ? n : 0] = '\0';
    head[strcspn(head, "\n")] = '\0';
    return strncmp(head, "#!", 2) == 0 && strstr(head, "python");
}

/* Whether the file is Python. Other files that a profile may name, such as keys or password files,
 * must not be uploaded. */
static bool is_python(const char *path, int fd)
{
    static const char *const endings[] = {".py", ".pyw", ".pyx", ".pxi", ".pxd"};
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

    if (!dot)
        return has_python_shebang(fd);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strcasecmp(dot, endings[i]) == 0)
            return true;
    return false;
}

/* Opens a source; -1 if the file does not exist or must not be uploaded. Does not block on a pipe.
 */
static int open_source(const char *path, int flags)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);

    if (fd >= 0 && (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) ||
                    (uint64_t)about.st_size > PS_SOURCE_MAX || !is_python(path, fd)))
        ps_close_fd(&fd);
    return fd;
}

/* --- Finding a source --- */

/* Opens root/tail if its real path, with all links followed, is inside root. */
static int open_below(const char *root, const char *tail)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_free_ptr) char *real = NULL;
    size_t len = strlen(root);

    ps_buf_printf(&path, "%s/%s", root, tail);
    real = realpath(path.ptr, NULL);
    if (!real || strncmp(real, root, len) != 0 || (real[len] != '/' && root[len - 1] != '/'))
        return -1;
    return open_source(real, O_NOFOLLOW);
}

/* Whether many folders contain a file of this name, so that the name alone identifies none. */
static bool is_ambiguous(const char *tail)
{
    return strcmp(tail, "__init__.py") == 0 || strcmp(tail, "__main__.py") == 0;
}

static int find_below(const char *root, const char *recorded)
{
    PS_AUTO(ps_free_ptr) char *path = ps_strdup(ps_str_from_c(recorded));
    bool is_complete = true;
    int fd = -1;

    for (char *at = path; *at; at++)
        *at = *at == '\\' ? '/' : *at;
    for (char *tail = path; tail && fd < 0; is_complete = false) {
        tail += strspn(tail, "/");
        if (is_complete || !is_ambiguous(tail))
            fd = open_below(root, tail);
        tail = strchr(tail, '/');
    }
    return fd;
}

static int find_recorded(const struct attach_state *a, const char *recorded)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    int fd = -1;

    if (recorded[0] == '/')
        return open_source(recorded, 0);
    if (a->folder[0]) {
        ps_buf_printf(&path, "%s%s", a->folder, recorded);
        fd = open_source(path.ptr, 0);
    }
    return fd >= 0 ? fd : open_source(recorded, 0);
}

/* --- Attaching --- */

/* Seconds by which a source may be newer than its profile without being regarded as changed: a
 * checkout or a copy writes both at about the same time. */
#define COPY_TOLERANCE_S 2

static bool is_later(const struct timespec *source, const struct timespec *profile)
{
    return source->tv_sec > profile->tv_sec + COPY_TOLERANCE_S;
}

static void attach_wanted(struct attach_state *a, const struct ps_wanted_source *wanted)
{
    struct ps_err err = PS_ERR_INIT;
    struct stat about;
    PS_AUTO(ps_close_fd) int fd = -1;
    bool changed;

    if (!a->root && wanted->is_attached)
        return;
    a->n_wanted++;
    fd = a->root ? find_below(a->root, wanted->path) : find_recorded(a, wanted->path);
    if (fd < 0 || fstat(fd, &about) != 0) {
        add_name(&a->missing, wanted->path);
        return;
    }
    changed = is_later(&about.st_mtim, &a->provenance->modified);
    if (a->attach(a->user, wanted->path, fd, changed, &err) != PS_OK)
        ps_print_note(wanted->path, &err);
    else if (changed)
        add_name(&a->changed, wanted->path);
}

/* Reports missing and changed sources. Missing sources are reported only with --source-root, where
 * the user expects them: paths in a profile of another machine are often missing here. */
static void report_sources(const struct attach_state *a)
{
    if (a->root)
        report_names(a,
                     a->missing.n == a->n_wanted ? "no source found below --source-root"
                                                 : "sources not found below --source-root",
                     &a->missing);
    report_names(a, "changed after the profile was written, so line numbers may be off",
                 &a->changed);
}

/* The folder of a path: "logs/" for logs/app.lprof, "" if it has none. malloc'ed. */
static char *folder_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return ps_strdup((struct ps_str){path, slash ? (size_t)(slash + 1 - path) : 0});
}

void ps_cli_attach_files(const struct ps_provenance *from, const struct ps_wanted_source *wanted,
                         size_t n, ps_attach_source *attach, void *user)
{
    struct attach_state a = {.attach = attach, .user = user, .provenance = from};

    a.root = from->root ? realpath(from->root, NULL) : NULL;
    a.folder = folder_of(from->profile);
    for (size_t i = 0; i < n && (a.root || !from->root); i++)
        if (wanted[i].path[0] != '<') /* not a file: <stdin> */
            attach_wanted(&a, &wanted[i]);
    report_sources(&a);
    ps_buf_free(&a.missing.text);
    ps_buf_free(&a.changed.text);
    free(a.root);
    free(a.folder);
}

/* --- Attaching to a local shelf --- */

struct local_run {
    struct ps_store *store;
    const char *run;
};

static bool is_attached(const struct local_run *local_run, const char *path)
{
    struct ps_source source = {.bytes = 0};
    bool found = ps_store_source_get(local_run->store, local_run->run, path, false, &source,
                                     PS_ERR_IGNORED) == PS_OK;

    ps_buf_free(&source.text);
    return found;
}

static enum ps_status attach_local_source(void *user, const char *path, int fd, bool changed,
                                          struct ps_err *err)
{
    const struct local_run *local_run = user;
    struct ps_source source = {.bytes = 0};

    return ps_store_source_attach(local_run->store, local_run->run, path, fd, changed, &source,
                                  err);
}

void ps_cli_attach_sources(struct ps_store *store, const char *run,
                           const struct ps_provenance *from)
{
    PS_AUTO(ps_measured_free) struct ps_measured_list measured = {0};
    PS_AUTO(ps_free_ptr) struct ps_wanted_source *wanted = NULL;
    struct local_run local_run = {store, run};
    struct ps_err err = PS_ERR_INIT;
    size_t n = 0;

    if (ps_store_list_measured(store, run, &measured, &err) != PS_OK) {
        ps_print_note(run, &err);
        return;
    }
    wanted = ps_alloc_array(measured.n + 1, sizeof *wanted);
    for (size_t i = 0; i < measured.n; i++)
        if (!measured.items[i].has_source)
            wanted[n++] = (struct ps_wanted_source){
                measured.items[i].path, is_attached(&local_run, measured.items[i].path)};
    ps_cli_attach_files(from, wanted, n, attach_local_source, &local_run);
}
