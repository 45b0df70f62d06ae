/* SPDX-License-Identifier: MIT */

/* At most six letters, so that all marks of a column have the same width. */
const SHORT: Record<string, string> = {
    importtime: 'import',
    pstats: 'pstats',
    'pstats-text': 'pstats',
    'key-averages': 'table',
    'memory-timeline': 'memory',
    'torch-trace': 'trace',
    trace: 'trace',
    nsys: 'nsys',
    line_profiler: 'lines',
    memory_profiler: 'memory',
    mprof: 'memory',
    scalene: 'lines',
    speedscope: 'flame',
    folded: 'flame',
    'flamegraph-svg': 'flame',
    gecko: 'flame',
    'pytest-benchmark': 'bench',
    hyperfine: 'bench',
    timeit: 'bench',
};

export function KindMark({ kind, long = false }: { kind: string; long?: boolean }) {
    const word = long ? kind : (SHORT[kind] ?? kind.slice(0, 6));
    return (
        <span class={`kind-mark${long ? ' is-long' : ''}`} title={kind}>
            {word}
        </span>
    );
}
