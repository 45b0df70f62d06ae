/* SPDX-License-Identifier: MIT */
#include "base/shared_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static enum ps_status fail_load(const struct ps_shared_library *library, struct ps_err *err)
{
    const char *why = dlerror();

    return ps_fail(err, PS_IO,
                   "cannot load a library: %s" PS_HINT "on Debian, install the package %s",
                   why ? why : library->file, library->package);
}

static enum ps_status fill_table(struct ps_shared_library *library, struct ps_err *err)
{
    char *pointer = library->table;
    void *handle = dlopen(library->file, RTLD_LAZY | RTLD_LOCAL);

    if (!handle)
        return fail_load(library, err);
    for (size_t i = 0; i < library->n_functions; i++) {
        void *function = dlsym(handle, library->functions[i]);

        if (!function)
            return fail_load(library, err);
        memcpy(pointer + i * sizeof function, &function, sizeof function);
    }
    library->is_loaded = true;
    return PS_OK;
}

enum ps_status ps_shared_library_load(struct ps_shared_library *library, struct ps_err *err)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    if (err->code != PS_OK)
        return err->code;
    pthread_mutex_lock(&mutex);
    if (!library->is_loaded)
        (void)fill_table(library, err);
    pthread_mutex_unlock(&mutex);
    return err->code;
}
