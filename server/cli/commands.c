/* SPDX-License-Identifier: MIT */
/* commands.c: the commands and the texts of their help. Their options: command_options.c. */
#include "server/cli/commands.h"

#define MANY ((size_t)-1)

#define RUN                                                                                        \
    "RUN\tan id, a unique prefix of one, a name, @1 (the newest), @2 and so on, or "               \
    "baseline:SERIES\n"
#define GROUP                                                                                      \
    "several RUNs with commas between them, series:NAME, series:NAME@10 (its newest 10 runs) "     \
    "or tag:KEY=VALUE"

const char *const ps_command_groups[PS_GROUPS] = {
    [PS_GROUP_ADD] = "Record and add",        [PS_GROUP_LOOK] = "Look",
    [PS_GROUP_COMPARE] = "Compare and check", [PS_GROUP_SHARE] = "Share",
    [PS_GROUP_OPERATE] = "Operate",
};

const struct ps_command_row ps_commands[] = {
    [PS_COMMAND_RECORD] =
        {
            .name = "record",
            .group = PS_GROUP_ADD,
            .summary = "run a Python program with a profiler and add the profile",
            .usage = "[OPTIONS] RECORDER -- COMMAND...",
            .min = 2,
            .max = MANY,
            .own = 2,
            .about =
                "COMMAND starts a Python program: python app.py, python -m package, pytest tests/ "
                "or ./script.py. It runs with its own Python, without a shell, and keeps its "
                "standard input and output. With --json its output goes to stderr.\n\n"
                "The run is tagged with command, host and python, and in a git checkout with "
                "commit and dirty. A --tag of the same name replaces such a tag. Passwords and "
                "tokens in the command are masked.\n\n"
                "--repeat records a series of runs. The series is named after the program and its "
                "arguments, and the runs are tagged repeat=1/N and so on.",
            .arguments = "RECORDER\tone of the profilers below\n"
                         "  importtime\tthe time of each import; other output on stderr passes "
                         "through\n"
                         "  cprofile\tthe time of each function, with its callers\n"
                         "  lines\tthe time of each line in functions marked @profile "
                         "(line_profiler)\n"
                         "  memory\tmemory over time, with child processes (memory_profiler)\n"
                         "  torch\ta trace with shapes, memory and stacks (PyTorch)\n"
                         "COMMAND...\tthe program to run, with its arguments\n",
            .examples = "perfshelf record cprofile -- python app.py\n"
                        "perfshelf record importtime --importers --open -- python -m app\n"
                        "perfshelf record lines --repeat 5 --series nightly -- pytest tests/\n",
            .exit_status = "The exit status of COMMAND if that is not 0; the profile up to then is "
                           "on the shelf all the same. Otherwise 0, or 1 if the profile could not "
                           "be added.",
            .synonyms = "run profile exec start",
        },
    [PS_COMMAND_ADD] =
        {
            .name = "add",
            .group = PS_GROUP_ADD,
            .summary = "add profiles: files, folders, archives or standard input",
            .usage = "FILE...",
            .min = 1,
            .max = MANY,
            .about =
                "Each profile becomes a run, and a line is printed for it. The content of a file "
                "decides its format, never its name. `perfshelf formats` lists the formats.\n\n"
                "A folder is searched with its subfolders, and files that are no profiles are "
                "skipped. Each profile in a zip or tar file becomes a run, tagged archive=FILE. "
                "The *.pt.trace.json files of one folder are the workers of one job and become "
                "one run.\n\n"
                "Bytes that are already on the shelf are not imported again. Their run keeps its "
                "labels unless --update is given.\n\n"
                "An .lprof profile contains no source code, so the files it measured are attached "
                "to the run. They are searched at the recorded paths, as seen from the folder of "
                "the profile and from the current folder. With --source-root they are searched "
                "below that folder instead. A file that is newer than the profile is marked as "
                "changed.\n\n"
                "With --server, an upload continues where a dropped connection left it.\n\n"
                "--json prints an object per line: id, kind, name, sha256, bytes, rows, repaired, "
                "rejected, already, and url if the shelf is served.",
            .arguments = "FILE\ta profile, a folder, a zip or tar file, or - for standard input\n",
            .examples = "perfshelf add app.prof\n"
                        "perfshelf add logs/ ci.zip --series nightly --tag branch=main\n"
                        "perfshelf add app.prof --server https://shelf.example.org\n"
                        "perfshelf add --merge worker1.lprof worker2.lprof\n",
            .synonyms = "import upload load push put",
        },
    [PS_COMMAND_SERVE] =
        {
            .name = "serve",
            .group = PS_GROUP_LOOK,
            .summary = "serve the shelf to browsers and to other machines",
            .usage = "[FILE...]",
            .max = MANY,
            .about =
                "Serves the shelf until Ctrl-C or SIGTERM. Without --listen only this machine can "
                "connect.\n\n"
                "If --listen names an address that other machines reach, every request needs a "
                "token: see `perfshelf help token`. Encrypt the connection with --tls-cert and "
                "--tls-key, or put a proxy in front and use --proxy.\n\n"
                "--keep deletes old runs while the server runs, by the rules of `perfshelf help "
                "prune`. It deletes at most a tenth of the shelf per hour. If the system clock is "
                "obviously wrong, it does not apply age rules such as 365d.",
            .arguments = "FILE\ta profile to add when the server has started\n",
            .examples = "perfshelf serve\n"
                        "perfshelf serve --open app.prof\n"
                        "perfshelf serve --listen 0.0.0.0:7700 --tls-cert cert.pem --tls-key "
                        "key.pem\n"
                        "perfshelf serve --keep 20/series --keep 365d --quota 50GiB\n",
            .synonyms = "open ui web http view browse daemon",
        },
    [PS_COMMAND_LIST] =
        {
            .name = "list",
            .group = PS_GROUP_LOOK,
            .summary = "list the runs on the shelf, newest first",
            .usage = "",
            .about = "The first column, such as @1, is a word for the run in other commands.",
            .examples = "perfshelf list\n"
                        "perfshelf list --json --server https://shelf.example.org\n",
            .synonyms = "ls ll dir runs status log",
        },
    [PS_COMMAND_SHOW] =
        {
            .name = "show",
            .group = PS_GROUP_LOOK,
            .summary = "show what a run is and what takes most in it",
            .usage = "RUN",
            .min = 1,
            .max = 1,
            .about =
                "Prints the metadata of the run, the conclusion of its report, and the largest "
                "rows of one of its tables.\n\n"
                "For a group of runs it prints the median of each row, its spread (the median "
                "absolute deviation), minimum, maximum, share of the sum, and the number of runs "
                "that contain the row.",
            .arguments = RUN "GROUP\tin place of RUN: " GROUP "\n",
            .examples = "perfshelf show @1\n"
                        "perfshelf show @1 --of functions --sort ncalls --rows 30\n"
                        "perfshelf show series:nightly@10\n",
            .synonyms = "info describe inspect cat print report get",
        },
    [PS_COMMAND_SQL] =
        {
            .name = "sql",
            .group = PS_GROUP_LOOK,
            .summary = "run a read-only SQL query over one run",
            .usage = "RUN 'SELECT ...'",
            .min = 2,
            .max = 2,
            .about =
                "The tables to query are run, imports, functions, callers, nodes, lines, memory, "
                "measurements and notes. Traces also fill slices, operators, kernels, steps, flows "
                "and counters. Tables that the format of the run does not fill are empty. "
                "schema/run.sql in the source code describes every column.\n\n"
                "--json prints an array of objects. Floating-point numbers keep every digit.",
            .arguments = RUN "SELECT ...\tone statement in the SQL of SQLite\n",
            .examples =
                "perfshelf sql @1 'SELECT name, cumtime_s FROM functions ORDER BY 2 DESC LIMIT 9'\n"
                "perfshelf sql @1 \"SELECT name FROM pragma_table_info('functions')\"\n"
                "perfshelf sql @1 'SELECT * FROM imports' --csv\n",
            .synonyms = "query select db",
        },
    [PS_COMMAND_WHATIF] =
        {
            .name = "whatif",
            .group = PS_GROUP_LOOK,
            .summary = "estimate the start-up time that lazy imports save",
            .usage = "RUN [MODULE...]",
            .min = 1,
            .max = MANY,
            .about =
                "RUN is an import-time log. Without a MODULE, the command lists the modules that "
                "are worth making lazy.\n\n"
                "A module that something else imports anyway saves nothing. A plain import-time "
                "log contains only the first importer of each module, so the saving is an interval "
                "then. `perfshelf record importtime --importers` and `python -X importtime=2` "
                "record all importers.",
            .arguments = RUN "MODULE\ta module to import lazily where the log first imports it\n"
                             "MODULE@IMPORTER\tthe same, in the module IMPORTER; __main__ is the "
                             "program\n"
                             "MODULE@*\tthe same, wherever it is imported\n",
            .examples = "perfshelf whatif @1\n"
                        "perfshelf whatif @1 torch numpy@app.plot\n",
            .synonyms = "lazy simulate",
        },
    [PS_COMMAND_FORMATS] =
        {
            .name = "formats",
            .group = PS_GROUP_LOOK,
            .summary = "list the profile formats and how to record them",
            .usage = "",
            .about = "For each format: its kind, what it contains, and a command that records it.",
            .examples = "perfshelf formats\n",
            .synonyms = "kinds types importers",
        },
    [PS_COMMAND_DIFF] =
        {
            .name = "diff",
            .group = PS_GROUP_COMPARE,
            .summary = "show what changed between two runs or groups of runs",
            .usage = "BASE NEW",
            .min = 2,
            .max = 2,
            .about =
                "Prints the change of the headline, then the rows of one table with the largest "
                "change first.\n\n"
                "With one run each, the significance of a change is unknown. Record five runs "
                "each, alternating between the two versions. Groups are then compared by their "
                "medians with the exact rank sum test, and at most 1 in 20 verdicts is due to "
                "chance.\n\n"
                "--json prints an object with base, new, headline, of, metric, unit and rows. "
                "Each row has name, file, base, new, delta and more.",
            .arguments = "BASE, NEW\ttwo RUNs or groups of runs\n" RUN "GROUP\t" GROUP "\n",
            .examples = "perfshelf diff @2 @1\n"
                        "perfshelf diff baseline:nightly @1 --of functions --metric ncalls\n"
                        "perfshelf diff tag:branch=main tag:branch=fix\n",
            .synonyms = "compare cmp delta versus",
        },
    [PS_COMMAND_CHECK] =
        {
            .name = "check",
            .group = PS_GROUP_COMPARE,
            .summary = "check a run against budgets or a baseline (for CI)",
            .usage = "RUN --budget BUDGET...\nRUN --against BASELINE",
            .min = 1,
            .max = 1,
            .about =
                "A budget is TABLE.NAME=VALUE, such as imports.torch=1.2s, functions.parse=80ms or "
                "\"memory.device 0=2GiB\", or headline=VALUE. The tables are those of `perfshelf "
                "diff --of`; a budget limits their inclusive metric. A name that the run lacks is "
                "reported as missing if the baseline or another run of its series has it, and is "
                "wrong usage if none has.\n\n"
                "With --against, the headline of RUN may grow over that of BASELINE by --fail-on. "
                "With 5 and 5 runs or more, growth within noise passes (rank sum test). With fewer "
                "runs, growth also passes if one of several baseline runs was as slow. With one "
                "run "
                "each the significance is unknown, and growth fails. RUN is never part of its own "
                "baseline. The medians of groups are compared.",
            .arguments = RUN "BASELINE\ta RUN\nGROUP\tin place of RUN or BASELINE: " GROUP "\n",
            .examples = "perfshelf check @1 --budget imports.torch=1.2s --budget headline=2s\n"
                        "perfshelf check @1 --against series:nightly@10 --fail-on +5% --markdown\n",
            .exit_status = "0 within all limits, 1 over a limit (or the check failed), 2 wrong "
                           "usage.",
            .synonyms = "budget assert ci gate test",
        },
    [PS_COMMAND_TREND] =
        {
            .name = "trend",
            .group = PS_GROUP_COMPARE,
            .summary = "show a metric over a series and its change points",
            .usage = "SERIES",
            .min = 1,
            .max = 1,
            .about =
                "The metric is the headline of the runs. --metric alone names a number of the "
                "summary that `perfshelf show --json` prints. --of and --row follow one row of a "
                "table; --row is a name as `perfshelf diff` prints it.\n\n"
                "With --by, runs with the same value of that tag, such as a commit, are repeats of "
                "one point.\n\n"
                "A change point is shown where chance alone hardly explains the order of the "
                "values (E-divisive on ranks, permutation test, p <= 0.01).",
            .arguments = "SERIES\tthe name of a series, or tag:KEY=VALUE for all runs with that "
                         "tag\n",
            .examples = "perfshelf trend nightly\n"
                        "perfshelf trend nightly --by commit\n"
                        "perfshelf trend nightly --of functions --row parse --metric ncalls\n",
            .synonyms = "history graph plot",
        },
    [PS_COMMAND_BASELINE] =
        {
            .name = "baseline",
            .group = PS_GROUP_COMPARE,
            .summary = "set the baseline run of a series",
            .usage = "RUN\n--clear SERIES",
            .max = 1,
            .about =
                "RUN becomes the baseline of its series. Other commands accept baseline:SERIES "
                "wherever they accept a RUN. A baseline is never deleted by retention rules.",
            .arguments = RUN,
            .examples = "perfshelf baseline @1\n"
                        "perfshelf diff baseline:nightly @1\n"
                        "perfshelf baseline --clear nightly\n",
            .synonyms = "pin reference",
        },
    [PS_COMMAND_EXPORT] =
        {
            .name = "export",
            .group = PS_GROUP_SHARE,
            .summary = "write runs or a comparison to a file for others",
            .usage = "RUN...\n[--base RUNS] --new RUNS",
            .max = MANY,
            .about =
                "Writes a .perfshelf bundle, which `perfshelf add` on another shelf reads. It "
                "contains the original files, names, series, notes, tags and attached sources of "
                "the runs. Without -o the file is named after them, and its name is printed.\n\n"
                "With --redact the bundle contains the runs without their original files. Numbers "
                "are kept, and values of the named categories are replaced or left out. The note "
                "of a run is always left out then. --preview shows which values the runs contain "
                "and what replaces them. The categories are:\n\n"
                "paths\tfolders of files; paths below site-packages and lib/pythonX.Y are kept\n"
                "hosts\tnames and addresses of machines\n"
                "people\tnames of users, in home folders and labels; who added the run\n"
                "arguments\tcommand lines, the environment, arguments of slices\n"
                "source\tsource lines and attached source files\n"
                "labels\tname, series and tags",
            .arguments = RUN "GROUP\tin place of RUN: " GROUP "\n",
            .examples = "perfshelf export @1 -o slow-start.perfshelf\n"
                        "perfshelf export @1 --redact all --preview\n"
                        "perfshelf export --base @2 --new @1 --html -o change.html\n",
            .synonyms = "share bundle save download send",
        },
    [PS_COMMAND_TOKEN] =
        {
            .name = "token",
            .group = PS_GROUP_SHARE,
            .summary = "manage access tokens",
            .usage = "add NAME\nlist\nrevoke NAME",
            .min = 1,
            .max = 2,
            .about =
                "A shelf that is served to other machines accepts only requests with a token. A "
                "browser asks for it once; other programs send it as `Authorization: Bearer "
                "TOKEN`, and perfshelf reads it from $PERFSHELF_TOKEN.\n\n"
                "add prints a new token. Keep it: the shelf stores only its hash. revoke ends a "
                "token and its browser sessions at once. The roles are:\n\n"
                "viewer\tmay read runs\n"
                "uploader\tmay also add runs, and edit and delete its own\n"
                "admin\tmay also edit and delete all runs and download original files",
            .arguments = "NAME\twhom or what the token is for\n",
            .examples = "perfshelf token add ci\n"
                        "perfshelf token add mei --role admin\n"
                        "perfshelf token revoke ci\n",
            .synonyms = "login auth user users access tokens",
        },
    [PS_COMMAND_COPY] =
        {
            .name = "copy",
            .group = PS_GROUP_SHARE,
            .summary = "copy a shelf into another folder or database",
            .usage = "--from STORE --to STORE",
            .about =
                "Copies all runs with their labels, tokens, baselines, saved queries and logs. "
                "Browser sessions and waiting uploads are not copied. Both shelves may be served "
                "meanwhile. What the target already has is kept, so an interrupted copy continues "
                "when the command is run again.\n\n"
                "With --update the target becomes like the source: labels, tokens, baselines and "
                "saved queries are overwritten, and runs that were deleted in the source are "
                "deleted.\n\n"
                "At the end both shelves are compared, and a line is printed for each "
                "difference.",
            .arguments = "STORE\ta folder, or postgresql://USER@HOST/DATABASE; $PERFSHELF_STORE "
                         "may replace one of the two, and may contain a password\n",
            .examples =
                "perfshelf copy --from old-shelf --to new-shelf\n"
                "perfshelf copy --from old-shelf --to postgresql://shelf@db.example.org/shelf\n",
            .exit_status = "0 the copy is complete, 1 something differs or failed, 2 wrong usage.",
            .synonyms = "cp migrate move mv transfer sync",
        },
    [PS_COMMAND_EDIT] =
        {
            .name = "edit",
            .group = PS_GROUP_OPERATE,
            .summary = "change the name, series, note or tags of runs",
            .usage = "RUN...",
            .min = 1,
            .max = MANY,
            .about = "Tags that are not named are kept. --series '' removes the runs from their "
                     "series, and --note '' removes their note. --json prints each run as it is "
                     "afterwards.",
            .arguments = RUN,
            .examples = "perfshelf edit @1 --name 'after the fix' --series nightly\n"
                        "perfshelf edit @1 @2 --tag reviewed=yes --untag draft\n",
            .synonyms = "rename tag label note set update",
        },
    [PS_COMMAND_RM] =
        {
            .name = "rm",
            .group = PS_GROUP_OPERATE,
            .summary = "delete runs and their original files",
            .usage = "RUN...",
            .min = 1,
            .max = MANY,
            .about = "`perfshelf undelete` restores them within a day.",
            .arguments = RUN,
            .examples = "perfshelf rm @1 @2\n",
            .synonyms = "delete remove del erase drop",
        },
    [PS_COMMAND_UNDELETE] =
        {
            .name = "undelete",
            .group = PS_GROUP_OPERATE,
            .summary = "restore runs that were deleted within the last day",
            .usage = "[RUN...]",
            .max = MANY,
            .about =
                "Without a RUN, the command lists the runs that can be restored. They are restored "
                "with name, series, note, tags and sources, whether a person or a retention rule "
                "deleted them. If the quota or the disk is full, the runs that were deleted first "
                "are removed for good earlier.",
            .arguments = "RUN\tan id, a unique prefix of one, or a name\n",
            .examples = "perfshelf undelete\n"
                        "perfshelf undelete 3fa9c1d2\n",
            .synonyms = "restore recover undo unrm",
        },
    [PS_COMMAND_PRUNE] =
        {
            .name = "prune",
            .group = PS_GROUP_OPERATE,
            .summary = "delete runs that the retention rules no longer keep",
            .usage = "--keep RULE...",
            .about =
                "Each rule keeps the newest runs and deletes the others. A run is deleted if any "
                "rule deletes it. The baseline of a series is kept and not counted. The rules "
                "are:\n\n"
                "500\tthe newest 500 runs\n"
                "90d\tthe runs of the last 90 days; also h for hours and w for weeks\n"
                "50GiB\tthe newest runs that together take at most 50 GiB, with their original "
                "files\n"
                "20/series\tthe newest 20 runs of each series; likewise 90d/series, 2GiB/series\n"
                "nightly=20\tthe newest 20 runs of the series nightly, in place of rules for each "
                "series\n"
                "\n"
                "The deletion log names the rule, and `perfshelf undelete` restores runs within a "
                "day. `perfshelf serve --keep` applies rules all the time.",
            .examples = "perfshelf prune --keep 20/series --keep 365d --dry-run\n"
                        "perfshelf prune --keep 50GiB\n",
            .synonyms = "gc clean cleanup expire purge",
        },
    [PS_COMMAND_RENEW] =
        {
            .name = "renew",
            .group = PS_GROUP_OPERATE,
            .summary = "import runs of an older perfshelf version again",
            .usage = "[RUN...]",
            .max = MANY,
            .about =
                "Imports the original files again, after an update of perfshelf. Without a RUN, "
                "all runs that an older version wrote. Names, series, notes, tags and attached "
                "sources are kept.",
            .arguments = RUN,
            .examples = "perfshelf renew\n"
                        "perfshelf renew @1\n",
            .synonyms = "upgrade reimport refresh",
        },
    [PS_COMMAND_VERIFY] =
        {
            .name = "verify",
            .group = PS_GROUP_OPERATE,
            .summary = "check that every file of the shelf is there and intact",
            .usage = "",
            .about =
                "Runs SQLite's integrity check over the catalog and each run file, and compares "
                "each run file, original and source with its hash. Compares the catalog with the "
                "run files and their labels, and looks for files that nothing refers to. The shelf "
                "may be served meanwhile.\n\n"
                "Each problem is one line: the file, what is wrong, and what to do.",
            .examples = "perfshelf verify\n"
                        "perfshelf verify --quick --json\n",
            .exit_status = "0 no problem found, 1 problems found, 2 the shelf could not be "
                           "checked.",
            .synonyms = "fsck scrub validate doctor",
        },
    [PS_COMMAND_REBUILD] =
        {
            .name = "rebuild",
            .group = PS_GROUP_OPERATE,
            .summary = "rebuild the catalog from the run files",
            .usage = "",
            .about =
                "Restores names, series, notes, tags, people and sources from the folder labels/, "
                "from the run files, and from what is readable in a damaged catalog. Damaged run "
                "files are moved to lost/ and imported again from their original files. Stop the "
                "server first: the shelf must not be in use.",
            .examples = "perfshelf rebuild --data old-shelf\n",
            .synonyms = "repair recreate reindex fix",
        },
    [PS_COMMAND_BACKUP] =
        {
            .name = "backup",
            .group = PS_GROUP_OPERATE,
            .summary = "copy the shelf to a folder, even while it is served",
            .usage = "TARGET",
            .min = 1,
            .max = 1,
            .about =
                "TARGET becomes a shelf of its own, for `perfshelf serve --data TARGET`. A second "
                "backup to the same folder copies only new files and deletes those that are no "
                "longer on the shelf. Copies are read back and compared.",
            .arguments = "TARGET\ta new folder, or an earlier backup of the same shelf\n",
            .examples = "perfshelf backup /mnt/backup/shelf\n",
            .synonyms = "archive dump snapshot",
        },
};
const size_t ps_commands_count = sizeof ps_commands / sizeof *ps_commands;
