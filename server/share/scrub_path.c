/* SPDX-License-Identifier: MIT */
/*
 * scrub_path.c: scrubs paths, alone and inside texts. A path is normalised first, so that a
 * different spelling cannot reveal its folders. Parts that are equal on every machine are kept:
 * site-packages/numpy/core.py, lib/python3.11/json/decoder.py, /usr/lib. Of other paths, the file
 * name is kept, and the folder is replaced by ~N.
 */
#include "server/share/scrub.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool has_slash(struct ps_str text)
{
    return text.len && (memchr(text.ptr, '/', text.len) || memchr(text.ptr, '\\', text.len));
}

static bool is_one_of(struct ps_str word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ps_str_eq_c(word, words[i]))
            return true;
    return false;
}

/* --- Normalisation --- */

static int hex_digit(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Appends the text with decoded escapes such as %2F and %5C. */
static void ps_scrub_decode_percent(struct ps_str text, struct ps_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        int high = i + 2 < text.len && text.ptr[i] == '%' ? hex_digit(text.ptr[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text.ptr[i + 2]) : -1;
        char c = low < 0 ? text.ptr[i] : (char)(high * 16 + low);

        ps_buf_add(out, &c, 1);
        i += low < 0 ? 0 : 2;
    }
}

static bool ps_scrub_has_percent_slash(struct ps_str text)
{
    for (size_t i = 0; i + 2 < text.len; i++)
        if (text.ptr[i] == '%' && ((text.ptr[i + 1] == '2' && (text.ptr[i + 2] | 32) == 'f') ||
                                   (text.ptr[i + 1] == '5' && (text.ptr[i + 2] | 32) == 'c')))
            return true;
    return false;
}

/* Skips white space and invisible Unicode characters (directions, joiners, byte order marks) at the
 * start of the text. */
static struct ps_str skip_invisible(struct ps_str text)
{
    static const struct ps_str marks[] = {PS_STR("\xe2\x80"), PS_STR("\xe2\x81"),
                                          PS_STR("\xef\xbb")};

    for (bool more = true; more && text.len;) {
        more = (unsigned char)text.ptr[0] <= ' ';
        if (more)
            text = ps_str_skip(text, 1);
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            if (ps_str_starts_with(text, marks[i])) {
                text = ps_str_skip(text, 3);
                more = true;
            }
    }
    return text;
}

/* Skips schemes such as file:// and vscode-notebook-cell:, but not a drive letter. */
static struct ps_str skip_scheme(struct ps_str path)
{
    size_t n = 0;

    while (n < path.len && (is_letter(path.ptr[n]) || (n && strchr("+.-", path.ptr[n]))))
        n++;
    if (n < 2 || n + 1 >= path.len || path.ptr[n] != ':' || path.ptr[n + 1] != '/')
        return path;
    path = ps_str_skip(path, n + 1);
    if (ps_str_starts_with(path, PS_STR("//"))) {
        path = ps_str_skip(path, 2);
        while (path.len && path.ptr[0] != '/')
            path = ps_str_skip(path, 1);
    }
    return path.len > 3 && is_letter(path.ptr[1]) && path.ptr[2] == ':' ? ps_str_skip(path, 1)
                                                                        : path;
}

/* Returns the length of the root of a path, which ".." does not leave: "/", "C:\\" or "\\\\"; 0:
 * none. */
static size_t root_length(struct ps_str path)
{
    if (path.len > 2 && is_letter(path.ptr[0]) && path.ptr[1] == ':' && ps_is_slash(path.ptr[2]))
        return 3;
    if (path.len > 1 && path.ptr[0] == '\\' && path.ptr[1] == '\\')
        return 2;
    return path.len && ps_is_slash(path.ptr[0]) ? 1 : 0;
}

/* Appends a part to the path in `out`; for "..", removes the last part behind the root. */
static void put_part(struct ps_buf *out, size_t root, struct ps_str part, char slash)
{
    size_t at = out->len;

    if (!part.len || ps_str_eq_c(part, "."))
        return;
    while (at > root && !ps_is_slash(out->ptr[at - 1]))
        at--;
    if (!ps_str_eq_c(part, "..")) {
        if (out->len > root)
            ps_buf_add(out, &slash, 1);
        ps_buf_add_str(out, part);
    } else if (out->len > root && strcmp(out->ptr + at, "..") != 0) {
        out->len = at > root ? at - 1 : root;
        out->ptr[out->len] = '\0';
    } else if (!root) {
        if (out->len)
            ps_buf_add(out, &slash, 1);
        ps_buf_puts(out, "..");
    }
}

/* Removes folders under which the kernel shows other paths: /proc/12/cwd, /proc/self/root. */
static struct ps_str skip_proc(struct ps_str path)
{
    for (struct ps_str rest; ps_str_starts_with(path, PS_STR("/proc/")); path = rest) {
        const char *slash = memchr(path.ptr + 6, '/', path.len - 6);

        rest = slash ? ps_str_skip(path, (size_t)(slash - path.ptr)) : (struct ps_str){NULL, 0};
        if (ps_str_starts_with(rest, PS_STR("/cwd/")))
            rest = ps_str_skip(rest, 4);
        else if (ps_str_starts_with(rest, PS_STR("/root/")))
            rest = ps_str_skip(rest, 5);
        else
            break;
    }
    return path;
}

/* Returns the normalised path, in `out`: decoded, without scheme, "." and "..". `plain`: a buffer.
 */
static struct ps_str normalise_path(struct ps_str path, struct ps_buf *plain, struct ps_buf *out)
{
    size_t root;

    if (ps_scrub_has_percent_slash(path) || (path.len && memchr(path.ptr, '%', path.len))) {
        ps_scrub_decode_percent(path, plain);
        path = ps_buf_slice(plain);
    }
    path = skip_scheme(skip_invisible(path));
    root = root_length(path);
    ps_buf_add(out, path.ptr, root);
    ps_buf_puts(out, "");
    for (size_t at = root, to; at < path.len; at = to + 1) {
        for (to = at; to < path.len && !ps_is_slash(path.ptr[to]); to++)
            ;
        put_part(out, root, (struct ps_str){path.ptr + at, to - at},
                 to < path.len && at               ? path.ptr[at - 1]
                 : memchr(path.ptr, '/', path.len) ? '/'
                                                   : '\\');
    }
    return skip_proc(ps_buf_slice(out));
}

/* --- One path --- */

/* Reads the next part between slashes from *at on, and moves *at behind the slash after it. False:
 * there is none. */
static bool next_part(struct ps_str path, size_t *at, struct ps_str *part)
{
    size_t from = *at, to;

    if (from >= path.len)
        return false;
    for (to = from; to < path.len && !ps_is_slash(path.ptr[to]); to++)
        ;
    *part = (struct ps_str){path.ptr + from, to - from};
    *at = to + 1;
    return true;
}

/* Whether the name of the folder is like "python3.11", "python3" or "pypy3.9". */
static bool is_version_folder(struct ps_str part)
{
    struct ps_str rest = ps_str_starts_with(part, PS_STR("python")) ? ps_str_skip(part, 6)
                         : ps_str_starts_with(part, PS_STR("pypy")) ? ps_str_skip(part, 4)
                                                                    : (struct ps_str){"", 0};

    for (size_t i = 0; i < rest.len; i++)
        if (!is_digit(rest.ptr[i]) && rest.ptr[i] != '.' && rest.ptr[i] != 't')
            return false;
    return rest.len > 0 && is_digit(rest.ptr[0]);
}

/* Whether `rest`, a path below lib/pythonX.Y, is a file, or is in a known folder of the standard
 * library. */
static bool is_of_stdlib(struct ps_str rest)
{
    static const char *const folders[] = {"asyncio",    "collections",   "compression",
                                          "concurrent", "ctypes",        "curses",
                                          "dbm",        "distutils",     "email",
                                          "encodings",  "ensurepip",     "html",
                                          "http",       "idlelib",       "importlib",
                                          "json",       "lib-dynload",   "lib2to3",
                                          "logging",    "msilib",        "multiprocessing",
                                          "pathlib",    "profiling",     "pydoc_data",
                                          "re",         "site-packages", "dist-packages",
                                          "sqlite3",    "string",        "sysconfig",
                                          "test",       "tkinter",       "tomllib",
                                          "turtledemo", "unittest",      "urllib",
                                          "venv",       "wsgiref",       "xml",
                                          "xmlrpc",     "zoneinfo",      "__phello__"};
    struct ps_str part;
    size_t at = 0;

    if (!next_part(rest, &at, &part))
        return false;
    return at > rest.len || is_one_of(part, folders, sizeof folders / sizeof *folders);
}

/* Returns the offset of lib/python3.11/ or site-packages/ in a path: the path is public from there
 * on. path.len: there is none. */
static size_t public_from(struct ps_str path)
{
    struct ps_str part, last = {"", 0};
    size_t at = 0, begin = 0, last_begin = 0;

    while (next_part(path, &at, &part) && at <= path.len) {
        bool in_lib =
            ps_str_eq_c(last, "lib") || ps_str_eq_c(last, "lib64") || ps_str_eq_c(last, "Lib");

        if (in_lib && is_version_folder(part) && is_of_stdlib(ps_str_skip(path, at)))
            return last_begin;
        if (ps_str_eq_c(part, "site-packages") || ps_str_eq_c(part, "dist-packages"))
            return in_lib ? last_begin : begin;
        last = part;
        last_begin = begin;
        begin = at;
    }
    return path.len;
}

/* Whether the folder before an installed package has this path on many machines, so that it can be
 * kept. */
static bool is_public_front(struct ps_str front)
{
    static const char *const folders[] = {
        "/usr",      "/usr/local",     "/opt/conda",           "/opt/homebrew", "/opt/miniconda3",
        "/opt/venv", "/opt/anaconda3", "/usr/local/anaconda3", "/opt/python",   "C:",
        ""};

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (ps_str_eq_c(front, folders[i]))
            return true;
    return ps_str_starts_with(front, PS_STR("/Library/Frameworks/Python.framework/"));
}

static bool is_of_system(struct ps_str path)
{
    static const struct ps_str fronts[] = {
        PS_STR("/usr/lib/"),       PS_STR("/usr/lib64/"), PS_STR("/usr/bin/"), PS_STR("/usr/sbin/"),
        PS_STR("/usr/include/"),   PS_STR("/usr/share/"), PS_STR("/lib/"),     PS_STR("/lib64/"),
        PS_STR("/usr/local/cuda"), PS_STR("/bin/"),       PS_STR("/sbin/"),    PS_STR("/proc/"),
        PS_STR("/dev/"),           PS_STR("/sys/"),       PS_STR("/System/"),  PS_STR("/opt/rocm")};
    /* local installations: files directly in them are public, their folders are private */
    static const struct ps_str local[] = {PS_STR("/usr/local/lib/"), PS_STR("/usr/local/bin/"),
                                          PS_STR("/usr/local/include/")};

    if (ps_str_starts_with(path, PS_STR("/dev/shm/")))
        return false;
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++)
        if (ps_str_starts_with(path, fronts[i]))
            return true;
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (ps_str_starts_with(path, local[i]))
            return !has_slash(ps_str_skip(path, local[i].len));
    return false;
}

static bool is_known_package(struct ps_str path)
{
    static const char *const names[] = {
        "torch",     "torchvision", "torchaudio", "torchgen",       "functorch",  "triton",
        "numpy",     "scipy",       "pandas",     "sklearn",        "matplotlib", "transformers",
        "diffusers", "accelerate",  "tensorflow", "keras",          "jax",        "jaxlib",
        "flax",      "asyncio",     "json",       "http",           "urllib",     "logging",
        "email",     "concurrent",  "importlib",  "collections",    "encodings",  "ctypes",
        "xml",       "unittest",    "sqlite3",    "requests",       "django",     "flask",
        "IPython",   "PIL",         "cv2",        "multiprocessing"};
    struct ps_str part;
    size_t at = 0;

    if (!next_part(path, &at, &part))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ps_str_eq_c(part, names[i]))
            return true;
    return false;
}

/* Appends "~N/rest" in place of `path`: N is the number of the folder `front`. */
static void put_folder(struct ps_scrub *scrub, struct ps_str path, struct ps_str front,
                       struct ps_str rest, struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf became = {0};

    ps_scrub_append_number(&scrub->folders, front, "~", &became);
    if (rest.len)
        ps_buf_puts(&became, "/");
    ps_scrub_words(scrub, rest, &became);
    ps_scrub_record_example(scrub, PS_REVEAL_PATHS, path, became.ptr);
    ps_buf_add_str(out, ps_buf_slice(&became));
}

/* Whether the last part of a path, from offset `cut` on, may be a folder: it has no extension and
 * is not in a folder of programs. */
static bool may_be_folder(struct ps_str path, size_t cut)
{
    struct ps_str last = ps_str_skip(path, cut), front = {path.ptr, cut ? cut - 1 : 0};
    const char *slash = front.len ? memrchr(front.ptr, '/', front.len) : NULL;
    struct ps_str parent = slash ? ps_str_skip(front, (size_t)(slash - front.ptr) + 1) : front;

    return !last.len || (!memchr(last.ptr, '.', last.len) && !ps_str_eq_c(parent, "bin") &&
                         !ps_str_eq_c(parent, "sbin") && !ps_str_eq_c(parent, "Scripts"));
}

static void scrub_path(struct ps_scrub *scrub, struct ps_str path, bool is_file, struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};
    PS_AUTO(ps_buf_free) struct ps_buf buf = {0};
    struct ps_str normal = normalise_path(path, &plain, &buf);
    size_t keep = public_from(normal), cut = normal.len;

    if (keep == normal.len) {
        while (cut && !ps_is_slash(normal.ptr[cut - 1]))
            cut--;
        keep = cut;
    }
    struct ps_str front = {normal.ptr, keep ? keep - 1 : 0};

    if (!keep || (cut == normal.len && is_public_front(front)) || is_of_system(normal) ||
        (cut < normal.len && is_known_package(normal)) || !front.len)
        ps_scrub_words(scrub, normal, out);
    else if (!is_file && cut == keep && cut < normal.len && may_be_folder(normal, cut))
        put_folder(scrub, path, normal, (struct ps_str){"", 0}, out);
    else
        put_folder(scrub, path, front, ps_str_skip(normal, keep), out);
}

/* Returns the length of the part of "<...>" that Python and its tools write themselves: "<string",
 * "<frozen abc". */
static size_t bracket_kept(struct ps_str name)
{
    static const char *const fixed[] = {
        "<frozen",   "<attrs",  "<cell",    "<timed",   "<class",
        "<built-in", "<method", "<wrapper", "<unknown", "<__array_function__",
        "<string>"};
    static const struct ps_str cell = PS_STR("<ipython-input-");
    size_t n = 0, hash = cell.len;

    while (n < name.len && name.ptr[n] != ' ' && name.ptr[n] != '>')
        n++;
    if (is_one_of((struct ps_str){name.ptr, n}, fixed, sizeof fixed / sizeof *fixed))
        return name.len;
    if (!ps_str_starts_with(name, cell))
        return n;
    while (hash < n && is_digit(name.ptr[hash]))
        hash++;
    if (hash == n || name.ptr[hash] != '-')
        return n;
    for (size_t i = ++hash; i < n; i++)
        if (hex_digit(name.ptr[i]) < 0)
            return hash;
    return n;
}

/* Scrubs a name such as <frozen importlib> or <string>, which profiles have in place of a path.
 * Scrubs a path in it, and replaces other text by ~N. */
static void scrub_bracket(struct ps_scrub *scrub, struct ps_str name, struct ps_buf *out)
{
    const char *end = memrchr(name.ptr, '>', name.len);
    size_t to = end ? (size_t)(end - name.ptr) : name.len, at = 1, keep = bracket_kept(name), blank;

    keep = keep < to ? keep : to;
    while (at < to && !ps_is_slash(name.ptr[at]))
        at++;
    for (blank = at; at < to && blank && name.ptr[blank - 1] != ' ' && name.ptr[blank - 1] != '<';)
        blank--;
    if (at < to && blank < keep)
        keep = blank;
    ps_scrub_words(scrub, (struct ps_str){name.ptr, keep}, out);
    if (at < to && keep == blank) {
        scrub_path(scrub, (struct ps_str){name.ptr + blank, to - blank}, true, out);
    } else if (keep < to) {
        struct ps_str left = {name.ptr + keep, to - keep};

        if (left.ptr[0] == ' ') {
            ps_buf_puts(out, " ");
            left = ps_str_skip(left, 1);
        }
        put_folder(scrub, left, left, (struct ps_str){"", 0}, out);
    }
    ps_buf_add(out, name.ptr + to, to < name.len);
    if (has_slash(ps_str_skip(name, to)))
        scrub_path(scrub, ps_str_skip(name, to + 1), true, out);
    else
        ps_scrub_words(scrub, ps_str_skip(name, to + 1), out);
}

/* Scrubs a text without a slash like any other text, not as a path. */
void ps_scrub_path(struct ps_scrub *scrub, struct ps_str path, struct ps_buf *out)
{
    if (!(scrub->redacted_categories & PS_REVEAL_PATHS) || !path.len)
        ps_scrub_words(scrub, path, out);
    else if (path.ptr[0] == '<')
        scrub_bracket(scrub, path, out);
    else if (!has_slash(path) && !ps_scrub_has_percent_slash(path))
        ps_scrub_words(scrub, path, out);
    else
        scrub_path(scrub, path, true, out);
}

void ps_scrub_path_in_text(struct ps_scrub *scrub, struct ps_str path, struct ps_buf *out)
{
    if (path.ptr[0] == '<')
        scrub_bracket(scrub, path, out);
    else
        scrub_path(scrub, path, false, out);
}

/* --- Paths in text --- */

static bool ends_path(char c)
{
    return (unsigned char)c <= ' ' || strchr("\"'`<>|;,()[]{}*?:", c);
}

static bool begins_word(struct ps_str text, size_t at)
{
    char before = at ? text.ptr[at - 1] : ' ';

    return !is_digit(before) && !is_letter(before) && !strchr("_./\\~-+%@", before) &&
           (unsigned char)before < 0x80;
}

/* Whether an absolute path may begin at `at`. It may also follow an option, '@', '+' or a character
 * above ASCII: -I/a/b, @/a/b. */
static bool begins_rooted(struct ps_str text, size_t at)
{
    char before = at ? text.ptr[at - 1] : ' ';

    if (begins_word(text, at))
        return true;
    if (text.ptr[at] != '/')
        return false;
    return before == '@' || before == '+' || (unsigned char)before >= 0x80 ||
           (is_letter(before) && at > 1 && text.ptr[at - 2] == '-' &&
            (at == 2 || ends_path(text.ptr[at - 3])));
}

/* Whether `rest` begins with an absolute path: /a/b, ~/a, ~mei/a, C:\a or \\host\a. *skip: length
 * of the start in which a colon does not end the path. */
static bool is_rooted(struct ps_str rest, size_t *skip)
{
    size_t n = 1;

    *skip = 0;
    if (rest.len > 3 && is_letter(rest.ptr[0]) && rest.ptr[1] == ':' && ps_is_slash(rest.ptr[2])) {
        *skip = 2;
        return true;
    }
    if (rest.len > 3 && rest.ptr[0] == '\\' && rest.ptr[1] == '\\' && is_letter(rest.ptr[2]))
        return true;
    if (rest.len > 2 && rest.ptr[0] == '~') {
        while (n < rest.len && (is_letter(rest.ptr[n]) || (n > 1 && is_digit(rest.ptr[n]))))
            n++;
        return n < rest.len && rest.ptr[n] == '/';
    }
    return rest.len > 2 && rest.ptr[0] == '/' && !ps_is_slash(rest.ptr[1]) &&
           !ends_path(rest.ptr[1]);
}

/* Returns the length of the path before the line number in "file.py(12)"; 0: there is no line
 * number. */
static size_t before_line(struct ps_str rest)
{
    for (size_t i = 1; i + 2 < rest.len && rest.ptr[i] != ';' && rest.ptr[i] != '\n'; i++) {
        size_t k = i + 1;

        if (rest.ptr[i] != '(')
            continue;
        while (k < rest.len && is_digit(rest.ptr[k]))
            k++;
        return k > i + 1 && k < rest.len && rest.ptr[k] == ')' ? i : 0;
    }
    return 0;
}

/* Returns the length of a path in parentheses or quotes, up to the closing character or the line
 * number before it: "(/a b/c.py:12)", "'/a b/c'". 0: it is not in parentheses or quotes. */
static size_t until_close(struct ps_str text, size_t at)
{
    char before = at ? text.ptr[at - 1] : '\0';
    char close = before == '(' ? ')' : before == '"' || before == '\'' ? before : '\0';
    struct ps_str rest = ps_str_skip(text, at);
    const char *end = close ? memchr(rest.ptr, close, rest.len) : NULL;
    size_t n = end ? (size_t)(end - rest.ptr) : 0, digits = n;

    while (digits && is_digit(rest.ptr[digits - 1]))
        digits--;
    if (digits < n && digits && rest.ptr[digits - 1] == ':')
        n = digits - 1;
    for (size_t i = 2; i < n; i++)
        if (rest.ptr[i] == ':' || rest.ptr[i] == '\n')
            return 0;
    return n;
}

static size_t plain_length(struct ps_str rest, size_t skip)
{
    size_t n = skip;

    while (n < rest.len && !ends_path(rest.ptr[n]))
        n++;
    return n;
}

/* Whether the last part of the path has a known file extension. */
static bool ends_like_file(struct ps_str path)
{
    static const char *const endings[] = {
        "py",  "pyx", "pyi", "pyc",  "pyd", "so",  "c",    "cc",    "cpp",   "cxx",  "cu",   "cuh",
        "h",   "hpp", "rs",  "js",   "ts",  "jsx", "tsx",  "map",   "json",  "txt",  "log",  "prof",
        "gz",  "zip", "dll", "exe",  "sh",  "go",  "java", "lprof", "ipynb", "toml", "yaml", "yml",
        "cfg", "ini", "csv", "html", "pt",  "pth", "pkl",  "npz",   "npy",   "h5",   "bin",  "md"};
    size_t at = path.len;

    while (at && path.ptr[at - 1] != '.' && !ps_is_slash(path.ptr[at - 1]))
        at--;
    if (!at || path.ptr[at - 1] != '.')
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ps_str_eq_c(ps_str_skip(path, at), endings[i]))
            return true;
    return false;
}

/* Whether the word contains a home folder. */
static bool has_home(struct ps_str word)
{
    for (size_t i = 0; i < word.len; i++)
        if (ps_is_slash(word.ptr[i]) && ps_scrub_find_home(word, i))
            return true;
    return false;
}

/* Returns the length of a name of code without a file, such as "<stdin ...>"; 0: there is none. */
static size_t code_length(struct ps_str rest)
{
    static const struct ps_str begins[] = {PS_STR("<ipython-input-"), PS_STR("<string "),
                                           PS_STR("<doctest "), PS_STR("<stdin ")};
    const char *end = memchr(rest.ptr, '>', rest.len);

    for (size_t i = 0; end && i < sizeof begins / sizeof *begins; i++)
        if (ps_str_starts_with(rest, begins[i]))
            return (size_t)(end - rest.ptr) + 1;
    return 0;
}

size_t ps_scrub_measure_path(struct ps_str text, size_t at)
{
    struct ps_str rest = ps_str_skip(text, at), path = rest;
    size_t skip, n;

    if (begins_rooted(text, at) && is_rooted(rest, &skip)) {
        n = at == 0 || text.ptr[at - 1] == ';' ? before_line(rest) : 0;
        n = n ? n : until_close(text, at);
        n = n ? n : plain_length(rest, skip);
        path = (struct ps_str){rest.ptr + 1, n - 1};
        return has_slash(path) || ends_like_file(path) ? n : 0;
    }
    if (!begins_word(text, at))
        return 0;
    if (rest.ptr[0] == '<')
        return code_length(rest);
    if (rest.len > 2 && rest.ptr[0] == '-' && is_letter(rest.ptr[1]) && rest.ptr[2] == '/')
        return 0; /* in -I/a/b, the path begins behind the option */
    if (rest.len > 1 && strchr("@+", rest.ptr[0]) && rest.ptr[1] == '/')
        return 0;
    path.len = plain_length(rest, 0);
    if (ps_scrub_has_percent_slash(path))
        return path.len;
    return has_slash(path) && (ends_like_file(path) || has_home(path)) ? path.len : 0;
}
