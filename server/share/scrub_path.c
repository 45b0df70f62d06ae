/* SPDX-License-Identifier: MIT */
/*
 * scrub_path.c: paths, alone and inside of texts. What tells modules apart and is the same on every
 * machine stays: site-packages/numpy/core.py, lib/python3.11/json/decoder.py, /usr/lib. Of the rest
 * the name of the file stays, and a number for its folder.
 */
#include "server/share/scrub.h"

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* --- a path ----------------------------------------------------------------------------------- */

/* The next part between slashes from *at on; moves behind its slash. */
static bool next_part(struct ps_str path, size_t *at, struct ps_str *part)
{
    size_t from = *at, to;

    if (from >= path.len)
        return false;
    for (to = from; to < path.len && !is_slash(path.at[to]); to++)
        ;
    *part = (struct ps_str){path.at + from, to - from};
    *at = to + 1;
    return true;
}

/* "python3.11", "python3", "pypy3.9". */
static bool is_version_folder(struct ps_str part)
{
    struct ps_str rest = ps_str_starts(part, PS_STR("python")) ? ps_str_skip(part, 6)
                         : ps_str_starts(part, PS_STR("pypy")) ? ps_str_skip(part, 4)
                                                               : (struct ps_str){"", 0};

    for (size_t i = 0; i < rest.len; i++)
        if (!is_digit(rest.at[i]) && rest.at[i] != '.' && rest.at[i] != 't')
            return false;
    return rest.len > 0 && is_digit(rest.at[0]);
}

/* Where lib/python3.11/... or site-packages/... begins: from there on a path is the same for
 * everybody. path.len: nowhere. */
static size_t public_from(struct ps_str path)
{
    struct ps_str part, last = {"", 0};
    size_t at = 0, begin = 0, last_begin = 0;

    while (next_part(path, &at, &part) && at <= path.len) {
        bool in_lib = ps_str_is(last, "lib") || ps_str_is(last, "lib64") || ps_str_is(last, "Lib");

        if (in_lib && is_version_folder(part))
            return last_begin;
        if (ps_str_is(part, "site-packages") || ps_str_is(part, "dist-packages"))
            return in_lib ? last_begin : begin;
        last = part;
        last_begin = begin;
        begin = at;
    }
    return path.len;
}

/* Folders of the system, the same on every machine, and packages that everybody knows. */
static bool is_public_front(struct ps_str front)
{
    static const char *const folders[] = {
        "/usr",      "/usr/local",     "/opt/conda",           "/opt/homebrew", "/opt/miniconda3",
        "/opt/venv", "/opt/anaconda3", "/usr/local/anaconda3", "/opt/python",   "C:",
        ""};

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (ps_str_is(front, folders[i]))
            return true;
    return ps_str_starts(front, PS_STR("/Library/Frameworks/Python.framework/"));
}

static bool is_of_system(struct ps_str path)
{
    static const char *const fronts[] = {"/usr/lib/",
                                         "/usr/lib64/",
                                         "/usr/bin/",
                                         "/usr/sbin/",
                                         "/usr/include/",
                                         "/usr/share/",
                                         "/usr/local/lib/",
                                         "/usr/local/bin/",
                                         "/lib/",
                                         "/lib64/",
                                         "/usr/local/cuda",
                                         "/bin/",
                                         "/sbin/",
                                         "/proc/",
                                         "/dev/",
                                         "/sys/",
                                         "/System/",
                                         "/opt/rocm",
                                         "/usr/local/include/"};

    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++)
        if (ps_str_starts(path, ps_str_of(fronts[i])))
            return true;
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
        if (ps_str_is(part, names[i]))
            return true;
    return false;
}

static void put_folder(struct ps_scrub *scrub, struct ps_str path, struct ps_str front,
                       struct ps_str rest, struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf became = {0};

    ps_scrub_number(&scrub->folders, front, "~", &became);
    ps_buf_puts(&became, "/");
    ps_scrub_words(scrub, rest, &became);
    ps_scrub_see(scrub, PS_REVEAL_PATHS, path, became.at);
    ps_buf_str(out, ps_buf_slice(&became));
}

/* Something like <frozen importlib>, ~ or a lone name is no path. */
void ps_scrub_path(struct ps_scrub *scrub, struct ps_str path, struct ps_buf *out)
{
    size_t keep = public_from(path), cut = path.len;

    if (!(scrub->redact & PS_REVEAL_PATHS) || !path.len || path.at[0] == '<') {
        ps_scrub_words(scrub, path, out);
        return;
    }
    if (keep == path.len) {
        while (cut && !is_slash(path.at[cut - 1]))
            cut--;
        keep = cut;
    }
    struct ps_str front = {path.at, keep ? keep - 1 : 0};

    if (!keep || (cut == path.len && is_public_front(front)) || is_of_system(path) ||
        (cut < path.len && is_known_package(path)))
        ps_scrub_words(scrub, path, out);
    else
        put_folder(scrub, path, front, ps_str_skip(path, keep), out);
}

/* --- paths inside of texts -------------------------------------------------------------------- */

static bool ends_path(char c)
{
    return (unsigned char)c <= ' ' || strchr("\"'`<>|;,()[]{}*?:", c);
}

static bool begins_word(struct ps_str text, size_t at)
{
    char before = at ? text.at[at - 1] : ' ';

    return !is_digit(before) && !is_letter(before) && !strchr("_./\\~-+%@", before) &&
           (unsigned char)before < 0x80;
}

/* /a/b, ~/a, C:\a, \\host\a; `*skip`: the part in which a colon is no end. */
static bool is_rooted(struct ps_str rest, size_t *skip)
{
    *skip = 0;
    if (rest.len > 3 && is_letter(rest.at[0]) && rest.at[1] == ':' && is_slash(rest.at[2])) {
        *skip = 2;
        return true;
    }
    if (rest.len > 3 && rest.at[0] == '\\' && rest.at[1] == '\\' && is_letter(rest.at[2]))
        return true;
    if (rest.len > 2 && rest.at[0] == '~' && rest.at[1] == '/')
        return true;
    return rest.len > 2 && rest.at[0] == '/' && !is_slash(rest.at[1]) && !ends_path(rest.at[1]);
}

/* "file.py(12)": where the number of a line stands behind the path. */
static size_t before_line(struct ps_str rest)
{
    for (size_t i = 1; i + 2 < rest.len && rest.at[i] != ';' && rest.at[i] != '\n'; i++) {
        size_t k = i + 1;

        if (rest.at[i] != '(')
            continue;
        while (k < rest.len && is_digit(rest.at[k]))
            k++;
        return k > i + 1 && k < rest.len && rest.at[k] == ')' ? i : 0;
    }
    return 0;
}

/* "(/a b/c.py:12)", "'/a b/c'": up to what closes it, or the number of a line before that. */
static size_t until_close(struct ps_str text, size_t at)
{
    char before = at ? text.at[at - 1] : '\0';
    char close = before == '(' ? ')' : before == '"' || before == '\'' ? before : '\0';
    struct ps_str rest = ps_str_skip(text, at);
    const char *end = close ? memchr(rest.at, close, rest.len) : NULL;
    size_t n = end ? (size_t)(end - rest.at) : 0, digits = n;

    while (digits && is_digit(rest.at[digits - 1]))
        digits--;
    if (digits < n && digits && rest.at[digits - 1] == ':')
        n = digits - 1;
    for (size_t i = 2; i < n; i++)
        if (rest.at[i] == ':' || rest.at[i] == '\n')
            return 0;
    return n;
}

static size_t plain_length(struct ps_str rest, size_t skip)
{
    size_t n = skip;

    while (n < rest.len && !ends_path(rest.at[n]))
        n++;
    return n;
}

/* A name whose last part ends like a file's. */
static bool ends_like_file(struct ps_str path)
{
    static const char *const endings[] = {
        "py",  "pyx", "pyi", "pyc",  "pyd", "so",  "c",    "cc",    "cpp",   "cxx",  "cu",   "cuh",
        "h",   "hpp", "rs",  "js",   "ts",  "jsx", "tsx",  "map",   "json",  "txt",  "log",  "prof",
        "gz",  "zip", "dll", "exe",  "sh",  "go",  "java", "lprof", "ipynb", "toml", "yaml", "yml",
        "cfg", "ini", "csv", "html", "pt",  "pth", "pkl",  "npz",   "npy",   "h5",   "bin",  "md"};
    size_t at = path.len;

    while (at && path.at[at - 1] != '.' && !is_slash(path.at[at - 1]))
        at--;
    if (!at || path.at[at - 1] != '.')
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ps_str_is(ps_str_skip(path, at), endings[i]))
            return true;
    return false;
}

static bool has_slash(struct ps_str text)
{
    return text.len && (memchr(text.at, '/', text.len) || memchr(text.at, '\\', text.len));
}

size_t ps_scrub_path_length(struct ps_str text, size_t at)
{
    struct ps_str rest = ps_str_skip(text, at), path = rest;
    size_t skip, n;

    if (!begins_word(text, at))
        return 0;
    if (is_rooted(rest, &skip)) {
        n = at == 0 || text.at[at - 1] == ';' ? before_line(rest) : 0;
        n = n ? n : until_close(text, at);
        n = n ? n : plain_length(rest, skip);
        path = (struct ps_str){rest.at + 1, n - 1};
        return has_slash(path) || ends_like_file(path) ? n : 0;
    }
    path.len = plain_length(rest, 0);
    return has_slash(path) && ends_like_file(path) ? path.len : 0;
}

void ps_scrub_text(struct ps_scrub *scrub, struct ps_str text, struct ps_buf *out)
{
    size_t from = 0;

    for (size_t i = 0; (scrub->redact & PS_REVEAL_PATHS) && i < text.len;) {
        size_t n = ps_scrub_path_length(text, i);

        if (!n) {
            i++;
            continue;
        }
        ps_scrub_words(scrub, (struct ps_str){text.at + from, i - from}, out);
        ps_scrub_path(scrub, (struct ps_str){text.at + i, n}, out);
        i += n;
        from = i;
    }
    ps_scrub_words(scrub, ps_str_skip(text, from), out);
}
