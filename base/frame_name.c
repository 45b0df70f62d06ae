/* SPDX-License-Identifier: MIT */
#include "base/frame_name.h"

#include <ctype.h>

#include "base/go_origin.h"
#include "base/python_path.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool contains(struct ps_str text, char c)
{
    return text.len && memchr(text.ptr, c, text.len);
}

/* The number of bytes of ":35" at the end of a text; 0: it does not end so. */
static size_t colon_number(struct ps_str text, int64_t *number)
{
    size_t n = 0;

    while (n < text.len && is_digit(text.ptr[text.len - n - 1]))
        n++;
    if (!n || n > 10 || n == text.len || text.ptr[text.len - n - 1] != ':' ||
        !ps_str_parse_i64(ps_str_skip(text, text.len - n), number))
        return 0;
    return n + 1;
}

/* Whether the text in brackets after a function names a file: "app.py", "<string>", "libc.so.6". */
static bool is_place(struct ps_str text)
{
    return contains(text, '.') || contains(text, '/') || contains(text, '\\') ||
           ps_str_starts_with(text, PS_STR("<"));
}

/* The offset of the bracket that the last byte closes, after a space and a function; 0: none. */
static size_t opening_bracket(struct ps_str text, char open, char close)
{
    size_t depth = 0;

    for (size_t i = text.len; i > 2; i--) {
        depth += text.ptr[i - 1] == close;
        depth -= text.ptr[i - 1] == open;
        if (!depth)
            return text.ptr[i - 2] == ' ' ? i - 1 : 0;
    }
    return 0;
}

static bool is_python_file(struct ps_str file)
{
    return ps_str_ends_with(file, PS_STR(".py")) || ps_str_ends_with(file, PS_STR(".pyx")) ||
           ps_str_ends_with(file, PS_STR(".pyc"));
}

/* "memcpy+0x1f": cuts the offset of an instruction off the function. */
static void cut_offset(struct ps_frame_name *name)
{
    struct ps_str function = name->function;
    size_t n = 0;

    while (n < function.len && isxdigit((unsigned char)function.ptr[function.len - n - 1]))
        n++;
    if (!n || function.len < n + 4 ||
        !ps_str_starts_with(ps_str_skip(function, function.len - n - 3), PS_STR("+0x")))
        return;
    name->function.len -= n + 3;
    if (!name->cut_len) {
        name->cut = name->function.len;
        name->cut_len = n + 3;
    }
}

/* "filter_state (app.py:35)" */
static bool parse_bracketed(struct ps_frame_name *name, char open, char close)
{
    struct ps_str text = name->text, place;
    size_t at, n, more;
    int64_t column;

    if (!text.len || text.ptr[text.len - 1] != close)
        return false;
    at = opening_bracket(text, open, close);
    if (!at)
        return false;
    place = (struct ps_str){text.ptr + at + 1, text.len - at - 2};
    n = colon_number(place, &name->line);
    place.len -= n;
    column = name->line;
    more = n ? colon_number(place, &name->line) : 0;
    if (!more)
        name->line = column;
    place.len -= more;
    if (!place.len || (!n && !is_place(place)))
        return false;
    name->function = (struct ps_str){text.ptr, at - 1};
    name->file = place;
    name->cut = at + 1 + place.len;
    name->cut_len = n + more;
    return true;
}

/* "/srv/app.py:filter_state:35" */
static bool parse_file_first(struct ps_frame_name *name)
{
    struct ps_str rest = name->text, file, function;
    size_t n = colon_number(rest, &name->line), digits = 0;

    rest.len -= n;
    file = rest;
    while (file.len && file.ptr[file.len - 1] != ':')
        file.len--;
    function = ps_str_skip(rest, file.len);
    while (digits < function.len && is_digit(function.ptr[digits]))
        digits++;
    if (n && !function.len && file.len > 4 &&
        is_python_file((struct ps_str){file.ptr, file.len - 1})) {
        name->file = (struct ps_str){file.ptr, file.len - 1};
        return true; /* "app.py::13": nothing tells functions without names apart but their lines */
    }
    if (!n || file.len < 2 || file.ptr[file.len - 2] == ':' || digits == function.len ||
        contains(function, '/') || contains(function, '\\') ||
        (contains(file, ' ') && !is_place(file))) {
        name->line = 0;
        return false;
    }
    name->function = function;
    name->file = (struct ps_str){file.ptr, file.len - 1};
    name->cut = rest.len;
    name->cut_len = n;
    return true;
}

/* "/srv/app.py:14:small", "<string>:1:<module>", "~:0:<built-in method builtins.len>" */
static bool parse_line_first(struct ps_frame_name *name)
{
    struct ps_str text = name->text, rest;
    const char *end = ps_str_starts_with(text, PS_STR("<"))   ? ps_str_find(text, PS_STR(">:"))
                      : ps_str_starts_with(text, PS_STR("~")) ? text.ptr
                                                              : ps_str_find(text, PS_STR(".py:"));
    size_t file, digits = 1;

    if (!end)
        return false;
    file = (size_t)(end - text.ptr) + (*end == '.' ? 3 : 1);
    rest = ps_str_skip(text, file);
    while (digits < rest.len && digits < 11 && is_digit(rest.ptr[digits]))
        digits++;
    if (!rest.len || rest.ptr[0] != ':' || digits == 1 || digits + 1 >= rest.len ||
        rest.ptr[digits] != ':' || is_digit(rest.ptr[digits + 1]) ||
        !ps_str_parse_i64((struct ps_str){rest.ptr + 1, digits - 1}, &name->line))
        return false;
    name->file = (struct ps_str){text.ptr, file};
    name->function = ps_str_skip(rest, digits + 1);
    name->cut = file;
    name->cut_len = digits;
    return true;
}

/* "torch/nn/conv.py(438):_forward" */
static bool parse_definition(struct ps_frame_name *name)
{
    const char *end = ps_str_find(name->text, PS_STR("):"));
    size_t close = end ? (size_t)(end - name->text.ptr) : 0, open = close;

    while (open && is_digit(name->text.ptr[open - 1]))
        open--;
    if (open < 2 || open == close || name->text.ptr[open - 1] != '(' ||
        close + 3 >= name->text.len ||
        !ps_str_parse_i64((struct ps_str){name->text.ptr + open, close - open}, &name->line))
        return false;
    name->file = (struct ps_str){name->text.ptr, open - 1};
    name->function = ps_str_skip(name->text, close + 3);
    return true;
}

struct ps_frame_name ps_frame_name_parse(struct ps_str text)
{
    struct ps_frame_name name = {.text = text, .function = text};

    if (!parse_bracketed(&name, '(', ')') && !parse_bracketed(&name, '[', ']') &&
        !parse_definition(&name) && !parse_line_first(&name))
        (void)parse_file_first(&name);
    cut_offset(&name);
    return name;
}

void ps_frame_name_write_function(const struct ps_frame_name *name, struct ps_buf *out)
{
    size_t before = name->cut_len ? name->cut : name->text.len;

    ps_buf_add_str(out, (struct ps_str){name->text.ptr, before});
    ps_buf_add_str(out, ps_str_skip(name->text, before + name->cut_len));
}

static bool is_relative(struct ps_str path)
{
    return path.len && path.ptr[0] != '/' && path.ptr[0] != '\\' &&
           !(path.len > 1 && path.ptr[1] == ':');
}

/* The first folder of a relative path, or its file without an extension. */
static struct ps_str top_level(struct ps_str path)
{
    size_t n = 0;

    while (n < path.len && path.ptr[n] != '/' && path.ptr[n] != '\\' && path.ptr[n] != '.')
        n++;
    return (struct ps_str){path.ptr, n};
}

/* Whether a relative path is in a folder `profiling` that is not the package of Python 3.15: it has
 * other parts. */
static bool is_own_profiling(struct ps_str file)
{
    static const char *const parts[] = {"__init__", "sampling", "tracing"};
    struct ps_str rest = ps_str_skip(file, strlen("profiling"));

    if (!ps_str_eq_c(top_level(file), "profiling") || !rest.len || rest.ptr[0] == '.')
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (ps_str_eq_c(top_level(ps_str_skip(rest, 1)), parts[i]))
            return false;
    return true;
}

/* Samplers write paths relative to a folder of sys.path, so the first folder is a package. */
static enum ps_origin relative_origin(struct ps_str file, bool has_folders)
{
    enum ps_origin origin =
        is_own_profiling(file) ? PS_ORIGIN_UNKNOWN : ps_python_module_origin(top_level(file));

    if (origin == PS_ORIGIN_BUILTIN)
        return PS_ORIGIN_STDLIB;
    if (!has_folders)
        return origin == PS_ORIGIN_STDLIB ? origin : PS_ORIGIN_UNKNOWN;
    return origin == PS_ORIGIN_UNKNOWN ? PS_ORIGIN_OWN : origin;
}

enum ps_origin ps_frame_origin(const struct ps_frame_name *name, bool is_native, bool has_folders)
{
    struct ps_str file = name->file;
    enum ps_origin origin;

    if (is_native || ps_str_eq_c(file, "<built-in>") || ps_str_eq_c(name->function, "<native>") ||
        ps_str_eq_c(name->function, "<GC>"))
        return PS_ORIGIN_BUILTIN;
    if (!file.len)
        return PS_ORIGIN_UNKNOWN;
    if (ps_go_is_file(file))
        return ps_go_origin(name->function, file);
    origin = ps_python_file_origin(file);
    if (origin == PS_ORIGIN_THIRD_PARTY || origin == PS_ORIGIN_STDLIB ||
        origin == PS_ORIGIN_BUILTIN || file.ptr[0] == '<')
        return origin;
    if (!is_python_file(file))
        return PS_ORIGIN_UNKNOWN;
    return is_relative(file) ? relative_origin(file, has_folders) : origin;
}

struct ps_str ps_frame_package(const struct ps_frame_name *name)
{
    struct ps_str file = name->file;

    if (ps_go_is_file(file))
        return ps_go_package(name->function);
    return is_relative(file) && file.ptr[0] != '<' && !ps_python_installed_part(file).len
               ? top_level(file)
               : ps_python_package_of(file);
}

bool ps_slice_frame_parse(struct ps_str text, struct ps_str *path, int64_t *line,
                          struct ps_str *name)
{
    const struct ps_str mark = PS_STR("): ");
    const char *end = ps_str_find(text, mark);
    size_t at = end ? (size_t)(end - text.ptr) : 0, open = at;

    while (open > 0 && text.ptr[open - 1] != '(')
        open--;
    if (open < 2)
        return false;
    *path = (struct ps_str){text.ptr, open - 1};
    *name = ps_str_skip(text, at + mark.len);
    return ps_str_parse_i64((struct ps_str){text.ptr + open, at - open}, line);
}
