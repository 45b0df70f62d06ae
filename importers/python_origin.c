/* SPDX-License-Identifier: MIT */
#include "importers/python_origin.h"

#include <pthread.h>

#include "base/intern.h"

/* The names of python_names.c in a hash table, because a log may have thousands of packages. Filled
 * once, then only read. */
static struct ps_intern names;
static enum ps_origin *origins; /* by id of the name */
static uint32_t origins_cap;

/* Adds the names of a list. A name that is in several lists keeps the origin of the first. */
static void fill_from(const char *list, enum ps_origin origin)
{
    for (list += strspn(list, " "); *list; list += strspn(list, " ")) {
        struct ps_str text = {list, strcspn(list, " ")};
        uint32_t n = names.count;

        if (ps_intern_id(&names, text) == n) {
            PS_PUSH_ROOM(origins, n, origins_cap);
            origins[n] = origin;
        }
        list += text.len;
    }
}

static void fill(void)
{
    fill_from(ps_python_builtin, PS_ORIGIN_BUILTIN);
    fill_from(ps_python_stdlib, PS_ORIGIN_STDLIB);
    fill_from(ps_python_installed, PS_ORIGIN_THIRD_PARTY);
}

enum ps_origin ps_python_module_origin(struct ps_str top_level)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    uint32_t id;

    (void)pthread_once(&once, fill);
    id = ps_intern_find(&names, top_level);
    if (id != PS_INTERN_NONE)
        return origins[id];
    return ps_str_starts(top_level, PS_STR("_sysconfigdata_")) ? PS_ORIGIN_STDLIB
                                                               : PS_ORIGIN_UNKNOWN;
}

struct ps_str ps_python_top_level(struct ps_str module)
{
    const char *dot = module.len ? memchr(module.at, '.', module.len) : NULL;

    return (struct ps_str){module.at, dot ? (size_t)(dot - module.at) : module.len};
}

static bool separator(char c)
{
    return c == '/' || c == '\\';
}

/* Removes the first component of *path and returns it. */
static struct ps_str next_part(struct ps_str *path)
{
    struct ps_str part = *path;
    size_t n = 0;

    while (n < path->len && !separator(path->at[n]))
        n++;
    part.len = n;
    *path = ps_str_skip(*path, n + 1);
    return part;
}

static bool same_word(struct ps_str part, const char *lower)
{
    size_t n = strlen(lower);

    if (part.len != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = part.at[i];

        if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != lower[i])
            return false;
    }
    return true;
}

/* Whether the folder is named after a Python version: python3.11, python2.7, python3.14t,
 * pypy3.9. */
static bool is_versioned(struct ps_str part)
{
    struct ps_str rest;

    if (ps_str_starts(part, PS_STR("python")))
        rest = ps_str_skip(part, 6);
    else if (ps_str_starts(part, PS_STR("pypy")))
        rest = ps_str_skip(part, 4);
    else
        return false;
    return rest.len >= 1 && rest.at[0] >= '2' && rest.at[0] <= '9' &&
           memchr(rest.at, '.', rest.len);
}

static bool starts_with_word(struct ps_str part, const char *lower)
{
    size_t n = strlen(lower);

    return part.len >= n && same_word((struct ps_str){part.at, n}, lower);
}

/* Whether the folder may contain `Lib`: where Windows installers, conda, pyenv-win and the
 * Microsoft Store put an interpreter. */
static bool is_windows_home(struct ps_str part, struct ps_str above)
{
    if (same_word(above, "envs") || same_word(above, "versions") || same_word(part, "python"))
        return true;
    if (starts_with_word(part, "pythonsoftwarefoundation.") || starts_with_word(part, "miniforge"))
        return true;
    if (starts_with_word(part, "python") && part.len > 6)
        return part.at[6] >= '2' && part.at[6] <= '9';
    for (size_t n = 0; n + 5 <= part.len; n++)
        if (same_word((struct ps_str){part.at + n, 5}, "conda"))
            return true;
    return false;
}

static bool is_zipped_library(struct ps_str part)
{
    return part.len > 10 && ps_str_starts(part, PS_STR("python")) &&
           memcmp(part.at + part.len - 4, ".zip", 4) == 0;
}

/* Classifies a path that has at least one folder by its folders. */
static enum ps_origin folders_origin(struct ps_str path)
{
    struct ps_str above = {0}, part = {0};
    bool library = false, windows = path.at[0] == '\\' || (path.len > 2 && path.at[1] == ':');

    while (path.len) {
        struct ps_str before = above;

        above = part;
        part = next_part(&path);
        if (!path.len)
            break; /* the file name */
        if (same_word(part, "site-packages") || same_word(part, "dist-packages"))
            return PS_ORIGIN_THIRD_PARTY;
        if (is_zipped_library(part))
            library = true;
        if (is_versioned(part) && (ps_str_is(above, "lib") || ps_str_is(above, "lib64")))
            library = true;
        if (windows && same_word(part, "lib") && is_windows_home(above, before))
            library = true;
        if (ps_str_is(part, "lib-python") || ps_str_is(part, "lib_pypy"))
            library = true;
    }
    return library ? PS_ORIGIN_STDLIB : PS_ORIGIN_OWN;
}

enum ps_origin ps_python_file_origin(struct ps_str path)
{
    bool folders = memchr(path.at ? path.at : "", '/', path.len) ||
                   memchr(path.at ? path.at : "", '\\', path.len);

    if (path.len == 0 || ps_str_is(path, "~"))
        return PS_ORIGIN_BUILTIN;
    if (ps_str_starts(path, PS_STR("<frozen ")))
        return PS_ORIGIN_STDLIB;
    if (path.at[0] == '<')
        return PS_ORIGIN_UNKNOWN;
    return folders ? folders_origin(path) : PS_ORIGIN_UNKNOWN;
}
