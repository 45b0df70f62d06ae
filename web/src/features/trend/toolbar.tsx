/* SPDX-License-Identifier: MIT
 *
 * Controls of a trend: runs, metric, and axes of the chart.
 */
import { useMemo, useState } from 'preact/hooks';
import type { Comparison, ComparisonTable, Page, Trend } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { replaceQuery, route } from '../../base/router';
import { text } from '../../base/units';
import { Menu, type MenuItem } from '../../components/menu';
import { Picker, type PickItem } from '../../components/picker';
import { Segmented } from '../../components/segmented';
import { Spacer, Toolbar } from '../../components/toolbar';
import { formatValueOf } from '../../model/compare';
import { StepButton } from '../shared/step_button';
import { useData } from '../shared/use_json';
import { isInTime, otherKinds } from './points';
import { trendPath } from './state';

interface ToolbarProps {
    trend: Trend;
    inputRef: { current: HTMLInputElement | null };
}

/* Tables of the newest run, whose rows can be selected. */
function useTables(trend: Trend): ComparisonTable[] {
    const newest = trend.points[trend.points.length - 1];
    const step = trend.step ? { step: trend.step } : {};
    const data = useData<Comparison>(
        newest ? withParams(`${API}/compare`, { new: newest.id, ...step }) : null,
    );
    return data?.tables ?? [];
}

export function TrendToolbar({ trend, inputRef }: ToolbarProps) {
    const { query } = route.value;
    const tables = useTables(trend);
    const table = tables.find(({ of }) => of === query.of);
    const inTime = isInTime(trend);
    return (
        <Toolbar label="metric">
            <TrendMenu trend={trend} tables={tables} />
            {table && <RowPicker trend={trend} table={table} inputRef={inputRef} />}
            {table && query.row && <MetricMenu trend={trend} table={table} />}
            <GroupByMenu trend={trend} />
            <KindMenu trend={trend} />
            {trend.step && <StepButton step={trend.step} runs={seriesOf(trend)} />}
            <Spacer />
            <Segmented
                label="horizontal axis"
                value={query.x === 'time' && inTime ? 'time' : 'order'}
                options={[
                    { value: 'order', text: 'In order', tip: 'one step a point' },
                    {
                        value: 'time',
                        text: 'By time',
                        tip: inTime ? 'when they were added' : 'points are not in time order',
                        disabled: !inTime,
                    },
                ]}
                onChange={(x) => replaceQuery({ x: x === 'order' ? null : x })}
            />
            <Segmented
                label="vertical axis"
                value={query.y === 'zero' ? 'zero' : 'fit'}
                options={[
                    { value: 'fit', text: 'Fit' },
                    { value: 'zero', text: 'From zero' },
                ]}
                onChange={(y) => replaceQuery({ y: y === 'fit' ? null : y })}
            />
            <a class="quiet" href={trendPath(query, 'csv')} download="">
                Export CSV
            </a>
        </Toolbar>
    );
}

/* The series as an owner of a chosen step; nothing for the runs of a tag. */
function seriesOf({ runs }: Trend): { series: string; id: string }[] {
    return runs.startsWith('series:') ? [{ series: runs.slice('series:'.length), id: '' }] : [];
}

const NO_ROW = { of: null, row: null, place: null };

function TrendMenu({ trend, tables }: { trend: Trend; tables: ComparisonTable[] }) {
    const { query } = route.value;
    const table = tables.find(({ of }) => of === query.of);
    const isHeadline = !query.of;
    const items: MenuItem[] = [
        {
            text: 'headline',
            checked: isHeadline && trend.metric === 'headline',
            onPick: () => replaceQuery({ ...NO_ROW, metric: null }),
        },
        ...tables.map(({ of, row, work }) => ({
            text: `of one ${row}`,
            note: '…',
            checked: query.of === of,
            // Only some tables have figures per step. The others, and the summary, are of the whole run.
            onPick: () =>
                replaceQuery({
                    ...NO_ROW,
                    of,
                    metric: null,
                    ...(work?.of !== 'steps' && { step: null }),
                }),
        })),
        ...trend.figures.map((metric) => ({
            text: metric,
            note: 'summary',
            checked: isHeadline && trend.metric === metric,
            onPick: () => replaceQuery({ ...NO_ROW, metric, step: null }),
        })),
    ];
    const now = table ? `of one ${table.row}` : trend.metric;
    return (
        <Menu
            label={
                <>
                    <span class="faint">metric</span> {now}
                </>
            }
            filter={items.length > 10}
            items={items}
        />
    );
}

function MetricMenu({ trend, table }: { trend: Trend; table: ComparisonTable }) {
    return (
        <Menu
            label={trend.title}
            ariaLabel="metric"
            items={table.metrics.map(({ metric, title }) => ({
                text: title,
                checked: metric === trend.metric,
                onPick: () => replaceQuery({ metric }),
            }))}
        />
    );
}

interface FoundRow {
    id: number;
    name: string;
    place: string | null;
    median: number;
}

function foundRows(page: Page | null): FoundRow[] {
    if (!page) return [];
    return page.rows.map(
        (row) =>
            Object.fromEntries(
                page.columns.map((name, i) => [name, row[i]]),
            ) as unknown as FoundRow,
    );
}

/** Field to find a row of the newest run by name; the largest rows are offered first. */
function RowPicker({ trend, table, inputRef }: ToolbarProps & { table: ComparisonTable }) {
    const { query } = route.value;
    const [typed, setTyped] = useState<string | null>(null);
    const newest = trend.points[trend.points.length - 1];
    const path = withParams(`${API}/compare/${table.of}`, {
        new: newest.id,
        q: typed ?? '',
        limit: 14,
    });
    const data = useData<Page>(typed === null ? null : path);
    const rows = useMemo(() => foundRows(data), [data]);
    const { unit } = table.metrics[0];
    const items = rows.map((row): PickItem => ({
        id: row.id,
        body: (
            <>
                <span class="mono pick-name">
                    {row.name} <span class="soft">{row.place}</span>
                </span>
                <span class="pick-note">
                    {text(
                        formatValueOf(
                            row.median,
                            table.place === 'unit' ? (row.place ?? '') : unit,
                        ),
                    )}
                </span>
            </>
        ),
    }));
    return (
        <Picker
            label={`the ${table.row} to follow`}
            placeholder={`which ${table.row}?`}
            value={query.row ?? ''}
            items={items}
            width={260}
            hint="/"
            inputRef={inputRef}
            onType={setTyped}
            onPick={(id) => {
                const row = rows.find((one) => one.id === id);
                if (row) replaceQuery({ row: row.name, place: row.place });
            }}
        />
    );
}

function GroupByMenu({ trend }: { trend: Trend }) {
    const newest = trend.points[trend.points.length - 1];
    const keys = new Set(Object.keys(newest?.tags ?? {}));
    if (trend.by) keys.add(trend.by);
    if (keys.size === 0) return null;
    const items = [
        { text: 'each run', checked: !trend.by, onPick: () => replaceQuery({ by: null }) },
        ...[...keys].sort().map((key) => ({
            text: key,
            note: 'repeats as one',
            checked: trend.by === key,
            onPick: () => replaceQuery({ by: `tag:${key}` }),
        })),
    ];
    return (
        <Menu
            label={
                <>
                    <span class="faint">by</span> {trend.by ?? 'run'}
                </>
            }
            tip="runs with the same tag value, such as a commit, are repeats of one point"
            items={items}
        />
    );
}

/* Menu of the kinds of runs; nothing if the series has only one kind. */
function KindMenu({ trend }: { trend: Trend }) {
    const kinds = [...new Set([...(trend.kind ? [trend.kind] : []), ...otherKinds(trend)])];
    if (kinds.length < 2 && !route.value.query.kind) return null;
    return (
        <Menu
            label={
                <>
                    <span class="faint">kind</span> {trend.kind ?? 'none'}
                </>
            }
            items={kinds.map((kind) => ({
                text: kind,
                checked: kind === trend.kind,
                onPick: () => replaceQuery({ ...NO_ROW, kind, metric: null }),
            }))}
        />
    );
}
