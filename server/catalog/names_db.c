/* SPDX-License-Identifier: MIT */
#include "server/catalog/names_db.h"

#include <unistd.h>

#include "server/catalog/state.h"

static bool is_in_memory(const struct ps_store *store)
{
    return store->is_read_only || store->deletes_folder || !store->dir[0];
}

static void remove_files(const struct ps_store *store)
{
    static const char *const endings[] = {"", "-wal", "-shm"};

    for (size_t i = 0; !is_in_memory(store) && i < sizeof endings / sizeof *endings; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf path = {0};

        ps_buf_printf(&path, "%s/names.db%s", store->dir, endings[i]);
        (void)unlink(path.ptr);
    }
}

static int64_t read_layout(struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, "PRAGMA user_version", &stmt, err);
    return ps_stmt_step(stmt, err) ? ps_col_int(stmt, 0) : 0;
}

/* Opens the index and creates its tables. *outdated: its file has another layout. */
static enum ps_status open_index(struct ps_store *store, bool in_memory, bool *outdated,
                                 struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    int64_t old, ours;

    if (in_memory) {
        ps_buf_puts(&uri, ":memory:");
    } else {
        PS_AUTO(ps_buf_free) struct ps_buf path = {0};

        ps_buf_printf(&path, "%s/names.db", store->dir);
        ps_uri_append_path(&uri, path.ptr);
    }
    ps_db_open(uri.ptr, true, &store->names, err);
    ps_db_exec(store->names,
               "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32768", err);
    old = read_layout(store->names, err);
    ps_db_exec(store->names, ps_schema_sql("names"), err);
    ours = read_layout(store->names, err);
    *outdated = err->code == PS_OK && old != 0 && old != ours;
    return err->code;
}

static void close_index(struct ps_store *store)
{
    ps_db_close(store->names);
    store->names = NULL;
}

enum ps_status ps_names_lock(struct ps_store *store, struct ps_db **out, struct ps_err *err)
{
    *out = NULL;
    if (err->code != PS_OK)
        return err->code;
    pthread_mutex_lock(&store->names_lock);
    /* The file, else a new file, else no file. */
    for (int attempt = 0; !store->names && attempt < 3 && ps_context_check(err) == PS_OK;
         attempt++) {
        bool outdated = false;

        *err = (struct ps_err)PS_ERR_INIT;
        if (open_index(store, attempt == 2 || is_in_memory(store), &outdated, err) == PS_OK &&
            !outdated)
            break;
        close_index(store);
        if (!ps_context_has_ended())
            remove_files(store);
    }
    *out = store->names;
    if (!*out)
        pthread_mutex_unlock(&store->names_lock);
    return err->code;
}

void ps_names_unlock(struct ps_store *store)
{
    pthread_mutex_unlock(&store->names_lock);
}

void ps_names_discard(struct ps_store *store)
{
    pthread_mutex_lock(&store->names_lock);
    close_index(store);
    remove_files(store);
    pthread_mutex_unlock(&store->names_lock);
}
