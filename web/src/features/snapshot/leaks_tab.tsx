/* SPDX-License-Identifier: MIT
 *
 * The Leaks tab of a memory snapshot: what each step allocated and is still live at the end, by stack.
 * URL: d (GPU), steps (a number of equal steps), s (selected stack), sort, desc, q.
 */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { LeakRow, Leaks, Run, Snapshot } from '../../base/answers';
import { useKeys } from '../../base/keys';
import { formatHash, goTo, replaceQuery, route } from '../../base/router';
import { bytesText, formatFixed, int, plural } from '../../base/units';
import { DataGrid, type GridColumn, type GridSort } from '../../components/data_grid';
import { arraySource } from '../../components/grid_types';
import { Notice } from '../../components/notice';
import { NumberField } from '../../components/number_field';
import { LoadingLine } from '../../components/progress';
import { SearchField } from '../../components/search_field';
import { Segmented } from '../../components/segmented';
import { setStatus } from '../../components/status_line';
import { Spacer, Toolbar } from '../../components/toolbar';
import { type Matcher, matcher } from '../../model/search';
import { capital } from '../../model/labels';
import { frameText, frameTitle, NO_STACK } from '../../model/snapshot_names';
import { tabId } from '../shared/tab_list';
import { rowActions } from '../shared/row_actions';
import { snapshotPath, usePacedJson } from './data';
import { FrameNameText, GroupSwatch } from './stacks';
import { HistoryOff, NoMemory } from './nothing';
import { chooseDevice, selectStack, setDevice, stackText } from './state';

const MIB = 1024 * 1024;
const MAX_STEPS = 1000;
const MAX_BARS = 60;
const BARS = { width: 120, height: 16 };

/** Bars of the bytes that each step kept; with many steps, a bar has the most of several. */
function StepBars({ bytes, top }: { bytes: readonly number[]; top: number }) {
    const per = Math.ceil(bytes.length / MAX_BARS);
    const bars = Array.from({ length: Math.ceil(bytes.length / per) }, (_, i) =>
        Math.max(...bytes.slice(i * per, (i + 1) * per)),
    );
    const step = BARS.width / bars.length;
    return (
        <svg class="leak-bars" width={BARS.width} height={BARS.height} aria-hidden="true">
            {bars.map((value, i) => {
                const height = value > 0 ? Math.max(1, (value / top) * BARS.height) : 0;
                return (
                    <rect
                        key={i}
                        x={i * step}
                        y={BARS.height - height}
                        width={Math.max(1, step - 1)}
                        height={height}
                    />
                );
            })}
        </svg>
    );
}

function columnsOf(leaks: Leaks, search: Matcher): GridColumn<LeakRow>[] {
    const top = Math.max(1, ...leaks.rows.flatMap((row) => row.bytes_per_step));
    const columns: GridColumn<LeakRow>[] = [
        {
            key: 'name',
            title: 'Allocated in',
            width: 'rest',
            least: 150,
            render: (row) => (
                <span class="named" title={`${row.name ?? ''}\n${row.file ?? ''}:${row.line ?? 0}`}>
                    <GroupSwatch group={row.group} />
                    <FrameNameText title={frameTitle(row)} search={search} />
                </span>
            ),
        },
        {
            key: 'caller',
            title: 'Called from',
            width: 'rest',
            least: 110,
            hideBelow: 800,
            render: ({ caller }) => (
                <span class="mono soft" title={caller?.file ?? undefined}>
                    {caller ? frameTitle(caller).name : ''}
                </span>
            ),
        },
    ];
    if (leaks.steps.length > 0)
        columns.push(
            {
                key: 'growth',
                title: 'Growth',
                unit: 'MiB',
                width: 92,
                align: 'right',
                numeric: true,
                sortKey: 'growth',
                title_tip:
                    'median bytes that a step keeps, if each step keeps some; incomplete steps and the first complete one do not count',
                render: ({ growth }) =>
                    growth === null ? (
                        <span class="zero">–</span>
                    ) : (
                        <b title={`${int(growth)} bytes`}>{formatFixed(growth / MIB, 3)}</b>
                    ),
            },
            {
                key: 'steps',
                title: 'Kept by each step',
                width: BARS.width + 24,
                hideBelow: 600,
                render: (row) => <StepBars bytes={row.bytes_per_step} top={top} />,
            },
        );
    columns.push(
        {
            key: 'bytes',
            title: 'Kept',
            unit: 'MiB',
            width: 100,
            align: 'right',
            numeric: true,
            sortKey: 'bytes',
            render: ({ bytes }) => (
                <span title={`${int(bytes)} bytes`}>{formatFixed(bytes / MIB, 3)}</span>
            ),
        },
        {
            key: 'count',
            title: 'Count',
            width: 72,
            hideBelow: 500,
            align: 'right',
            numeric: true,
            sortKey: 'count',
            render: ({ count }) => int(count),
        },
    );
    return columns;
}

/* The largest growth first, then what is kept. */
function sortLeaks(rows: readonly LeakRow[], { key, desc }: GridSort): LeakRow[] {
    const sign = desc ? -1 : 1;
    const valueOf = (row: LeakRow): number =>
        key === 'growth' ? (row.growth ?? -1) : key === 'count' ? row.count : row.bytes;
    return [...rows].sort((a, b) => sign * (valueOf(a) - valueOf(b)) || b.bytes - a.bytes);
}

/** What the steps say, in a sentence. */
export function leakVerdict({ rows, steps, count }: Leaks): string {
    if (count === 0) return 'Nothing that was allocated in the recording is live at its end.';
    if (steps.length === 0) return 'No steps were found.';
    const growing = rows
        .filter(({ growth }) => growth !== null)
        .sort((a, b) => (b.growth ?? 0) - (a.growth ?? 0));
    const first = growing.at(0);
    if (!first) return 'No stack keeps memory in each step.';
    const sum = growing.reduce((total, { growth }) => total + (growth ?? 0), 0);
    const others = growing.length > 1 ? ` All ${int(growing.length)} keep ${bytesText(sum)}.` : '';
    return `${capitalUnlessCode(first)} keeps ${bytesText(first.growth ?? 0)} of each step.${others}`;
}

/* The name of a function keeps its case. */
function capitalUnlessCode(row: LeakRow): string {
    const text = frameText(row);
    return text === NO_STACK ? capital(text) : text;
}

function sourceText({ steps, step_source, step_name, bytes, count }: Leaks): string {
    const kept = `${plural(count, 'allocation')} of the recording with ${bytesText(bytes)} are live at its end.`;
    if (count === 0) return '';
    const number = plural(steps.length, 'step');
    if (step_source === 'annotations')
        return `${number}: between annotations ${step_name ?? ''}. ${kept}`;
    if (step_source === 'cycles')
        return `${number}: live memory rises and falls that often. ${kept}`;
    if (step_source === 'given') return `${number} with equally many events. ${kept}`;
    return `${kept} Type a number of steps to see what each of them keeps.`;
}

export function LeaksTab({ run }: { run: Run }) {
    const { query } = route.value;
    const snapshot = usePacedJson<Snapshot>(snapshotPath(run, ''));
    const device = snapshot.data && chooseDevice(snapshot.data, query.d);
    const given = /^\d+$/.test(query.steps ?? '') ? Number(query.steps) : null;
    const path = device
        ? snapshotPath(run, 'leaks', { device: device.number, steps: given ?? undefined })
        : null;
    const { data, error, loading } = usePacedJson<Leaks>(path);
    const searchField = useRef<HTMLInputElement | null>(null);
    const search = useMemo(() => matcher(query.q ?? '', false), [query.q]);
    const hasSteps = (data?.steps.length ?? 0) > 0;
    const key = query.sort ?? (hasSteps ? 'growth' : 'bytes');
    const desc = query.desc !== '0';
    const rows = useMemo(() => {
        const shown = (data?.rows ?? []).filter(
            (row) => search.empty || search.test(frameText(row), row.file ?? ''),
        );
        return sortLeaks(shown, { key, desc });
    }, [data, search, key, desc]);
    const columns = useMemo(() => (data ? columnsOf(data, search) : []), [data, search]);
    const source = useMemo(() => arraySource(rows), [rows]);
    const open = (row: LeakRow): void =>
        goTo(
            formatHash(['run', run.id, tabId('snapshot')], {
                ...(query.d && { d: query.d }),
                ...(device && { at: String(device.events - 1) }),
                s: stackText(row.stack) ?? '',
            }),
        );
    useKeys('Leaks', [
        { key: '/', label: 'search stacks', run: () => searchField.current?.focus() },
    ]);
    useEffect(() => {
        setStatus(undefined, 'kept: allocated in the recording and live at its end');
        return () => setStatus(undefined, null);
    }, [run.id]);
    const first = snapshot.data && chooseDevice(snapshot.data, undefined);
    if (snapshot.data && !device) return <NoMemory />;
    if (device?.events === 0 && snapshot.data?.devices.length === 1)
        return (
            <div class="tab-body snapshot">
                <HistoryOff>what was allocated when is not known.</HistoryOff>
            </div>
        );
    return (
        <div class="tab-body snapshot">
            {(snapshot.error ?? error) && (
                <Notice
                    kind="error"
                    title="The leaks could not be read"
                    error={snapshot.error ?? error ?? undefined}
                />
            )}
            {data && (
                <p class="leak-verdict" role="status">
                    <b>{leakVerdict(data)}</b> <span class="soft">{sourceText(data)}</span>
                </p>
            )}
            <Toolbar label="leaks">
                {(snapshot.data?.devices.length ?? 0) > 1 && device && (
                    <Segmented
                        label="GPU"
                        value={String(device.number)}
                        options={(snapshot.data?.devices ?? []).map(({ number }) => ({
                            value: String(number),
                            text: `GPU ${number}`,
                        }))}
                        onChange={(next) => {
                            const chosen = snapshot.data && chooseDevice(snapshot.data, next);
                            if (chosen) setDevice(chosen, chosen === first);
                        }}
                    />
                )}
                <NumberField
                    label="Steps"
                    unit=""
                    value={given}
                    placeholder="found"
                    tip="a number of steps with equally many events; empty: annotations, or cycles of the live memory"
                    onChange={(value) =>
                        replaceQuery({
                            steps:
                                value === null
                                    ? null
                                    : String(Math.max(1, Math.min(MAX_STEPS, Math.round(value)))),
                        })
                    }
                />
                <Spacer />
                <SearchField
                    value={query.q ?? ''}
                    inputRef={searchField}
                    placeholder="Search"
                    label="search stacks"
                    hint="/"
                    width={180}
                    count={rows.length}
                    onInput={(q) => replaceQuery({ q: q || null })}
                />
            </Toolbar>
            <div class="panes">
                <section class="pane pane-main">
                    {data && (
                        <DataGrid<LeakRow>
                            label="kept memory by stack"
                            columns={columns}
                            source={source}
                            rowKey={(row) => stackText(row.stack) ?? ''}
                            sort={{ key, desc }}
                            onSort={(next) =>
                                replaceQuery({ sort: next.key, desc: next.desc ? null : '0' })
                            }
                            selected={query.s ?? null}
                            onSelect={(row) => selectStack(row.stack)}
                            onOpen={open}
                            actions={(row) => {
                                const { name, file, line } = row;
                                if (!name) return null;
                                return rowActions(run, { name, file: file ?? undefined, line }, [
                                    {
                                        text: 'Show in the snapshot',
                                        group: 0,
                                        run: () => open(row),
                                    },
                                ]);
                            }}
                            empty="Nothing that was allocated in the recording is live at its end."
                        />
                    )}
                    {data && data.omitted.rows > 0 && (
                        <p class="snapshot-note">
                            {plural(data.omitted.rows, 'smaller row')} with{' '}
                            {bytesText(data.omitted.bytes)} are not listed.
                        </p>
                    )}
                </section>
            </div>
            <LoadingLine active={snapshot.loading || loading} />
        </div>
    );
}
