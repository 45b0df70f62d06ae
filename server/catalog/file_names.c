/* SPDX-License-Identifier: MIT */
#include "server/catalog/file_names.h"

#include "server/catalog/state.h"

#define HEX "0123456789abcdef"

static bool is_run_id(const char *name)
{
    return strspn(name, HEX) == PS_ID_SIZE - 1 && !name[PS_ID_SIZE - 1];
}

static bool is_sha256(const char *name)
{
    return strspn(name, HEX) == PS_SHA256_SIZE - 1 && !name[PS_SHA256_SIZE - 1];
}

static bool is_label(const char *name)
{
    return is_run_id(name) || strcmp(name, "baselines") == 0 || strcmp(name, "queries") == 0;
}

/* Returns the length of the session name (session.c) at the beginning of `name`; 0: there is none.
 */
static size_t session_length(const char *name)
{
    const size_t len = strspn(name, HEX ".");

    return name[0] != '.' && len < sizeof((struct ps_store *)0)->session ? len : 0;
}

static bool is_session(const char *name)
{
    const size_t len = session_length(name);

    return len && !name[len];
}

/* Whether the name has the form <session>-<n>. */
static bool is_spooled(const char *name)
{
    const size_t len = session_length(name);
    const char *n = name + len + 1;

    return len && name[len] == '-' && n[0] && strlen(n) <= 10 && !n[strspn(n, "0123456789")];
}

static const struct {
    const char *folder;
    bool (*is_name)(const char *name);
} folders[] = {
    {"runs", is_run_id},    {"labels", is_label},  {"originals", is_sha256},
    {"sources", is_sha256}, {"spool", is_spooled}, {"open", is_session},
};

bool ps_file_name_is_valid(const char *folder, const char *name)
{
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strcmp(folders[i].folder, folder) == 0)
            return folders[i].is_name(name);
    return false;
}

static char *join_path(const struct ps_store *store, const char *folder, const char *name,
                       const char *ending)
{
    struct ps_buf path = {0};

    ps_buf_printf(&path, "%s/%s/%s%s", store->dir, folder, name, ending);
    return path.ptr;
}

enum ps_status ps_store_path(const struct ps_store *store, const char *folder, const char *name,
                             const char *ending, char **path_out, struct ps_err *err)
{
    *path_out = NULL;
    if (!ps_file_name_is_valid(folder, name))
        (void)ps_fail(err, PS_NOT_FOUND, "invalid file name in %.20s/: %.80s", folder, name);
    if (err->code == PS_OK)
        *path_out = join_path(store, folder, name, ending);
    return err->code;
}

char *ps_store_folder_path(const struct ps_store *store, const char *folder)
{
    return join_path(store, folder, "", "");
}

char *ps_store_entry_path(const struct ps_store *store, const char *folder,
                          const struct dirent *entry)
{
    return join_path(store, folder, entry->d_name, "");
}

unsigned ps_store_next_number(struct ps_store *store)
{
    return atomic_fetch_add(&store->next_number, 1);
}

char *ps_store_new_path(struct ps_store *store, const char *folder, const char *ending)
{
    struct ps_buf path = {0};

    ps_buf_printf(&path, "%s/%s/%s-%u%s", store->dir, folder, store->session,
                  ps_store_next_number(store), ending);
    return path.ptr;
}

char *ps_store_top_path(const struct ps_store *store, const char *name)
{
    struct ps_buf path = {0};

    ps_buf_printf(&path, "%s/%s", store->dir, name);
    return path.ptr;
}
