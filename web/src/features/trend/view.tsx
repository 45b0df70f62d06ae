/* SPDX-License-Identifier: MIT
 *
 * A metric over the runs of a series: a summary in a sentence, the chart, and a table of the
 * points.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Trend } from '../../base/answers';
import { type ApiError, asApiError } from '../../base/client';
import { useKeys } from '../../base/keys';
import { formatHash, navigate, replaceQuery, route } from '../../base/router';
import { LABELS } from '../../base/terms';
import { int, plural, text, when } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import type { GridHandle } from '../../components/data_grid';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { setStatus } from '../../components/status_line';
import { Tag } from '../../components/tag';
import { hideTooltip, showTooltip } from '../../components/tooltip';
import { formatValueOf, isTime } from '../../model/compare';
import { listedTags } from '../../model/environment';
import { hasRole } from '../login/user';
import { onRunChange } from '../shared/shelf_state';
import { useJson } from '../shared/use_json';
import { TrendChart } from './chart';
import {
    summarize,
    aroundChange,
    benchmarkPrefix,
    isInTime,
    pairOf,
    pctText,
    positionsOf,
    tickTime,
} from './points';
import { openComparison, pinBaseline, trendPath } from './state';
import { openPoint, TrendTable } from './table';
import { GrowthTable } from './growth';
import { TrendToolbar } from './toolbar';

const TICKS = 10;
const MAX_UNIT_CHARS = 3;

/** Counter that is incremented when a run is added, changed or removed, so that the trend is
 * fetched again. */
function useChangeCounter(): number {
    const [stamp, setStamp] = useState(0);
    const timer = useRef(0);
    useEffect(() => {
        const stop = onRunChange(() => {
            clearTimeout(timer.current);
            timer.current = setTimeout(() => setStamp((n) => n + 1), 400);
        });
        return () => {
            clearTimeout(timer.current);
            stop();
        };
    }, []);
    return stamp;
}

export function TrendView() {
    const { query } = route.value;
    const { data, error, loading } = useJson<Trend>(trendPath(query), useChangeCounter());
    const name = (query.runs ?? '').replace(/^(series|tag):/, '');
    useEffect(() => {
        document.title = `Trend of ${name} · perfshelf`;
    }, [name]);
    useEffect(() => () => hideTooltip(), []);
    useEffect(() => {
        const runs = data?.points.reduce((sum, { n }) => sum + n, 0);
        const left = runs === undefined ? null : plural(runs, 'run');
        setStatus(
            left,
            'change points: E-divisive on ranks, permutation test, p ≤ 0.01, at least 3 points each side',
            null,
        );
    }, [data]);
    return (
        <main class="report trend">
            <TrendHead name={name} trend={error ? null : data} />
            {error && <NoTrend error={error} />}
            {data && !error && <TrendBody trend={data} />}
            <LoadingLine active={loading} />
        </main>
    );
}

function NoTrend({ error }: { error: ApiError }) {
    const { row, of, step, kind } = route.value.query;
    return (
        <Notice
            kind="error"
            title="The trend could not be computed"
            error={error}
            actions={
                row || of || step || kind ? (
                    <button
                        type="button"
                        class="link"
                        onClick={() =>
                            replaceQuery({
                                row: null,
                                of: null,
                                place: null,
                                metric: null,
                                step: null,
                                kind: null,
                            })
                        }
                    >
                        Show the headline
                    </button>
                ) : (
                    <a class="link" href={formatHash([])}>
                        Go to the shelf
                    </a>
                )
            }
        />
    );
}

function TrendHead({ name, trend }: { name: string; trend: Trend | null }) {
    const { runs = '' } = route.value.query;
    const series = runs.startsWith('series:');
    const shelf = formatHash([], series ? { series: name } : { tag: name });
    const answer = trend && trend.points.length > 0 ? summarize(trend) : null;
    return (
        <header class="trend-head">
            <div class="trend-title">
                <h1 class="run-name">
                    <small>{series ? 'series' : 'tag'}</small>{' '}
                    <a href={shelf} title="its runs on the shelf">
                        {name}
                    </a>
                </h1>
                <span class="soft ellipsis">
                    {trend?.row && <span class="mono">{trend.row}</span>} {trend && titleOf(trend)}
                    {trend && <ParameterSets trend={trend} />}
                </span>
                <CopyButton class="quiet" label={LABELS.copyLink} text={() => location.href} />
            </div>
            {answer && (
                <p class="trend-answer">
                    {answer.phrase && <b class={answer.tone}>{answer.phrase}</b>}
                    {answer.rest}
                </p>
            )}
            {trend && <OmittedRuns trend={trend} />}
        </header>
    );
}

/** Link to the trends of all parameter sets of the benchmark of a row. */
function ParameterSets({ trend }: { trend: Trend }) {
    const names = trend.of === 'measurements' ? benchmarkPrefix(trend.row ?? '') : '';
    if (!names) return null;
    const { row: _row, place: _place, ...query } = route.value.query;
    return (
        <>
            {' '}
            <a href={formatHash(['trend'], { ...query, names })}>All parameter sets</a>
        </>
    );
}

function titleOf({ title, unit, metric, row, step }: Trend): string {
    const name = metric === title ? title.replaceAll('_', ' ') : title;
    const label = row && step ? `${name} per step` : name;
    return unit && !isTime(unit) && unit !== title ? `${label}, ${unit}` : label;
}

/** Note with the number of runs that are not drawn, and the reason. */
function OmittedRuns({ trend }: { trend: Trend }) {
    const parts = trend.left_out.map(({ why, runs }) => `${int(runs)} ${why}`);
    if (trend.older > 0) parts.push(`${int(trend.older)} older`);
    if (parts.length === 0) return null;
    return <p class="trend-left-out">Not shown: {parts.join(', ')}.</p>;
}

/** Index of a chosen point, and its setter. The state is the id of the point's run, because the
 * index changes when runs are added or removed. */
function useChosenPoint(trend: Trend): [number | null, (index: number | null) => void] {
    const [id, setId] = useState<string | null>(null);
    const index = trend.points.findIndex((point) => point.id === id);
    return [index < 0 ? null : index, (now) => setId(now === null ? null : trend.points[now].id)];
}

function TrendBody({ trend }: { trend: Trend }) {
    const { query } = route.value;
    const [hovered, setHovered] = useState<number | null>(null);
    const [selected, setSelected] = useChosenPoint(trend);
    const [picked, setPicked] = useChosenPoint(trend);
    const [pinError, setPinError] = useState<ApiError | null>(null);
    const input = useRef<HTMLInputElement | null>(null);
    const grid = useRef<GridHandle | null>(null);
    const byTime = query.x === 'time' && isInTime(trend);
    const positions = useMemo(() => positionsOf(trend, byTime), [trend, byTime]);

    useEffect(() => setHovered(null), [trend]);

    function compareWith(index: number): void {
        if (picked === null || picked === index) setPicked(picked === index ? null : index);
        else openComparison(trend, pairOf(trend, picked, index));
    }
    function pin(): void {
        const id = trend.points[selected ?? trend.points.length - 1].id;
        setPinError(null);
        pinBaseline(id, id !== trend.baseline?.id).catch((reason: unknown) =>
            setPinError(asApiError(reason)),
        );
    }
    useKeys('Trend', [
        { key: '/', label: 'find a row', run: () => input.current?.focus() },
        {
            key: 'c',
            label: 'compare with another point',
            run: () => selected !== null && compareWith(selected),
        },
        ...(hasRole('uploader')
            ? [{ key: 'b', label: 'pin this run as the baseline', run: pin }]
            : []),
        { key: 'Escape', label: 'clear selection', run: () => setPicked(null) },
        { key: 'u', label: 'back to the shelf', run: () => navigate([], {}) },
    ]);
    if (trend.points.length === 0) {
        return (
            <>
                <TrendToolbar trend={trend} inputRef={input} />
                <Notice kind="info" title="No run has this metric">
                    The line above says which runs were left out, and why.
                </Notice>
            </>
        );
    }
    return (
        <>
            <TrendToolbar trend={trend} inputRef={input} />
            {pinError && <Notice kind="error" title={LABELS.baselineError} error={pinError} />}
            <TrendChart
                trend={trend}
                positions={positions}
                fromZero={query.y === 'zero'}
                xStep={byTime ? undefined : Math.ceil(positions.length / TICKS)}
                xText={(place) => axisText(trend, place, byTime)}
                yText={(value) => valueText(value, trend.unit)}
                at={hovered ?? selected}
                picked={picked}
                onHover={(index, event) => {
                    setHovered(index);
                    if (index === null) hideTooltip();
                    else
                        showTooltip(
                            <PointTip trend={trend} index={index} />,
                            event.clientX,
                            event.clientY,
                        );
                }}
                onPick={(index, withShift) => {
                    hideTooltip();
                    if (withShift || picked !== null) compareWith(index);
                    else openPoint(trend, index);
                }}
                onChange={(change) => openComparison(trend, aroundChange(trend, change))}
            />
            <TrendHint trend={trend} picked={picked} selected={selected} onPin={pin} />
            {query.of && !query.row ? (
                <GrowthTable query={query} />
            ) : (
                <TrendTable
                    trend={trend}
                    selected={selected}
                    onSelect={setSelected}
                    onKey={() => false}
                    handle={grid}
                />
            )}
        </>
    );
}

/* Text of a value. A long unit such as "samples" is shown in the header instead. */
function valueText(value: number, unit: string): string {
    const formatted = formatValueOf(value, unit);
    return formatted.unit.length > MAX_UNIT_CHARS ? formatted.value : text(formatted);
}

/* Maximum number of letters of a name below the axis. */
const MAX_NAME_CHARS = 16;

function axisText({ points }: Trend, place: number, byTime: boolean): string {
    if (byTime) {
        const length = Date.parse(points[points.length - 1].at) - Date.parse(points[0].at);
        return tickTime(new Date(place), length);
    }
    const point = Number.isInteger(place) ? points[place] : undefined;
    const name = point ? (point.by ?? point.name) : '';
    if (name.length <= MAX_NAME_CHARS) return name;
    const half = MAX_NAME_CHARS / 2;
    return `${name.slice(0, half)}…${name.slice(1 - half)}`; // the ends of names differ most
}

interface TrendHintProps {
    trend: Trend;
    picked: number | null;
    selected: number | null;
    onPin: () => void;
}

function TrendHint({ trend, picked, selected, onPin }: TrendHintProps) {
    const series = trend.runs.startsWith('series:');
    const point = selected === null ? null : trend.points[selected];
    const isBase = point !== null && point.id === trend.baseline?.id;
    return (
        <p class="trend-hint" role="status">
            <span>
                {picked === null ? (
                    <>
                        Click a point to open its run. <kbd>Shift</kbd>-click two points to compare
                        them. Click a change point to compare before and after.
                    </>
                ) : (
                    <>
                        <b>{trend.points[picked].by ?? trend.points[picked].name}</b> selected.
                        Click another point to compare, or press <kbd>Esc</kbd> to cancel.
                    </>
                )}
            </span>
            {series && point && hasRole('uploader') && (
                <button type="button" class="link" onClick={onPin}>
                    {isBase ? `Unpin ${point.name}` : `Pin ${point.name} as baseline`} <kbd>b</kbd>
                </button>
            )}
        </p>
    );
}

function PointTip({ trend, index }: { trend: Trend; index: number }) {
    const point = trend.points[index];
    const before = trend.points[index - 1];
    const base = trend.baseline?.value;
    const format = (value: number) => text(formatValueOf(value, trend.unit));
    return (
        <>
            <div class="tooltip-title">{point.by ?? point.name}</div>
            <dl>
                <dt>{point.n > 1 ? 'median' : 'value'}</dt>
                <dd>{point.absent ? 'absent' : format(point.value)}</dd>
                {point.mad !== null && [
                    <dt key="s">spread</dt>,
                    <dd key="m">
                        ± {format(point.mad)}, {point.n} runs
                    </dd>,
                ]}
                {before && [
                    <dt key="p">to previous</dt>,
                    <dd key="d">{pctText(point.value - before.value, before.value) || '–'}</dd>,
                ]}
                {base != null && [
                    <dt key="b">to baseline</dt>,
                    <dd key="e">{pctText(point.value - base, base) || '–'}</dd>,
                ]}
                <dt>added</dt>
                <dd>{when(point.at)}</dd>
            </dl>
            <div>
                {listedTags(point.tags).map(([name, value]) => [
                    <Tag key={name} name={name} value={value} />,
                    ' ',
                ])}
            </div>
        </>
    );
}
