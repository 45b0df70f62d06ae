/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* mkostemp, flock */
#include "server/cli/client/server_record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/format.h"
#include "base/json_out.h"
#include "server/cli/cli.h"
#include "server/cli/client/port_owner.h"
#include "server/cli/commands/import_profile.h"
#include "server/text/answer.h"

#define RECORD_MAX 16384
#define EXTENSION  ".server"
/* Start of a server: maximum wait for another one, and interval of the checks */
#define START_WAIT_MS  5000
#define START_CHECK_MS 10

struct ps_server_record {
    char *path;
    int fd; /* locked */
};

/* A server, as read from its record. */
struct running_server {
    char *url, *data; /* data: real path of the folder */
    int64_t started_ms;
    bool is_demo;
};

struct served_list {
    struct running_server *items;
    size_t n, cap;
};

/* --- Folder of records --- */

static bool make_folder(const char *path)
{
    struct stat about;

    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return false;
    /* Another user could have created the folder, or a link. */
    return lstat(path, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid();
}

/* Appends the path of the folder of records, and creates it if necessary; false and errno if that
 * fails. */
static bool find_folder(struct ps_buf *out)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR"), *state = getenv("XDG_STATE_HOME"),
               *home = getenv("HOME");

    errno = ENOENT;
    if (runtime && runtime[0] == '/') {
        ps_buf_printf(out, "%s/perfshelf", runtime);
    } else if (state && state[0] == '/') {
        ps_buf_printf(out, "%s/perfshelf", state);
    } else if (home && home[0] == '/') {
        const char *const parts[] = {"/.local", "/state"};

        ps_buf_puts(out, home);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            ps_buf_puts(out, parts[i]);
            if (mkdir(out->ptr, 0700) != 0 && errno != EEXIST)
                return false;
        }
        ps_buf_puts(out, "/perfshelf");
    }
    return out->len > 0 && make_folder(out->ptr);
}

/* --- Writing --- */

int ps_server_lock_start(void)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    int fd = find_folder(&path) ? open(path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    for (int waited_ms = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0;
         waited_ms += START_CHECK_MS) {
        if (errno != EWOULDBLOCK || waited_ms >= START_WAIT_MS)
            ps_close_fd(&fd);
        else
            ps_sleep_ms(START_CHECK_MS);
    }
    return fd;
}

static void write_record(const char *url, const char *data, bool is_demo, struct ps_buf *out)
{
    PS_AUTO(ps_free_ptr) char *real = realpath(data, NULL);
    struct ps_json json = ps_json_writer(out);
    char host[256] = "";

    (void)gethostname(host, sizeof host - 1);
    ps_json_object(&json);
    ps_json_key_str(&json, "url", url);
    ps_json_key_str(&json, "data", real ? real : data);
    ps_json_key_str(&json, "host", host);
    ps_json_key_int(&json, "started_ms", ps_wall_clock_ms());
    ps_json_key_bool(&json, "demo", is_demo);
    ps_json_end(&json);
}

enum ps_status ps_server_record_write(const char *url, const char *data, bool is_demo,
                                      struct ps_server_record **out, struct ps_err *err)
{
    struct ps_server_record *record = ps_alloc(sizeof *record);
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf part = {0};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    record->fd = -1;
    *out = record;
    if (!find_folder(&path) && path.ptr)
        return ps_fail_errno(err, "cannot create", path.ptr);
    if (!path.ptr)
        return ps_fail(err, PS_IO,
                       "cannot create the folder that lists running servers: set XDG_RUNTIME_DIR, "
                       "XDG_STATE_HOME or HOME");
    /* Readers ignore other names, so the record gets the extension when it is complete and
     * locked. */
    ps_buf_printf(&part, "%s/new-XXXXXX", path.ptr);
    record->fd = mkostemp(part.ptr, O_CLOEXEC);
    if (record->fd < 0)
        return ps_fail_errno(err, "cannot write", part.ptr);
    record->path = ps_strdup(ps_buf_slice(&part));
    write_record(url, data, is_demo, &text);
    if (ps_write_all(record->fd, ps_buf_slice(&text), part.ptr, err) != PS_OK)
        return err->code;
    ps_buf_puts(&path, "/");
    ps_buf_puts(&path, strrchr(part.ptr, '-') + 1);
    ps_buf_puts(&path, EXTENSION);
    if (flock(record->fd, LOCK_EX | LOCK_NB) != 0 || rename(part.ptr, path.ptr) != 0)
        return ps_fail_errno(err, "cannot write", path.ptr);
    free(record->path);
    record->path = ps_strdup(ps_buf_slice(&path));
    return PS_OK;
}

void ps_server_record_delete(struct ps_server_record *record)
{
    if (!record)
        return;
    if (record->path)
        (void)unlink(record->path);
    ps_close_fd(&record->fd);
    free(record->path);
    free(record);
}

/* --- Reading --- */

static void add_record(struct served_list *list, const cJSON *record)
{
    const char *url = cJSON_GetStringValue(ps_member(record, "url"));
    const char *data = cJSON_GetStringValue(ps_member(record, "data"));
    const char *host = cJSON_GetStringValue(ps_member(record, "host"));
    const cJSON *started = ps_member(record, "started_ms");
    char hostname[256] = "";

    (void)gethostname(hostname, sizeof hostname - 1);
    /* A home folder may be shared by several machines: ignore servers on other machines. */
    if (!url || !data || !host || strcmp(host, hostname) != 0 || !cJSON_IsNumber(started))
        return;
    PS_RESERVE_ONE(list->items, list->n, list->cap);
    list->items[list->n++] = (struct running_server){
        ps_strdup(ps_str_from_c(url)), ps_strdup(ps_str_from_c(data)),
        (int64_t)started->valuedouble, cJSON_IsTrue(ps_member(record, "demo"))};
}

/* Adds the server of a record to the list. An unlocked record is deleted, because its server was
 * killed. */
static void read_record(struct served_list *list, int folder, const char *name)
{
    PS_AUTO(ps_close_fd)
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    char text[RECORD_MAX];
    struct stat about;
    cJSON *record;
    ssize_t n;

    if (fd < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid())
        return;
    if (flock(fd, LOCK_SH | LOCK_NB) == 0) {
        (void)unlinkat(folder, name, 0);
        return;
    }
    n = read(fd, text, sizeof text);
    record = n > 0 ? cJSON_ParseWithLength(text, (size_t)n) : NULL;
    add_record(list, record);
    cJSON_Delete(record);
}

static void read_records(struct served_list *list)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    DIR *folder = find_folder(&path) ? opendir(path.ptr) : NULL;
    struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        const char *dot = strrchr(entry->d_name, '.');

        if (dot && strcmp(dot, EXTENSION) == 0)
            read_record(list, dirfd(folder), entry->d_name);
    }
    if (folder)
        (void)closedir(folder);
}

static void free_list(struct served_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->items[i].url);
        free(list->items[i].data);
    }
    free(list->items);
}

/* The server that serves the folder `data`; NULL if there is none. */
static const struct running_server *find_server(const struct served_list *list, const char *data)
{
    PS_AUTO(ps_free_ptr) char *real = realpath(data, NULL);

    for (size_t i = 0; real && i < list->n; i++)
        if (strcmp(list->items[i].data, real) == 0)
            return &list->items[i];
    return NULL;
}

bool ps_server_find_url(const struct ps_options *options, struct ps_buf *url)
{
    PS_AUTO(free_list) struct served_list list = {0};
    const struct running_server *served;

    if (options->server) {
        ps_buf_puts(url, options->server);
        ps_buf_puts(url, url->ptr[url->len - 1] == '/' ? "" : "/");
        return true;
    }
    if (options->store)
        return false;
    read_records(&list);
    served = find_server(&list, options->data);
    if (served)
        ps_buf_puts(url, served->url);
    return served != NULL;
}

bool ps_server_find_shelf(unsigned port, struct ps_buf *data)
{
    PS_AUTO(free_list) struct served_list list = {0};
    bool found = false;

    read_records(&list);
    for (size_t i = 0; i < list.n && !found; i++) {
        found = ps_port_of(list.items[i].url) == port;
        if (found)
            ps_buf_puts(data, list.items[i].data);
    }
    return found;
}

void ps_server_select_shelf(struct ps_options *options)
{
    PS_AUTO(free_list) struct served_list list = {0};
    const struct running_server *last = NULL;
    size_t n_served = 0;
    struct ps_err note = PS_ERR_INIT;

    if (!options->is_default_shelf)
        return;
    read_records(&list);
    if (find_server(&list, options->data))
        return;
    for (size_t i = 0; i < list.n; i++) {
        if (list.items[i].is_demo)
            continue;
        n_served++;
        if (!last || list.items[i].started_ms > last->started_ms)
            last = &list.items[i];
    }
    if (!last)
        return;
    options->data = ps_arena_copy(&options->arena, ps_str_from_c(last->data)).ptr;
    options->is_default_shelf = false;
    if (n_served > 1)
        ps_fail(&note, PS_CONFLICT,
                "using the shelf that you serve at %s" PS_HINT
                "you serve %zu shelves; --data DIR chooses another",
                last->url, n_served);
    else
        ps_fail(&note, PS_CONFLICT,
                "using the shelf that you serve at %s" PS_HINT "--data DIR chooses another",
                last->url);
    ps_print_note(options->data, &note);
}

void ps_server_print_url(const struct ps_options *options, const struct ps_imported_runs *runs)
{
    PS_AUTO(ps_buf_free) struct ps_buf url = {0};
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    bool served;

    if (runs->n == 0 || options->json)
        return;
    served = ps_server_find_url(options, &url);
    if (!served && (options->is_shelf_named || options->store))
        return;
    ps_buf_puts(&line, "on the shelf ");
    ps_append_escaped(&line, ps_str_from_c(options->server ? options->server : options->data));
    if (served) {
        if (runs->n == 1)
            ps_buf_printf(&url, "#/run/%s", runs->id);
        ps_buf_puts(&line, ", shown at ");
        ps_append_escaped(&line, ps_buf_slice(&url));
    } else {
        ps_buf_puts(&line, "; open it with `perfshelf`");
    }
    ps_buf_puts(&line, "\n");
    ps_print(&line);
}
