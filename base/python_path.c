/* SPDX-License-Identifier: MIT */
#include "base/python_path.h"

#include <ctype.h>

/* The length of "site-packages/" or "dist-packages/" at the start of a path, else 0. */
static size_t packages_folder(struct ps_str path)
{
    static const char *const names[] = {"site-packages", "dist-packages"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);

        if (path.len > n && ps_str_starts_with(path, ps_str_from_c(names[i])) &&
            ps_is_slash(path.ptr[n]))
            return n + 1;
    }
    return 0;
}

/* The length of "python3.12/", "python3.14t/" (without the GIL) or "pypy3.9/" at the start of a
 * path, else 0. */
static size_t library_folder(struct ps_str path)
{
    const size_t word = ps_str_starts_with(path, PS_STR("python")) ? 6
                        : ps_str_starts_with(path, PS_STR("pypy")) ? 4
                                                                   : 0;
    size_t n = word;

    while (word && n < path.len && (isdigit((unsigned char)path.ptr[n]) || path.ptr[n] == '.'))
        n++;
    n += n > word && n < path.len && path.ptr[n] == 't';
    return n > word && n < path.len && ps_is_slash(path.ptr[n]) ? n + 1 : 0;
}

/* The length of "Lib/" at the start of the rest of a Windows path, else 0. */
static size_t windows_folder(struct ps_str path, struct ps_str rest)
{
    bool is_windows = path.len > 2 && path.ptr[1] == ':';

    return is_windows && ps_str_starts_with(rest, PS_STR("Lib")) && rest.len > 3 &&
                   ps_is_slash(rest.ptr[3])
               ? 4
               : 0;
}

/* The length of "foo-1.0-py3.7.egg/" or "foo-1.0-py3-none-any.whl/" at the start, else 0. */
static size_t archive_folder(struct ps_str path)
{
    size_t n = 0;

    while (n < path.len && !ps_is_slash(path.ptr[n]))
        n++;
    return n > 4 && n < path.len &&
                   (memcmp(path.ptr + n - 4, ".egg", 4) == 0 ||
                    memcmp(path.ptr + n - 4, ".whl", 4) == 0)
               ? n + 1
               : 0;
}

struct ps_str ps_python_installed_part(struct ps_str path)
{
    struct ps_str found = {NULL, 0};

    for (size_t i = 0; i + 1 < path.len; i++) {
        struct ps_str rest = ps_str_skip(path, i);
        size_t n;

        if (i > 0 && !ps_is_slash(path.ptr[i - 1]))
            continue;
        n = packages_folder(rest);
        n = n ? n : library_folder(rest);
        n = n ? n : windows_folder(path, rest);
        n = n ? n : archive_folder(rest);
        if (n)
            found = ps_str_skip(rest, n);
    }
    return found;
}

struct ps_str ps_path_file_name(struct ps_str path)
{
    size_t at = path.len;

    while (at > 0 && !ps_is_slash(path.ptr[at - 1]))
        at--;
    return ps_str_skip(path, at);
}

/* A file name without its extensions: "_json" of "_json.cpython-311-x86_64-linux-gnu.so". */
static struct ps_str file_stem(struct ps_str path)
{
    struct ps_str name = ps_path_file_name(path);
    size_t n = 0;

    while (n < name.len && name.ptr[n] != '.')
        n++;
    return (struct ps_str){name.ptr, n};
}

struct ps_str ps_python_package_of(struct ps_str path)
{
    struct ps_str part = ps_python_installed_part(path);
    size_t n = 0;

    if (ps_str_starts_with(path, PS_STR("<frozen "))) { /* "<frozen importlib._bootstrap>" */
        path.len -= path.ptr[path.len - 1] == '>';
        return file_stem(ps_str_skip(path, 8));
    }
    while (n < part.len && !ps_is_slash(part.ptr[n]))
        n++;
    return n && n < part.len ? (struct ps_str){part.ptr, n} : file_stem(part.ptr ? part : path);
}

/* The last parts that both paths have, as a slice of `a`. parts: number of them. */
static struct ps_str common_tail(struct ps_str a, struct ps_str b, size_t *parts)
{
    struct ps_str tail = ps_str_skip(a, a.len);

    *parts = 0;
    for (size_t n = 0; n <= a.len && n <= b.len; n++) {
        const char x = n < a.len ? a.ptr[a.len - 1 - n] : '/';
        const char y = n < b.len ? b.ptr[b.len - 1 - n] : '/';

        if (n > 0 && ps_is_slash(x) && ps_is_slash(y)) {
            tail = ps_str_skip(a, a.len - n);
            ++*parts;
        }
        if (x != y && !(ps_is_slash(x) && ps_is_slash(y)))
            break;
    }
    return tail;
}

enum ps_same_file ps_python_same_file(struct ps_str a, struct ps_str b, struct ps_str *shared)
{
    const struct ps_str in_a = ps_python_installed_part(a), in_b = ps_python_installed_part(b);
    const size_t installed = in_a.ptr ? in_a.len : in_b.len;
    size_t parts;

    *shared = common_tail(a, b, &parts);
    if (shared->len == a.len && a.len == b.len && parts > 1)
        return PS_SAME_PATH;
    if (in_a.ptr && in_b.ptr && in_a.len != in_b.len)
        return PS_SAME_NOTHING;
    if (in_a.ptr || in_b.ptr) {
        if (shared->len < installed)
            return PS_SAME_NOTHING;
        *shared = ps_str_skip(a, a.len - installed);
        return (in_a.ptr && in_b.ptr) || memchr(shared->ptr, '/', installed) ||
                       memchr(shared->ptr, '\\', installed)
                   ? PS_SAME_PACKAGE
                   : PS_SAME_NAME;
    }
    if (parts > 2 || (parts == 2 && (shared->len == a.len || shared->len == b.len)))
        return PS_SAME_ROOT;
    return parts ? PS_SAME_NAME : PS_SAME_NOTHING;
}
