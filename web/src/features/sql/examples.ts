/* SPDX-License-Identifier: MIT
 *
 * Example SQL statements. An example is offered if the views that it needs have rows.
 */

export interface SqlExample {
    title: string;
    requiredViews: string[];
    sql: string;
}

export const RUN_EXAMPLES: SqlExample[] = [
    {
        title: 'Self time by package',
        requiredViews: ['imports'],
        sql: `SELECT package, origin, count(*) AS modules, sum(self_us) / 1000.0 AS self_ms
FROM imports
WHERE NOT cached
GROUP BY package
ORDER BY self_ms DESC`,
    },
    {
        title: 'Imports slower than a millisecond',
        requiredViews: ['imports'],
        sql: `SELECT i.module, i.self_us / 1000.0 AS self_ms, i.cumulative_us / 1000.0 AS total_ms, p.module AS imported_by
FROM imports i LEFT JOIN imports p ON p.id = i.parent_id
WHERE i.self_us >= 1000
ORDER BY i.self_us DESC`,
    },
    {
        title: 'Imports of at least 10 ms by package',
        requiredViews: ['imports'],
        sql: `SELECT package, origin, count(*) AS modules, sum(self_us) / 1000.0 AS self_ms, max(self_us) / 1000.0 AS slowest_ms
FROM imports
WHERE NOT cached
GROUP BY package
HAVING sum(self_us) >= 10000
ORDER BY self_ms DESC`,
    },
    {
        title: 'Functions with most self time',
        requiredViews: ['functions'],
        sql: `SELECT name, file, line, ncalls, tottime_s, cumtime_s, 1e6 * tottime_s / ncalls AS us_per_call
FROM functions
WHERE ncalls > 0
ORDER BY tottime_s DESC`,
    },
    {
        title: 'Calls between files',
        requiredViews: ['functions', 'callers'],
        sql: `SELECT a.file AS caller, b.file AS callee, sum(c.ncalls) AS calls, sum(c.cumtime_s) AS cumtime_s
FROM callers c JOIN functions a ON a.id = c.caller_id JOIN functions b ON b.id = c.callee_id
WHERE a.file <> b.file
GROUP BY 1, 2
ORDER BY cumtime_s DESC`,
    },
    {
        title: 'Most expensive lines',
        requiredViews: ['lines'],
        sql: `SELECT file, line, source, hits, time_s, increment_mib, cpu_python_pct
FROM lines
ORDER BY coalesce(time_s, increment_mib, cpu_python_pct) DESC`,
    },
    {
        title: 'Memory over time',
        requiredViews: ['memory'],
        sql: `SELECT t_s, mib, kind, process, device
FROM memory
ORDER BY t_s`,
    },
    {
        title: 'Operators by device time',
        requiredViews: ['operators'],
        sql: `SELECT name, calls, self_cpu_us, self_device_us, self_device_us / calls AS device_us_per_call
FROM operators
ORDER BY self_device_us DESC, self_cpu_us DESC`,
    },
    {
        title: 'Kernels by total time',
        requiredViews: ['kernels'],
        sql: `SELECT name, sum(calls) AS calls, sum(total_us) AS total_us, max(max_us) AS max_us, max(occupancy_pct) AS occupancy_pct
FROM kernels
GROUP BY name
ORDER BY total_us DESC`,
    },
    {
        title: 'Self time by name and category',
        requiredViews: ['slices'],
        sql: `SELECT category, name, count(*) AS slices, sum(self_ns) / 1e6 AS self_ms, max(duration_ns) / 1e6 AS longest_ms
FROM slices
GROUP BY category, name
ORDER BY self_ms DESC`,
    },
    {
        title: 'Duration of each step',
        requiredViews: ['steps'],
        sql: `SELECT step, name, duration_ns / 1e6 AS duration_ms, start_ns, duration_ns
FROM steps
ORDER BY step`,
    },
    {
        title: 'Exposed communication of each step',
        requiredViews: ['steps', 'step_parts'],
        sql: `SELECT s.step, s.name, sum(p.ns) FILTER (WHERE p.name = 'exposed communication') / 1e6 AS exposed_ms,
       sum(p.ns) FILTER (WHERE p.name = 'communication') / 1e6 AS communication_ms, s.start_ns, s.duration_ns
FROM steps s JOIN step_parts p ON p.step = s.step AND p.definition = 'tracelens'
GROUP BY s.step
ORDER BY exposed_ms DESC`,
    },
    {
        title: 'Longest launch latencies',
        requiredViews: ['slices', 'kernels'],
        sql: `SELECT k.id, k.name, (k.start_ns - l.start_ns) / 1000.0 AS latency_us, l.name AS call, k.launch_id, k.start_ns, k.duration_ns
FROM slices k JOIN slices l ON l.id = k.launch_id
WHERE k.kind BETWEEN 6 AND 8 -- kernels, copies, sets
ORDER BY latency_us DESC
LIMIT 1000`,
    },
    {
        title: 'Largest gaps between kernels of a stream',
        requiredViews: ['slices', 'kernels'],
        sql: `SELECT track, gap_ns / 1000.0 AS gap_us, next, slice_id, start_ns, gap_ns AS duration_ns
FROM (SELECT track, name AS next, id AS slice_id, end_before AS start_ns, start_ns - end_before AS gap_ns
      FROM (SELECT *, max(start_ns + duration_ns) OVER (PARTITION BY track ORDER BY start_ns, id
                                                        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS end_before
            FROM slices
            WHERE kind BETWEEN 6 AND 8)) -- kernels, copies, sets
WHERE gap_ns > 0
ORDER BY gap_ns DESC
LIMIT 1000`,
    },
    {
        title: 'Longest collectives',
        requiredViews: ['slices', 'kernels'],
        sql: `SELECT id, name, duration_ns / 1000.0 AS duration_us, track, start_ns, duration_ns
FROM slices
WHERE flags & 64 AND kind BETWEEN 6 AND 8 -- kernels of collectives
ORDER BY duration_ns DESC
LIMIT 1000`,
    },
    {
        title: 'Counters over time',
        requiredViews: ['counters'],
        sql: `SELECT t_ns / 1e6 AS t_ms, value, name, process
FROM counters
ORDER BY t_ns`,
    },
    {
        title: 'Paths with most self time',
        requiredViews: ['nodes'],
        sql: `SELECT frame, count(*) AS paths, sum(self) AS self, max(unit) AS unit
FROM nodes
GROUP BY frame
ORDER BY self DESC`,
    },
    {
        title: 'Requests that waited longest for a step',
        requiredViews: ['requests'],
        sql: `SELECT request, name, queue_ns / 1e6 AS queue_ms, ttft_ns / 1e6 AS ttft_ms, engine_prompt_tokens AS prompt_tokens, start_ns
FROM requests
ORDER BY queue_ns DESC
LIMIT 1000`,
    },
    {
        title: 'Longest steps of an engine, with the largest prefill in each',
        requiredViews: ['engine_steps', 'served'],
        sql: `SELECT s.number, s.duration_ns / 1e6 AS ms, s.running, s.waiting, s.context_tokens, v.request, max(v.tokens) AS prefill_tokens, s.start_ns, s.duration_ns
FROM engine_steps s LEFT JOIN served v ON v.engine_step = s.engine_step AND v.phase = 'prefill'
GROUP BY s.engine_step
ORDER BY s.duration_ns DESC
LIMIT 1000`,
    },
    {
        title: 'Measurements',
        requiredViews: ['measurements'],
        sql: `SELECT name, value, unit, n, stddev, min, max
FROM measurements`,
    },
    {
        title: 'Actions of the profiler',
        requiredViews: ['actions'],
        sql: `SELECT stage, action, calls, total_s, percentage
FROM actions
ORDER BY total_s DESC`,
    },
    {
        title: 'Facts of the run',
        requiredViews: ['run'],
        sql: `SELECT * FROM run`,
    },
    {
        title: 'Repaired and rejected records',
        requiredViews: ['notes'],
        sql: `SELECT severity, count(*) AS records, min(what) AS for_instance
FROM notes
GROUP BY severity`,
    },
];

/** Examples over the catalog and several runs. */
export const SHELF_EXAMPLES: SqlExample[] = [
    {
        title: 'Runs by kind',
        requiredViews: ['runs'],
        sql: `SELECT kind, count(*) AS runs, sum(bytes) AS bytes, min(created_at) AS first, max(created_at) AS last
FROM runs
GROUP BY kind
ORDER BY runs DESC`,
    },
    {
        title: 'Headlines by time',
        requiredViews: ['runs'],
        sql: `SELECT created_at, headline_value, headline_unit, name, series, kind
FROM runs
ORDER BY created_at`,
    },
    {
        title: 'Failed imports',
        requiredViews: ['import_log'],
        sql: `SELECT at, name, who, code, text, byte_offset
FROM import_log
WHERE run IS NULL
ORDER BY at DESC`,
    },
    {
        title: 'Modules across these runs',
        requiredViews: ['imports'],
        sql: `SELECT module, count(DISTINCT run) AS runs, avg(self_us) / 1000 AS mean_self_ms, max(self_us) / 1000.0 AS most_ms
FROM imports
WHERE NOT cached
GROUP BY module
ORDER BY mean_self_ms DESC`,
    },
    {
        title: 'Functions across these runs',
        requiredViews: ['functions'],
        sql: `SELECT name, file, run, ncalls, tottime_s, cumtime_s
FROM functions
ORDER BY tottime_s DESC`,
    },
    {
        title: 'Kernels across these runs',
        requiredViews: ['kernels'],
        sql: `SELECT name, count(DISTINCT run) AS runs, sum(calls) AS calls, sum(total_us) AS total_us
FROM kernels
GROUP BY name
ORDER BY total_us DESC`,
    },
    {
        title: 'Steps of each run',
        requiredViews: ['steps'],
        sql: `SELECT run, count(*) AS steps, avg(duration_ns) / 1e6 AS mean_ms, max(duration_ns) / 1e6 AS longest_ms
FROM steps
GROUP BY run`,
    },
];

/** Examples whose views all have rows. */
export function examplesWithRows(examples: SqlExample[], viewsWithRows: Set<string>): SqlExample[] {
    return examples.filter(({ requiredViews }) =>
        requiredViews.every((view) => viewsWithRows.has(view)),
    );
}
