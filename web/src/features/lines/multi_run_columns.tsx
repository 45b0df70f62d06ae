/* SPDX-License-Identifier: MIT
 *
 * Columns of several runs next to each other; fewer per run than in the report of a single run.
 */
import { kindHas } from '../../base/kinds';
import { formatHash } from '../../base/router';
import { formatFixed, int } from '../../base/units';
import { KindMark } from '../../components/kind_mark';
import type { RunMetrics } from './multi_run';
import { greyIfZero } from './cells';
import { memoryColumns, scaleneColumns, timeColumns } from './columns';
import type { SourceColumn } from './source_row';
import { profileUnit, timeScale } from './units';

const SHARED_COLUMNS = new Set(['hits', 'time', 'pct', 'mem', 'increment', 'cpu', 'peak_mib']);

const CPROFILE_COLUMNS: { key: string; title: string; unit?: string; tip: string }[] = [
    { key: 'ncalls', title: 'ncalls', tip: 'calls of the function that begins here' },
    {
        key: 'tottime_s',
        title: 'tottime',
        unit: 's',
        tip: 'self time of the function that starts here',
    },
    {
        key: 'cumtime_s',
        title: 'cumtime',
        unit: 's',
        tip: 'total time of the function that starts here',
    },
];

/* cProfile measures functions, not lines; its values are shown at the first line of each function. */
function cprofileColumns({ metrics }: RunMetrics): SourceColumn[] {
    return CPROFILE_COLUMNS.map(({ key, title, unit, tip }) => ({
        key,
        title,
        unit,
        tip,
        width: 92,
        render: ({ at }) => {
            const value = at < 0 ? null : metrics.column(key)?.[at];
            if (value === null || value === undefined) return null;
            return greyIfZero(key === 'ncalls' ? int(value) : formatFixed(value, 3));
        },
    }));
}

function toolColumns(of: RunMetrics): SourceColumn[] {
    if (kindHas(of.run.kind, 'calls')) return cprofileColumns(of);
    const unit_s = of.metrics.unit_s ?? 1e-9;
    // Text reports have ticks of 1 µs or more (the printed unit); pickles have ticks of the clock.
    const rounded = unit_s >= 1e-6;
    const scale = timeScale(profileUnit(unit_s, rounded), unit_s, rounded);
    return [
        ...timeColumns(of.metrics, scale, 'function'),
        ...memoryColumns(of.metrics, 'function'),
        ...scaleneColumns(of.metrics),
    ].filter(({ key }) => SHARED_COLUMNS.has(key));
}

/** Columns of one run. A cell shows the run's value for the line of the grid row, if the run has
 * any. */
export function runColumns(of: RunMetrics): SourceColumn[] {
    return toolColumns(of).map((column, i) => ({
        ...column,
        key: `${of.run.run} ${column.key}`,
        startsGroup: i === 0,
        hideBelow: undefined,
        render: (row) => column.render({ ...row, at: of.rowOfLine.get(row.line) ?? -1 }),
    }));
}

/** Header above the columns of a run. */
export function RunTitle({ of, self }: { of: RunMetrics; self: string }) {
    const { run, name, kind, path, same, same_source } = of.run;
    return (
        <>
            <KindMark kind={kind} />
            <a class="ellipsis" href={formatHash(['run', run])} title={`${name}, ${kind}`}>
                {name}
            </a>
            {same === 'name' && run !== self && (
                <span class="warn" title={`measured ${path}, which may be another file`}>
                    ▲ same name
                </span>
            )}
            {same_source === false && (
                <span
                    class="warn"
                    title="measured another version of this file: its values may belong to other lines"
                >
                    ▲ different source
                </span>
            )}
        </>
    );
}
