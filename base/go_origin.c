/* SPDX-License-Identifier: MIT */
/* go_origin.c: see go_origin.h. */
#include "base/go_origin.h"

#include <string.h>

/* First parts of the paths of the standard library: `go list std`, Go 1.26. Paths of others have a
 * dot in the first part, except those of modules that are never published. */
static const char *const standard[] = {
    "archive", "arena",   "bufio",    "builtin", "bytes",   "cmp",      "compress", "container",
    "context", "crypto",  "database", "debug",   "embed",   "encoding", "errors",   "expvar",
    "flag",    "fmt",     "go",       "hash",    "html",    "image",    "index",    "internal",
    "io",      "iter",    "log",      "maps",    "math",    "mime",     "net",      "os",
    "path",    "plugin",  "reflect",  "regexp",  "runtime", "simd",     "slices",   "sort",
    "strconv", "strings", "structs",  "sync",    "syscall", "testing",  "text",     "time",
    "type",    "unicode", "unique",   "unsafe",  "vendor",  "weak",
};

bool ps_go_is_file(struct ps_str file)
{
    return ps_str_ends_with(file, PS_STR(".go")) || ps_str_ends_with(file, PS_STR(".s"));
}

struct ps_str ps_go_package(struct ps_str function)
{
    size_t end = 0;

    /* the path ends at the first dot after its last slash; types in brackets have paths too */
    for (size_t i = 0; i < function.len && function.ptr[i] != '[' && function.ptr[i] != '('; i++)
        end = function.ptr[i] == '/' ? i : end;
    while (end < function.len && function.ptr[end] != '.')
        end++;
    return (struct ps_str){function.ptr, end};
}

static struct ps_str first_part(struct ps_str path)
{
    const char *slash = path.len ? memchr(path.ptr, '/', path.len) : NULL;

    return (struct ps_str){path.ptr, slash ? (size_t)(slash - path.ptr) : path.len};
}

/* Whether a file is in the folder that a package of the standard library has below src/. Paths have
 * slashes on Windows too. Programs that are built with -trimpath have paths that begin below it. */
static bool is_in_folder_of(struct ps_str file, struct ps_str package)
{
    size_t folder = file.len;
    struct ps_str before;

    while (folder && file.ptr[folder - 1] != '/')
        folder--;
    if (!folder || folder - 1 < package.len ||
        memcmp(file.ptr + folder - 1 - package.len, package.ptr, package.len) != 0)
        return false;
    before = (struct ps_str){file.ptr, folder - 1 - package.len};
    return !before.len || ps_str_ends_with(before, PS_STR("/src/"));
}

static bool is_standard(struct ps_str package)
{
    struct ps_str first = first_part(package);

    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
        if (ps_str_eq_c(first, standard[i]))
            return true;
    return false;
}

/* Whether a file is in the module cache, whose folders have versions: "net@v0.30.0". */
static bool is_of_module_cache(struct ps_str file)
{
    return ps_str_find(file, PS_STR("/pkg/mod/")) || ps_str_find(file, PS_STR("@v"));
}

enum ps_origin ps_go_origin(struct ps_str function, struct ps_str file)
{
    struct ps_str package = ps_go_package(function);

    if (package.len == function.len) /* all functions of Go have a package */
        return PS_ORIGIN_UNKNOWN;
    if (is_standard(package) && is_in_folder_of(file, package))
        return PS_ORIGIN_STDLIB;
    if (is_of_module_cache(file) || ps_str_find(file, PS_STR("/vendor/")))
        return PS_ORIGIN_THIRD_PARTY;
    return ps_str_ends_with(file, PS_STR(".go")) ? PS_ORIGIN_OWN : PS_ORIGIN_UNKNOWN;
}
