/* SPDX-License-Identifier: MIT */
/* command_options.c: the options of all commands, in the order in which the help shows them. An
 * option with different meanings has one row for each meaning. */
#include "server/cli/options/commands.h"

#define ON(command) (1U << (PS_COMMAND_##command))
#define ON_SHELF                                                                                   \
    (ON(SERVE) | ON(OPEN) | ON(ADD) | ON(RECORD) | ON(LIST) | ON(SHOW) | ON(EDIT) | ON(RM) |       \
     ON(RENEW) | ON(SQL) | ON(DIFF) | ON(CHECK) | ON(TREND) | ON(REPORT) | ON(BISECT) |            \
     ON(BASELINE) | ON(VERIFY) | ON(REBUILD) | ON(BACKUP) | ON(TOKEN) | ON(WHATIF) | ON(EXPORT) |  \
     ON(PRUNE) | ON(UNDELETE) | ON(EXPLORE) | ON(MCP) | ON(CONFIG))
/* Commands that also work with --store, because they do not need the files of a shelf folder. */
#define ON_STORE (ON_SHELF & ~(ON(REBUILD) | ON(BACKUP)))
/* Commands that also work with --server (client.h, remote_import.h). */
#define ON_SERVER                                                                                  \
    (ON(OPEN) | ON(ADD) | ON(RECORD) | ON(LIST) | ON(SHOW) | ON(EDIT) | ON(RM) | ON(SQL) |         \
     ON(DIFF) | ON(CHECK) | ON(TREND) | ON(REPORT) | ON(BISECT) | ON(BASELINE) | ON(WHATIF) |      \
     ON(EXPORT) | ON(UNDELETE) | ON(EXPLORE) | ON(MCP) | ON(CONFIG))
#define ON_JSON                                                                                    \
    ((ON_SHELF & ~(ON(SERVE) | ON(OPEN) | ON(MCP) | ON(REPORT))) | ON(FORMATS) | ON(COPY))

#define FLAG PS_FLAG
#define TEXT PS_TEXT
/* The member of struct ps_options, and what else an option is. KEY, SHELF: also a key of
 * configuration files. */
#define MEMBER(name)             offsetof(struct ps_options, name)
#define FIELD(name)              MEMBER(name), false, false, PS_FEATURE_NONE, NULL, NULL
#define KEY(name, default_value) MEMBER(name), false, true, PS_FEATURE_NONE, NULL, default_value
#define SHELF(name, feature, variable, default_value)                                              \
    MEMBER(name), true, true, PS_FEATURE_##feature, variable, default_value

#define DEFAULT_QUEUE         "10000"
#define DEFAULT_IMPORT_MEMORY "4GiB"
#define DEFAULT_IMPORT_CPU    "10min"
#define DEFAULT_CACHE_SIZE    "10GiB"

const struct ps_option_row ps_option_rows[] = {
    /* record, add, edit */
    {"--name", "NAME", TEXT, ON(RECORD), FIELD(name),
     "name of the run (default: the program and its arguments)"},
    {"--name", "NAME", TEXT, ON(ADD) | ON(OPEN), FIELD(name),
     "name of the run (default: the title in the profile, else the file name)"},
    {"--name", "NAME", TEXT, ON(EDIT), FIELD(name), "the new name"},
    {"--series", "SERIES", TEXT, ON(RECORD) | ON(ADD) | ON(OPEN), FIELD(series),
     "put the run into a series; the runs of a series form one trend"},
    {"--series", "SERIES", TEXT, ON(EDIT), FIELD(series), "the new series; '' for none"},
    {"--note", "TEXT", TEXT, ON(RECORD) | ON(ADD) | ON(OPEN), FIELD(note),
     "note about the run; may have several lines"},
    {"--note", "TEXT", TEXT, ON(EDIT), FIELD(note), "the new note; '' for none"},
    {"--tag", "KEY=VALUE", PS_TAG, ON(RECORD) | ON(ADD) | ON(OPEN) | ON(EDIT) | ON(BISECT),
     FIELD(tags), "set a tag; may be repeated"},
    {"--untag", "KEY", PS_UNTAG, ON(EDIT), FIELD(tags), "remove a tag; may be repeated"},
    {"--merge", NULL, FLAG, ON(ADD), FIELD(merge),
     "make one run of all FILEs: .lprof files are summed, traces of one job are shown side by side, "
     "files of one serving job are joined"},
    {"--source-root", "DIR", TEXT, ON(ADD), FIELD(source_root),
     "search the sources of line profiles below this folder (default: at the recorded paths)"},
    {"--update", NULL, FLAG, ON(ADD) | ON(OPEN), FIELD(update),
     "also change the labels of runs that are already on the shelf"},
    {"--repeat", "N", TEXT, ON(RECORD), FIELD(repeat), "record N times, as one series"},
    {"--importers", NULL, FLAG, ON(RECORD), FIELD(importers),
     "importtime: run the program once more to record all importers of each module"},
    {"--memory", NULL, FLAG, ON(RECORD), FIELD(memory),
     "torch: record a memory snapshot of the GPU instead of a trace; of the first failed allocation "
     "if there is one"},
    {"--engine", "URL", TEXT, ON(RECORD), FIELD(engine),
     "serving: start and stop the profiler of the engine at this address, such as "
     "http://127.0.0.1:8000"},
    {"--results", "DIR", TEXT, ON(RECORD), FIELD(results),
     "serving: folder in which the client writes its results (default: the current folder, and "
     "those that the command names)"},
    {"--traces", "DIR", TEXT, ON(RECORD), FIELD(traces),
     "serving: folder in which the profiler of the engine writes its traces"},
    {"--engine-log", "FILE", TEXT, ON(RECORD), FIELD(engine_log),
     "serving: log of the engine; the lines that it gains are added"},
    {"-o", "FILE", TEXT, ON(RECORD), FIELD(output), "also write the profile to FILE"},
    {"--force", NULL, FLAG, ON(RECORD), FIELD(force), "let -o overwrite an existing file"},
    {"--open", NULL, FLAG, ON(RECORD), FIELD(open),
     "open the newest run in the browser; serve the shelf if no server runs"},
    {"--listen", "ADDR:PORT", TEXT, ON(RECORD), KEY(listen, NULL),
     "address that --open serves at (default " PS_DEFAULT_LISTEN ", or a free port)"},

    /* record ab */
    {"--base", "COMMAND", TEXT, ON(RECORD), FIELD(base),
     "ab: the command of the base, as one word"},
    {"--new", "COMMAND", TEXT, ON(RECORD), FIELD(new_runs),
     "ab: the command of the new version, as one word"},
    {"--base-dir", "DIR", TEXT, ON(RECORD), FIELD(base_dir),
     "ab: folder in which --base runs (default: the current folder)"},
    {"--new-dir", "DIR", TEXT, ON(RECORD), FIELD(new_dir),
     "ab: folder in which --new runs (default: the current folder)"},
    {"--pairs", "N", TEXT, ON(RECORD), FIELD(pairs), "ab: record N pairs (default 10)"},
    {"--warmup", "N", TEXT, ON(RECORD), FIELD(warmup),
     "ab: run N pairs before them that do not count (default 1)"},
    {"--recorder", "RECORDER", TEXT, ON(RECORD), FIELD(recorder),
     "ab: record with this recorder (default time)"},
    {"--metric", "METRIC", TEXT, ON(RECORD), FIELD(metric),
     "ab: compare a number of the summary, such as cpu_s of time (default: the headline)"},
    {"--fail-on", "GROWTH", TEXT, ON(RECORD), FIELD(fail_on),
     "ab: exit with status 1 if the new version grew by more, such as +5% or +50ms"},
    {"--markdown", NULL, FLAG, ON(RECORD), FIELD(markdown),
     "ab: print a summary for a pull request"},
    {"--seed", "N", TEXT, ON(RECORD), FIELD(seed),
     "ab: seed of the order within the pairs (default 1)"},
    {"--show-output", NULL, FLAG, ON(RECORD), FIELD(show_output),
     "ab: show the output of the commands on stderr"},

    /* open, demo, serve */
    {"--data", "DIR", TEXT, ON(DEMO), FIELD(data),
     "folder of the shelf of samples (default $XDG_DATA_HOME/perfshelf-demo)"},
    {"--listen", "ADDR:PORT", TEXT, ON(OPEN) | ON(DEMO), KEY(listen, NULL),
     "address to serve at if no server serves the shelf (default " PS_DEFAULT_LISTEN
     ", or a free port)"},
    {"--listen", "ADDR:PORT", TEXT, ON(CONFIG), KEY(listen, PS_DEFAULT_LISTEN),
     "address to serve at; any free port if it is in use and was not set"},
    {"--listen", "ADDR:PORT", TEXT, ON(SERVE), KEY(listen, NULL),
     "address to serve at (default " PS_DEFAULT_LISTEN
     ", or a free port if it is in use; port 0: any free port)"},
    {"--open", NULL, FLAG, ON(SERVE), FIELD(open), "open the shelf in the browser"},
    {"--host", "NAME", PS_HOST, ON(SERVE) | ON(CONFIG), KEY(hosts, NULL),
     "a further host name that clients may use; may be repeated"},
    {"--tokens", NULL, FLAG, ON(SERVE), FIELD(tokens),
     "require tokens from this machine too; other machines always need one"},
    {"--tls-cert", "FILE", TEXT, ON(SERVE) | ON(CONFIG), KEY(tls_cert, NULL),
     "serve HTTPS with this certificate chain (PEM)"},
    {"--tls-key", "FILE", TEXT, ON(SERVE) | ON(CONFIG), KEY(tls_key, NULL),
     "private key of --tls-cert (PEM)"},
    {"--proxy", NULL, FLAG, ON(SERVE), FIELD(proxy),
     "run behind an HTTPS proxy that sets X-Forwarded-For; requires tokens"},
    {"--quota", "SIZE", TEXT, ON(SERVE) | ON(CONFIG), KEY(quota, NULL),
     "refuse uploads when the shelf takes this much space, such as 50GiB (default: no limit)"},
    {"--queue", "N", TEXT, ON(SERVE) | ON(CONFIG), KEY(queue, DEFAULT_QUEUE),
     "refuse uploads when N imports are waiting (default " DEFAULT_QUEUE ")"},
    {"--keep", "RULE", PS_RULE, ON(SERVE) | ON(CONFIG), KEY(retention_rules, NULL),
     "delete old runs by this retention rule, such as 20/series; may be repeated"},
    {"--import-memory", "SIZE", TEXT, ON(SERVE) | ON(ADD) | ON(CONFIG),
     KEY(import_memory, DEFAULT_IMPORT_MEMORY),
     "memory limit of the import process, such as 8GiB (default " DEFAULT_IMPORT_MEMORY ")"},
    {"--import-cpu", "SECONDS", TEXT, ON(SERVE) | ON(ADD) | ON(CONFIG),
     KEY(import_cpu, DEFAULT_IMPORT_CPU),
     "CPU time limit of the import process, such as 30min (default " DEFAULT_IMPORT_CPU ")"},

    /* show, diff, trend, sql */
    {"--of", "TABLE", TEXT, ON(SHOW), FIELD(of), "table to show (default: the first)"},
    {"--of", "TABLE", TEXT, ON(DIFF), FIELD(of),
     "table to compare, such as functions, imports, packages, operators, kernels or lines (default: the first)"},
    {"--of", "TABLE", TEXT, ON(TREND), FIELD(of), "table that contains the row"},
    {"--metric", "METRIC", TEXT, ON(SHOW), FIELD(metric),
     "column that ranks the rows (default: the first)"},
    {"--metric", "METRIC", TEXT, ON(DIFF), FIELD(metric), "column to compare (default: the first)"},
    {"--per", "PER", TEXT, ON(DIFF), FIELD(per),
     "values per step, run or call (default: per step if all runs have steps)"},
    {"--metric", "METRIC", TEXT, ON(TREND), FIELD(metric),
     "column of the row, or a number of the run's summary (default: the headline)"},
    {"--sort", "METRIC", TEXT, ON(SHOW), FIELD(sort), "sort by another column, or by name"},
    {"--step", "NAME", TEXT, ON(SHOW) | ON(DIFF) | ON(CHECK) | ON(TREND) | ON(REPORT), FIELD(step),
     "the annotation or NVTX range that is a step of a trace, without the number at its end"},
    {"--sample-type", "NAME", TEXT, ON(SHOW) | ON(DIFF) | ON(REPORT) | ON(EXPLORE),
     FIELD(sample_type),
     "what the samples of a pprof profile measure, such as inuse_space (default: that of the file)"},
    {"--same", "FACTS", TEXT, ON(DIFF) | ON(CHECK), FIELD(same),
     "fail if these facts of the environments differ or are unknown, such as cpu,python"},
    {"--rows", "N", TEXT, ON(SHOW), FIELD(rows), "rows to show (default 10; of a group 30)"},
    {"--row", "NAME", TEXT, ON(TREND), FIELD(row), "row of the table to follow"},
    {"--place", "PLACE", TEXT, ON(TREND), FIELD(place),
     "file, package or unit of the row, if several rows have its name"},
    {"--by", "KEY", TEXT, ON(TREND), FIELD(by),
     "show runs with the same value of this tag as one point"},
    {"--csv", NULL, FLAG, ON(SQL), FIELD(csv), "print CSV"},
    {"--markdown", NULL, FLAG, ON(SHOW) | ON(DIFF) | ON(TREND) | ON(SQL), FIELD(markdown),
     "print Markdown, as AI agents get it, with the limits of --max-rows and --max-bytes"},
    {"--max-rows", "N", TEXT, ON(SHOW) | ON(EXPLORE) | ON(DIFF) | ON(TREND) | ON(SQL),
     FIELD(max_rows), "rows of each table in Markdown (default 10)"},
    {"--max-bytes", "N", TEXT, ON(SHOW) | ON(EXPLORE) | ON(DIFF) | ON(TREND) | ON(SQL),
     FIELD(max_bytes), "size of the Markdown; what is left out is counted (default 4096)"},
    {"--follow", NULL, FLAG, ON(LIST), FIELD(follow),
     "go on, and print new runs as they are added"},
    {"--allow-write", NULL, FLAG, ON(MCP), FIELD(allow_write),
     "let the agent add files and record programs, with your rights on this machine"},
    {"--rows", "N", TEXT, ON(SQL), FIELD(rows),
     "fail if the result has more rows (default 10000000)"},
    {"--seconds", "N", TEXT, ON(SQL), FIELD(seconds),
     "fail if the query takes longer (default 600)"},

    /* bisect */
    {"--good", "COMMIT", TEXT, ON(BISECT), FIELD(good),
     "a commit without the change (default: from the trend of SERIES)"},
    {"--bad", "COMMIT", TEXT, ON(BISECT), FIELD(bad),
     "a commit with the change (default: from the trend of SERIES)"},
    {"--build", "COMMAND", TEXT, ON(BISECT), FIELD(build),
     "command that builds a commit, as one word"},
    {"--file", "FILE", TEXT, ON(BISECT), FIELD(file),
     "file that COMMAND writes, and that has ROW (default: COMMAND is timed)"},
    {"--pairs", "N", TEXT, ON(BISECT), FIELD(pairs),
     "measure at most N pairs of two commits (default 30)"},
    {"--warmup", "N", TEXT, ON(BISECT), FIELD(warmup),
     "run each commit N times before the pairs (default 1)"},
    {"--seed", "N", TEXT, ON(BISECT), FIELD(seed),
     "seed of the order within the pairs (default 1)"},
    {"--show-output", NULL, FLAG, ON(BISECT), FIELD(show_output),
     "show the output of the commands on stderr"},

    /* report */
    {"--html", NULL, FLAG, ON(REPORT), FIELD(html),
     "write an HTML page, which needs no other file (default: Markdown)"},
    {"-o", "FILE", TEXT, ON(REPORT), FIELD(output), "file to write (default: standard output)"},
    {"--force", NULL, FLAG, ON(REPORT), FIELD(force), "let -o overwrite an existing file"},
    {"--fail-on", "GROWTH", TEXT, ON(REPORT), FIELD(fail_on),
     "growth of a measurement that is over the limit, such as +5% (default +10%)"},
    {"--metric", "METRIC", TEXT, ON(REPORT), FIELD(metric),
     "number of the summary to compare in place of the headline, such as cpu_s of time"},
    {"--max-rows", "N", TEXT, ON(REPORT), FIELD(max_rows), "rows of each table (default 30)"},

    /* check, baseline */
    {"--budget", "BUDGET", PS_BUDGET, ON(CHECK), FIELD(budgets),
     "a limit, TABLE.NAME=VALUE or headline=VALUE; may be repeated"},
    {"--against", "BASELINE", TEXT, ON(CHECK), FIELD(against),
     "run or group of runs to compare the headline with"},
    {"--fail-on", "GROWTH", TEXT, ON(CHECK), FIELD(fail_on),
     "allowed growth over --against, such as +10% or +50ms (default +10%)"},
    {"--metric", "METRIC", TEXT, ON(CHECK), FIELD(metric),
     "number of the summary to check in place of the headline, such as cpu_s of time"},
    {"--goodput", "LIMITS", TEXT, ON(CHECK) | ON(SHOW), FIELD(goodput),
     "limits of requests to a server, such as \"ttft:200ms tpot:20ms e2el:2s\""},
    {"--markdown", NULL, FLAG, ON(CHECK), FIELD(markdown), "print a summary for a pull request"},
    {"--clear", "SERIES", TEXT, ON(BASELINE), FIELD(clear), "remove the baseline of this series"},

    /* export, token, copy */
    {"-o", "FILE", TEXT, ON(EXPORT), FIELD(output),
     "file to write, or - for standard output (default: named after the runs)"},
    {"--force", NULL, FLAG, ON(EXPORT), FIELD(force), "let -o overwrite an existing file"},
    {"--html", NULL, FLAG, ON(EXPORT), MEMBER(html), false, false, PS_FEATURE_OFFLINE, NULL, NULL,
     "write an HTML page that shows the runs in any browser, without a network"},
    {"--base", "RUNS", TEXT, ON(EXPORT), FIELD(base), "export a comparison: its base"},
    {"--new", "RUNS", TEXT, ON(EXPORT), FIELD(new_runs), "export a comparison: its new runs"},
    {"--redact", "CATEGORIES", TEXT, ON(EXPORT), FIELD(redact),
     "leave out these categories, with commas between them, or all"},
    {"--preview", NULL, FLAG, ON(EXPORT), FIELD(preview),
     "write no file; show what the export would reveal"},
    {"--role", "ROLE", TEXT, ON(TOKEN), FIELD(role),
     "role of a new token: viewer, uploader or admin (default uploader)"},
    {"--from", "STORE", TEXT, ON(COPY), FIELD(from), "shelf to copy"},
    {"--to", "STORE", TEXT, ON(COPY), FIELD(to), "shelf to copy it to"},
    {"--update", NULL, FLAG, ON(COPY), FIELD(update),
     "overwrite what differs in --to, and delete runs that were deleted in --from"},

    /* prune, verify */
    {"--keep", "RULE", PS_RULE, ON(PRUNE), KEY(retention_rules, NULL),
     "retention rule, such as 500, 90d, 50GiB or 20/series; may be repeated"},
    {"--dry-run", NULL, FLAG, ON(PRUNE), FIELD(dry_run),
     "delete nothing; show what would be deleted"},
    {"--quick", NULL, FLAG, ON(VERIFY), FIELD(quick),
     "only check that the files exist, without reading them"},

    {"--json", NULL, FLAG, ON_JSON, FIELD(json), "print JSON"},

    /* the shelf */
    {"--data", "DIR", TEXT, ON_SHELF, SHELF(data, NONE, NULL, NULL),
     "folder of the shelf (default $XDG_DATA_HOME/perfshelf, or the shelf that you serve)"},
    {"--store", "URL", TEXT, ON_STORE, SHELF(store, POSTGRESQL, "PERFSHELF_STORE", NULL),
     "shelf in a database, postgresql://USER@HOST/DATABASE (default $PERFSHELF_STORE)"},
    {"--cache-size", "SIZE", TEXT, ON_STORE,
     SHELF(cache_size, POSTGRESQL, NULL, DEFAULT_CACHE_SIZE),
     "disk space for cached files of --store, such as 50GiB (default " DEFAULT_CACHE_SIZE ")"},
    {"--server", "URL", TEXT, ON_SERVER, SHELF(server, SERVER, "PERFSHELF_SERVER", NULL),
     "shelf served at this URL, in place of --data (default $PERFSHELF_SERVER)"},
    {"--token", "TOKEN", TEXT, ON_SERVER, MEMBER(token), true, false, PS_FEATURE_SERVER,
     "PERFSHELF_TOKEN", NULL,
     "token for --server (default $PERFSHELF_TOKEN, which other users of this machine cannot see)"},
    {"--token-file", "FILE", TEXT, ON_SERVER, SHELF(token_file, SERVER, NULL, NULL),
     "file that contains the token for --server, and that other users cannot read"},
    {"--ca", "FILE", TEXT, ON_SERVER, SHELF(ca, SERVER, NULL, NULL),
     "certificate to trust for --server, in place of those of the system (PEM)"},
};
const size_t ps_option_rows_count = sizeof ps_option_rows / sizeof *ps_option_rows;
