/* SPDX-License-Identifier: MIT
 *
 * PyTorch's memory timeline: memory by category over time, stacked.
 */
import { useEffect, useMemo } from 'preact/hooks';
import type { CategoriesAnswer, Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { useKeys } from '../../base/keys';
import { replaceQuery, route } from '../../base/router';
import { LABELS } from '../../base/terms';
import { formatFixed, THIN_SPACE } from '../../base/units';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Spacer, Toolbar } from '../../components/toolbar';
import { showTip } from '../../components/tip';
import { hideTooltip } from '../../components/tooltip';
import { viewportWidth } from '../../components/viewport';
import {
    panWindow,
    secondsText,
    type TimeWindow,
    windowOf,
    zoomWindow,
} from '../../model/memory_curve';
import type { TipData } from '../../model/tip';
import { categoryColour } from '../../model/memory_categories';
import { useJson } from '../shared/use_json';
import { type ChartCurve, MemoryChart } from './chart';
import { mibText } from './text';

const HEADROOM = 1.06;
const ZOOM_STEP = 0.6;
const PAN_STEP = 0.2;

/** Stacked curves: each one is the sum of its own category and all before it; the last one is the
 * total memory. */
function stackCurves({ t_s, categories }: CategoriesAnswer): ChartCurve[] {
    const sum = t_s.map(() => 0);
    return categories.map(({ name, mib }) => {
        mib.forEach((value, i) => (sum[i] += value));
        return {
            label: name,
            main: true,
            t_s,
            values: [...sum],
            gaps: [],
            fill: categoryColour(name),
        };
    });
}

function useTimeline(run: Run) {
    const query = route.value.query;
    const px = Math.min(4096, Math.max(400, viewportWidth.value));
    const path = withParams(`${API}/runs/${run.id}/categories`, {
        from_s: query.from,
        to_s: query.to,
        px,
    });
    const { data: answer, error, loading } = useJson<CategoriesAnswer>(path);
    const length = answer ? Math.max(answer.end_s - answer.start_s, 0) : 0;
    const curves = useMemo(() => (answer ? stackCurves(answer) : []), [answer]);
    const zoomed = query.from !== undefined || query.to !== undefined;
    const window = windowOf(query.from, query.to, length);
    return { answer, error, loading, length, curves, window, zoomed };
}

export function MemoryTimelineTab({ run }: { run: Run }) {
    const { answer, error, loading, length, curves, window, zoomed } = useTimeline(run);
    useEffect(() => () => hideTooltip(), []);
    function show(next: TimeWindow): void {
        const whole = next.from <= 0 && next.to >= length;
        replaceQuery({
            from: whole ? null : next.from.toFixed(6),
            to: whole ? null : next.to.toFixed(6),
        });
    }
    const zoom = (factor: number) =>
        show(zoomWindow(window, (window.from + window.to) / 2, factor, length));
    useKeys('Memory', [
        { key: 'w', label: 'zoom in', run: () => zoom(ZOOM_STEP) },
        { key: 's', label: 'zoom out', run: () => zoom(1 / ZOOM_STEP) },
        { key: 'a', label: 'earlier', run: () => show(panWindow(window, -PAN_STEP, length)) },
        { key: 'd', label: 'later', run: () => show(panWindow(window, PAN_STEP, length)) },
        { key: '0', label: 'reset zoom', run: () => show({ from: 0, to: length }) },
    ]);
    const top =
        Math.max(0.001, ...(curves.length ? curves[curves.length - 1].values : [])) * HEADROOM;
    const shown = answer?.categories.filter(({ mib }) => mib.some((value) => value !== 0)) ?? [];
    return (
        <div class="tab-body">
            <Toolbar label="view options">
                <Legend names={shown.map(({ name }) => name)} />
                <Spacer />
                <button
                    type="button"
                    class="button"
                    disabled={!zoomed}
                    onClick={() => show({ from: 0, to: length })}
                >
                    Whole time <kbd>0</kbd>
                </button>
            </Toolbar>
            {error && <Notice kind="error" title={LABELS.curveError} error={error} />}
            {answer && length === 0 && (
                <p class="grid-empty">The timeline is empty: no memory value changes in it.</p>
            )}
            {answer && length > 0 && (
                <div class="memory-picture">
                    <Peak answer={answer} window={window} zoomed={zoomed} />
                    <MemoryChart
                        curves={curves}
                        window={window}
                        length={length}
                        peak={answer.peak}
                        top={top}
                        onWindow={show}
                        onHover={(at, event) =>
                            showTip(at === null ? null : categoriesTip(answer, at, window), event)
                        }
                    />
                    <LoadingLine active={loading} />
                </div>
            )}
        </div>
    );
}

function Legend({ names }: { names: string[] }) {
    return (
        <span class="memory-categories">
            {names.map((name) => (
                <span key={name}>
                    <i class={`swatch is-${categoryColour(name)}`} /> {name}
                </span>
            ))}
        </span>
    );
}

function Peak(props: { answer: CategoriesAnswer; window: TimeWindow; zoomed: boolean }) {
    const { peak } = props.answer;
    if (!peak) return null;
    return (
        <p class="memory-words">
            Peak{' '}
            <b>
                {formatFixed(peak.mib, 3)}
                <span class="unit">{THIN_SPACE}MiB</span>
            </b>{' '}
            at {secondsText(peak.t_s, props.window)}
            {THIN_SPACE}s{props.zoomed ? ' in this window' : ''} · memory stacked by category
        </p>
    );
}

/* Memory of each category at a time, in the order of the stack from top to bottom. */
function categoriesTip(answer: CategoriesAnswer, at: number, window: TimeWindow): TipData | null {
    let i = -1;
    while (i + 1 < answer.t_s.length && answer.t_s[i + 1] <= at) i++;
    if (i < 0) return null;
    const rows = answer.categories
        .map(({ name, mib }) => ({ name, mib: mib[i] }))
        .filter(({ mib }) => mib !== 0)
        .reverse();
    const total = rows.reduce((sum, { mib }) => sum + mib, 0);
    return {
        title: `${secondsText(at, window)}${THIN_SPACE}s`,
        rows: [...rows, { name: 'all', mib: total }].map(({ name, mib }) => ({
            label: name,
            value: mibText(mib),
        })),
    };
}
