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
        sql: `SELECT step, name, start_ns / 1e6 AS start_ms, duration_ns / 1e6 AS duration_ms
FROM steps
ORDER BY step`,
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
        sql: `SELECT f.name, f.file, r.name AS run, f.ncalls, f.tottime_s, f.cumtime_s
FROM functions f JOIN runs r ON r.run = f.run
ORDER BY f.tottime_s DESC`,
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
        sql: `SELECT r.name, count(*) AS steps, avg(s.duration_ns) / 1e6 AS mean_ms, max(s.duration_ns) / 1e6 AS longest_ms
FROM steps s JOIN runs r ON r.run = s.run
GROUP BY s.run`,
    },
];

/** Examples whose views all have rows. */
export function examplesWithRows(examples: SqlExample[], viewsWithRows: Set<string>): SqlExample[] {
    return examples.filter(({ requiredViews }) =>
        requiredViews.every((view) => viewsWithRows.has(view)),
    );
}
