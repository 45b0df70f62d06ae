/* SPDX-License-Identifier: MIT */
#include "base/python_path.h"

#include <ctype.h>

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* The length of "site-packages/" or "dist-packages/" at the start of a path, else 0. */
static size_t packages_folder(struct ps_str path)
{
    static const char *const names[] = {"site-packages", "dist-packages"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);

        if (path.len > n && ps_str_starts_with(path, ps_str_from_c(names[i])) &&
            is_slash(path.ptr[n]))
            return n + 1;
    }
    return 0;
}

/* The length of "python3.12/" at the start of a path, else 0. */
static size_t library_folder(struct ps_str path)
{
    size_t n = 6;

    if (!ps_str_starts_with(path, PS_STR("python")))
        return 0;
    while (n < path.len && (isdigit((unsigned char)path.ptr[n]) || path.ptr[n] == '.'))
        n++;
    return n > 6 && n < path.len && is_slash(path.ptr[n]) ? n + 1 : 0;
}

struct ps_str ps_python_installed_part(struct ps_str path)
{
    struct ps_str found = {NULL, 0};

    for (size_t i = 0; i + 1 < path.len; i++) {
        struct ps_str rest = ps_str_skip(path, i);
        size_t n;

        if (i > 0 && !is_slash(path.ptr[i - 1]))
            continue;
        n = packages_folder(rest);
        n = n ? n : library_folder(rest);
        if (n)
            found = ps_str_skip(rest, n);
    }
    return found;
}

/* A file name without its extensions: "_json" of "_json.cpython-311-x86_64-linux-gnu.so". */
static struct ps_str file_stem(struct ps_str path)
{
    struct ps_str name = path;
    size_t n = 0;

    for (size_t i = path.len; i > 0 && name.ptr == path.ptr; i--)
        if (is_slash(path.ptr[i - 1]))
            name = ps_str_skip(path, i);
    while (n < name.len && name.ptr[n] != '.')
        n++;
    return (struct ps_str){name.ptr, n};
}

struct ps_str ps_python_package_of(struct ps_str path)
{
    struct ps_str part = ps_python_installed_part(path);
    size_t n = 0;

    if (ps_str_starts_with(path, PS_STR("<frozen "))) /* "<frozen importlib._bootstrap>" */
        return file_stem(ps_str_skip(path, 8));
    while (n < part.len && !is_slash(part.ptr[n]))
        n++;
    return n && n < part.len ? (struct ps_str){part.ptr, n} : file_stem(part.ptr ? part : path);
}
