/* SPDX-License-Identifier: MIT */
/* python_origin.c: the origin of Python modules and files, from lists of names and from paths. */
#include <pthread.h>

#include "base/intern.h"
#include "base/python_origin.h"

const char *const ps_origin_names[PS_N_ORIGINS] = {"own", "third-party", "stdlib", "builtin",
                                                   "unknown"};

/* --- Names --- */

/*
 * Top-level modules, separated by spaces: builtin modules, present on every platform; the standard
 * libraries of Python 2.7 to 3.15 on Linux, macOS and Windows (sys.stdlib_module_names and,
 * before 3.10, the library folders); and the modules of the most-installed packages.
 */

static const char builtin_names[] =
    " __builtin__ _abc _ast _codecs _collections _frozen_importlib _functools _imp _io _locale"
    " _operator _peg_parser _signal _sre _stat _string _suggestions _symtable _sysconfig"
    " _thread _tokenize _tracemalloc _types _typing _warnings _weakref _winapi atexit builtins"
    " errno exceptions faulthandler gc imp itertools marshal msvcrt nt posix pwd signal sys"
    " thread time winreg xxsubtype ";

static const char stdlib_names[] =
    " BaseHTTPServer Bastion CDROM CGIHTTPServer Canvas ConfigParser Cookie DLFCN Dialog"
    " DocXMLRPCServer FileDialog FixTk HTMLParser IN MimeWriter Queue ScrolledText"
    " SimpleDialog SimpleHTTPServer SimpleXMLRPCServer SocketServer StringIO TYPES Tix"
    " Tkconstants Tkdnd Tkinter UserDict UserList UserString _LWPCookieJar _MozillaCookieJar"
    " __builtin__ __future__ __main__ __phello__ _abc _abcoll _aix_support _android_support"
    " _apple_support _ast _ast_unparse _asyncio _bisect _blake2 _bootlocale _bootsubprocess"
    " _bz2 _codecs _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw"
    " _collections _collections_abc _colorize _compat_pickle _compression _contextvars _crypt"
    " _csv _ctypes _ctypes_test _curses _curses_panel _datetime _dbm _decimal _dummy_thread"
    " _dummy_threading _elementtree _frozen_importlib _frozen_importlib_external _functools"
    " _gdbm _hacl _hashlib _heapq _hmac _hotshot _imp _interpchannels _interpqueues"
    " _interpreters _io _ios_support _json _locale _lsprof _lzma _markupbase _math_integer"
    " _md5 _missing_stdlib_info _msi _multibytecodec _multiprocessing _opcode _opcode_metadata"
    " _operator _osx_support _overlapped _peg_parser _pickle _posixshmem _posixsubprocess"
    " _py_abc _py_warnings _pydatetime _pydecimal _pyio _pylong _pyrepl _queue _random"
    " _remote_debugging _scproxy _sha _sha1 _sha2 _sha256 _sha3 _sha512 _signal _sitebuiltins"
    " _socket _sqlite3 _sre _ssl _stat _statistics _string _strptime _struct _suggestions"
    " _symtable _sysconfig _testbuffer _testcapi _testimportmultiple _testinternalcapi"
    " _testmultiphase _thread _threading_local _tkinter _tokenize _tracemalloc _types _typing"
    " _uuid _warnings _weakref _weakrefset _winapi _winreg _wmi _xxinterpchannels"
    " _xxsubinterpreters _xxtestfuzz _zoneinfo _zstd abc aifc annotationlib antigravity anydbm"
    " argparse array ast asynchat asyncio asyncore atexit audiodev audioop base64 bdb binascii"
    " binhex bisect bsddb builtins bz2 cPickle cProfile cStringIO calendar cgi cgitb chunk"
    " cmath cmd code codecs codeop collections colorsys commands compileall compiler"
    " compression concurrent configparser contextlib contextvars cookielib copy copy_reg"
    " copyreg crypt csv ctypes curses dataclasses datetime dbhash dbm decimal difflib dircache"
    " dis distutils doctest dumbdbm dummy_thread dummy_threading email encodings ensurepip"
    " enum errno exceptions faulthandler fcntl filecmp fileinput fnmatch formatter fpformat"
    " fractions ftplib functools future_builtins gc genericpath getopt getpass gettext glob"
    " graphlib grp gzip hashlib heapq hmac hotshot html htmlentitydefs htmllib http httplib"
    " idlelib ihooks imaplib imghdr imp importlib imputil inspect io ipaddress itertools json"
    " keyword lib2to3 linecache linuxaudiodev locale logging lzma macpath macurl2path mailbox"
    " mailcap markupbase marshal math md5 mhlib mimetools mimetypes mimify mmap modulefinder"
    " msilib msvcrt multifile multiprocessing mutex netrc new nis nntplib nt ntpath nturl2path"
    " numbers opcode operator optparse os os2emxpath ossaudiodev parser pathlib pdb pickle"
    " pickletools pipes pkgutil platform plistlib popen2 poplib posix posixfile posixpath"
    " pprint profile profiling pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue"
    " quopri random re readline repr reprlib resource rexec rfc822 rlcompleter robotparser"
    " runpy sched secrets select selectors sets sgmllib sha shelve shlex shutil signal site"
    " smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre sre_compile sre_constants"
    " sre_parse ssl stat statistics statvfs string stringold stringprep strop struct"
    " subprocess sunau sunaudio symbol symtable sys sysconfig syslog tabnanny tarfile"
    " telnetlib tempfile termios test textwrap this thread threading time timeit"
    " tkColorChooser tkCommonDialog tkFileDialog tkFont tkMessageBox tkSimpleDialog tkinter"
    " toaiff token tokenize tomllib trace traceback tracemalloc ttk tty turtle turtledemo"
    " types typing unicodedata unittest urllib urllib2 urlparse user uu uuid venv warnings"
    " wave weakref webbrowser whichdb winreg winsound wsgiref xdrlib xml xmllib xmlrpc"
    " xmlrpclib xxlimited xxlimited_35 xxsubtype zipapp zipfile zipimport zlib zoneinfo ";

static const char installed_names[] =
    " BTrees Bio Crypto Cryptodome Cython GPy GPyOpt IPython MySQLdb OpenGL OpenSSL PIL PyPDF2"
    " colab_kernel_launcher ipykernel_launcher"
    " PyQt5 PyQt6 PySide2 PySide6 SimpleITK Xlib ZODB _argon2_cffi_bindings _brotli"
    " _cffi_backend _distutils_hack _plotly_utils _pytest _yaml daft dbt healpy langgraph "
    "langchain_community absl accelerate ahocorasick"
    " aiobotocore aiofiles aiohttp aiomysql aioredis aiosignal aiosqlite airflow alembic"
    " altair amqp aniso8601 annotated_types annoy ansible anthropic antlr4 anyio apispec"
    " appdirs apport_python_hook apscheduler arch argon2 arrow arviz asgiref astor astropy"
    " asttokens astunparse async_timeout asyncmy asyncpg attr attrs audioread austin autograd"
    " av awscrt azure babel backcall backoff backports bayes_opt bcrypt beanie beartype"
    " beautifulsoup4 billiard bitsandbytes black bleach blinker bokeh boltons boto boto3"
    " botocore botorch bottle bottle_websocket bottleneck branca brotli brotlicffi bs4 build"
    " cachetools cairo cairocffi cairosvg camelot cartopy cassandra catboost cattr cattrs"
    " causalml ccxt cdo celery certifi cffi cfgrib cftime channels chardet charset_normalizer"
    " cherrypy chex chromadb clang click click_plugins clickhouse_connect clickhouse_driver"
    " cligj cloudpickle cmake colorama coloredlogs colorlog comm configobj confluent_kafka"
    " consul contextily contextlib2 contourpy cornice corsheaders coverage cplex cryptography"
    " ctags cudf cuml cupy cv2 cvxopt cvxpy cycler cython cytoolz dagster daphne darts dash"
    " dask databricks datasets datashader dateutil datrie dbus deap debugpy decorator deepdiff"
    " deepspeed defusedxml deprecated dictdiffer dill dipy discord diskcache distributed"
    " distro django django_filters dlib dns docker docopt docplex docrepr docstring_parser"
    " docutils docx docxtpl dolfin dotenv dowhy dramatiq dtale duckdb dulwich dvc easyocr"
    " eccodes ecdsa econml ecos einops elasticsearch emcee engineio environs etcd3 evaluate"
    " eventlet execnet executing fabric face_recognition faiss falcon fastapi fastavro"
    " fastcluster fasteners fastjsonschema fastparquet faust featuretools fenics ffmpeg"
    " filelock fiona firedrake fitz flair flake8 flashtext flask flask_cors flask_login"
    " flask_migrate flask_restful flask_sqlalchemy flask_wtf flatbuffers flax folium fontTools"
    " freetype frozenlist fs fsspec ftfy future gast gcsfs gdal gensim geopandas gevent gi git"
    " gitdb gluonts gmpy gmpy2 gmsh google gpytorch gql gradio graphene graphql graphviz"
    " great_expectations greenlet grpc grpc_status gspread gtts gunicorn guppy gurobipy gym"
    " gymnasium h11 h2 h3 h5netcdf h5py haiku healpy highspy hnswlib hpack html5lib httpcore"
    " httplib2 httptools httpx huey huggingface_hub humanfriendly humanize hvac hvplot hydra"
    " hypercorn hyperframe hyperlink hyperopt hypothesis ibis idna igraph imageio"
    " imageio_ffmpeg imblearn implicit importlib_metadata importlib_resources inflect inflection"
    " influxdb iniconfig intake invoke ipykernel ipywidgets iris isodate isort itk"
    " itsdangerous jaraco jax jaxlib jedi jeepney jellyfish jieba jinja2 jiter jmespath joblib"
    " jose json5 jsondiff jsonpatch jsonpickle jsonpointer jsonschema"
    " jsonschema_specifications jupyter jupyter_client jupyter_core jupyterlab jwt kafka kazoo"
    " kedro keras keyring kiwisolver kombu kornia kubernetes lancedb langchain langchain_core"
    " langdetect langid langsmith lark lazy_loader lazy_object_proxy ldap ldap3 librosa"
    " lifelines lightgbm lightning lightning_fabric lightning_utilities line_profiler"
    " linearmodels litellm llvmlite lmdb loguru luigi lxml lz4 mako mapclassify marisa_trie"
    " markdown markdown_it markupsafe marshmallow matplotlib matplotlib_inline mccabe mdurl"
    " mediapipe memory_profiler memray mergedeep meshio metpy midiutil mido mip missingno"
    " mistune ml_dtypes mlflow mne monai mongoengine more_itertools moto motor moviepy mpi4py"
    " mpl_toolkits mpmath msal msgpack msgspec multidict multipart multipledispatch"
    " multiprocess munch music21 mypy mypy_extensions mysql nacl namex narwhals nats natsort"
    " nbclient nbconvert nbformat ndindex neo4j nest_asyncio netCDF4 netaddr networkx"
    " neuralprophet nevergrad nibabel nilearn ninja nlpaug nltk nmslib nox numba numcodecs"
    " numexpr numpy nvidia nvtx oauth2client oauthlib objgraph obspy odf odmantic ollama"
    " omegaconf onnx onnxruntime open3d openai openpifpaf openpyxl opentelemetry opt_einsum"
    " optax optree optuna orbax orjson ortools osgeo osqp outcome overrides packaging paho"
    " pandas pandas_profiling pandera pandocfilters pango param paramiko parso passlib paste"
    " patsy pdfminer peewee peft pendulum pexpect pgvector pickleshare pika pinecone pingouin"
    " pint pip pkg_resources pkginfo plac platformdirs playwright plotly plotnine pluggy"
    " plumbum pmdarima polars pooch portalocker portpicker pptx praw prefect preshed"
    " prettytable prometheus_client prompt_toolkit propcache prophet proto protobuf psutil"
    " psycopg psycopg2 psycopg_pool ptyprocess pudb pulp pulsar pure_eval py py4j"
    " pyahocorasick pyamg pyarrow pyasn1 pyasn1_modules pyaudio pybind11 pycocotools pycparser"
    " pycryptodome pydantic pydantic_core pydantic_settings pydeck pydicom pydot pydub pyfaidx"
    " pyflakes pygame pygments pygrib pyinstrument pylab pylint pymc pymilvus pymongo pympler"
    " pymysql pynamodb pynndescent pynvml pyodbc pyomo pyparsing pypdf pyperclip pyproj"
    " pyqtgraph pyramid pyro pysam pyscipopt pyspark pyswarm pytensor pytesseract pytest"
    " pytest_cov pythoncom pythonjsonlogger pytools pytorch_lightning pytube pytz pyvista"
    " pyviz_comms pywintypes pyximport pyxlsb qdrant_client qtpy quart rapidfuzz rasterio ray"
    " rdflib rdkit redis referencing regex reportlab requests requests_oauthlib"
    " requests_toolbelt responses rest_framework retrying rfc3986 rich rioxarray robot rouge"
    " rpds rpy2 rq rsa rtree ruamel ruff s3fs s3transfer sacrebleu safetensors sage sanic"
    " scalene scapy schedule scikits scipy scrapy scs seaborn secretstorage selenium"
    " sentence_transformers sentencepiece sentry_sdk serial setproctitle setuptools sfepy sh"
    " shap shapely shellingham signxml simplejson simpy sipbuild sitecustomize six skimage"
    " sklearn skopt sksparse sktime slugify smart_open smmap snakeviz snappy sniffio snowflake"
    " socketio socks sortedcontainers sounddevice soundfile soupsieve spacy sparse"
    " speech_recognition speedups spellchecker sphinx sqlalchemy sqlalchemy_utils sqlglot"
    " sqlmodel sqlparse srsly stack_data stanza starlette statsforecast statsmodels stomp"
    " streamlit stripe structlog suds sumy superqt sweetviz sympy tables tabula tabulate"
    " tastypie tblib tda telegram tenacity tensorboard tensorboardX tensorflow"
    " tensorflow_datasets tensorflow_probability tensorstore termcolor terminado testpath"
    " textblob textual tf_keras thinc threadpoolctl tifffile tiktoken tiledb timm tinycss2"
    " tokenizers toml tomli tomli_w tomlkit toolz torch torchaudio torchdata torchgen"
    " torchmetrics torchtext torchvision tornado tortoise tox tqdm traitlets traits"
    " transformers tree trimesh trio triton trl trove_classifiers tsfresh tvm tweepy twisted"
    " typeguard typer types_requests typing_extensions typing_inspect typing_inspection tzdata"
    " tzlocal uarray ujson ultralytics umap unidecode uritemplate urllib3 usearch"
    " usercustomize uvicorn uvloop validators vcr vedo vine virtualenv vispy vizplugins"
    " viztracer vllm voluptuous vtk waitress wandb wasabi watchdog watchfiles wcwidth weasel"
    " weasyprint weaviate webcolors webdriver_manager webob websocket websockets werkzeug"
    " wheel whisper whoosh widgetsnbextension win32api win32com win32con wradlib wrapt wsproto"
    " wtforms wx xarray xdist xesmf xformers xgboost xlrd xlsxwriter xlwings xlwt xmlsec"
    " xmltodict xxhash yaml yappi yarl ydata_profiling yfinance youtube_dl yt_dlp zarr zeep"
    " zict zipp zmq zope zstandard ";

/* --- Origins --- */

/* The names of all lists in one hash table, because a log may have thousands of packages. The table
 * is filled once, then only read. */
static struct ps_intern names;
static enum ps_origin *origins; /* origin of a name, by its id in `names` */
static uint32_t origins_cap;

/* Adds the names of a list. A name that is in several lists has the origin of the list that was
 * added first. */
static void fill_from(const char *list, enum ps_origin origin)
{
    for (list += strspn(list, " "); *list; list += strspn(list, " ")) {
        struct ps_str text = {list, strcspn(list, " ")};
        uint32_t n = names.count;

        if (ps_intern_add(&names, text) == n) {
            PS_RESERVE_ONE(origins, n, origins_cap);
            origins[n] = origin;
        }
        list += text.len;
    }
}

static void fill_table(void)
{
    fill_from(builtin_names, PS_ORIGIN_BUILTIN);
    fill_from(stdlib_names, PS_ORIGIN_STDLIB);
    fill_from(installed_names, PS_ORIGIN_THIRD_PARTY);
}

enum ps_origin ps_python_module_origin(struct ps_str top_level)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    uint32_t id;

    (void)pthread_once(&once, fill_table);
    id = ps_intern_find(&names, top_level);
    if (id != PS_INTERN_NONE)
        return origins[id];
    return ps_str_starts_with(top_level, PS_STR("_sysconfigdata_")) ? PS_ORIGIN_STDLIB
                                                                    : PS_ORIGIN_UNKNOWN;
}

struct ps_str ps_python_top_level(struct ps_str module)
{
    const char *dot = module.len ? memchr(module.ptr, '.', module.len) : NULL;

    return (struct ps_str){module.ptr, dot ? (size_t)(dot - module.ptr) : module.len};
}

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

/* Removes the first component of *path and returns it. */
static struct ps_str next_part(struct ps_str *path)
{
    struct ps_str part = *path;
    size_t n = 0;

    while (n < path->len && !is_separator(path->ptr[n]))
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
        char c = part.ptr[i];

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

    if (ps_str_starts_with(part, PS_STR("python")))
        rest = ps_str_skip(part, 6);
    else if (ps_str_starts_with(part, PS_STR("pypy")))
        rest = ps_str_skip(part, 4);
    else
        return false;
    return rest.len >= 1 && rest.ptr[0] >= '2' && rest.ptr[0] <= '9' &&
           memchr(rest.ptr, '.', rest.len);
}

static bool starts_with_word(struct ps_str part, const char *lower)
{
    size_t n = strlen(lower);

    return part.len >= n && same_word((struct ps_str){part.ptr, n}, lower);
}

/* Whether the folder is named after a Python and its version: Python311, python-3.6.2 (WinPython),
 * pythoncore-3.14-64 (Python's install manager), cpython-3.12.3-windows-x86_64-none (uv). */
static bool is_versioned_home(struct ps_str part)
{
    static const char *const kinds[] = {"python", "python-", "pythoncore-", "cpython-", "pypy"};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i]);

        if (starts_with_word(part, kinds[i]) && part.len > n && part.ptr[n] >= '2' &&
            part.ptr[n] <= '9')
            return true;
    }
    return false;
}

/* Whether the folder may be the home of a Python interpreter on Windows, which contains `Lib`: as
 * created by installers, conda, pyenv-win and the Microsoft Store. */
static bool is_windows_home(struct ps_str part, struct ps_str above)
{
    if (same_word(above, "envs") || same_word(above, "versions") || same_word(part, "python"))
        return true;
    if (starts_with_word(part, "pythonsoftwarefoundation.") || starts_with_word(part, "miniforge"))
        return true;
    if (is_versioned_home(part))
        return true;
    for (size_t n = 0; n + 5 <= part.len; n++)
        if (same_word((struct ps_str){part.ptr + n, 5}, "conda"))
            return true;
    return false;
}

static bool is_zipped_library(struct ps_str part)
{
    return part.len > 10 && ps_str_starts_with(part, PS_STR("python")) &&
           memcmp(part.ptr + part.len - 4, ".zip", 4) == 0;
}

/* Whether packages of a system's Python 2 are in the folder: "pymodules/python2.6" on Debian,
 * "Extras/lib" in the Python of macOS. */
static bool is_old_packages_folder(struct ps_str part, struct ps_str above)
{
    return (ps_str_eq_c(above, "pymodules") && is_versioned(part)) ||
           (ps_str_eq_c(above, "Extras") && ps_str_eq_c(part, "lib"));
}

/* Classifies a path that has at least one folder by its folders. */
static enum ps_origin folders_origin(struct ps_str path)
{
    struct ps_str above = {0}, part = {0};
    bool library = false, windows = path.ptr[0] == '\\' || (path.len > 2 && path.ptr[1] == ':');

    while (path.len) {
        struct ps_str before = above;

        above = part;
        part = next_part(&path);
        if (!path.len)
            break; /* the file name */
        if (same_word(part, "site-packages") || same_word(part, "dist-packages"))
            return PS_ORIGIN_THIRD_PARTY;
        if (is_old_packages_folder(part, above))
            return PS_ORIGIN_THIRD_PARTY;
        if (is_zipped_library(part))
            library = true;
        if (is_versioned(part) && (ps_str_eq_c(above, "lib") || ps_str_eq_c(above, "lib64")))
            library = true;
        if (windows && same_word(part, "lib") && is_windows_home(above, before))
            library = true;
        if (ps_str_eq_c(part, "lib-python") || ps_str_eq_c(part, "lib_pypy"))
            library = true;
    }
    return library ? PS_ORIGIN_STDLIB : PS_ORIGIN_OWN;
}

enum ps_origin ps_python_file_origin(struct ps_str path)
{
    bool folders = memchr(path.ptr ? path.ptr : "", '/', path.len) ||
                   memchr(path.ptr ? path.ptr : "", '\\', path.len);

    if (path.len == 0 || ps_str_eq_c(path, "~"))
        return PS_ORIGIN_BUILTIN;
    if (ps_str_starts_with(path, PS_STR("<frozen ")))
        return PS_ORIGIN_STDLIB;
    if (path.ptr[0] == '<')
        return PS_ORIGIN_UNKNOWN;
    return folders ? folders_origin(path) : PS_ORIGIN_UNKNOWN;
}
