/* SPDX-License-Identifier: MIT */
/*
 * shared_library.h: libraries that are loaded when they are first used.
 *
 * libpq, libcurl and libmicrohttpd need 30 other libraries. The loader takes 4 ms of CPU time for
 * them at each start, and all else that a start does takes about 1 ms. Most commands use none of
 * the three. So the program is not linked with them: functions are called through a table, which
 * must be loaded first.
 *
 * A build with PERFSHELF_LOAD_AT_USE=OFF, such as that of a release, is linked with them. Its
 * tables are complete from the start.
 *
 * A library is described by a list of its functions in a header,
 *
 *     #define PS_PQ_FUNCTIONS(F) F(PQclear) F(PQfinish)
 *     struct ps_pq {
 *         PS_PQ_FUNCTIONS(PS_SHARED_POINTER)
 *     };
 *     extern struct ps_pq ps_pq;
 *     enum ps_status ps_pq_load(struct ps_err *err);
 *
 * and by one line in a C file: PS_SHARED_LIBRARY(ps_pq, PS_PQ_FUNCTIONS, PS_PQ_FILE, "libpq5").
 * PS_PQ_FILE is defined by CMake: the name with which a linked program would ask for the library.
 * A process in a sandbox must not load one.
 */
#ifndef PS_BASE_SHARED_LIBRARY_H
#define PS_BASE_SHARED_LIBRARY_H

#include "base/err.h"

#include <stddef.h>

struct ps_shared_library {
    const char *file;    /* such as "libpq.so.5" */
    const char *package; /* the package of Debian that contains it */
    const char *const *functions;
    size_t n_functions;
    void *table; /* pointers to these functions, in the same order */
    bool is_loaded;
};

/* Fills the table of the library unless an earlier call has done so. PS_IO: the file is missing, or
 * it lacks a function. Threads may call this at the same time. The library is never unloaded. */
enum ps_status ps_shared_library_load(struct ps_shared_library *library, struct ps_err *err);

#define PS_SHARED_POINTER(function) __typeof__(function) *function;
#define PS_SHARED_NAME(function)    #function,
#define PS_SHARED_ADDRESS(function) function,

#ifdef PS_LOAD_AT_USE
#define PS_SHARED_LIBRARY(library, functions, file, package)                                       \
    struct library library;                                                                        \
                                                                                                   \
    enum ps_status library##_load(struct ps_err *err)                                              \
    {                                                                                              \
        static const char *const names[] = {functions(PS_SHARED_NAME)};                            \
        static struct ps_shared_library shared = {                                                 \
            file, package, names, sizeof names / sizeof *names, &library, false};                  \
                                                                                                   \
        return ps_shared_library_load(&shared, err);                                               \
    }
#else
#define PS_SHARED_LIBRARY(library, functions, file, package)                                       \
    struct library library = {functions(PS_SHARED_ADDRESS)};                                       \
                                                                                                   \
    enum ps_status library##_load(struct ps_err *err)                                              \
    {                                                                                              \
        return err->code;                                                                          \
    }
#endif

#endif
