/* SPDX-License-Identifier: MIT */
/* options.c: the verbs and options there are. */
#include "server/cli/options_impl.h"

#define MANY ((size_t)-1)

const struct ps_verb_row ps_verbs[] = {
    [PS_VERB_SERVE] = {"serve", "[FILE...]", 0, MANY,
                       "serve the shelf to browsers; FILEs are added first", NULL, 0},
    [PS_VERB_ADD] =
        {"add", "FILE|DIR|-...", 1, MANY, "put profiles on the shelf",
         "A folder stands for every profile in it and below; what is none is listed as "
         "skipped. - is standard\n"
         "input. The content decides what a file is, never its name. Bytes that are on "
         "the shelf already are\n"
         "not imported again, and their run keeps its labels unless --update is given.\n"
         "An .lprof file holds no source: the measured files are attached to its run "
         "from where the profile\n"
         "says they are, seen from its own folder or the current one, or from below "
         "--source-root by ever shorter\n"
         "tails of their paths. A file written after the profile is marked as changed. "
         "--merge makes one run of\n"
         "all FILEs: .lprof files summed as line_profiler's own loader does, traces side "
         "by side as the\nworkers of one job. The *.pt.trace.json files of one folder are "
         "such a job. Each\n"
         "profile in a zip or tar file becomes a run, with the tag archive=FILE, jobs as in a "
         "folder.\n"
         "--server puts them on the shelf that is served there, and goes on where a dropped "
         "connection left off.\n"
         "--json prints one object a line: id kind name sha256 bytes rows repaired "
         "rejected already, and where\nthe shelf is served url: the page of the run.\n",
         0},
    [PS_VERB_RECORD] =
        {"record", "RECORDER -- COMMAND...", 2, MANY,
         "run a Python program with a profiler around it, and put the profile on the shelf",
         "RECORDER is importtime, cprofile, lines, memory or torch. COMMAND is what runs the "
         "program: python app.py,\npython -m package, pytest tests/, ./script.py. It runs with its "
         "own Python, without a shell, and keeps its\nstandard input and output; with --json its "
         "output goes to stderr.\n\n"
         "  importtime   what each import takes; all else on stderr, a pipe then, passes through\n"
         "  cprofile     each function, with its callers\n"
         "  lines        each line of the functions that are marked @profile (line_profiler)\n"
         "  memory       memory over time, with the children of the program (memory_profiler)\n"
         "  torch        a trace of all of it, with shapes, memory and stacks (PyTorch)\n\n"
         "The run is tagged with command, host, python, and of a git checkout commit and dirty; a "
         "--tag of that name\nwins. --repeat records a series of runs, named by the program "
         "and its\narguments and tagged repeat=1/N and so on. "
         "--open shows the newest at the server of --listen, or serves\nthe shelf there where none "
         "runs. Exit status: the command's own when it failed; what it\nrecorded by then is on the "
         "shelf all the same.\n",
         2},
    [PS_VERB_LIST] = {"list", "", 0, 0, "the runs on the shelf, newest first", NULL, 0},
    [PS_VERB_SHOW] =
        {"show", "RUN", 1, 1, "what one run is and what is slow in it, or a group of runs",
         "After what is known of the run: the conclusion of its report and the rows of its first "
         "table that take most.\nOf a group (several RUNs with commas between them, series:NAME or "
         "tag:K=V) a table: each "
         "row's "
         "median,\nits spread (the median absolute deviation), the least and the largest, its "
         "share of "
         "the sum, and in how\nmany runs it is. --of: the table, --metric: its column.\n",
         0},
    [PS_VERB_EDIT] = {"edit", "RUN...", 1, MANY, "change name, series, note and tags of runs",
                      "Tags that are not named stay. --series '' takes the run out of its series, "
                      "--note '' removes its note.\n--json prints each RUN as it is then, as "
                      "docs/api.md describes it.\n",
                      0},
    [PS_VERB_RM] = {"rm", "RUN...", 1, MANY, "take runs off the shelf, with their originals",
                    "`perfshelf undelete` brings them back within a day.\n", 0},
    [PS_VERB_UNDELETE] =
        {"undelete", "[RUN...]", 0, MANY, "bring back runs that were removed in the last day",
         "Without a RUN, lists them. RUN is an id, the beginning of one, or a name. Whatever "
         "removed "
         "them (rm, the page,\nprune, --keep), they come back with name, series, note, tags and "
         "sources. "
         "Where the quota or the disk needs the\nspace, the first removed go earlier.\n",
         0},
    [PS_VERB_RENEW] =
        {"renew", "[RUN...]", 0, MANY,
         "import again, from their originals, runs that an older perfshelf wrote",
         "Without a RUN, all of them. Names, series, notes, tags and attached sources stay. "
         "Runs that can be read\nas they are stay too.\n",
         0},
    [PS_VERB_FORMATS] = {"formats", "", 0, 0, "what can be read, and the command that records it",
                         NULL, 0},
    [PS_VERB_SQL] =
        {"sql", "RUN 'SELECT ...'", 2, 2, "one read-only statement over a run",
         "Views: run imports functions callers lines memory notes, and empty ones for other "
         "formats; "
         "schema/run.sql\n"
         "describes each column. --json prints an array of objects, doubles with every digit.\n",
         0},
    [PS_VERB_DIFF] =
        {"diff", "BASE RUN", 2, 2, "what changed from one run, or group of runs, to another",
         "Each is a RUN, several with commas between them, series:NAME (@10: the newest) or "
         "tag:K=V. Five runs a "
         "side,\n"
         "recorded by turns, tell a change from noise: medians, the exact rank sum test, and a "
         "rule that holds the share of\nverdicts by chance at 5 %. --of: a table, such as "
         "functions, "
         "imports, packages, operators, kernels, lines.\n--metric: a column of it. --json prints\n"
         "{\"base\",\"new\",\"headline\",\"of\",\"metric\",\"unit\",\"rows\":[{\"name\",\"file\","
         "\"base\",\"new\",\"delta\",...}]},\nthe largest "
         "change first.\n",
         0},
    [PS_VERB_CHECK] =
        {"check", "RUN", 1, 1, "whether a run keeps its budgets, for CI",
         "A budget is TABLE.NAME=VALUE, such as imports.torch=1.2s, functions.parse=80ms, "
         "memory.device 0=2GiB, or\nheadline=VALUE; tables as of diff, each limited by its "
         "inclusive metric. A name that the run lacks but the\nbaseline or another run of its "
         "series has is reported as missing; one that none has is wrong usage.\n--fail-on: how "
         "much the headline may grow against --against, such as +10% or +50ms. RUN and BASELINE "
         "may\nbe several with commas between them, series:NAME or tag:K=V: their medians count. "
         "series:NAME@10: the newest 10\nof them. RUN itself is never part of its own baseline. "
         "A growth fails unless it is within noise (5 and 5 runs\nor more: a rank sum test) or, "
         "with fewer runs, a run of a larger baseline was as slow. With one run each nothing\n"
         "tells noise from change: significance unknown.\nExit status: 0 within, 1 over (or "
         "failed), 2 wrong usage.\n",
         0},
    [PS_VERB_TREND] =
        {"trend", "SERIES", 1, 1, "a figure over the runs of a series, and where it steps",
         "SERIES is its name, or tag:K=V for all runs with that tag. Without --of and --row the "
         "figure is the headline, or\nwith --metric one of the summary that `show --json` prints. "
         "--row is a name as diff prints it. --by: runs with\nthe same value of that tag, such as "
         "a commit, are repeats of one point. A step is told when an order by chance\nwould hardly "
         "give it (E-divisive on ranks, permutation test, p <= 0.01).\n",
         0},
    [PS_VERB_BASELINE] =
        {"baseline", "[RUN]", 0, 1, "pin a run as the baseline of its series",
         "Others are held against it as baseline:SERIES, which may stand wherever a RUN may. "
         "--clear lets it go.\n",
         0},
    [PS_VERB_VERIFY] = {"verify", "", 0, 0, "whether every file of the shelf is there and whole",
                        "The catalog and each run file through SQLite's integrity check, each "
                        "run file, original and source by its\nhash, what the catalog says of each "
                        "run against its file and label, "
                        "and files that nothing refers to. "
                        "--quick only looks whether they are there. The shelf may be served\n"
                        "meanwhile. One line per finding: file, what, what to do. Exit status: 0 "
                        "clean, 1 findings, 2 it could not look.\n",
                        0},
    [PS_VERB_TOKEN] =
        {"token", "add NAME | list | revoke NAME", 1, 2, "who may use a shelf that others reach",
         "add prints a token, once: the shelf keeps only its hash. --role: viewer reads, uploader "
         "(the default) also\nadds runs, names them and removes its own, admin also removes those "
         "of others and downloads originals. A token is\nsent as `Authorization: Bearer TOKEN`; a "
         "browser logs in with it once. revoke ends it and its logins at once.\n",
         0},
    [PS_VERB_REBUILD] =
        {"rebuild", "", 0, 0, "make the catalog anew from the run files",
         "With the names, series, notes, tags, people and sources that labels/ and the "
         "run files tell of, and of a damaged\ncatalog what can be read. Damaged "
         "run files are set aside in lost/ and imported again from their\n"
         "originals. The shelf must not be in use.\n",
         0},
    [PS_VERB_BACKUP] = {"backup", "TARGET", 1, 1,
                        "copy the shelf into a folder, also while it is served",
                        "TARGET is a shelf itself then, for `serve --data TARGET`: new, or a "
                        "backup of the same shelf from before, to\nwhich only what is new is "
                        "copied and from which goes what is no more. Copies are read again and "
                        "compared.\n",
                        0},
    [PS_VERB_COPY] =
        {"copy", "", 0, 0, "bring a shelf into another one, of a folder or of a database",
         "STORE is a folder, or postgresql://HOST/DATABASE; one of both may stand in "
         "$PERFSHELF_STORE instead, with a\npassword too. All runs go over with what was "
         "said of them, tokens, baselines, saved queries and logs; logins of\nbrowsers "
         "and uploads that wait stay. Both may be served meanwhile. What is there already "
         "stays as it is: a copy\nthat was interrupted is made again, and goes on. With "
         "--update it becomes as it is in --from instead: names,\nseries, people, notes and tags "
         "of "
         "runs, tokens, baselines, saved queries; and runs that were removed there go. In "
         "the\nend both are compared; one line for each thing that is not there as it was, "
         "and exit status 1.\n",
         0},
    [PS_VERB_WHATIF] =
        {"whatif", "RUN [MODULE...]", 1, MANY, "what a start-up saves with some imports made lazy",
         "RUN is an import log. MODULE is made lazy where the log has it first, MODULE@IMPORTER in "
         "that one (__main__:\nthe program), MODULE@* wherever it is imported. Without a MODULE: "
         "what is worth trying. What others import\nanyway is not saved; the log of `record "
         "importtime --importers` and that of -X importtime=2 say who they are,\na plain one does "
         "not: then the answer is an interval.\n",
         0},
    [PS_VERB_EXPORT] =
        {"export", "[RUN...]", 0, MANY, "runs or a comparison as a file for people outside",
         "A .perfshelf bundle, which another shelf adds: the originals with their names, series, "
         "notes, tags and attached\nsources. With --redact the runs without their originals: "
         "figures stay "
         "as they are, of the rest nothing that\nthe named categories hold is in the file. "
         "--preview tells what that is, and what it becomes:\n\n"
         "  paths       folders; what stands below site-packages or lib/pythonX.Y stays\n"
         "  hosts       names and addresses of machines\n"
         "  people      names of users, in home folders and labels; who added the run\n"
         "  arguments   command lines, the environment, arguments of slices\n"
         "  source      lines of source, attached source files\n"
         "  labels      name, series and tags\n"
         "\nThe note of a run is left out whatever is redacted.\n",
         0},
    [PS_VERB_PRUNE] =
        {"prune", "", 0, 0, "take the runs off the shelf that no longer stay by a rule",
         "A rule keeps the newest runs: 500 so many, 90d those of that time (h, d, w), 50GiB those "
         "that take no more, with\ntheir originals as they came in. It is one of the whole shelf; "
         "20/series is one of each series, nightly=20 of that\nseries, in place of what is said of "
         "each. A run goes when any rule lets it go. The baseline of a series stays,\nand is not "
         "counted. The removal log names the rule; `perfshelf undelete` brings runs back within a "
         "day. `serve --keep` does\nthis all the time, at most for a tenth of the shelf within an "
         "hour, and by age only while the clock is right.\n",
         0},
};
const size_t ps_verbs_count = sizeof ps_verbs / sizeof *ps_verbs;

#define ON(verb) (1U << (PS_VERB_##verb))
#define ON_SHELF                                                                                   \
    (ON(SERVE) | ON(ADD) | ON(RECORD) | ON(LIST) | ON(SHOW) | ON(EDIT) | ON(RM) | ON(RENEW) |      \
     ON(SQL) | ON(DIFF) | ON(CHECK) | ON(TREND) | ON(BASELINE) | ON(VERIFY) | ON(REBUILD) |        \
     ON(BACKUP) | ON(TOKEN) | ON(WHATIF) | ON(EXPORT) | ON(PRUNE) | ON(UNDELETE))
/* Those that need no file of the shelf's own folder. */
#define ON_STORE (ON_SHELF & ~(ON(REBUILD) | ON(BACKUP)))
/* Those that a server can do as well (client.h, remote.h). */
#define ON_SERVER                                                                                  \
    (ON(ADD) | ON(RECORD) | ON(LIST) | ON(SHOW) | ON(EDIT) | ON(RM) | ON(SQL) | ON(DIFF) |         \
     ON(CHECK) | ON(TREND) | ON(BASELINE) | ON(WHATIF) | ON(EXPORT) | ON(UNDELETE))
#define ON_JSON                                                                                    \
    (ON(ADD) | ON(RECORD) | ON(LIST) | ON(SHOW) | ON(EDIT) | ON(RM) | ON(RENEW) | ON(FORMATS) |    \
     ON(SQL) | ON(DIFF) | ON(CHECK) | ON(TREND) | ON(BASELINE) | ON(VERIFY) | ON(REBUILD) |        \
     ON(BACKUP) | ON(TOKEN) | ON(WHATIF) | ON(EXPORT) | ON(PRUNE) | ON(COPY) | ON(UNDELETE))

#define FLAG   PS_FLAG
#define TEXT   PS_TEXT
#define TAG    PS_TAG
#define BUDGET PS_BUDGET
#define HOST   PS_HOST
#define RULE   PS_RULE

const struct ps_option_row ps_option_rows[] = {
    {"--data", "DIR", TEXT, ON_SHELF, offsetof(struct ps_options, data),
     "the shelf's folder (default $XDG_DATA_HOME/perfshelf, or another that you serve)"},
    {"--store", "URL", TEXT, ON_STORE, offsetof(struct ps_options, store),
     "a shelf of many servers: postgresql://USER@HOST/DATABASE (default $PERFSHELF_STORE)"},
    {"--cache-size", "SIZE", TEXT, ON_STORE, offsetof(struct ps_options, cache_size),
     "what is fetched of such a shelf takes at most, such as 50GiB (default 10GiB)"},
    {"--listen", "ADDR:PORT", TEXT, ON(SERVE) | ON(RECORD), offsetof(struct ps_options, listen),
     "where to serve (default " PS_DEFAULT_LISTEN "; port 0 takes a free one)"},
    {"--tokens", NULL, FLAG, ON(SERVE), offsetof(struct ps_options, tokens),
     "want a token on the loopback too (elsewhere it always does)"},
    {"--tls-cert", "FILE", TEXT, ON(SERVE), offsetof(struct ps_options, tls_cert),
     "serve HTTPS with this certificate chain (PEM)"},
    {"--tls-key", "FILE", TEXT, ON(SERVE), offsetof(struct ps_options, tls_key),
     "and this key (PEM)"},
    {"--host", "NAME", HOST, ON(SERVE), offsetof(struct ps_options, hosts),
     "a further name under which the shelf is asked for; may be repeated"},
    {"--proxy", NULL, FLAG, ON(SERVE), offsetof(struct ps_options, proxy),
     "behind a proxy that speaks HTTPS and sets X-Forwarded-For: wants tokens"},
    {"--import-memory", "BYTES", TEXT, ON(SERVE) | ON(ADD),
     offsetof(struct ps_options, import_memory),
     "memory of the process that reads a profile, such as 8GiB (default 4GiB)"},
    {"--import-cpu", "SECONDS", TEXT, ON(SERVE) | ON(ADD), offsetof(struct ps_options, import_cpu),
     "its processor time, such as 30min (default 10min)"},
    {"--queue", "N", TEXT, ON(SERVE), offsetof(struct ps_options, queue),
     "imports that may wait before uploads are refused (default 10000)"},
    {"--quota", "SIZE", TEXT, ON(SERVE), offsetof(struct ps_options, quota),
     "bytes that the shelf may take before uploads are refused, such as 50GiB (default: any)"},
    {"--keep", "RULE", RULE, ON(SERVE) | ON(PRUNE), offsetof(struct ps_options, keep),
     "which runs stay, such as 500, 90d, 20/series, nightly=2GiB; may be repeated"},
    {"--dry-run", NULL, FLAG, ON(PRUNE), offsetof(struct ps_options, dry_run),
     "remove nothing; tell what would go"},
    {"--role", "ROLE", TEXT, ON(TOKEN), offsetof(struct ps_options, role),
     "viewer, uploader or admin"},
    {"--open", NULL, FLAG, ON(SERVE) | ON(RECORD), offsetof(struct ps_options, open),
     "open the browser"},
    {"--name", "S", TEXT, ON(ADD) | ON(RECORD) | ON(EDIT), offsetof(struct ps_options, name),
     "what to call the run (default: its title, else the file's name; record: program and "
     "arguments)"},
    {"--series", "S", TEXT, ON(ADD) | ON(RECORD) | ON(EDIT), offsetof(struct ps_options, series),
     "runs of one series are one trend"},
    {"--note", "TEXT", TEXT, ON(ADD) | ON(RECORD) | ON(EDIT), offsetof(struct ps_options, note),
     "what is to be known about the run; may have line breaks"},
    {"--tag", "K=V", TAG, ON(ADD) | ON(RECORD) | ON(EDIT), offsetof(struct ps_options, tags),
     "a tag; may be repeated"},
    {"--untag", "K", PS_UNTAG, ON(EDIT), offsetof(struct ps_options, tags),
     "remove the tag K; may be repeated"},
    {"--source-root", "DIR", TEXT, ON(ADD), offsetof(struct ps_options, source_root),
     "where the sources of line-level profiles are (default: where they were)"},
    {"--merge", NULL, FLAG, ON(ADD), offsetof(struct ps_options, merge),
     "make one run of several .lprof files, or of the traces of one job"},
    {"--server", "URL", TEXT, ON_SERVER, offsetof(struct ps_options, server),
     "the shelf that is served there, instead of --data (default $PERFSHELF_SERVER)"},
    {"--token", "T", TEXT, ON_SERVER, offsetof(struct ps_options, token),
     "who you are there (default $PERFSHELF_TOKEN, which other users of the machine cannot see)"},
    {"--ca", "FILE", TEXT, ON_SERVER, offsetof(struct ps_options, ca),
     "believe the server whose certificate is signed by this one (PEM)"},
    {"--repeat", "N", TEXT, ON(RECORD), offsetof(struct ps_options, repeat),
     "record N times, as one series"},
    {"--importers", NULL, FLAG, ON(RECORD), offsetof(struct ps_options, importers),
     "importtime: run the program once more, to see who else imports what"},
    {"-o", "FILE", TEXT, ON(RECORD) | ON(EXPORT), offsetof(struct ps_options, output),
     "record: keep the profile in FILE too; export: write to FILE, or - for standard output"},
    {"--force", NULL, FLAG, ON(RECORD) | ON(EXPORT), offsetof(struct ps_options, force),
     "-o may overwrite a file"},
    {"--redact", "WORDS", TEXT, ON(EXPORT), offsetof(struct ps_options, redact),
     "categories with commas between them, or all"},
    {"--html", NULL, FLAG, ON(EXPORT), offsetof(struct ps_options, html),
     "one HTML file instead, which shows them in any browser, without a network"},
    {"--preview", NULL, FLAG, ON(EXPORT), offsetof(struct ps_options, preview),
     "write no file; tell what it would reveal"},
    {"--base", "RUNS", TEXT, ON(EXPORT), offsetof(struct ps_options, base),
     "a comparison: the runs to compare with"},
    {"--new", "RUNS", TEXT, ON(EXPORT), offsetof(struct ps_options, fresh),
     "a comparison: the runs that are compared"},
    {"--of", "TABLE", TEXT, ON(DIFF) | ON(SHOW) | ON(TREND), offsetof(struct ps_options, of),
     "the table to compare (default: the first)"},
    {"--metric", "M", TEXT, ON(DIFF) | ON(SHOW) | ON(TREND), offsetof(struct ps_options, metric),
     "its column to compare (default: the first)"},
    {"--row", "NAME", TEXT, ON(TREND), offsetof(struct ps_options, row),
     "the row of the table to follow"},
    {"--place", "P", TEXT, ON(TREND), offsetof(struct ps_options, place),
     "its file, package or unit, where several rows have that name"},
    {"--by", "K", TEXT, ON(TREND), offsetof(struct ps_options, by),
     "runs with the same value of this tag are one point"},
    {"--clear", "SERIES", TEXT, ON(BASELINE), offsetof(struct ps_options, clear),
     "this series has no baseline any more"},
    {"--against", "BASELINE", TEXT, ON(CHECK), offsetof(struct ps_options, against),
     "the run, or group of runs, to compare with, such as series:NAME@10"},
    {"--budget", "B", BUDGET, ON(CHECK), offsetof(struct ps_options, budgets),
     "what may not be exceeded: TABLE.NAME=VALUE or headline=VALUE; may be repeated"},
    {"--fail-on", "+N%", TEXT, ON(CHECK), offsetof(struct ps_options, fail_on),
     "how much the headline may grow (default with --against: +10%)"},
    {"--markdown", NULL, FLAG, ON(CHECK), offsetof(struct ps_options, markdown),
     "print a summary for a pull request"},
    {"--from", "STORE", TEXT, ON(COPY), offsetof(struct ps_options, from), "the shelf to copy"},
    {"--to", "STORE", TEXT, ON(COPY), offsetof(struct ps_options, to), "where it goes"},
    {"--update", NULL, FLAG, ON(COPY) | ON(ADD), offsetof(struct ps_options, update),
     "copy: all becomes as it is in --from; add: labels also for runs that are there already"},
    {"--quick", NULL, FLAG, ON(VERIFY), offsetof(struct ps_options, quick),
     "do not read the files through"},
    {"--json", NULL, FLAG, ON_JSON, offsetof(struct ps_options, json), "print JSON"},
    {"--rows", "N", TEXT, ON(SQL) | ON(SHOW), offsetof(struct ps_options, rows),
     "sql: more rows are refused (default 10000000); show: rows of the table (default 10)"},
    {"--sort", "M", TEXT, ON(SHOW), offsetof(struct ps_options, sort),
     "another column to sort by, or name"},
    {"--seconds", "N", TEXT, ON(SQL), offsetof(struct ps_options, seconds),
     "a statement that takes longer is stopped (default 600)"},
    {"--csv", NULL, FLAG, ON(SQL), offsetof(struct ps_options, csv), "print CSV"},
};
const size_t ps_option_rows_count = sizeof ps_option_rows / sizeof *ps_option_rows;
