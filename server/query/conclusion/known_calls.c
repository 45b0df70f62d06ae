/* SPDX-License-Identifier: MIT */
/* known_calls.c: the table of library functions whose kind of time is known. */
#include "server/query/conclusion/known_calls.h"

#include "base/python_path.h"

static const char compile_once[] = "Compile each pattern once, outside of the loop.";

/* `where` is a package, a folder or a file of it, or the owner of a built-in function; `names` are
 * separated by spaces, and "*" is any. The first row that matches counts. */
static const struct row {
    const char *where, *names;
    struct ps_known_call call;
} rows[] = {
#define AVOID(where, names, advice)                                                                \
    {                                                                                              \
        where, names,                                                                              \
        {                                                                                          \
            PS_TIME_AVOIDABLE, false, false, false, advice, 0                                      \
        }                                                                                          \
    }
#define LONG(where, names, advice)                                                                 \
    {                                                                                              \
        where, names,                                                                              \
        {                                                                                          \
            PS_TIME_AVOIDABLE, false, false, true, advice, 0                                       \
        }                                                                                          \
    }
#define SLOW(where, names, advice)                                                                 \
    {                                                                                              \
        where, names,                                                                              \
        {                                                                                          \
            PS_TIME_AVOIDABLE, true, false, false, advice, 0                                       \
        }                                                                                          \
    }
#define IS(class, where, names)                                                                    \
    {                                                                                              \
        where, names,                                                                              \
        {                                                                                          \
            class, false, false, false, NULL, 0                                                    \
        }                                                                                          \
    }
#define TRY(where, names, advice)                                                                  \
    {                                                                                              \
        where, names,                                                                              \
        {                                                                                          \
            PS_TIME_WORK, false, false, false, advice, 0                                           \
        }                                                                                          \
    }
#define PARSE(where, names, advice)                                                                \
    {                                                                                              \
        where, names,                                                                              \
        {                                                                                          \
            PS_TIME_WORK, false, true, false, advice, 0                                            \
        }                                                                                          \
    }
/* What compiles a pattern that re has not kept: CPython, Lib/re/__init__.py, _MAXCACHE. */
#define COMPILE(where)                                                                             \
    {                                                                                              \
        where, "compile",                                                                          \
        {                                                                                          \
            PS_TIME_AVOIDABLE, false, false, false, compile_once, 512                              \
        }                                                                                          \
    }
    /* waits of built-in functions; those of frames are in stack_waits.c */
    IS(PS_TIME_SLEEP, "time", "sleep"),
    IS(PS_TIME_SLEEP, "Clock", "tick tick_busy_loop"), /* of pygame */
    IS(PS_TIME_SLEEP, "pygame.time", "tick tick_busy_loop wait delay"),
    IS(PS_TIME_SLEEP, "", "waitKey waitKeyEx"), /* of cv2 */
    IS(PS_TIME_SLEEP, "cv2", "waitKey waitKeyEx"),
    IS(PS_TIME_EVENTS, "builtins", "input"),
    IS(PS_TIME_LOCK, "_thread", "acquire __enter__ acquire_lock join"),
    IS(PS_TIME_LOCK, "_multiprocessing", "acquire __enter__"),
    IS(PS_TIME_LOCK, "_queue", "get"),
    IS(PS_TIME_NETWORK, "_socket",
       "recv recv_into recvfrom recvfrom_into accept connect getaddrinfo gethostbyname sendall send"),
    IS(PS_TIME_NETWORK, "_ssl", "read do_handshake write"),
    IS(PS_TIME_EVENTS, "select", "poll select control epoll"),
    IS(PS_TIME_PROCESS, "posix", "waitpid wait4 wait waitid fork posix_spawn system read"),
    IS(PS_TIME_PROCESS, "_posixsubprocess", "fork_exec"),
    IS(PS_TIME_PROCESS, "_winapi",
       "WaitForSingleObject WaitForMultipleObjects ReadFile CreateProcess"),
    IS(PS_TIME_DISK, "posix", "fsync fdatasync sync"),

    /* set-up that one call could do for all */
    COMPILE("re/_compiler.py"),
    COMPILE("sre_compile.py"),
    AVOID("re", "compile", compile_once),
    LONG("builtins", "compile", "Compile it once, outside of the loop."),
    PARSE("json", "dump dumps", NULL),
    PARSE("json", "load loads", "If the text repeats, parse it once and keep the result."),
    LONG("tomllib", "load loads", "Read the file once and keep the result."),
    LONG("tomli", "load loads", "Read the file once and keep the result."),
    LONG("configparser", "read read_file read_string _read",
         "Read the file once and keep the result."),
    AVOID("ssl", "create_default_context load_default_certs load_verify_locations",
          "Create the TLS context once and share it."),
    AVOID("_ssl", "load_verify_locations set_default_verify_paths",
          "Create the TLS context once and share it."),
    AVOID("httpx/_client.py", "__init__", "Create the client once and share it."),
    LONG("httpx/_api.py", "*", "Use one client for all requests: it keeps the connection."),
    AVOID("boto3", "client resource", "Create the client once and share it."),
    AVOID("botocore", "create_client", "Create the client once and share it."),
    LONG("requests/api.py", "*", "Use one session for all requests: it keeps the connection."),
    LONG("urllib", "urlopen", "Keep the connection, or ask for all at once."),
    AVOID("pydantic/type_adapter.py", "__init__", "Create the adapter once, outside of the loop."),
    AVOID("pydantic", "create_model", "Create the model once."),
    AVOID("jinja2", "from_string compile _compile",
          "Compile each template once, outside of the loop."),
    AVOID("mako/template.py", "__init__", "Compile each template once, outside of the loop."),
    PARSE("bs4", "__init__", "If a document repeats, parse it once."),
    PARSE("lxml.etree", "fromstring parse XML HTML", "If a document repeats, parse it once."),
    PARSE("xml", "fromstring parse XML parseString", "If a document repeats, parse it once."),
    AVOID("collections", "namedtuple", "Create the class once, outside of the function."),
    AVOID("dataclasses", "make_dataclass dataclass _process_class",
          "Create the class once, outside of the function."),
    AVOID("typing", "get_type_hints", "Keep the hints of each class."),
    AVOID("gc", "collect", "Leave collecting to the interpreter."),
    PARSE("_io", "open", "If it is the same file, open it once, outside of the loop."),
    PARSE("io", "open open_code", "If it is the same file, open it once, outside of the loop."),
    PARSE("builtins", "open", "If it is the same file, open it once, outside of the loop."),
    LONG("zipfile", "__init__ _RealGetContents", "Open the archive once."),
    LONG("tarfile", "open", "Open the archive once."),
    LONG("openpyxl", "load_workbook", "Open the workbook once, with read_only=True."),
    AVOID("importlib/metadata", "*", "Read the metadata once and keep it."),
    AVOID("importlib", "find_spec import_module exec_module reload",
          "Import each module once and keep it."),
    AVOID("<frozen importlib", "find_spec exec_module", "Import each module once and keep it."),
    AVOID("pkg_resources", "*", "importlib.metadata answers the same faster."),
    AVOID("pkgutil", "iter_modules walk_packages", "List the modules once and keep them."),
    LONG("pathlib", "rglob glob iterdir", "List the folder once and keep the names."),
    LONG("glob", "glob iglob", "List the folder once and keep the names."),
    LONG("os", "walk", "Walk the folder once and keep the names."),
    LONG("subprocess", "run Popen __init__ check_output check_call call getoutput",
         "Start one process for all."),
    LONG("os", "system popen", "Start one process for all."),
    AVOID("socket", "create_connection", "Keep the connection open."),
    AVOID("sqlalchemy", "create_engine", "Create the engine once."),
    AVOID("logging", "getLogger basicConfig", "Get the logger once."),
    AVOID("locale", "setlocale", "Set the locale once."),

    /* queries of a database */
    AVOID("sqlalchemy/orm/attributes.py", "__get__ get",
          "Load related rows with the query: selectinload or joinedload."),
    AVOID("sqlalchemy/orm/strategies.py", "*",
          "Load related rows with the query: selectinload or joinedload."),
    AVOID("sqlalchemy", "commit flush", "Commit once, after the loop."),
    LONG("sqlalchemy", "get execute scalar scalars first one one_or_none all count",
         "One query for all rows, instead of one for each."),
    LONG("django", "_fetch_all get count exists first __get__ execute",
         "select_related or prefetch_related loads related rows with the query."),
    AVOID("django", "save", "bulk_create or bulk_update writes all rows at once."),
    AVOID("sqlite3", "commit", "Commit once, after the loop."),
    AVOID("psycopg2", "commit", "Commit once, after the loop."),
    LONG("sqlite3", "execute fetchone fetchall",
         "One query for all rows, or executemany, instead of one for each."),
    AVOID("sqlite3", "connect", "Open the database once."),
    AVOID("_sqlite3", "connect", "Open the database once."),
    LONG("psycopg2", "execute fetchone fetchall",
         "One query for all rows, instead of one for each."),
    AVOID("psycopg2", "connect _connect", "Connect once, or use a pool."),
    LONG("psycopg", "execute fetchone fetchall",
         "One query for all rows, instead of one for each."),
    AVOID("psycopg", "connect", "Connect once, or use a pool."),
    LONG("pymysql", "execute query", "One query for all rows, instead of one for each."),
    LONG("MySQLdb", "execute query", "One query for all rows, instead of one for each."),
    LONG("pyodbc", "execute", "One query for all rows, instead of one for each."),
    AVOID("redis", "execute_command", "A pipeline sends many commands at once."),
    LONG("pymongo", "find_one insert_one update_one",
         "One call for all documents, instead of one for each."),

    /* slow ways with a faster one */
    SLOW("yaml", "safe_load load safe_load_all load_all",
         "Load with yaml.CSafeLoader, which is written in C."),
    SLOW("yaml", "safe_dump dump dump_all safe_dump_all",
         "Dump with yaml.CSafeDumper, which is written in C."),
    SLOW("statistics", "*",
         "statistics computes with exact fractions; fmean and numpy are faster."),
    SLOW("fractions", "*", "Fractions are exact and slow: integers or floats may do."),
    {"builtins",
     "sum",
     {PS_TIME_WORK, true, false, false, "If it adds lists, itertools.chain is much faster.", 0}},
    AVOID("copy", "deepcopy _deepcopy_dict _deepcopy_list",
          "copy.copy is enough for flat data; data that nobody changes needs no copy."),
    AVOID("dataclasses", "asdict astuple _asdict_inner",
          "asdict copies deeply: read the fields, or use vars()."),
    AVOID("", "strptime", "datetime.fromisoformat reads ISO dates much faster."),
    AVOID("datetime", "strptime", "datetime.fromisoformat reads ISO dates much faster."),
    AVOID("time", "strptime", "datetime.fromisoformat reads ISO dates much faster."),
    AVOID("_strptime", "*", "datetime.fromisoformat reads ISO dates much faster."),
    AVOID("dateutil", "parse", "datetime.fromisoformat reads ISO dates much faster."),
    AVOID("traceback", "*", "Format a traceback only where it is shown."),
    AVOID("inspect", "stack getouterframes getframeinfo findsource getsource getsourcelines",
          "inspect.stack reads source files; sys._getframe does not."),
    AVOID("inspect", "signature getfullargspec getmembers",
          "Inspect each function once and keep the result."),
    AVOID("pprint", "pformat pprint pp", "Format only what is shown."),
    AVOID("pandas", "iterrows itertuples apply applymap map transform",
          "Work on whole columns instead of rows."),
    AVOID("pandas", "concat append _append", "Collect the parts in a list and concatenate once."),
    AVOID("pandas", "__getitem__ __setitem__ loc iloc at iat _get_value _set_value",
          "Take the values out of the frame before the loop, with to_numpy() or to_dict()."),
    LONG("pandas", "read_csv read_excel read_json read_parquet", "Read each file once."),
    LONG("pandas", "to_datetime query groupby merge",
         "One call for the whole column, instead of one for each row."),
    LONG("pandas", "*", "Work on whole columns instead of rows."),
    AVOID("numpy", "append concatenate insert delete hstack vstack",
          "Collect the values in a list and convert them once."),
    AVOID("numpy", "vectorize _vectorize_call apply_along_axis",
          "vectorize is a loop in Python: use operations on whole arrays."),
    AVOID("PIL", "getpixel putpixel",
          "Work on the whole image, with numpy.asarray() or Image.point()."),
    AVOID("PIL/Image.py", "getpixel putpixel",
          "Work on the whole image, with numpy.asarray() or Image.point()."),
    AVOID("list", "remove index count", "Each call searches the list; a set or a dict does not."),
    AVOID("list", "insert", "collections.deque inserts at the start at once."),
    LONG("ast", "literal_eval", "json.loads is faster for plain data."),
    LONG("builtins", "eval exec", "Compile the expression once, or write it as a function."),
    AVOID("builtins", "print", "Collect the lines and write them once."),
    AVOID("_io", "flush", "Flush once, at the end."),
    AVOID("tqdm", "update refresh display", "Update the progress less often."),
    AVOID("transformers", "from_pretrained", "Load the model once and keep it."),
    LONG("torch/utils/data", "__next__", "Workers (num_workers) load data beside the training."),
    LONG("sklearn", "predict predict_proba transform",
         "One call for all rows, instead of one for each."),
    TRY("copy", "copy", "Data that nobody changes needs no copy."),
    TRY("posix", "stat lstat listdir scandir access",
        "Ask the file system once and keep the answer."),
    TRY("genericpath", "*", "Ask the file system once and keep the answer."),
    TRY("difflib", "*",
        "Compare only candidates: real_quick_ratio() and quick_ratio() come first."),
    TRY("builtins", "sorted", "Sort once, outside of the loop."),
    TRY("list", "sort", "Sort once, outside of the loop."),
    TRY("pickle", "*", NULL),
    TRY("decimal", "*", "decimal.Decimal is slower than float and int."),
    TRY("ipaddress", "ip_address ip_network __init__",
        "Parse each address once and keep the result."),

    /* work for its result */
    IS(PS_TIME_ON_PURPOSE, "_hashlib", "pbkdf2_hmac scrypt"),
    IS(PS_TIME_ON_PURPOSE, "hashlib", "pbkdf2_hmac scrypt"),
    IS(PS_TIME_ON_PURPOSE, "bcrypt", "*"),
    IS(PS_TIME_ON_PURPOSE, "_bcrypt", "*"),
    IS(PS_TIME_ON_PURPOSE, "argon2", "*"),
    IS(PS_TIME_ON_PURPOSE, "passlib", "*"),
    IS(PS_TIME_ON_PURPOSE, "cryptography/hazmat/primitives/kdf", "*"),
    IS(PS_TIME_NEEDED, "random", "*"),
    IS(PS_TIME_NEEDED, "_random", "*"),
    IS(PS_TIME_NEEDED, "textwrap", "*"),
    IS(PS_TIME_NEEDED, "csv", "*"),
    IS(PS_TIME_NEEDED, "_csv", "*"),
    IS(PS_TIME_NEEDED, "jinja2", "render root generate"),
    IS(PS_TIME_NEEDED, "numpy/linalg", "*"),
    IS(PS_TIME_NEEDED, "numpy.linalg", "*"),
    IS(PS_TIME_NEEDED, "sklearn", "*"),
    IS(PS_TIME_NEEDED, "scipy", "*"),
    IS(PS_TIME_NEEDED, "torch/optim", "*"),
    IS(PS_TIME_NEEDED, "torch/autograd", "*"),
    IS(PS_TIME_NEEDED, "torch/_tensor.py", "backward"),
    IS(PS_TIME_NEEDED, "torch/nn", "*"),
    IS(PS_TIME_NEEDED, "torch._C._EngineBase", "run_backward"),
    IS(PS_TIME_NEEDED, "transformers", "*"),
    IS(PS_TIME_NEEDED, "_hashlib", "*"),
    IS(PS_TIME_NEEDED, "zlib", "*"),
    IS(PS_TIME_NEEDED, "_bz2", "*"),
    IS(PS_TIME_NEEDED, "_lzma", "*"),
#undef AVOID
#undef LONG
#undef SLOW
#undef IS
#undef TRY
#undef PARSE
#undef COMPILE
};

/* The part between two marks: "execute" of "<method 'execute' of ...", between "<method '" and "'";
 * {NULL, 0}: not there. */
static struct ps_str between(struct ps_str text, struct ps_str before, struct ps_str after)
{
    const char *start = ps_str_find(text, before), *end;
    struct ps_str rest;

    if (!start)
        return (struct ps_str){NULL, 0};
    start += before.len;
    rest = (struct ps_str){start, text.len - (size_t)(start - text.ptr)};
    end = ps_str_find(rest, after);
    return end ? (struct ps_str){start, (size_t)(end - start)} : (struct ps_str){NULL, 0};
}

struct ps_str ps_builtin_name(struct ps_str name, struct ps_str *owner)
{
    struct ps_str method = between(name, PS_STR("method '"), PS_STR("'"));
    struct ps_str full;

    *owner = (struct ps_str){NULL, 0};
    if (method.ptr) {
        *owner = between(name, PS_STR(" of '"), PS_STR("'"));
        return method;
    }
    full = between(name, PS_STR("<built-in method "), PS_STR(">"));
    if (!full.ptr)
        full = between(name, PS_STR("<built-in function "), PS_STR(">"));
    if (!full.ptr && !ps_str_find(name, PS_STR(" "))) /* without self: "<shop.fast.total>" */
        full = between(name, PS_STR("<"), PS_STR(">"));
    if (!full.ptr)
        return name;
    for (size_t i = full.len; i > 0; i--)
        if (full.ptr[i - 1] == '.') {
            *owner = (struct ps_str){full.ptr, i - 1};
            return ps_str_skip(full, i);
        }
    return full;
}

/* Whether a path or an owner begins with `where`, and a part of it ends there. */
static bool is_within(struct ps_str path, const char *where)
{
    size_t n = strlen(where);

    if (!ps_str_starts_with(path, (struct ps_str){where, n}))
        return false;
    return path.len == n || (n > 0 && (path.ptr[n] == '/' || path.ptr[n] == '\\' ||
                                       path.ptr[n] == '.' || path.ptr[n] == ' '));
}

static bool has_word(const char *words, struct ps_str word)
{
    for (const char *at = words; *at;) {
        size_t n = strcspn(at, " ");

        if (ps_str_eq(word, (struct ps_str){at, n}) || (n == 1 && *at == '*'))
            return true;
        at += n + (at[n] == ' ');
    }
    return false;
}

const struct ps_known_call *ps_known_call_of(struct ps_str path, struct ps_str name)
{
    struct ps_str where = ps_python_installed_part(path);

    if (!where.ptr)
        where = path;
    if (ps_str_eq_c(path, "~"))
        name = ps_builtin_name(name, &where);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].where[0] == (where.len ? where.ptr[0] : '\0') &&
            is_within(where, rows[i].where) && has_word(rows[i].names, name))
            return &rows[i].call;
    return NULL;
}
