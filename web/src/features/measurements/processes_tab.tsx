/* SPDX-License-Identifier: MIT
 *
 * A chart of CPU use or resident memory over time, with a line for each of the largest processes.
 * The list next to the chart is its legend; a click on an entry hides the process.
 */
import type { ProcessCurve, ProcessesAnswer, Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { useMemoOn } from '../../base/hooks';
import { useKeys } from '../../base/keys';
import { replaceQuery, route } from '../../base/router';
import { LABELS } from '../../base/terms';
import { formatBytes, formatFixed, int, text, THIN_SPACE } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Segmented } from '../../components/segmented';
import { TimeChart, type TimeCurve } from '../../components/time_chart';
import { PaneHead, Spacer, Toolbar } from '../../components/toolbar';
import { showTip } from '../../components/tip';
import { tickText, type TimeWindow } from '../../model/memory_curve';
import type { TipData } from '../../model/tip';
import { useJson } from '../shared/use_json';

const LINE_COLOUR_TOKENS = [
    'bar',
    'family-data',
    'family-elementwise',
    'family-communication',
    'family-memory',
    'family-norm',
    'family-matmul',
    'family-runtime',
];
const MAX_LINES = LINE_COLOUR_TOKENS.length;
const HEADROOM = 1.04;
const TOP_COMMAND = 'top -b -d 1 -n 60 > top.txt';

function valueText(of: 'cpu' | 'res', value: number): string {
    return of === 'res'
        ? text(formatBytes(value * 1024))
        : `${formatFixed(value, 1)}${THIN_SPACE}%`;
}

/* Distance of the memory ticks in KiB: a power of two, for at most five ticks. */
function memoryStep(greatest_kib: number): number {
    return 2 ** Math.ceil(Math.log2(Math.max(greatest_kib, 5) / 5));
}

function windowOf(run: Run, query: Record<string, string>): TimeWindow {
    const whole = Math.max((run.summary.duration_s as number) || 0, 0.001);
    const from = Math.max(0, Number(query.from) || 0);
    const to = Math.min(whole, Number(query.to) || whole);
    return to > from ? { from, to } : { from: 0, to: whole };
}

/* Colour of a line: fills are too pale for lines, so they are darkened towards the text colour. */
function lineColour(i: number): string {
    const token = `var(--${LINE_COLOUR_TOKENS[i]})`;
    return i === 0 ? token : `color-mix(in srgb, ${token} 65%, var(--text-1))`;
}

/* The default view: CPU; memory if top recorded a single frame, because CPU values are measured
 * between two frames. */
function defaultView(run: Run): 'cpu' | 'res' {
    return run.summary.frames === 1 ? 'res' : 'cpu';
}

/* State of the tab, derived from the URL and the response. */
function useProcesses(run: Run) {
    const query = route.value.query;
    const defaultValue = defaultView(run);
    const of = query.of === 'res' || query.of === 'cpu' ? query.of : defaultValue;
    const path = withParams(`${API}/runs/${run.id}/processes`, { of, limit: MAX_LINES });
    const { data, error, loading } = useJson<ProcessesAnswer>(path);
    const hiddenPids = new Set((query.off ?? '').split(',').filter(Boolean));
    const all = data?.of === of ? data.processes : [];
    const curves = useMemoOn(
        () =>
            all.map(({ t_s, value }, i): TimeCurve => ({
                x: t_s,
                y: value,
                token: LINE_COLOUR_TOKENS[i],
                strong: i > 0,
                width: 1.75,
            })),
        [data],
    );
    const shown = useMemoOn(
        () => curves.filter((_, i) => !hiddenPids.has(all[i].pid)),
        [curves, query.off],
    );
    return {
        of,
        usual: defaultValue,
        all,
        shown,
        hiddenPids,
        error,
        loading,
        window: windowOf(run, query),
    };
}

type Processes = ReturnType<typeof useProcesses>;

export function ProcessesTab({ run }: { run: Run }) {
    const view = useProcesses(run);
    const query = route.value.query;
    const zoomed = query.from !== undefined || query.to !== undefined;
    const whole = () => replaceQuery({ from: null, to: null });
    useKeys('Processes', [{ key: '0', label: 'reset zoom', run: whole }]);
    return (
        <div class="tab-body">
            <Toolbar label="view options">
                <Segmented
                    label="of"
                    value={view.of}
                    options={[
                        { value: 'cpu', text: 'CPU', tip: 'percent of one processor' },
                        { value: 'res', text: LABELS.memory, tip: 'resident memory' },
                    ]}
                    onChange={(of) => replaceQuery({ of: of === view.usual ? null : of })}
                />
                <span class="soft toolbar-remark wide-only">
                    {view.of === 'cpu'
                        ? 'percent of one CPU between two frames; the first frame has no value'
                        : 'resident memory at each frame'}
                </span>
                <Spacer />
                <button type="button" class="button" disabled={!zoomed} onClick={whole}>
                    Whole time <kbd>0</kbd>
                </button>
            </Toolbar>
            {view.error && (
                <Notice kind="error" title="The curves could not be read" error={view.error} />
            )}
            <div class="panes">
                <section class="pane pane-main">
                    <ProcessChart view={view} frames={(run.summary.frames as number) ?? 0} />
                    <LoadingLine active={view.loading} />
                </section>
                <Legend run={run} view={view} />
            </div>
        </div>
    );
}

function ProcessChart({ view, frames }: { view: Processes; frames: number }) {
    const { of, all, shown, hiddenPids, window } = view;
    const points = shown.reduce((sum, { x }) => sum + x.length, 0);
    if (frames < 2) {
        return (
            <p class="grid-empty">
                One frame makes no curve; see its values on the Measurements tab. To record more
                frames: <code>{TOP_COMMAND}</code> <CopyButton text={TOP_COMMAND} />
            </p>
        );
    }
    if (!points) return <p class="grid-empty">All processes are hidden. Show one in the list.</p>;
    const greatest = shown.reduce((most, { y }) => y.reduce((a, b) => Math.max(a, b), most), 0);
    const step = of === 'res' ? memoryStep(greatest) : undefined;
    const top = step ? step * Math.ceil((greatest * HEADROOM) / step) : (greatest || 1) * HEADROOM;
    const listed = all.filter(({ pid }) => !hiddenPids.has(pid));
    return (
        <div class="processes-chart">
            <TimeChart
                label={of === 'cpu' ? 'CPU over time' : 'memory over time'}
                curves={shown}
                window={window}
                range={null}
                top={top}
                step={step}
                xText={(value) => `${tickText(value)} s`}
                yText={(value) => valueText(of, value)}
                onRange={(range) =>
                    replaceQuery({
                        from: range ? range.from.toFixed(3) : null,
                        to: range ? range.to.toFixed(3) : null,
                    })
                }
                onHover={(at, event) =>
                    showTip(at === null ? null : pointTip(of, listed, at), event)
                }
            />
        </div>
    );
}

/* Index of the frame that is nearest to the time `at`. */
function nearestIndex(t_s: number[], at: number): number {
    let best = 0;
    t_s.forEach((t, i) => {
        if (Math.abs(t - at) < Math.abs(t_s[best] - at)) best = i;
    });
    return best;
}

function pointTip(of: 'cpu' | 'res', processes: ProcessCurve[], at: number): TipData {
    return {
        title: `${formatFixed(at, 1)}${THIN_SPACE}s`,
        rows: processes
            .filter(({ t_s }) => t_s.length)
            .map(({ name, pid, t_s, value }) => {
                const i = nearestIndex(t_s, at);
                const share = `at ${formatFixed(t_s[i], 1)}${THIN_SPACE}s`;
                return { label: `${name} ${pid}`, value: valueText(of, value[i]), share };
            }),
    };
}

function Legend({ run, view }: { run: Run; view: Processes }) {
    const { of, all, hiddenPids } = view;
    const total = (run.summary.processes as number) ?? 0;
    function toggle(pid: string): void {
        const next = new Set(hiddenPids);
        if (!next.delete(pid)) next.add(pid);
        replaceQuery({ off: next.size ? [...next].join(',') : null });
    }
    return (
        <section class="pane pane-named" aria-label={LABELS.processes}>
            <PaneHead
                title={of === 'cpu' ? 'Most CPU' : 'Most memory'}
                remark={total > all.length ? `${all.length} of ${int(total)}` : 'peak'}
            />
            <div class="named-body">
                {all.map(({ id, pid, name, peak }, i) => (
                    <button
                        type="button"
                        key={id}
                        class="process-row"
                        aria-pressed={!hiddenPids.has(pid)}
                        title={hiddenPids.has(pid) ? 'show the line' : 'hide the line'}
                        onClick={() => toggle(pid)}
                    >
                        <i style={{ background: lineColour(i) }} />
                        <span class="mono">{name}</span>
                        <span class="soft">{pid}</span>
                        <span class="process-peak">
                            {peak === null ? '–' : valueText(of, peak)}
                        </span>
                    </button>
                ))}
                {total > all.length && (
                    <p class="soft">All processes are on the Measurements tab.</p>
                )}
            </div>
        </section>
    );
}
