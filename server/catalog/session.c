/* SPDX-License-Identifier: MIT */
/*
 * session.c: sessions. A process that opens the shelf begins a session. During the session it holds
 * a lock on the file open/<session>, and the names of its unpublished files begin with the session
 * name. If that file is missing or another process can lock it, the session has crashed, and its
 * unpublished files can be deleted. In a shared store, sessions of other folders are checked by
 * their lease (heartbeat.h).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/catalog/backend.h"
#include "server/catalog/state.h"

/* Locks a new session file. False: a concurrent sweep took it for the file of a crashed session and
 * deleted it before it was locked. */
static bool lock_new(int fd)
{
    struct stat about;

    return flock(fd, LOCK_EX) == 0 && fstat(fd, &about) == 0 && about.st_nlink > 0;
}

/* The name is <pid>.<time in ns>.<random>: processes in containers on several machines may have the
 * same pid and start time. */
enum ps_status ps_session_choose_name(struct ps_store *store, struct ps_err *err)
{
    uint32_t random;

    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        return ps_fail_errno(err, "cannot read random bytes from", "the kernel");
    (void)snprintf(store->session, sizeof store->session, "%ld.%llx.%08x", (long)getpid(),
                   (unsigned long long)ps_wall_clock_ns(), random);
    return PS_OK;
}

enum ps_status ps_session_begin(struct ps_store *store, struct ps_err *err)
{
    for (;;) {
        PS_AUTO(ps_free_ptr) char *path = NULL;
        enum ps_status status = ps_session_choose_name(store, err);
        int fd;

        if (status == PS_OK)
            status = ps_store_path(store, "open", store->session, "", &path, err);
        if (status != PS_OK)
            return status;
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            return ps_fail_errno(err, "cannot write", path);
        if (fd >= 0 && lock_new(fd)) {
            store->session_fd = fd;
            return PS_OK;
        }
        ps_close_fd(&fd);
    }
}

void ps_session_end(struct ps_store *store)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;

    if (store->session_fd >= 0 &&
        ps_store_path(store, "open", store->session, "", &path, PS_ERR_IGNORED) == PS_OK)
        (void)unlink(path);
    ps_close_fd(&store->session_fd);
}

enum session_state { NOWHERE, DEAD, ALIVE };

/* State of a session in this folder. `session` may come from an untrusted row. */
static enum session_state local_session_state(const struct ps_store *store, const char *session)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    PS_AUTO(ps_close_fd) int fd = -1;

    if (ps_store_path(store, "open", session, "", &path, PS_ERR_IGNORED) == PS_OK)
        fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return NOWHERE;
    return flock(fd, LOCK_EX | LOCK_NB) != 0 ? ALIVE : DEAD;
}

bool ps_session_is_alive(struct ps_store *store, const char *session)
{
    const enum session_state here = local_session_state(store, session);

    return here == NOWHERE ? store->backend->is_session_alive(store, session) : here == ALIVE;
}

bool ps_session_has_others(const struct ps_store *store)
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_folder_path(store, "open");
    DIR *dir = opendir(path);
    bool others = false;

    for (struct dirent *entry; dir && !others && (entry = readdir(dir));)
        others = entry->d_name[0] != '.' && strcmp(entry->d_name, store->session) != 0 &&
                 local_session_state(store, entry->d_name) == ALIVE;
    if (dir)
        (void)closedir(dir);
    return others;
}

/* Whether a file <session>-<n> or <session>-<n>.part does not belong to a running session of this
 * folder. */
static bool is_orphan(const struct ps_store *store, const char *name)
{
    const char *dash = strrchr(name, '-');
    PS_AUTO(ps_free_ptr) char *session = NULL;

    if (!dash)
        return true;
    session = ps_strdup((struct ps_str){name, (size_t)(dash - name)});
    return local_session_state(store, session) != ALIVE;
}

uint64_t ps_session_spooled_bytes(const struct ps_store *store)
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_folder_path(store, "spool");
    DIR *dir = opendir(path);
    uint64_t bytes = 0;

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct stat about;

        if (entry->d_name[0] != '.' && is_orphan(store, entry->d_name) &&
            fstatat(dirfd(dir), entry->d_name, &about, 0) == 0 && S_ISREG(about.st_mode))
            bytes += (uint64_t)about.st_size;
    }
    if (dir)
        (void)closedir(dir);
    return bytes;
}

static bool is_part(const char *name)
{
    size_t len = strlen(name);

    return len > 5 && strcmp(name + len - 5, ".part") == 0;
}

/* Deletes the entries of a folder for which `gone` returns true. An entry is a file, or the folder
 * of a private shelf in the spool. */
static void sweep_folder(struct ps_store *store, const char *folder,
                         bool (*gone)(struct ps_store *store, const char *name))
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_folder_path(store, folder);
    DIR *dir = opendir(path);

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        PS_AUTO(ps_free_ptr) char *file = ps_store_entry_path(store, folder, entry);

        if (entry->d_name[0] != '.' && gone(store, entry->d_name))
            ps_remove_tree(file);
    }
    if (dir)
        (void)closedir(dir);
}

static bool is_dead_part(struct ps_store *store, const char *name)
{
    return is_part(name) && is_orphan(store, name);
}

static bool is_dead_spool(struct ps_store *store, const char *name)
{
    return is_orphan(store, name) && !ps_upload_owns_file(store, name);
}

/* Deletes the file of a crashed session while holding its lock. A new session that has created its
 * file but not locked it yet waits for this lock, then finds the file deleted and creates another
 * one. If the other servers cannot be notified, the file is not deleted. */
static void expire_session(struct ps_store *store, const struct dirent *session)
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_entry_path(store, "open", session);
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDWR | O_CLOEXEC);

    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        store->backend->expire_session(store, session->d_name))
        (void)unlink(path);
}

static void sweep_sessions(struct ps_store *store)
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_folder_path(store, "open");
    DIR *dir = opendir(path);

    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            expire_session(store, entry);
    if (dir)
        (void)closedir(dir);
}

void ps_session_sweep(struct ps_store *store)
{
    static const char *const folders[] = {"runs", "originals", "sources", "labels", "cache"};

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        sweep_folder(store, folders[i], is_dead_part);
    sweep_folder(store, "spool", is_dead_spool);
    if (!ps_store_is_unreachable(store))
        ps_pending_delete_sweep(store);
    sweep_sessions(store);
}
