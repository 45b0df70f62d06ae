-- run.sql: the tables and views of a run file. Tables are private (user_version is the number of their layout).
-- The views at the end are the public interface for `perfshelf sql` and for SQL that users write. They are
-- stable, and tests compare them with the original tools.
--
-- A run file is written once, in one transaction without a journal, and never changed. Columns without a type
-- keep the integers and doubles of the profile bit for bit.
--
-- This file is the only description of the tables. From it, schema/run_tables.py generates the structs of rows,
-- the INSERT statements, and the checks for validation and redaction (server/runwrite/run_tables.h). It reads
-- the tags in brackets at the beginning of a comment, in one pair or in several. A tag applies to all columns of its line, or to the table
-- whose name is in the line:
--   [MIN..MAX]            range of integers; without MAX unlimited; constants of slices/slices.h are allowed
--   [bool]                0 or 1
--   [-> TABLE]            id of a row of TABLE
--   [-> TABLE or 0]       id of a row of TABLE, or 0: no row
--   [-> slice] [-> slice or 0]  id of a slice; with `of KIND KIND` the kinds that it may have (enum ps_slice_kind)
--   [<= COLUMN]           how the value compares with another column of the row: <, <=, > or >=; NULL compares with everything.
--   [> COLUMN or 0]       0 is always valid
--   [sorted]              for packed columns: not less than the value of the row before
--   [redact as CLASS]     how an export without secrets redacts the column (enum ps_redaction_class); required for
--                         TEXT, BLOB and [any]
--   [any]                 numbers and text
--   [sparse]              for tables: ids have gaps or any order
--   [from N]              for tables: ids begin at N, not at 1
--   [replace]             for tables: INSERT replaces a row with the same key
--   [constant]            for tables: the rows are the same in all files
--   [since N]             for tables, PACKED families and columns that may be NULL: files of layouts before N lack them
--   [since N as VALUE]    for other columns: their value in rows of these files
--   [lacks WORDS of DATA] beside each [since N]: what runs of layouts before N lack, as the page calls it. DATA is a word of
--                         importers/kinds.c: runs of kinds without that data never have it
--
-- ps_calls(), ps_paths(), and for traces ps_slices and others, are virtual tables of perfshelf (server/runfile).
-- The columns of slices and of packed rows, which are stored as blobs, are described by comments that begin with PACKED, with the
-- same tags. Readers rely on nothing that is not written here or in schema/queries/run_invariants.sql: an uploaded run file is
-- checked against these rules (server/runwrite/validate.c).
--
-- sqlite3 alone can open a run file, but cannot read the views that use them.

PRAGMA application_id = 0x70736866; -- 'pshf'
-- Incremented with every change of a table, of a view or of the content of a packed column. A new table, column or packed
-- column needs a tag [since N] with the new number: then older files are read as if they had it (ps_older_layout_sql), and
-- statements need no case for them. What they lack is absent, not zero. `perfshelf renew` imports their originals again.
-- In layout 3, packed columns do not use multiples. Before layout 7, the public views gave addresses from 2^63 on as
-- negative numbers.
PRAGMA user_version = 9;

CREATE TABLE meta( -- [replace]
    k TEXT PRIMARY KEY, -- [redact as fixed] keys: kind tool tool_version name title created_at sha256 bytes summary headline_value headline_unit
                        -- headline_label, ledger_unit ledger_read ledger_stored ledger_repaired ledger_rejected ledger_other,
                        -- label (JSON: series, who, tags and created_at of the import);
                        -- for traces origin_us, and header.KEY (JSON: a field other than the events, with secrets masked)
    v                   -- [any, redact as meta]
) WITHOUT ROWID;

CREATE TABLE origin( -- [constant] names of enum ps_origin
    id INTEGER PRIMARY KEY,
    word TEXT NOT NULL -- [redact as fixed]
);
INSERT INTO origin VALUES (0, 'own'), (1, 'third-party'), (2, 'stdlib'), (3, 'builtin'), (4, 'unknown');

CREATE TABLE note( -- [sparse] the ledger: repaired and rejected records, warnings
    id INTEGER PRIMARY KEY,
    severity INTEGER NOT NULL, -- [0..3] 0 info 1 warning 2 repaired 3 rejected
    byte_offset INTEGER,       -- [0..] in the decompressed input
    line INTEGER,              -- [0..] from 1; NULL: the input has no lines
    what TEXT NOT NULL         -- [redact as message]
);

-- Import-time logs ---------------------------------------------------------------------------------------------------

CREATE TABLE package( -- a top-level package
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,       -- [redact as code]
    origin INTEGER NOT NULL,  -- [0..4] enum ps_origin
    modules INTEGER NOT NULL, -- [0..] number of timed rows
    self_us,                  -- exclusive: sum of self_us of its rows
    inclusive_us,             -- inclusive: sum of cumulative_us of rows without an ancestor in the same package
    first INTEGER             -- [-> import or 0] the first import of the package
);

CREATE TABLE import( -- rows of the log, in the order of the log; a subtree has consecutive ids, and its root has the last of them
    id INTEGER PRIMARY KEY,
    parent INTEGER NOT NULL,   -- [-> import or 0, > id or 0] 0: this row is a root
    importer INTEGER NOT NULL, -- [-> import or 0] like parent, but for cached rows derived from the layout of the log
    low INTEGER NOT NULL,      -- [-> import, <= id] smallest id of the subtree
    start INTEGER NOT NULL,    -- [0..UINT32_MAX] position in the order of start, from 1; 0: cached row
    depth INTEGER NOT NULL,    -- [-1..UINT32_MAX] -1: unknown
    module TEXT NOT NULL,      -- [redact as code]
    package INTEGER NOT NULL,  -- [-> package]
    self_us, cumulative_us,    -- as printed; NULL for cached rows
    total_us INTEGER NOT NULL, -- [0..] max(self_us, 0) + total_us of the children: the width to draw
    flags INTEGER NOT NULL,    -- [0..255] bits: 1 cached, 2 startup, 4 unfinished, 8 no ancestor in its package, 16 first row with its
                               -- name, 32 importer estimated, 64 cached and written by the recorder, which lists all imports,
                               -- 128 with 64: imported only in functions
    children INTEGER NOT NULL, -- [0..UINT32_MAX] number of direct timed imports
    interpreter INTEGER NOT NULL,
    line INTEGER NOT NULL      -- [0..]
);

-- pstats dumps ---------------------------------------------------------------------------------------------------------

CREATE TABLE file(
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,         -- [redact as path]
    origin INTEGER NOT NULL,    -- [0..4] enum ps_origin
    functions INTEGER NOT NULL, -- [0..] number of listed functions; ncalls and tottime_s are their sums
    ncalls, tottime_s
);

-- Caller edges are stored in the row of the callee. In a table with an index for each direction, the 559 000
-- edges of a dump of 200 000 functions would cost another 0.5 s of CPU; the complete import takes 0.9 s
-- (docs/bench.md).
CREATE TABLE function(
    id INTEGER PRIMARY KEY,    -- in file order, the order of equal rows in the stable sorts of pstats
    file INTEGER NOT NULL,     -- [-> file]
    line,
    name TEXT NOT NULL,        -- [redact as code]
    ncalls, primitive_calls, tottime_s, cumtime_s,
    origin INTEGER NOT NULL,   -- [0..4] enum ps_origin
    cycle INTEGER NOT NULL,    -- [0..UINT32_MAX] functions that call each other recursively have the same number; 0: not recursive
    listed INTEGER NOT NULL,   -- [bool] 0: the dump names the function only as a caller
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

CREATE TABLE line_function( -- functions; a function without lines was registered but never called
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL,     -- [-> line_file]
    name TEXT NOT NULL,        -- [redact as code] '': not in the report
    first_line INTEGER NOT NULL -- [0..] 0: unknown
);

CREATE TABLE line(
    file INTEGER NOT NULL,     -- [-> line_file]
    function INTEGER NOT NULL, -- [-> line_function or 0]
    block INTEGER NOT NULL,    -- [0..] number of the call of the function, since memory_profiler reports calls separately; else 1
    line INTEGER NOT NULL,     -- [0..]
    of_function INTEGER NOT NULL, -- [bool] 1: the row is about the complete function, not about one line (Scalene)
    source TEXT,               -- [redact as source] NULL: not in the profile
    hits, ticks,               -- line_profiler; a tick is meta.unit_s seconds
    mem_mib, increment_mib, occurrences, -- memory_profiler
    cpu_python_pct, cpu_native_pct, cpu_system_pct, gpu_pct, gpu_avg_mib, gpu_peak_mib, avg_mib, peak_mib, malloc_mib, mallocs,
    growth_mib, usage_fraction, python_fraction, copy_mib_s, core_utilization, leak_likelihood, leak_mib_s, -- Scalene
    samples BLOB               -- [redact as numbers] Scalene: pairs of doubles, seconds and MiB
);

CREATE TABLE line_sum( -- sums of the lines of a function; function 0: of the lines of a file outside functions
    file INTEGER NOT NULL,     -- [-> line_file]
    function INTEGER NOT NULL, -- [-> line_function or 0]
    first_row INTEGER NOT NULL, -- [<= last_row] range of rowids in the table line
    last_row INTEGER NOT NULL,
    lines INTEGER NOT NULL, executed INTEGER NOT NULL,
    carried INTEGER NOT NULL,  -- [bool] 1: the profile contains text of these lines
    last_line, hits, ticks,
    increment_mib,             -- without the first line of each block, whose increment is the memory before the call
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
    name TEXT NOT NULL,        -- [redact as label] of a function, or a name that the program gave to a block
    start_s REAL NOT NULL,     -- [<= end_s]
    end_s REAL NOT NULL, start_mib, end_mib, level
);

-- Traces ---------------------------------------------------------------------------------------------------------------
-- Slices are stored in chunks of one track, by column (slices/slices.h, slices/column.h). 4 million slices are
-- written in 0.2 s in this form, and in 3.3 s as rows. The id of a slice is (track << 32) + row, rows from 0.

CREATE TABLE text(
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL,        -- [redact as slice]
    key INTEGER NOT NULL       -- [-> text or 0] text under which key_averages() counts slices with this name; 0: this text
);
CREATE TABLE args_template( -- [from 2] templates of arguments (slices/args.h); id 1: the arguments are stored as plain text
    id INTEGER PRIMARY KEY,
    text BLOB NOT NULL,        -- [redact as template]
    shapes INTEGER NOT NULL    -- [-> text or 0]
);

CREATE TABLE process(
    id INTEGER PRIMARY KEY,
    pid TEXT NOT NULL,         -- [redact as label] as written in the file
    name TEXT NOT NULL, labels TEXT NOT NULL, -- [redact as label]
    sort INTEGER NOT NULL,
    device INTEGER NOT NULL,   -- index of the device that the row represents; -1: the row is a process
    worker INTEGER NOT NULL    -- [0..65535] index of its file among the files of the job
);

CREATE TABLE track(
    id INTEGER PRIMARY KEY,    -- [1..PS_TRACKS_MAX]
    process INTEGER NOT NULL,  -- [-> process]
    kind INTEGER NOT NULL,     -- [PS_TRACK_THREAD..PS_TRACK_SYNC] enum ps_track_kind
    name TEXT NOT NULL, tid TEXT NOT NULL, -- [redact as label]
    device INTEGER NOT NULL, stream INTEGER NOT NULL, -- -1: none
    sort INTEGER NOT NULL,
    slices INTEGER NOT NULL, depth INTEGER NOT NULL, -- [0..UINT32_MAX]
    start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL,
    sample_type INTEGER NOT NULL, -- [-> sample_type or 0] [since 9 as 0, lacks sample types of sample_types] 0: the run has no sample types
    is_negative INTEGER NOT NULL  -- [bool] [since 9 as 0, lacks sample types of sample_types] 1: the values of its samples are below 0, and its slices are as long as their magnitudes
);

CREATE TABLE sample_type( -- [since 9, lacks sample types of sample_types] what the values of samples of stacks measure; each has tracks of its own
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,        -- [redact as code] different from the other names of the run
    unit TEXT NOT NULL,        -- [redact as code] s, B, or as the file says it
    scale REAL NOT NULL,       -- a duration of its slices, divided by this, is a value in this unit
    file_column INTEGER NOT NULL, -- [-1..] position in the file, from 0; -1: computed, the number of samples times their period
    total,                     -- sum of the values of all samples, in its unit
    negative,                  -- sum of the values below 0, without their sign
    samples INTEGER NOT NULL,  -- [0..] samples whose value is not 0
    is_default INTEGER NOT NULL -- [bool]
);
CREATE TABLE sample_label( -- [since 9, lacks sample types of sample_types] labels of samples: their keys
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,         -- [redact as code]
    unit TEXT NOT NULL,        -- [redact as code] of numbers; '': none
    n_values INTEGER NOT NULL, -- [0..] number of different values
    samples INTEGER NOT NULL,  -- [0..] samples with the label
    role INTEGER NOT NULL      -- [0..2] enum ps_label_role
);
CREATE TABLE sample_label_value( -- [since 9, lacks sample types of sample_types] the most frequent values of labels
    label INTEGER NOT NULL,    -- [-> sample_label]
    sample_type INTEGER NOT NULL, -- [-> sample_type]
    value TEXT NOT NULL,       -- [redact as label]
    total,                     -- of the samples with the value, in the unit of the sample type
    samples INTEGER NOT NULL   -- [0..] those whose value of the sample type is not 0
);
CREATE TABLE track_label( -- [since 9, lacks sample types of sample_types] the labels that all samples of a track have
    track INTEGER NOT NULL,    -- [-> track]
    label INTEGER NOT NULL,    -- [-> sample_label]
    value TEXT NOT NULL        -- [redact as label]
);

CREATE TABLE chunk( -- in the order of writing; the chunks of a track are in the order of its slices
    id INTEGER PRIMARY KEY,
    track INTEGER NOT NULL,    -- [-> track]
    first INTEGER NOT NULL,    -- [0..UINT32_MAX] row of its first slice in the track, from 0
    n INTEGER NOT NULL,        -- [1..PS_CHUNK_ROWS]
    start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, -- minimum start, maximum end of its slices
    last_start_ns INTEGER NOT NULL, -- start of its last slice
    columns INTEGER NOT NULL,  -- [0..UINT32_MAX] 1 << enum ps_slice_column for each column in chunk_column; the others have only values 0
    kinds INTEGER NOT NULL     -- [0..UINT32_MAX] 1 << enum ps_slice_kind for each kind that occurs
);
-- PACKED slice: enum ps_slice_column
--   start [-4611686018427387904..4611686018427387903, sorted] ns since the origin; before it in the capture of a graph
--   duration [0..]
--   self [0.., <= duration]
--   parent [0..UINT32_MAX] a row before it of the same track
--   depth [0..UINT32_MAX]
--   name [-> text or 0]
--   category [-> text or 0]
--   kind [0..PS_N_SLICE_KINDS - 1]
--   flags [0..PS_SLICE_FLAGS]
--   family [0..PS_N_FAMILIES - 1]
--   template [-> args_template or 0] or PS_TEMPLATE_WHOLE
--   args_at [0..UINT32_MAX]
--   op_self []
--   device_self []
--   device_total []
--   cpu_bytes_self []
--   cpu_bytes []
--   device_bytes_self []
--   device_bytes []
--   flops []
--   launch [-> slice or 0 of RUNTIME]
--   op [-> slice or 0 of OP ANNOTATION PYTHON RUNTIME NVTX OSRT]
CREATE TABLE chunk_column( -- [sparse] id: chunk * 32 + enum ps_slice_column; 31: the parameters of arguments
    id INTEGER PRIMARY KEY,
    data BLOB NOT NULL         -- [redact as chunk]
);
CREATE TABLE pyramid( -- [sparse] id: track * 64 + level; slices/pyramid.h
    id INTEGER PRIMARY KEY,
    bin_ns INTEGER NOT NULL,   -- [1..]
    data BLOB NOT NULL         -- [redact as numbers]
);

CREATE TABLE series( -- a series of numbers over time
    id INTEGER PRIMARY KEY,
    process INTEGER NOT NULL,  -- [-> process]
    name TEXT NOT NULL,        -- [redact as label]
    unit TEXT NOT NULL,        -- [redact as code]
    least, greatest
);
-- Rows of which a trace may have millions, stored as packed columns like those of chunks: enum ps_packed_family.
-- PACKED flows: family 1
--   kind [-> text or 0]
--   from_slice [-> slice or 0]
--   to_slice [-> slice or 0]
--   from_ns [-4611686018427387904..4611686018427387903]
--   to_ns [-4611686018427387904..4611686018427387903]
-- PACKED counts: family 2, of a series
--   t_ns [-4611686018427387904..4611686018427387903]
--   value [] bits of a double
-- PACKED memory: family 3
--   t_ns [-4611686018427387904..4611686018427387903]
--   device_type []
--   device []
--   bytes []
--   address []
--   allocated []
--   reserved []
--   slice [-> slice or 0]
--   outside [bool]
--   worker [0..65535]
-- PACKED collectives: [since 5, lacks collectives of torch] family 4, calls of collectives
--   start_ns [-4611686018427387904..4611686018427387903]
--   duration_ns [0..]
--   slice [-> slice]
--   collective [-> collective]
--   sequence [-1..] -1: unknown
--   bytes_in [0..]
--   bytes_out [0..]
-- PACKED steps: [since 5, lacks steps of ranks of torch] family 5, counted steps, for the views of ranks
--   start_ns [-4611686018427387904..4611686018427387903, <= end_ns]
--   end_ns [-4611686018427387904..4611686018427387903]
--   step [-> step]
--   worker [0..65535]
--   name [-> step, <= step] the first step with the same name
--   computation [-1..] parts of the step in ns, -1: unknown: of TraceLens' definition
--   communication [-1..] exposed communication of TraceLens' definition
--   loading [-1..] DataLoader of TensorBoard's definition
-- PACKED snapshot_events: [since 6, lacks memory snapshot of snapshot] family 6, events of a memory snapshot
--   event [0..] position in the trace of the device
--   t_us [-1..]
--   action [0..PS_N_SNAPSHOT_ACTIONS - 1]
--   address []
--   bytes [0..]
--   stream [-> snapshot_stream or 0]
--   stack [-> snapshot_stack or 0]
--   live [] live, reserved: bytes after the event minus those before the first event
--   reserved []
--   pool [-> snapshot_pool or 0]
--   context [-> snapshot_text or 0]
--   user [-> snapshot_text or 0]
--   category [-> snapshot_text or 0]
-- PACKED allocations: [since 6, lacks memory snapshot of snapshot] family 7, in the order of their ends
--   start [-1.., <= end] event; -1: before the first event
--   end [] event; the number of events if kept
--   start_us [-1..]
--   end_us [-1..]
--   address []
--   bytes [0..]
--   stream [-> snapshot_stream or 0]
--   pool [-> snapshot_pool or 0]
--   stack [-> snapshot_stack or 0]
--   flags [0..7] enum ps_allocation_flag
-- PACKED snapshot_levels: [since 6, lacks memory snapshot of snapshot] family 8, levels of detail, a row for 1,024 events
--   first [0..] event
--   t_us [-1..]
--   live_min [<= live_max] bytes in use, not relative
--   live_max []
--   live_max_event []
--   live_last []
--   reserved_max []
--   reserved_last []
-- Families 6 to 8 have positions of events instead of times, and their times are us since 1970; -1: unknown.
-- PACKED served: [since 8, lacks requests of requests] family 9, which requests an engine served in which step
--   start_ns [-4611686018427387904..4611686018427387903, sorted] start of the step
--   step [-> engine_step, sorted]
--   request [-> request]
--   tokens [0..] new tokens of the request in this step
--   computed [-1..] tokens of the request that were computed before; -1: unknown
--   is_prefill [bool] 1: tokens of the prompt
-- PACKED token_gaps: [since 8, lacks requests of requests] family 10, times between the chunks of tokens that a client received
--   request [-> request, sorted]
--   gap_ns []
-- Family 10 has ids of requests instead of times.
CREATE TABLE packed(
    id INTEGER PRIMARY KEY,
    family INTEGER NOT NULL,   -- [1..10] enum ps_packed_family
    part INTEGER NOT NULL,     -- [0..UINT32_MAX] family 2: the series; 6 to 8: the snapshot_device; else 0
    n INTEGER NOT NULL,        -- [1..PS_CHUNK_ROWS]
    start_ns INTEGER NOT NULL, -- [<= end_ns]
    end_ns INTEGER NOT NULL
);
CREATE TABLE packed_column( -- [sparse] id: packed * 16 + column
    id INTEGER PRIMARY KEY,
    data BLOB NOT NULL         -- [redact as numbers]
);

CREATE TABLE collective( -- [since 5, lacks collectives of torch] what calls of a collective have in common; the calls are packed rows
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,        -- [redact as code] as its arguments state it; of the kernel if described is 0
    described INTEGER NOT NULL, -- [bool] 1: the arguments of the calls describe the collective
    grp TEXT NOT NULL, description TEXT NOT NULL, -- [redact as process_group] process group: name, description
    members TEXT NOT NULL,     -- [redact as label] ranks of the process group
    group_size INTEGER NOT NULL, -- [0..UINT32_MAX] ranks of the process group; 0: unknown
    dtype TEXT NOT NULL        -- [redact as code] type of the elements; '': unknown
);

CREATE TABLE operator( -- the rows of key_averages() of the complete run
    name INTEGER NOT NULL, shapes INTEGER NOT NULL,   -- [-> text or 0] shapes is 0 if by_shape is 0
    by_shape INTEGER NOT NULL, -- [bool]
    kind INTEGER NOT NULL,     -- [0..PS_N_SLICE_KINDS - 1] enum ps_slice_kind
    family INTEGER NOT NULL,   -- [0..PS_N_FAMILIES - 1]
    calls INTEGER NOT NULL,
    self_cpu_ns INTEGER NOT NULL, cpu_total_ns INTEGER NOT NULL, self_device_ns INTEGER NOT NULL, device_total_ns INTEGER NOT NULL,
    self_cpu_bytes INTEGER NOT NULL, cpu_bytes INTEGER NOT NULL, self_device_bytes INTEGER NOT NULL, device_bytes INTEGER NOT NULL,
    flops INTEGER NOT NULL,
    min_ns INTEGER NOT NULL,   -- [<= max_ns]
    max_ns INTEGER NOT NULL, first_start_ns INTEGER NOT NULL, tensor_core INTEGER NOT NULL
);

CREATE TABLE step(
    id INTEGER PRIMARY KEY,
    worker INTEGER NOT NULL,   -- [0..65535]
    name TEXT NOT NULL,        -- [redact as label]
    start_ns INTEGER NOT NULL, -- [0.., <= end_ns]
    end_ns INTEGER NOT NULL,   -- end of its last kernel (as in tb_plugin)
    host_start_ns INTEGER NOT NULL, -- [0.., <= host_end_ns] start of the annotation
    host_end_ns INTEGER NOT NULL,
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
    json TEXT NOT NULL,        -- [redact as json] deviceProperties of the file
    span_ns INTEGER, busy_ns INTEGER, sm_efficiency, occupancy,   -- sm_efficiency: 0..1; occupancy: percent; NULL: unknown
    kernel_ns INTEGER, tensor_core_ns INTEGER, communication_ns INTEGER, overlap_ns INTEGER,
    kernels INTEGER, copies INTEGER,
    hta_kernel_time_ns INTEGER, hta_compute_ns INTEGER, hta_non_compute_ns INTEGER, hta_idle_ns INTEGER
);
CREATE TABLE gap(
    track INTEGER NOT NULL,    -- [-> track] the stream of the work after the gap
    start_ns INTEGER NOT NULL, -- [0.., <= end_ns]
    end_ns INTEGER NOT NULL,
    cause INTEGER NOT NULL,    -- [0..2] 0 host wait 1 kernel wait 2 other
    before INTEGER NOT NULL, after INTEGER NOT NULL -- [-> slice or 0] the slices around the gap; 0: none
);
CREATE TABLE module(
    id INTEGER PRIMARY KEY,
    parent INTEGER NOT NULL,   -- [-> module or 0, < id] 0: outermost
    name TEXT NOT NULL,        -- [redact as code]
    calls INTEGER NOT NULL, host_self_ns INTEGER NOT NULL, host_total_ns INTEGER NOT NULL,
    device_self_ns INTEGER NOT NULL, device_total_ns INTEGER NOT NULL, operators INTEGER NOT NULL,
    first_slice INTEGER NOT NULL -- [-> slice or 0]
);

-- Printed tables -------------------------------------------------------------------------------------------------------

CREATE TABLE report( -- a printed table of functions or operators
    id INTEGER PRIMARY KEY,
    stage TEXT NOT NULL,       -- [redact as code] '': unknown
    title TEXT NOT NULL,       -- [redact as label] a path, or the name of an action; '': unknown
    ordered TEXT NOT NULL,     -- [redact as code] '': unknown
    by TEXT NOT NULL,          -- [redact as fixed] grouping of operators: '', shape, stack
    ncalls, primitive_calls, seconds, device_seconds, -- as printed above or below the table
    listed_of,                 -- number of functions in the profile, if the table was reduced
    first INTEGER NOT NULL, last INTEGER NOT NULL -- [0..] its rows: range of function.id or printed_operator.id
);

CREATE TABLE printed_operator( -- values are rounded; NULL: the table has no such column, or no value in it
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,        -- [redact as code]
    overload TEXT, shapes TEXT, source TEXT, -- [redact as code]
    cut INTEGER NOT NULL,      -- [bool] 1: the printed name is truncated
    family INTEGER NOT NULL,   -- [0..PS_N_FAMILIES - 1]
    calls INTEGER NOT NULL,
    self_cpu_ns, cpu_total_ns, cpu_mean_ns, self_device_ns, device_total_ns, device_mean_ns,
    self_cpu_pct, cpu_total_pct, self_device_pct,
    cpu_bytes, self_cpu_bytes, device_bytes, self_device_bytes,
    flops
);

CREATE TABLE section( -- a report of PyTorch Lightning
    id INTEGER PRIMARY KEY,
    stage TEXT NOT NULL,       -- [redact as code] FIT, VALIDATE, TEST, PREDICT; '': unknown
    total_s, calls             -- values of the row Total of the report
);
CREATE TABLE action( -- an action timed by the profiler of Lightning; actions contain each other
    id INTEGER PRIMARY KEY,
    section INTEGER NOT NULL,  -- [-> section]
    name TEXT NOT NULL,        -- [redact as label]
    calls, mean_s, total_s, pct, -- as printed; NULL: unknown
    report INTEGER NOT NULL    -- [-> report or 0] the printed table of its functions
);

-- Memory snapshots of PyTorch -------------------------------------------------------------------------------------------
-- Live bytes are requested bytes from alloc to free_completed. Blocks have rounded bytes, segments have bytes reserved
-- from the driver. Events, allocations and levels of detail are packed rows (families 6 to 8). Addresses and pointers are
-- the bits of unsigned numbers.

CREATE TABLE snapshot_device( -- [since 6, lacks memory snapshot of snapshot]
    id INTEGER PRIMARY KEY,
    number INTEGER NOT NULL,   -- [0..1023] as in the file
    events INTEGER NOT NULL,   -- [0..] length of its trace; 0: history was off
    first_us, last_us,         -- of the events, since 1970; NULL: unknown
    segments INTEGER NOT NULL, -- [0..]
    reserved INTEGER NOT NULL, -- [0..] at the end, like the following
    allocated INTEGER NOT NULL, requested INTEGER NOT NULL, pending INTEGER NOT NULL, -- [0..] of blocks in use (rounded, requested);
                               -- of blocks that wait to be free
    free INTEGER NOT NULL, inactive_split INTEGER NOT NULL, largest_free INTEGER NOT NULL, -- [0..] of inactive blocks: all, in segments
                               -- with other blocks, largest
    fragmentation REAL NOT NULL, -- sum of (bytes of neighbouring inactive blocks)^2 / reserved^2
    before_count INTEGER NOT NULL, live_before INTEGER NOT NULL, -- [0..] allocations that are older than the first event
    peak_live INTEGER NOT NULL,
    peak_event INTEGER NOT NULL, -- [-1..] first event with peak_live; -1: before the first event
    live_end INTEGER NOT NULL,
    reserved_before INTEGER NOT NULL, peak_reserved INTEGER NOT NULL,
    ooms INTEGER NOT NULL,     -- [0..] failed allocations; of the first one:
    oom_event INTEGER NOT NULL, oom_bytes INTEGER NOT NULL, oom_free INTEGER NOT NULL -- [-1..] event, bytes asked for, bytes free in the driver
);
CREATE TABLE snapshot_text( -- [since 6, lacks memory snapshot of snapshot] compile contexts, metadata, categories, names of marks
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL         -- [redact as label]
);
CREATE TABLE snapshot_frame( -- [since 6, lacks memory snapshot of snapshot]
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,        -- [redact as code]
    file TEXT NOT NULL,        -- [redact as path] '' or ??: unknown
    line INTEGER NOT NULL,     -- [0..UINT32_MAX] 0: unknown
    hidden INTEGER NOT NULL    -- [bool] 1: PyTorch's viewer leaves it out
);
CREATE TABLE snapshot_stack( -- [since 6, lacks memory snapshot of snapshot] a tree: the frame of `parent` called this frame
    id INTEGER PRIMARY KEY,
    parent INTEGER NOT NULL,   -- [-> snapshot_stack or 0, < id] 0: outermost
    frame INTEGER NOT NULL,    -- [-> snapshot_frame]
    shown INTEGER NOT NULL     -- [-> snapshot_stack or 0] the same stack without hidden frames
);
CREATE TABLE snapshot_stream( -- [since 6, lacks memory snapshot of snapshot] id 0, which has no row, is stream 0
    id INTEGER PRIMARY KEY,
    pointer INTEGER NOT NULL
);
CREATE TABLE snapshot_pool( -- [since 6, lacks memory snapshot of snapshot] id 0, which has no row, is the default pool
    id INTEGER PRIMARY KEY,
    a INTEGER NOT NULL, b INTEGER NOT NULL -- segment_pool_id
);
CREATE TABLE snapshot_segment( -- [since 6, lacks memory snapshot of snapshot]
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL,   -- [-> snapshot_device]
    address INTEGER NOT NULL,
    total INTEGER NOT NULL, allocated INTEGER NOT NULL, active INTEGER NOT NULL, -- [0..]
    requested INTEGER,         -- [0..] NULL: not in the file
    stream INTEGER NOT NULL,   -- [-> snapshot_stream or 0]
    pool INTEGER NOT NULL,     -- [-> snapshot_pool or 0]
    stack INTEGER NOT NULL,    -- [-> snapshot_stack or 0]
    large INTEGER NOT NULL, expandable INTEGER NOT NULL, -- [bool]
    blocks INTEGER NOT NULL    -- [0..]
);
CREATE TABLE snapshot_block( -- [since 6, lacks memory snapshot of snapshot] in the order of segments and addresses
    id INTEGER PRIMARY KEY,
    segment INTEGER NOT NULL,  -- [-> snapshot_segment]
    address INTEGER NOT NULL,
    bytes INTEGER NOT NULL, requested INTEGER NOT NULL, -- [0..] requested is 0 if inactive
    state INTEGER NOT NULL,    -- [0..2] enum ps_block_state
    stack INTEGER NOT NULL     -- [-> snapshot_stack or 0]
);
CREATE TABLE snapshot_mark( -- [since 6, lacks memory snapshot of snapshot] external_annotations, such as optimizer steps
    device INTEGER NOT NULL,
    t_us,                      -- NULL: unknown
    name INTEGER NOT NULL,     -- [-> snapshot_text]
    ends INTEGER NOT NULL      -- [bool] 0: START, 1: END
);
CREATE TABLE snapshot_owner( -- [since 6, lacks memory snapshot of snapshot] live allocations at the peak of a device by stack
    device INTEGER NOT NULL,   -- [-> snapshot_device]
    stack INTEGER NOT NULL,    -- [-> snapshot_stack or 0] without hidden frames
    bytes INTEGER NOT NULL, count INTEGER NOT NULL
);

-- Serving --------------------------------------------------------------------------------------------------------------
-- Requests to a server of a language model, as clients, logs of the engine and a trace state them. All times are ns since the
-- origin of the run: of the trace if it has one, else the start of the first request. NULL: unknown.

CREATE TABLE serving_file( -- [since 8, lacks requests of requests] the files of the run, and how their clocks were joined
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,        -- [redact as path]
    role INTEGER NOT NULL,     -- [0..2] enum ps_serving_role
    tool TEXT NOT NULL,        -- [redact as code] "vLLM", "AIPerf"; '': unknown
    method INTEGER NOT NULL,   -- [0..5] enum ps_clock_method
    offset_ns INTEGER,         -- what was added to the times of the file; NULL: its clock is unknown
    error_ns INTEGER,          -- [0..] the true offset differs by at most this; NULL: no bound
    pairs INTEGER NOT NULL     -- [0..] observations that the offset is based on
);
CREATE TABLE serving_result( -- [since 8, lacks requests of requests] a result of a client: one load of a sweep
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,        -- [redact as label] '': the file has only this one
    parameters TEXT NOT NULL,  -- [redact as parameters] a JSON object: request rate, concurrency, lengths
    first INTEGER NOT NULL, last INTEGER NOT NULL -- [0..] its metrics: range of measurement.id; 0: none
);
CREATE TABLE request( -- [since 8, lacks requests of requests] in the order of their start, else of the file
    id INTEGER PRIMARY KEY,
    result INTEGER NOT NULL,   -- [-> serving_result or 0] 0: only the engine knows the request
    position INTEGER NOT NULL, -- [-1..] its row in the file of the client, from 0; -1: only the engine knows it
    name TEXT NOT NULL,        -- [redact as label] id, '': unknown
    state INTEGER NOT NULL,    -- [0..3] enum ps_request_state
    error TEXT NOT NULL,       -- [redact as message] '': none
    start_ns INTEGER,          -- the client sent it
    arrival_ns INTEGER,        -- the engine received it
    scheduled_ns INTEGER,      -- start of the first step that served it
    first_token_ns INTEGER,    -- end of the step that made its first token
    last_token_ns INTEGER,     -- end of the last step that served it
    end_ns INTEGER,            -- the client received all
    ttft_ns INTEGER,           -- [0..] time to the first token, as the client states it
    latency_ns INTEGER,        -- [0..] time to the end, as the client states it
    tpot_ns,                   -- time per output token after the first one, as the client states or defines it
    prompt_tokens INTEGER, output_tokens INTEGER, -- [0..] as the client counts them
    engine_prompt_tokens INTEGER, engine_output_tokens INTEGER, -- [0..] as the engine counts them
    cached_tokens INTEGER,     -- [0..] tokens of the prompt that the engine had in its cache
    is_estimated INTEGER NOT NULL -- [bool] 1: the times of the engine were matched by lengths and order, not by ids
);
CREATE TABLE engine_step( -- [since 8, lacks requests of requests] steps of the scheduler, in the order of their start
    id INTEGER PRIMARY KEY,
    number INTEGER,            -- [0..] as the engine counts
    name TEXT NOT NULL,        -- [redact as label] of the annotation; '': none
    start_ns INTEGER NOT NULL, -- [<= end_ns]
    end_ns INTEGER NOT NULL,
    step INTEGER NOT NULL,     -- [-> step or 0] the same step in the trace
    context_requests INTEGER, context_tokens INTEGER, generation_requests INTEGER, generation_tokens INTEGER, -- [0..]
    running INTEGER, waiting INTEGER -- [0..] requests in the engine during the step
);

-- Timings --------------------------------------------------------------------------------------------------------------

CREATE TABLE measurement(
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,        -- [redact as measured]
    grp TEXT NOT NULL,         -- [redact as group] rows with the same group and unit are compared
    value,
    unit TEXT NOT NULL,        -- [redact as code]
    statistic TEXT NOT NULL,   -- [redact as fixed] the kind of value: mean, best, single
    n, mean, median, stddev, min, max, q1, q3,
    resolution REAL,           -- value of the last printed digit; NULL: the file has all digits
    more TEXT NOT NULL,        -- [redact as json] other results of the tool, a JSON object
    samples BLOB,              -- [redact as numbers] doubles, in the order in which they were recorded
    benchmark TEXT,            -- [since 8, lacks parameters and metrics of benchmarks of results] [redact as measured] name without its parameters; NULL: name
    parameters TEXT,           -- [since 8, lacks parameters and metrics of benchmarks of results] [redact as parameters] a JSON object in the order of the tool; NULL: none
    metric TEXT,               -- [since 8, lacks parameters and metrics of benchmarks of results] [redact as code] what is measured; NULL: not stated
    better INTEGER,            -- [since 8, lacks parameters and metrics of benchmarks of results] [-1..1] -1: lower values are better, 1: higher; NULL: by unit
    is_part INTEGER NOT NULL,  -- [since 8 as 0, lacks parameters and metrics of benchmarks of results] [bool] a further metric of what another row measures
    state INTEGER NOT NULL,    -- [since 8 as 0, lacks parameters and metrics of benchmarks of results] [0..2] enum ps_measurement_state
    loops,                     -- [since 8, lacks parameters and metrics of benchmarks of results] calls of which a sample is the mean; NULL: unknown, or different
    warmups BLOB,              -- [since 8, lacks parameters and metrics of benchmarks of results] [redact as numbers] doubles: values that do not count
    processes BLOB             -- [since 8, lacks parameters and metrics of benchmarks of results] [redact as numbers] doubles: number of samples of each process,
                               -- in the order of the samples; NULL: one process, or unknown
);

-- --------------------------------------------------------------------------------------------------------------------
-- The public views. Addresses from 2^63 on, which SQLite's integers cannot hold, are texts of digits: they sort after
-- the others.

CREATE VIEW run AS
SELECT max(v) FILTER (WHERE k = 'kind') AS kind,
       max(v) FILTER (WHERE k = 'tool') AS tool,
       max(v) FILTER (WHERE k = 'tool_version') AS tool_version,
       max(v) FILTER (WHERE k = 'name') AS name,             -- the name at import
       max(v) FILTER (WHERE k = 'created_at') AS created_at, -- ISO 8601, UTC
       max(v) FILTER (WHERE k = 'headline_value') AS headline_value,
       max(v) FILTER (WHERE k = 'headline_unit') AS headline_unit
FROM meta;

CREATE VIEW notes AS -- the ledger: all repaired or rejected records, and all warnings
SELECT id,
       CASE severity WHEN 0 THEN 'info' WHEN 1 THEN 'warning' WHEN 2 THEN 'repaired' ELSE 'rejected' END AS severity,
       byte_offset, line, what
FROM note;

CREATE VIEW imports AS -- one row per line of the log
SELECT i.id,
       nullif(i.parent, 0) AS parent_id,       -- the import that was in progress; NULL: root, unknown or cached
       i.id AS ord,                            -- order in the log, in which imports ended
       nullif(i.depth, -1) AS depth,
       i.module,
       p.name AS package,                      -- first part of the name
       o.word AS origin,                       -- one of: own, third-party, stdlib, builtin, unknown
       i.self_us, i.cumulative_us,             -- as printed, each rounded up by CPython; NULL if cached
       i.flags & 1 AS cached,                  -- 1: already loaded, so it took no time (importtime=2, record --importers)
       (i.flags >> 1) & 1 AS startup,          -- 1: part of the start-up of the interpreter
       (i.flags >> 2) & 1 AS unfinished,       -- 1: its parent never ended
       (i.flags >> 4) & 1 AS first,            -- 1: first row with this module
       nullif(i.importer, 0) AS importer_id,   -- like parent_id, but for cached rows derived from the layout of the log
       (i.flags >> 5) & 1 AS importer_estimated,
       nullif(i.start, 0) AS start,            -- order in which imports began
       i.children, i.interpreter, i.line
FROM import i JOIN package p ON p.id = i.package JOIN origin o ON o.id = p.origin;

CREATE VIEW functions AS -- the table of pstats
SELECT f.id, l.path AS file, f.line, f.name,
       f.ncalls, f.primitive_calls,            -- all calls; non-recursive calls
       f.tottime_s, f.cumtime_s,               -- own time; time including callees
       o.word AS origin, nullif(f.cycle, 0) AS cycle, f.listed
FROM function f JOIN file l ON l.id = f.file JOIN origin o ON o.id = f.origin;

CREATE VIEW reports AS -- printed tables: functions f JOIN reports r ON f.id BETWEEN r.first_function AND r.last_function
SELECT id AS report, nullif(stage, '') AS stage, nullif(title, '') AS title, nullif(ordered, '') AS ordered_by,
       ncalls, primitive_calls, seconds,       -- of the complete profile, as printed (operators: self CPU)
       last - first + 1 AS functions, listed_of, -- rows of the table; functions of the profile, if the table was reduced
       first AS first_function, last AS last_function, -- for operators: printed_operators.id
       device_seconds, nullif(by, '') AS by    -- for operators: shape, stack
FROM report;

CREATE VIEW callers AS -- calls by caller; `profile` dumps have only counts
SELECT f.id AS callee_id, c.caller_id, c.ncalls, c.primitive_calls, c.tottime_s, c.cumtime_s
FROM function f, ps_calls(f.callers) c;

CREATE VIEW sample_nodes AS -- call trees of stacks of all sample types; `nodes` has those of the default sample type
SELECT y.name AS sample_type, s.id AS node, s.parent_id AS parent_node, x.text AS frame, t.name AS thread, t.id AS track,
       (1 - 2 * t.is_negative) * s.self / y.scale AS self, (1 - 2 * t.is_negative) * s.total / y.scale AS total, s.count, y.unit
FROM ps_stack_nodes s JOIN track t ON t.id = s.track JOIN sample_type y ON y.id = t.sample_type LEFT JOIN text x ON x.id = s.name;

-- Call trees. An import log is a call tree. A pstats dump has sums per caller but no paths, so the nodes are
-- derived from the sums. certainty bounded: the true total is in [total_min, total_max], and total is NULL;
-- unknown (recursion): the true total is at most total_max. Stacks are merged by path for each thread; count is
-- the number of times that a path was entered.
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
FROM (SELECT CASE WHEN json_extract(m.v, '$.byte_stacks') THEN 'B' ELSE h.v END AS unit,
             CASE WHEN json_extract(m.v, '$.byte_stacks') THEN 1 WHEN h.v = 's' THEN 1e9 WHEN json_extract(m.v, '$.value_scale') = 1 THEN 1
                  ELSE json_extract(m.v, '$.value_scale') * 1.0 END AS scale
      FROM meta m JOIN meta h ON h.k = 'headline_unit'
      WHERE m.k = 'summary' AND json_extract(m.v, '$.value_scale') IS NOT NULL -- only for stacks, not for traces
        AND NOT EXISTS (SELECT 1 FROM sample_type)) u
CROSS JOIN ps_stack_nodes s JOIN track t ON t.id = s.track LEFT JOIN text x ON x.id = s.name
UNION ALL
SELECT node, parent_node, frame, NULL, NULL, thread, self, total, count, unit, 'exact', total, total
FROM sample_nodes WHERE sample_type = (SELECT name FROM sample_type WHERE is_default);

CREATE VIEW sample_types AS -- what the values of samples of stacks measure
SELECT id AS sample_type, name, unit, total, negative, samples, is_default, file_column = -1 AS computed FROM sample_type;
CREATE VIEW sample_labels AS -- labels of samples, with the totals of their most frequent values
SELECT l.key, nullif(l.unit, '') AS unit, l.n_values, CASE l.role WHEN 0 THEN 'summed' WHEN 1 THEN 'thread' ELSE 'divides' END AS role,
       t.name AS sample_type, v.value, v.total, v.samples
FROM sample_label l LEFT JOIN sample_label_value v ON v.label = l.id LEFT JOIN sample_type t ON t.id = v.sample_type;

CREATE VIEW lines AS -- one row per line and call block; the columns of other tools are NULL
SELECT f.path AS file, nullif(n.name, '') AS function, nullif(n.first_line, 0) AS first_line, l.line, l.source, l.block,
       l.hits, l.ticks, l.ticks * u.v AS time_s, -- line_profiler: exact ticks of unit_s seconds
       u.v AS unit_s,
       l.mem_mib, l.increment_mib, l.occurrences, -- memory_profiler: RSS after the line, its change, number of executions
       l.cpu_python_pct, l.cpu_native_pct, l.cpu_system_pct, l.gpu_pct, -- Scalene: percent of all samples
       l.gpu_avg_mib, l.gpu_peak_mib, l.avg_mib, l.peak_mib, l.malloc_mib, l.mallocs, l.growth_mib, l.usage_fraction,
       l.python_fraction, l.copy_mib_s, l.core_utilization, l.leak_likelihood, l.leak_mib_s
FROM line l
JOIN line_file f ON f.id = l.file
LEFT JOIN line_function n ON n.id = l.function
LEFT JOIN meta u ON u.k = 'unit_s'
WHERE NOT l.of_function;

CREATE VIEW memory AS -- memory over time: mprof, footprint of Scalene, memory allocated by torch
SELECT t_s, process, NULL AS device, kind, mib * 1048576 AS bytes, mib FROM memory_sample
UNION ALL
SELECT t_ns / 1e9, NULL, CASE device_type WHEN 0 THEN 'cpu' ELSE 'device ' || device END, 'allocated', allocated, allocated / 1048576.0
FROM ps_memory_events WHERE allocated >= 0
UNION ALL -- memory snapshots: the largest values of each 1,024 events
SELECT l.t_us / 1e6, NULL, 'device ' || d.number, k.kind, CASE k.kind WHEN 'allocated' THEN l.live_max ELSE l.reserved_max END,
       CASE k.kind WHEN 'allocated' THEN l.live_max ELSE l.reserved_max END / 1048576.0
FROM snapshot_device d JOIN ps_snapshot_levels l ON l.device = d.id, (SELECT 'allocated' AS kind UNION ALL SELECT 'reserved') k
WHERE l.t_us >= 0;

-- Traces. Times are ns since the first event; meta.origin_us + start_ns / 1000 is the ts in the file. ps_slices,
-- ps_operators, ps_kernels, ps_flows, ps_counts, ps_memory_events and ps_collective_calls are virtual tables over the packed columns.
CREATE VIEW slices AS
SELECT s.id, nullif(s.parent_id, 0) AS parent_id, p.pid AS process, t.tid AS thread, s.track,
       c.text AS category, n.text AS name,
       s.start_ns, s.duration_ns, s.self_ns, s.depth,
       s.args,                                 -- JSON
       s.kind, s.flags,                        -- enum ps_slice_kind, ps_slice_flag of slices/slices.h
       nullif(s.launch, 0) AS launch_id, nullif(s.op, 0) AS operator_id -- only of device slices
FROM ps_slices s JOIN track t ON t.id = s.track JOIN process p ON p.id = t.process
LEFT JOIN text n ON n.id = s.name LEFT JOIN text c ON c.id = s.category;

CREATE VIEW actions AS -- timed by the profilers of PyTorch Lightning; actions contain each other, so they do not add up
SELECT a.id, a.section, nullif(s.stage, '') AS stage, a.name AS action, a.calls, a.mean_s, a.total_s, a.pct AS percentage, -- of the section
       nullif(a.report, 0) AS report           -- the report with its functions
FROM action a JOIN section s ON s.id = a.section;

CREATE VIEW printed_operators AS -- all rows of printed key_averages() tables, rounded as printed
SELECT p.id, r.id AS report, p.name, p.overload, p.shapes AS input_shapes, p.source, p.cut AS name_cut, p.calls,
       p.self_cpu_ns / 1000.0 AS self_cpu_us, p.cpu_total_ns / 1000.0 AS cpu_total_us, p.cpu_mean_ns / 1000.0 AS cpu_mean_us,
       p.self_device_ns / 1000.0 AS self_device_us, p.device_total_ns / 1000.0 AS device_total_us, p.device_mean_ns / 1000.0 AS device_mean_us,
       p.self_cpu_pct, p.cpu_total_pct, p.self_device_pct, p.self_cpu_bytes, p.cpu_bytes, p.self_device_bytes, p.device_bytes, p.flops
FROM printed_operator p JOIN report r ON p.id BETWEEN r.first AND r.last;

CREATE VIEW operators AS -- key_averages() of torch, or slices by name without the profiler's own work; for a log of printed tables, the table with the most rows
SELECT n.text AS name, NULL AS input_shapes, o.calls,
       o.self_cpu_ns / 1000.0 AS self_cpu_us, o.cpu_total_ns / 1000.0 AS cpu_total_us,
       o.self_device_ns / 1000.0 AS self_device_us, o.device_total_ns / 1000.0 AS device_total_us,
       o.self_cpu_bytes, o.cpu_bytes, o.self_device_bytes, o.device_bytes, o.flops,
       o.kind                                  -- enum ps_slice_kind
FROM ps_operators(NULL, NULL, 0) o JOIN text n ON n.id = o.name
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
       k.blocks_per_sm, k.occupancy_pct,       -- means weighted by duration; NULL: unknown
       k.tensor_core, k.kind
FROM ps_kernels(NULL, NULL, 0) k JOIN text n ON n.id = k.name;

CREATE VIEW collectives AS -- calls of collectives, one row for each rank
SELECT s.slice AS slice_id, p.worker, c.name,
       nullif(c.grp, '') AS process_group, nullif(c.description, '') AS description, nullif(c.members, '') AS members,
       nullif(c.group_size, 0) AS group_size,
       nullif(s.sequence, -1) AS sequence,     -- calls of a process group with the same number are one collective
       nullif(c.dtype, '') AS dtype,
       nullif(s.bytes_in, 0) AS bytes_in, nullif(s.bytes_out, 0) AS bytes_out, -- of this rank; NULL: unknown
       s.start_ns, s.duration_ns, s.slice >> 32 AS track
FROM ps_collective_calls s JOIN collective c ON c.id = s.collective JOIN track t ON t.id = s.slice >> 32 JOIN process p ON p.id = t.process;

CREATE VIEW steps AS
SELECT id AS step, name, start_ns, end_ns - start_ns AS duration_ns, host_start_ns, host_end_ns, counted, worker FROM step;
CREATE VIEW step_parts AS
SELECT p.step, CASE p.definition WHEN 0 THEN 'tensorboard' WHEN 1 THEN 'hta' ELSE 'tracelens' END AS definition, p.name, p.ns FROM step_part p;
CREATE VIEW flows AS SELECT f.id, t.text AS kind, f.from_slice, f.to_slice, f.from_ns, f.to_ns FROM ps_flows f LEFT JOIN text t ON t.id = f.kind;
CREATE VIEW counters AS SELECT s.name, p.pid AS process, c.t_ns, c.value FROM series s JOIN process p ON p.id = s.process, ps_counts(s.id) c;
CREATE VIEW memory_events AS -- all [memory] records of a trace; all events of a memory snapshot
SELECT m.t_ns, m.device_type, m.device, m.bytes, iif(m.address < 0, printf('%u', m.address), nullif(m.address, 0)) AS address,
       nullif(m.allocated, -1) AS allocated, nullif(m.reserved, -1) AS reserved,
       nullif(m.slice, 0) AS slice_id, m.outside, m.worker,
       NULL AS event, NULL AS action, NULL AS stream, NULL AS pool, NULL AS stack, NULL AS compile_context, NULL AS user_metadata, NULL AS category
FROM ps_memory_events m
UNION ALL
SELECT nullif(e.t_us, -1) * 1000, 1, d.number, -- ns since 1970
       CASE WHEN e.action IN (1, 2, 4, 6) THEN -e.bytes ELSE e.bytes END, -- negative for frees
       iif(e.address < 0, printf('%u', e.address), e.address),
       d.live_before + e.live, d.reserved_before + e.reserved, NULL, NULL, 0,
       e.event,                                -- position in the trace of the device
       CASE e.action WHEN 0 THEN 'alloc' WHEN 1 THEN 'free_requested' WHEN 2 THEN 'free_completed' WHEN 3 THEN 'segment_alloc' WHEN 4 THEN 'segment_free'
                     WHEN 5 THEN 'segment_map' WHEN 6 THEN 'segment_unmap' WHEN 7 THEN 'snapshot' ELSE 'oom' END,
       e.stream, e.pool, nullif(e.stack, 0),   -- memory_stacks.stack
       c.text, u.text, g.text
FROM snapshot_device d JOIN ps_snapshot_events e ON e.device = d.id
LEFT JOIN snapshot_text c ON c.id = e.context LEFT JOIN snapshot_text u ON u.id = e.user LEFT JOIN snapshot_text g ON g.id = e.category;
CREATE VIEW memory_allocations AS -- of memory snapshots; times are us since 1970
SELECT d.number AS device, iif(a.address < 0, printf('%u', a.address), a.address) AS address, a.bytes, -- requested
       a.stream, a.pool, nullif(a.stack, 0) AS stack,
       CASE WHEN a.start_event >= 0 THEN a.start_event END AS start_event, -- NULL: before the first event
       CASE WHEN a.flags & 2 = 0 THEN a.end_event END AS end_event, -- NULL: live after the last event
       nullif(a.start_us, -1) AS start_us, nullif(a.end_us, -1) AS end_us,
       a.flags & 1 AS before, (a.flags >> 1) & 1 AS kept, (a.flags >> 2) & 1 AS pending
FROM snapshot_device d JOIN ps_snapshot_allocations a ON a.device = d.id;
CREATE VIEW memory_levels AS -- levels of detail of memory snapshots: a row for 1,024 events; the last has fewer
SELECT d.number AS device, l.first_event, nullif(l.t_us, -1) AS t_us, -- of the first event
       l.live_min, l.live_max, l.live_max_event, l.live_last, l.reserved_max, l.reserved_last
FROM snapshot_device d JOIN ps_snapshot_levels l ON l.device = d.id;
CREATE VIEW memory_stacks AS -- a tree of the stacks of memory snapshots
SELECT s.id AS stack, nullif(s.parent, 0) AS parent, f.name AS function, f.file, nullif(f.line, 0) AS line,
       f.hidden,                               -- 1: PyTorch's viewer leaves the frame out
       nullif(s.shown, 0) AS shown             -- the same stack without hidden frames
FROM snapshot_stack s JOIN snapshot_frame f ON f.id = s.frame;
CREATE VIEW memory_owners AS -- live bytes at the peak of each device, by stack
SELECT d.number AS device, nullif(o.stack, 0) AS stack, o.bytes, o.count FROM snapshot_owner o JOIN snapshot_device d ON d.id = o.device;
CREATE VIEW memory_segments AS -- at the end of a memory snapshot
SELECT s.id AS segment, d.number AS device, iif(s.address < 0, printf('%u', s.address), s.address) AS address,
       s.total AS bytes, s.allocated, s.active, s.requested, s.stream, s.pool,
       CASE s.large WHEN 1 THEN 'large' ELSE 'small' END AS type, s.expandable, s.blocks, nullif(s.stack, 0) AS stack
FROM snapshot_segment s JOIN snapshot_device d ON d.id = s.device;
CREATE VIEW memory_blocks AS
SELECT b.id AS block, b.segment, d.number AS device, iif(b.address < 0, printf('%u', b.address), b.address) AS address, b.bytes,
       CASE b.state WHEN 2 THEN NULL ELSE b.requested END AS requested, -- NULL: inactive
       CASE b.state WHEN 0 THEN 'active_allocated' WHEN 1 THEN 'active_pending_free' ELSE 'inactive' END AS state, nullif(b.stack, 0) AS stack
FROM snapshot_block b JOIN snapshot_segment s ON s.id = b.segment JOIN snapshot_device d ON d.id = s.device;
CREATE VIEW memory_devices AS -- sums of memory snapshots, in bytes
SELECT number AS device, events, first_us, last_us, segments, reserved, allocated, requested, allocated - requested AS rounding, pending, free,
       inactive_split,                         -- free, but in segments with blocks in use
       largest_free, fragmentation, before_count, live_before, peak_live, nullif(peak_event, -1) AS peak_event, live_end, reserved_before, peak_reserved, ooms,
       CASE WHEN ooms THEN oom_event END AS oom_event, CASE WHEN ooms THEN oom_bytes END AS oom_bytes, CASE WHEN ooms THEN oom_free END AS oom_free
FROM snapshot_device;
CREATE VIEW modules AS
SELECT id, nullif(parent, 0) AS parent_id, name, calls, host_self_ns / 1000.0 AS host_self_us, host_total_ns / 1000.0 AS host_total_us,
       device_self_ns / 1000.0 AS device_self_us, device_total_ns / 1000.0 AS device_total_us, operators FROM module;

CREATE VIEW requests AS -- requests to a server of a language model; all times are ns since the origin of the run; NULL: unknown
SELECT id AS request, nullif(result, 0) AS result, -- serving_results.result; NULL: only the engine knows the request
       nullif(name, '') AS name,
       CASE state WHEN 0 THEN 'completed' WHEN 1 THEN 'failed' WHEN 2 THEN 'cancelled' ELSE 'unfinished' END AS state,
       nullif(error, '') AS error,
       start_ns,                               -- the client sent it
       arrival_ns,                             -- the engine received it
       scheduled_ns,                           -- start of the first step that served it
       first_token_ns, last_token_ns,          -- ends of the steps that made its first and its last token
       end_ns,                                 -- the client received all
       ttft_ns, latency_ns, tpot_ns,           -- as the client states them
       scheduled_ns - arrival_ns AS queue_ns,  -- from the arrival to the first step that served it
       prompt_tokens, output_tokens,           -- as the client counts them
       engine_prompt_tokens, engine_output_tokens, cached_tokens,
       is_estimated,                           -- 1: times of the engine were matched by lengths and order, not by ids
       nullif(position, -1) AS position        -- row in the file of the client, from 0
FROM request;
CREATE VIEW engine_steps AS -- steps of the scheduler of that server
SELECT id AS engine_step, number, nullif(name, '') AS name, start_ns, end_ns - start_ns AS duration_ns,
       context_requests, context_tokens, generation_requests, generation_tokens,
       running, waiting,                       -- requests in the engine during the step
       nullif(step, 0) AS step                 -- steps.step: the same step in the trace
FROM engine_step;
CREATE VIEW served AS -- which requests were served in which step
SELECT step AS engine_step, request, tokens,   -- new tokens of the request in the step
       nullif(computed, -1) AS computed,       -- tokens that were computed before
       CASE is_prefill WHEN 1 THEN 'prefill' ELSE 'decode' END AS phase, start_ns
FROM ps_served;
CREATE VIEW token_gaps AS -- times between the chunks of tokens that a client received
SELECT request, gap_ns FROM ps_token_gaps;
CREATE VIEW serving_results AS -- results of clients, one for each load: measurements.id BETWEEN first AND last
SELECT id AS result, nullif(name, '') AS name, parameters, nullif(first, 0) AS first, nullif(last, 0) AS last FROM serving_result;
CREATE VIEW serving_files AS -- the files of the run, and how their clocks were joined
SELECT id AS file, name, CASE role WHEN 0 THEN 'client' WHEN 1 THEN 'engine' ELSE 'trace' END AS role, nullif(tool, '') AS tool,
       CASE method WHEN 0 THEN 'same' WHEN 1 THEN 'ids' WHEN 2 THEN 'lengths' WHEN 3 THEN 'names' WHEN 4 THEN 'unknown' ELSE 'none' END AS clock,
       offset_ns,                              -- added to the times of the file
       error_ns, pairs                         -- largest error of it, and the observations that it is based on
FROM serving_file;

CREATE VIEW measurements AS -- results of benchmarks, of time and of top
SELECT name, value, unit, n, stddev, min, max, statistic, mean, median, q1, q3,
       grp AS "group",
       resolution,                             -- value of the last printed digit; NULL: the file has all digits
       resolution IS NOT NULL AS rounded,
       more,                                   -- JSON
       id,
       coalesce(benchmark, name) AS benchmark, -- the name without its parameters
       parameters,                             -- JSON; NULL: none
       metric,
       CASE coalesce(better, CASE WHEN unit IN ('s', 'B', 'KiB') THEN -1 ELSE 0 END)
            WHEN -1 THEN 'lower' WHEN 1 THEN 'higher' END AS better,
       is_part,                                -- 1: a further metric of what another row measures
       CASE state WHEN 0 THEN 'measured' WHEN 1 THEN 'failed' ELSE 'skipped' END AS state,
       loops
FROM measurement;
