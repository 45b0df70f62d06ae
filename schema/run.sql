-- run.sql: what one run file holds. Tables are private (user_version numbers their layout); the views below the line are the public
-- contract of `perfshelf sql` and of other people's SQL, stable and tested against the original tools.
--
-- The file is written once, in one transaction without a journal, and never altered. Columns without a type keep integers as integers
-- and doubles as doubles, bit for bit, as the profile stores them.
--
-- This file is the only description of the tables. schema/run_tables.py generates from it the structs of rows, their INSERT statements and
-- what validation and redaction check (server/runwrite/run_tables.h). It reads the tags in brackets at the beginning of a comment; a
-- tag applies to all columns of its line, those of a table stand behind its name:
--   [MIN..MAX]            range of integers; an empty MAX is unlimited; constants of slices/slices.h are allowed
--   [bool]                0 or 1
--   [-> TABLE]            id of a row of TABLE
--   [-> TABLE or 0]       likewise; 0: none
--   [redact as CLASS]     what an export without secrets does with the column (enum ps_redact_as); required for TEXT, BLOB and [any]
--   [any]                 numbers and text
--   [sparse], [from N]    of a table: its ids are not 1, 2, 3 ...; they begin at N
--   [replace]             of a table: a row replaces the one with the same key
--   [constant]            of a table: it has the same rows in every file
--
-- ps_calls(), ps_paths() and, over the slices of traces, ps_slices and its like are tables that perfshelf registers (server/runfile):
-- a plain sqlite3 opens the file but cannot read the views that use them.

PRAGMA application_id = 0x70736866; -- 'pshf'
-- Raised with every change of a table, a view or what a packed column holds; `perfshelf renew` rewrites files with lower numbers. Layout 3
-- can still be read: its columns have no multiples, its nodes no stacks.
PRAGMA user_version = 4;

CREATE TABLE meta( -- [replace]
    k TEXT PRIMARY KEY, -- [redact as fixed] kind tool tool_version name title created_at sha256 bytes summary headline_value headline_unit
                        -- headline_label, ledger_unit ledger_read ledger_stored ledger_repaired ledger_rejected ledger_other,
                        -- label: series, who, tags and created_at as JSON, as they were when it was imported;
                        -- of traces origin_us, and header.KEY: the fields beside the events as JSON, secrets masked
    v                   -- [any, redact as meta]
) WITHOUT ROWID;

CREATE TABLE origin( -- [constant] words for enum ps_origin
    id INTEGER PRIMARY KEY,
    word TEXT NOT NULL -- [redact as fixed]
);
INSERT INTO origin VALUES (0, 'own'), (1, 'third-party'), (2, 'stdlib'), (3, 'builtin'), (4, 'unknown');

CREATE TABLE note( -- [sparse] the ledger: repaired and rejected records, warnings
    id INTEGER PRIMARY KEY,
    severity INTEGER NOT NULL, -- [0..3] 0 info 1 warning 2 repaired 3 rejected
    byte_offset INTEGER,       -- [0..] in the decompressed input
    line INTEGER,              -- [0..] from 1, where the input has lines
    what TEXT NOT NULL         -- [redact as message]
);

-- Import-time logs ---------------------------------------------------------------------------------------------------

CREATE TABLE package( -- a top-level package
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,       -- [redact as code]
    origin INTEGER NOT NULL,  -- [0..4] enum ps_origin
    modules INTEGER NOT NULL, -- [0..] timed rows
    self_us,                  -- sum over its rows: exclusive
    inclusive_us,             -- sum of cumulative over rows without an ancestor of the same package: nothing twice
    first INTEGER             -- [-> import or 0] the import that first brought it in
);

CREATE TABLE import( -- one row of the log, in its order; a subtree is a run of ids that ends with its root
    id INTEGER PRIMARY KEY,
    parent INTEGER NOT NULL,   -- [-> import or 0] 0: root
    importer INTEGER NOT NULL, -- [-> import or 0] as parent; for cached rows recovered from the layout
    low INTEGER NOT NULL,      -- [-> import] smallest id of the subtree
    start INTEGER NOT NULL,    -- [0..UINT32_MAX] order in which timed imports began, from 1; 0 for cached rows
    depth INTEGER NOT NULL,    -- [-1..UINT32_MAX] -1: the line does not say
    module TEXT NOT NULL,      -- [redact as code]
    package INTEGER NOT NULL,  -- [-> package]
    self_us, cumulative_us,    -- as printed; NULL for cached rows
    total_us INTEGER NOT NULL, -- [0..] max(self, 0) + the children's total_us: what can be drawn
    flags INTEGER NOT NULL,    -- [0..127] 1 cached 2 startup 4 unfinished 8 topmost of its package 16 first of its name 32 importer
                               -- estimated 64 a cached one, seen by the recorder, which lists all
    children INTEGER NOT NULL, -- [0..UINT32_MAX] direct, timed
    interpreter INTEGER NOT NULL,
    line INTEGER NOT NULL      -- [0..]
);

-- pstats dumps ---------------------------------------------------------------------------------------------------------

CREATE TABLE file(
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,         -- [redact as path]
    origin INTEGER NOT NULL,    -- [0..4] enum ps_origin
    functions INTEGER NOT NULL, -- [0..] listed ones, and the sums of their
    ncalls, tottime_s
);

-- Caller edges are stored in the row of the callee. As rows of their own with an index in each direction, the 559 000 edges of a dump of
-- 200 000 functions would take 0.5 s of CPU more, where the whole import takes 0.9 s (docs/bench.md).
CREATE TABLE function(
    id INTEGER PRIMARY KEY,    -- order of the file, the last key of pstats' stable sorts
    file INTEGER NOT NULL,     -- [-> file]
    line,
    name TEXT NOT NULL,        -- [redact as code]
    ncalls, primitive_calls, tottime_s, cumtime_s,
    origin INTEGER NOT NULL,   -- [0..4] enum ps_origin
    cycle INTEGER NOT NULL,    -- [0..UINT32_MAX] functions that call each other share a number; 0 not recursive
    listed INTEGER NOT NULL,   -- [bool] 0: only named as a caller, has no entry of its own
    callers BLOB,              -- [redact as numbers] read with ps_calls()
    callees BLOB               -- [redact as numbers] read with ps_ids()
);

-- Line-level profilers -------------------------------------------------------------------------------------------------

CREATE TABLE line_file(
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,        -- [redact as path]
    origin INTEGER NOT NULL,   -- [0..4] enum ps_origin
    cpu_pct                    -- Scalene: percent of all its CPU samples
);

CREATE TABLE line_function( -- one without lines was registered and never ran
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL,     -- [-> line_file]
    name TEXT NOT NULL,        -- [redact as code] '': the report lost it
    first_line INTEGER NOT NULL -- [0..] 0: unknown
);

CREATE TABLE line(
    file INTEGER NOT NULL,     -- [-> line_file]
    function INTEGER NOT NULL, -- [-> line_function or 0]
    block INTEGER NOT NULL,    -- [0..] memory_profiler reports a function once a call; else 1
    line INTEGER NOT NULL,     -- [0..]
    of_function INTEGER NOT NULL, -- [bool] 1: the function as a whole (Scalene), contains its lines
    source TEXT,               -- [redact as source] where the profile carries it
    hits, ticks,               -- line_profiler; ticks count in meta.unit_s
    mem_mib, increment_mib, occurrences, -- memory_profiler
    cpu_python_pct, cpu_native_pct, cpu_system_pct, gpu_pct, gpu_avg_mib, gpu_peak_mib, avg_mib, peak_mib, malloc_mib, mallocs,
    growth_mib, usage_fraction, python_fraction, copy_mib_s, core_utilization, leak_likelihood, leak_mib_s, -- Scalene
    samples BLOB               -- [redact as numbers] Scalene: pairs of doubles, seconds and MiB
);

CREATE TABLE line_sum( -- sums of the lines of a function, or (function 0) of those of a file that are in none
    file INTEGER NOT NULL,     -- [-> line_file]
    function INTEGER NOT NULL, -- [-> line_function or 0]
    first_row INTEGER NOT NULL, last_row INTEGER NOT NULL, -- its rows of line lie between them
    lines INTEGER NOT NULL, executed INTEGER NOT NULL,
    carried INTEGER NOT NULL,  -- [bool] 1: the profile holds text of these lines
    last_line, hits, ticks,
    increment_mib,             -- without the first of each block: what the program had before
    peak_mib,
    cpu_python_pct, cpu_native_pct, cpu_system_pct, malloc_mib, copy_mib_s, gpu_pct
);

CREATE TABLE memory_sample(
    t_s REAL NOT NULL, process,
    kind TEXT NOT NULL,        -- [redact as fixed]
    mib
);
CREATE TABLE span(
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,        -- [redact as code]
    start_s REAL NOT NULL, end_s REAL NOT NULL, start_mib, end_mib, level
);

-- Traces ---------------------------------------------------------------------------------------------------------------
-- Slices lie in chunks of one track, column by column (slices/slices.h, slices/column.h): 4 million of them take 0.2 s to write
-- that way, and 3.3 s as rows. Ids of slices are (track << 32) + row.

CREATE TABLE text(
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL,        -- [redact as slice]
    key INTEGER NOT NULL       -- [-> text or 0] the text under which key_averages() counts it; 0 itself
);
CREATE TABLE args_template( -- [from 2] slices/args.h; 1 is the template of arguments that are stored whole
    id INTEGER PRIMARY KEY,
    text BLOB NOT NULL,        -- [redact as template]
    shapes INTEGER NOT NULL    -- [-> text or 0]
);

CREATE TABLE process(
    id INTEGER PRIMARY KEY,
    pid TEXT NOT NULL,         -- [redact as label] as in the file
    name TEXT NOT NULL, labels TEXT NOT NULL, -- [redact as label]
    sort INTEGER NOT NULL,
    device INTEGER NOT NULL,   -- index of the device it is; -1: a process
    worker INTEGER NOT NULL    -- [0..65535] which of the job's files, from 0
);

CREATE TABLE track(
    id INTEGER PRIMARY KEY,    -- [1..PS_TRACKS_MAX]
    process INTEGER NOT NULL,  -- [-> process]
    kind INTEGER NOT NULL,     -- [PS_TRACK_THREAD..PS_TRACK_SYNC] enum ps_track_kind
    name TEXT NOT NULL, tid TEXT NOT NULL, -- [redact as label]
    device INTEGER NOT NULL, stream INTEGER NOT NULL, -- -1 none
    sort INTEGER NOT NULL,
    slices INTEGER NOT NULL, depth INTEGER NOT NULL, -- [0..UINT32_MAX]
    start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL
);

CREATE TABLE chunk( -- as they came; those of a track in the order of its rows
    id INTEGER PRIMARY KEY,
    track INTEGER NOT NULL,    -- [-> track]
    first INTEGER NOT NULL,    -- [0..UINT32_MAX] row of the track
    n INTEGER NOT NULL,        -- [1..PS_CHUNK_ROWS]
    start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, -- least start, greatest end
    last_start_ns INTEGER NOT NULL,
    columns INTEGER NOT NULL,  -- [0..UINT32_MAX] those that chunk_column has, a bit each; all values of the others are 0
    kinds INTEGER NOT NULL     -- [0..UINT32_MAX] 1 << enum ps_slice_kind for each that occurs
);
CREATE TABLE chunk_column( -- [sparse] id: chunk * 32 + enum ps_slice_column; 31 the parameters of arguments
    id INTEGER PRIMARY KEY,
    data BLOB NOT NULL         -- [redact as chunk]
);
CREATE TABLE pyramid( -- [sparse] id: track * 64 + level; slices/pyramid.h
    id INTEGER PRIMARY KEY,
    bin_ns INTEGER NOT NULL,   -- [1..]
    data BLOB NOT NULL         -- [redact as numbers]
);

CREATE TABLE series( -- of numbers over time
    id INTEGER PRIMARY KEY,
    process INTEGER NOT NULL,  -- [-> process]
    name TEXT NOT NULL, unit TEXT NOT NULL, -- [redact as code]
    least, greatest
);
-- Rows of which there may be millions, as packed columns like those of chunks. family 1 flows: kind from_slice to_slice from_ns to_ns;
-- 2 counts of a series: t_ns, value (bits of a double); 3 memory events: t_ns device_type device bytes address allocated reserved slice outside worker
CREATE TABLE packed(
    id INTEGER PRIMARY KEY,
    family INTEGER NOT NULL,   -- [1..3] enum ps_packed_family
    part INTEGER NOT NULL,     -- [-> series or 0] of counts
    n INTEGER NOT NULL,        -- [1..PS_CHUNK_ROWS]
    start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL
);
CREATE TABLE packed_column( -- [sparse] id: packed * 16 + column
    id INTEGER PRIMARY KEY,
    data BLOB NOT NULL         -- [redact as numbers]
);

CREATE TABLE operator( -- key_averages() of the whole run, summed while it was written
    name INTEGER NOT NULL, shapes INTEGER NOT NULL,   -- [-> text or 0] by_shape 0: shapes is 0
    by_shape INTEGER NOT NULL, -- [bool]
    kind INTEGER NOT NULL,     -- [0..PS_N_SLICE_KINDS - 1] enum ps_slice_kind
    family INTEGER NOT NULL,   -- [0..PS_FAMILY_PYTHON]
    calls INTEGER NOT NULL,
    self_cpu_ns INTEGER NOT NULL, cpu_total_ns INTEGER NOT NULL, self_device_ns INTEGER NOT NULL, device_total_ns INTEGER NOT NULL,
    self_cpu_bytes INTEGER NOT NULL, cpu_bytes INTEGER NOT NULL, self_device_bytes INTEGER NOT NULL, device_bytes INTEGER NOT NULL,
    flops INTEGER NOT NULL,
    min_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL, first_start_ns INTEGER NOT NULL, tensor_core INTEGER NOT NULL
);

CREATE TABLE step(
    id INTEGER PRIMARY KEY,
    worker INTEGER NOT NULL,   -- [0..65535]
    name TEXT NOT NULL,        -- [redact as label]
    start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL,           -- to the end of its last kernel (tb_plugin)
    host_start_ns INTEGER NOT NULL, host_end_ns INTEGER NOT NULL, -- of the annotation
    counted INTEGER NOT NULL   -- [bool]
);
CREATE TABLE step_part(
    step INTEGER NOT NULL,     -- [-> step]
    definition INTEGER NOT NULL, -- [0..2] 0 tensorboard 1 hta 2 tracelens
    name TEXT NOT NULL,        -- [redact as fixed]
    ns INTEGER NOT NULL
);

CREATE TABLE device(
    worker INTEGER NOT NULL,   -- [0..65535]
    device INTEGER NOT NULL,
    name TEXT NOT NULL,        -- [redact as code]
    json TEXT NOT NULL,        -- [redact as json] deviceProperties as written
    span_ns INTEGER, busy_ns INTEGER, sm_efficiency, occupancy,   -- 0..1; percent; NULL: the file does not say
    kernel_ns INTEGER, tensor_core_ns INTEGER, communication_ns INTEGER, overlap_ns INTEGER,
    kernels INTEGER, copies INTEGER,
    hta_kernel_time_ns INTEGER, hta_compute_ns INTEGER, hta_non_compute_ns INTEGER, hta_idle_ns INTEGER
);
CREATE TABLE gap(
    track INTEGER NOT NULL,    -- [-> track] of a stream
    start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL,
    cause INTEGER NOT NULL,    -- [0..2]
    before INTEGER NOT NULL, after INTEGER NOT NULL -- slices
);
CREATE TABLE module(
    id INTEGER PRIMARY KEY,
    parent INTEGER NOT NULL,   -- [-> module or 0] 0: outermost
    name TEXT NOT NULL,        -- [redact as code]
    calls INTEGER NOT NULL, host_self_ns INTEGER NOT NULL, host_total_ns INTEGER NOT NULL,
    device_self_ns INTEGER NOT NULL, device_total_ns INTEGER NOT NULL, operators INTEGER NOT NULL, first_slice INTEGER NOT NULL
);

-- Printed tables -------------------------------------------------------------------------------------------------------

CREATE TABLE report( -- a printed table of functions or operators
    id INTEGER PRIMARY KEY,
    stage TEXT NOT NULL, title TEXT NOT NULL, ordered TEXT NOT NULL, -- [redact as code] '': not said
    by TEXT NOT NULL,          -- [redact as fixed] operators: '', shape, stack
    ncalls, primitive_calls, seconds, device_seconds, -- as printed above or below it
    listed_of,                 -- functions of the profile, where the list was reduced
    first INTEGER NOT NULL, last INTEGER NOT NULL -- [0..] function.id, printed_operator.id
);

CREATE TABLE printed_operator( -- rounded; NULL: the table has no such column, or nothing in it
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,        -- [redact as code]
    overload TEXT, shapes TEXT, source TEXT, -- [redact as code]
    cut INTEGER NOT NULL,      -- [bool] 1: the name was cut when it was printed
    family INTEGER NOT NULL,   -- [0..PS_FAMILY_PYTHON]
    calls INTEGER NOT NULL,
    self_cpu_ns, cpu_total_ns, cpu_mean_ns, self_device_ns, device_total_ns, device_mean_ns,
    self_cpu_pct, cpu_total_pct, self_device_pct,
    cpu_bytes, self_cpu_bytes, device_bytes, self_device_bytes,
    flops
);

CREATE TABLE section( -- a report of PyTorch Lightning
    id INTEGER PRIMARY KEY,
    stage TEXT NOT NULL,       -- [redact as code] FIT, VALIDATE, TEST, PREDICT; '': not said
    total_s, calls             -- its Total row
);
CREATE TABLE action( -- what its profiler timed; actions contain each other
    id INTEGER PRIMARY KEY,
    section INTEGER NOT NULL,  -- [-> section]
    name TEXT NOT NULL,        -- [redact as code]
    calls, mean_s, total_s, pct, -- as printed; NULL: not said
    report INTEGER NOT NULL    -- [-> report or 0] the table of its functions
);

-- Timings --------------------------------------------------------------------------------------------------------------

CREATE TABLE measurement(
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,        -- [redact as measured]
    grp TEXT NOT NULL,         -- [redact as group] rows of one group and unit are compared
    value,
    unit TEXT NOT NULL,        -- [redact as code]
    statistic TEXT NOT NULL,   -- [redact as fixed] what value is: mean, best, single
    n, mean, median, stddev, min, max, q1, q3,
    resolution REAL,           -- value of the last digit that was printed; NULL: the file holds all digits
    more TEXT NOT NULL,        -- [redact as json] what else the tool says, a JSON object
    samples BLOB               -- [redact as numbers] doubles
);

-- --------------------------------------------------------------------------------------------------------------------
-- The public views

CREATE VIEW run AS
SELECT max(v) FILTER (WHERE k = 'kind') AS kind,
       max(v) FILTER (WHERE k = 'tool') AS tool,
       max(v) FILTER (WHERE k = 'tool_version') AS tool_version,
       max(v) FILTER (WHERE k = 'name') AS name,             -- as it was when imported
       max(v) FILTER (WHERE k = 'created_at') AS created_at, -- ISO 8601, UTC
       max(v) FILTER (WHERE k = 'headline_value') AS headline_value,
       max(v) FILTER (WHERE k = 'headline_unit') AS headline_unit
FROM meta;

CREATE VIEW notes AS -- the ledger: every repaired or rejected record, every warning
SELECT id,
       CASE severity WHEN 0 THEN 'info' WHEN 1 THEN 'warning' WHEN 2 THEN 'repaired' ELSE 'rejected' END AS severity,
       byte_offset, line, what
FROM note;

CREATE VIEW imports AS -- one row a line of the log
SELECT i.id,
       nullif(i.parent, 0) AS parent_id,       -- the import inside which it happened; NULL: root, unknown, cached
       i.id AS ord,                            -- order of the log: imports end in this order
       nullif(i.depth, -1) AS depth,
       i.module,
       p.name AS package,                      -- first part of the name
       o.word AS origin,                       -- own third-party stdlib builtin unknown
       i.self_us, i.cumulative_us,             -- as printed, each rounded up by CPython; NULL when cached
       i.flags & 1 AS cached,                  -- importtime=2, record --importers: asked for, cost none of its own
       (i.flags >> 1) & 1 AS startup,          -- the interpreter's own start
       (i.flags >> 2) & 1 AS unfinished,       -- its parent never ended
       (i.flags >> 4) & 1 AS first,            -- no earlier row of this name
       nullif(i.importer, 0) AS importer_id,   -- as parent_id; for cached rows recovered from the layout of the log
       (i.flags >> 5) & 1 AS importer_estimated,
       nullif(i.start, 0) AS start,            -- order in which imports began
       i.children, i.interpreter, i.line
FROM import i JOIN package p ON p.id = i.package JOIN origin o ON o.id = p.origin;

CREATE VIEW functions AS -- pstats' table
SELECT f.id, l.path AS file, f.line, f.name,
       f.ncalls, f.primitive_calls,            -- all calls; those that were not recursive
       f.tottime_s, f.cumtime_s,               -- own time; with everything below
       o.word AS origin, nullif(f.cycle, 0) AS cycle, f.listed
FROM function f JOIN file l ON l.id = f.file JOIN origin o ON o.id = f.origin;

CREATE VIEW reports AS -- printed tables; functions f JOIN reports r ON f.id BETWEEN r.first_function AND r.last_function
SELECT id AS report, nullif(stage, '') AS stage, nullif(title, '') AS title, nullif(ordered, '') AS ordered_by,
       ncalls, primitive_calls, seconds,       -- of the whole profile, as printed above the table (of operators: self CPU, below it)
       last - first + 1 AS functions, listed_of, -- rows of the table; functions of the profile where it was reduced
       first AS first_function, last AS last_function, -- of operators: printed_operators.id
       device_seconds, nullif(by, '') AS by    -- of operators: shape, stack
FROM report;

CREATE VIEW callers AS -- what each caller contributed; `profile` dumps have counts only
SELECT f.id AS callee_id, c.caller_id, c.ncalls, c.primitive_calls, c.tottime_s, c.cumtime_s
FROM function f, ps_calls(f.callers) c;

-- Call trees. An import log holds one. A pstats dump holds sums per caller, no paths: each node says what follows from them. bounded:
-- the true total lies in [total_min, total_max] and total is NULL; unknown (recursion): at most total_max. Stacks are merged by path,
-- thread by thread; count is how often a path was entered anew.
CREATE VIEW nodes AS
SELECT i.id, nullif(i.parent, 0) AS parent_id, i.module AS frame, NULL AS file, NULL AS line, i.interpreter AS thread,
       i.self_us AS self, i.cumulative_us AS total, 1 AS count, 'us' AS unit, 'exact' AS certainty,
       i.cumulative_us AS total_min, i.cumulative_us AS total_max
FROM import i WHERE NOT i.flags & 1
UNION ALL
SELECT p.id, p.parent_id, f.name, l.path, f.line, NULL,
       p.self, CASE p.certainty WHEN 0 THEN p.hi END, p.calls, 's',
       CASE p.certainty WHEN 0 THEN 'exact' WHEN 1 THEN 'bounded' ELSE 'unknown' END, p.lo, p.hi
FROM ps_paths(0, 0.0001, 200, 50000) p JOIN function f ON f.id = p.function_id JOIN file l ON l.id = f.file
UNION ALL
SELECT s.id, s.parent_id, x.text, NULL, NULL, t.name, s.self / u.scale, s.total / u.scale, s.count, u.unit, 'exact', s.total / u.scale,
       s.total / u.scale
FROM (SELECT h.v AS unit, CASE WHEN h.v = 's' THEN 1e9 WHEN json_extract(m.v, '$.value_scale') = 1 THEN 1
                               ELSE json_extract(m.v, '$.value_scale') * 1.0 END AS scale
      FROM meta m JOIN meta h ON h.k = 'headline_unit'
      WHERE m.k = 'summary' AND json_extract(m.v, '$.value_scale') IS NOT NULL) u -- of stacks alone, which traces are not
CROSS JOIN ps_stack_nodes s JOIN track t ON t.id = s.track LEFT JOIN text x ON x.id = s.name;

CREATE VIEW lines AS -- one row a line and call block; the columns of the other tools are NULL
SELECT f.path AS file, nullif(n.name, '') AS function, nullif(n.first_line, 0) AS first_line, l.line, l.source, l.block,
       l.hits, l.ticks, l.ticks * u.v AS time_s, -- line_profiler: ticks are exact, a tick is unit_s seconds
       u.v AS unit_s,
       l.mem_mib, l.increment_mib, l.occurrences, -- memory_profiler: RSS after the line, its change, times it ran
       l.cpu_python_pct, l.cpu_native_pct, l.cpu_system_pct, l.gpu_pct, -- Scalene: percent of all its samples
       l.gpu_avg_mib, l.gpu_peak_mib, l.avg_mib, l.peak_mib, l.malloc_mib, l.mallocs, l.growth_mib, l.usage_fraction,
       l.python_fraction, l.copy_mib_s, l.core_utilization, l.leak_likelihood, l.leak_mib_s
FROM line l
JOIN line_file f ON f.id = l.file
LEFT JOIN line_function n ON n.id = l.function
LEFT JOIN meta u ON u.k = 'unit_s'
WHERE NOT l.of_function;

CREATE VIEW memory AS -- memory over time: mprof, Scalene's footprint, what torch says is allocated
SELECT t_s, process, NULL AS device, kind, mib * 1048576 AS bytes, mib FROM memory_sample
UNION ALL
SELECT t_ns / 1e9, NULL, CASE device_type WHEN 0 THEN 'cpu' ELSE 'device ' || device END, 'allocated', allocated, allocated / 1048576.0
FROM ps_memory_events WHERE allocated >= 0;

-- Traces. Times are ns since the first event; meta.origin_us + start_ns / 1000 is the ts of the file. ps_slices, ps_operators,
-- ps_kernels, ps_flows, ps_counts and ps_memory_events are tables that perfshelf registers over the packed columns.
CREATE VIEW slices AS
SELECT s.id, nullif(s.parent_id, 0) AS parent_id, p.pid AS process, t.tid AS thread, s.track,
       c.text AS category, n.text AS name,
       s.start_ns, s.duration_ns, s.self_ns, s.depth,
       s.args,                                 -- JSON
       s.kind, s.flags,                        -- enum ps_slice_kind, ps_slice_flag of slices/slices.h
       nullif(s.launch, 0) AS launch_id, nullif(s.op, 0) AS operator_id -- of device slices
FROM ps_slices s JOIN track t ON t.id = s.track JOIN process p ON p.id = t.process
LEFT JOIN text n ON n.id = s.name LEFT JOIN text c ON c.id = s.category;

CREATE VIEW actions AS -- what the profilers of PyTorch Lightning timed; actions contain each other, so nothing of it adds up to the total
SELECT a.id, a.section, nullif(s.stage, '') AS stage, a.name AS action, a.calls, a.mean_s, a.total_s, a.pct AS percentage, -- of the section's total
       nullif(a.report, 0) AS report           -- the table of its functions, in reports
FROM action a JOIN section s ON s.id = a.section;

CREATE VIEW printed_operators AS -- all rows of printed key_averages() tables, rounded as they were printed
SELECT p.id, r.id AS report, p.name, p.overload, p.shapes AS input_shapes, p.source, p.cut AS name_cut, p.calls,
       p.self_cpu_ns / 1000.0 AS self_cpu_us, p.cpu_total_ns / 1000.0 AS cpu_total_us, p.cpu_mean_ns / 1000.0 AS cpu_mean_us,
       p.self_device_ns / 1000.0 AS self_device_us, p.device_total_ns / 1000.0 AS device_total_us, p.device_mean_ns / 1000.0 AS device_mean_us,
       p.self_cpu_pct, p.cpu_total_pct, p.self_device_pct, p.self_cpu_bytes, p.cpu_bytes, p.self_device_bytes, p.device_bytes, p.flops
FROM printed_operator p JOIN report r ON p.id BETWEEN r.first AND r.last;

CREATE VIEW operators AS -- torch's key_averages(); of a log of printed tables the one with most rows
SELECT n.text AS name, NULL AS input_shapes, o.calls,
       o.self_cpu_ns / 1000.0 AS self_cpu_us, o.cpu_total_ns / 1000.0 AS cpu_total_us,
       o.self_device_ns / 1000.0 AS self_device_us, o.device_total_ns / 1000.0 AS device_total_us,
       o.self_cpu_bytes, o.cpu_bytes, o.self_device_bytes, o.device_bytes, o.flops,
       o.kind                                  -- enum ps_slice_kind
FROM operator o JOIN text n ON n.id = o.name WHERE NOT o.by_shape
UNION ALL
SELECT p.name, NULL, p.calls, p.self_cpu_ns / 1000.0, p.cpu_total_ns / 1000.0, p.self_device_ns / 1000.0, p.device_total_ns / 1000.0,
       p.self_cpu_bytes, p.cpu_bytes, p.self_device_bytes, p.device_bytes, p.flops, NULL
FROM (SELECT first, last FROM report WHERE by = '' ORDER BY last - first DESC, id LIMIT 1) r
JOIN printed_operator p ON p.id BETWEEN r.first AND r.last;

CREATE VIEW operators_by_shape AS -- key_averages(group_by_input_shape=True)
SELECT n.text AS name, h.text AS input_shapes, o.calls,
       o.self_cpu_ns / 1000.0 AS self_cpu_us, o.cpu_total_ns / 1000.0 AS cpu_total_us,
       o.self_device_ns / 1000.0 AS self_device_us, o.device_total_ns / 1000.0 AS device_total_us,
       o.self_cpu_bytes, o.cpu_bytes, o.self_device_bytes, o.device_bytes, o.flops, o.kind
FROM operator o JOIN text n ON n.id = o.name LEFT JOIN text h ON h.id = o.shapes WHERE o.by_shape
UNION ALL
SELECT p.name, p.shapes, p.calls, p.self_cpu_ns / 1000.0, p.cpu_total_ns / 1000.0, p.self_device_ns / 1000.0, p.device_total_ns / 1000.0,
       p.self_cpu_bytes, p.cpu_bytes, p.self_device_bytes, p.device_bytes, p.flops, NULL
FROM (SELECT first, last FROM report WHERE by = 'shape' ORDER BY last - first DESC, id LIMIT 1) r
JOIN printed_operator p ON p.id BETWEEN r.first AND r.last;

CREATE VIEW kernels AS -- kernels, copies and sets by name, device and stream
SELECT n.text AS name, k.stream, k.device, k.calls, k.total_ns / 1000.0 AS total_us, k.total_ns / 1000.0 / k.calls AS mean_us,
       k.min_ns / 1000.0 AS min_us, k.max_ns / 1000.0 AS max_us,
       k.blocks_per_sm, k.occupancy_pct,       -- means weighted by duration; NULL: not recorded
       k.tensor_core, k.kind
FROM ps_kernels(NULL, NULL, 0) k JOIN text n ON n.id = k.name;

CREATE VIEW steps AS
SELECT id AS step, name, start_ns, end_ns - start_ns AS duration_ns, host_start_ns, host_end_ns, counted, worker FROM step;
CREATE VIEW step_parts AS
SELECT p.step, CASE p.definition WHEN 0 THEN 'tensorboard' WHEN 1 THEN 'hta' ELSE 'tracelens' END AS definition, p.name, p.ns FROM step_part p;
CREATE VIEW flows AS SELECT f.id, t.text AS kind, f.from_slice, f.to_slice, f.from_ns, f.to_ns FROM ps_flows f LEFT JOIN text t ON t.id = f.kind;
CREATE VIEW counters AS SELECT s.name, p.pid AS process, c.t_ns, c.value FROM series s JOIN process p ON p.id = s.process, ps_counts(s.id) c;
CREATE VIEW memory_events AS -- every [memory] record
SELECT m.t_ns, m.device_type, m.device, m.bytes, nullif(m.address, 0) AS address, nullif(m.allocated, -1) AS allocated, nullif(m.reserved, -1) AS reserved,
       nullif(m.slice, 0) AS slice_id, m.outside, m.worker
FROM ps_memory_events m;
CREATE VIEW modules AS
SELECT id, nullif(parent, 0) AS parent_id, name, calls, host_self_ns / 1000.0 AS host_self_us, host_total_ns / 1000.0 AS host_total_us,
       device_self_ns / 1000.0 AS device_self_us, device_total_ns / 1000.0 AS device_total_us, operators FROM module;

CREATE VIEW measurements AS -- what time, timeit, pytest-benchmark, hyperfine measured
SELECT name, value, unit, n, stddev, min, max, statistic, mean, median, q1, q3,
       grp AS "group",
       resolution,                             -- value of the last digit that was printed; NULL: all digits are there
       resolution IS NOT NULL AS rounded,
       more,                                   -- JSON
       id
FROM measurement;
