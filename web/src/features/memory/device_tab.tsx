/* SPDX-License-Identifier: MIT
 *
 * The Memory tab of a trace: the curve of each device over the run, with its peak. Dragging selects
 * a range, which applies to the tables below and to all other tabs.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Run, TimelineMemory, TraceMemoryCurve } from '../../base/answers';
import { withParams } from '../../base/client';
import { useEffectOn } from '../../base/hooks';
import { kindHas } from '../../base/kinds';
import { replaceQuery, route } from '../../base/router';
import { LABELS } from '../../base/terms';
import { bytesText, THIN_SPACE } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Segmented } from '../../components/segmented';
import { setStatus } from '../../components/status_line';
import { TimeChart, type TimeCurve } from '../../components/time_chart';
import { showTip } from '../../components/tip';
import { hideTooltip } from '../../components/tooltip';
import { viewportWidth } from '../../components/viewport';
import { placeKey, placeName, readPlace } from '../../model/device';
import { readFilters } from '../../model/filter_query';
import { byteAxis, steppedValueAt } from '../../model/step_curve';
import type { TimeWindow } from '../../model/memory_curve';
import { matcher } from '../../model/search';
import type { TipData } from '../../model/tip';
import { ms, rangeQuery, type TraceRange } from '../../model/trace_range';
import { useJson } from '../shared/use_json';
import { traceOf, useRange, viewPath } from '../trace/data';
import { filterParams, sortParams } from '../trace/table';
import { TraceToolbar } from '../trace/toolbar';
import { useWorkerNames } from '../trace/worker_names';
import {
    type DeviceFilter,
    DeviceMemoryPane,
    MEMORY_COMMAND,
    MEMORY_SORT,
    memoryRows,
    MemorySwitch,
} from './device_pane';

const HEADROOM = 1.04;

export function DeviceMemoryTab({ run }: { run: Run }) {
    const filters = readFilters(route.value.query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const range = useRange();
    const [shown, setShown] = useState<number | null>(null);
    const rows = memoryRows(run);
    const device = deviceFilter(run, route.value.query.device);
    useEffectOn(() => {
        setStatus(
            undefined,
            kindHas(run.kind, 'nvtx')
                ? 'allocated: memory allocated by CUDA and not yet freed'
                : 'allocated: memory of tensors; reserved: memory the caching allocator holds',
        );
        return () => setStatus(undefined, null);
    }, [run.id]);
    useEffect(() => () => hideTooltip(), []);
    if (!traceOf(run).memory) return <NoMemory />;
    return (
        <div class="tab-body">
            <MemoryPicture run={run} range={range} />
            <TraceToolbar
                run={run}
                range={range}
                view={rows === 'operators' ? 'memory_operators' : 'allocations'}
                what={rows === 'operators' ? 'operators' : 'allocations'}
                filters={filters}
                error={search.error}
                params={{
                    ...sortParams(MEMORY_SORT[rows]),
                    ...filterParams(filters),
                    open: rows === 'kept' ? 1 : undefined,
                    ...device,
                }}
                shown={shown}
                rowsAreNames={rows === 'operators'}
            >
                <MemorySwitch run={run} />
            </TraceToolbar>
            <div class="panes">
                <section class="pane pane-main">
                    <DeviceMemoryPane
                        run={run}
                        range={range}
                        filters={filters}
                        search={search}
                        device={device}
                        onShown={setShown}
                    />
                </section>
            </div>
        </div>
    );
}

/** The tables are filtered by the selected device. */
function deviceFilter(run: Run, urlDevice: string | undefined): DeviceFilter {
    const place = readPlace(urlDevice);
    if (!place) return {};
    return traceOf(run).workers > 1 ? place : { ...place, worker: undefined };
}

function NoMemory() {
    return (
        <div class="grid-empty">
            <p>This trace has no [memory] events. To record allocations:</p>
            <p class="teach">
                <code>{MEMORY_COMMAND}</code> <CopyButton text={MEMORY_COMMAND} />
            </p>
        </div>
    );
}

interface Timeline {
    start_ns: number;
    end_ns: number;
    memory: TimelineMemory[];
}

/* The device in the URL, else the accelerator with the highest peak, else the CPU. */
function chooseDevice(
    devices: TimelineMemory[],
    urlDevice: string | undefined,
): TimelineMemory | null {
    const named = devices.find((device) => placeKey(device) === urlDevice);
    if (named) return named;
    const order = [...devices].sort(
        (a, b) =>
            Number(a.device_type === 0) - Number(b.device_type === 0) ||
            (b.peak_bytes ?? 0) - (a.peak_bytes ?? 0),
    );
    return order[0] ?? null;
}

function curvesOf(curve: TraceMemoryCurve | undefined, end: number): TimeCurve[] {
    if (!curve || curve.t_ns.length === 0) return [];
    const last = curve.t_ns.length - 1;
    const x = [...curve.t_ns, Math.max(end, curve.t_ns[last])];
    const holdLast = (values: (number | null)[]) => [...values, values[last]].map((v) => v ?? 0);
    const curves: TimeCurve[] = [
        {
            x,
            y: holdLast(curve.allocated),
            token: 'family-memory',
            strong: true,
            fill: true,
            stepped: true,
        },
    ];
    if (curve.reserved.some((value) => value !== null && value >= 0)) {
        curves.push({
            x,
            y: holdLast(curve.reserved),
            token: 'text-3',
            dash: [4, 3],
            stepped: true,
        });
    }
    return curves;
}

function MemoryPicture({ run, range }: { run: Run; range: TraceRange | null }) {
    const nameOf = useWorkerNames(run);
    const timeline = useJson<Timeline>(`${viewPath(run, 'timeline')}?px=100`);
    const devices = timeline.data?.memory ?? [];
    const device = chooseDevice(devices, route.value.query.device);
    const px = Math.min(2400, Math.max(400, viewportWidth.value));
    const path = device
        ? withParams(viewPath(run, 'curves'), { memory: placeKey(device), px })
        : null;
    const answer = useJson<{ memory: TraceMemoryCurve[] }>(path);
    const curve = answer.data?.memory[0];
    const [from, to] = [timeline.data?.start_ns ?? 0, timeline.data?.end_ns ?? 1];
    const curves = useMemo(() => curvesOf(curve, to), [curve, to]);
    const maxBytes = Math.max(1, ...curves.flatMap(({ y }) => y), device?.peak_bytes ?? 0);
    const { step, tickText } = byteAxis(maxBytes);
    const error = timeline.error ?? answer.error;
    return (
        <section class="device-memory">
            <div class="memory-words">
                {devices.length > 1 && device && (
                    <Segmented
                        label="device"
                        value={placeKey(device)}
                        options={devices.map((one) => ({
                            value: placeKey(one),
                            text: placeName(one, nameOf),
                        }))}
                        onChange={(next) => replaceQuery({ device: next })}
                    />
                )}
                {device && <Peaks device={device} reserved={curves.length > 1} />}
            </div>
            {error && <Notice kind="error" title={LABELS.curveError} error={error} />}
            {curves.length > 0 && (
                <TimeChart
                    label="memory over time"
                    curves={curves}
                    window={{ from, to }}
                    range={range && { from: range.from_ns, to: range.to_ns }}
                    top={Math.ceil((maxBytes * HEADROOM) / step) * step}
                    step={step}
                    level={
                        device?.peak_bytes
                            ? {
                                  y: device.peak_bytes,
                                  label: `peak ${bytesText(device.peak_bytes)}`,
                              }
                            : null
                    }
                    xText={(ns) => `${ms(ns).replace(/\.?0+$/, '')} ms`}
                    yText={tickText}
                    onRange={selectRange}
                    onHover={(at, event) =>
                        showTip(at === null ? null : curveTip(curves, at), event)
                    }
                />
            )}
            <LoadingLine active={timeline.loading || answer.loading} />
        </section>
    );
}

function selectRange(interval: TimeWindow | null): void {
    replaceQuery(
        rangeQuery(
            interval && { from_ns: Math.round(interval.from), to_ns: Math.round(interval.to) },
        ),
    );
}

function curveTip(curves: TimeCurve[], at: number): TipData {
    const labels = ['allocated', 'reserved'];
    return {
        title: `${ms(at)}${THIN_SPACE}ms`,
        rows: curves.map(({ x, y }, i) => {
            const value = steppedValueAt(x, y, at);
            return { label: labels[i], value: value === null ? '–' : bytesText(value) };
        }),
    };
}

function Peaks({ device, reserved }: { device: TimelineMemory; reserved: boolean }) {
    const { peak_bytes, reserved_peak_bytes } = device;
    return (
        <>
            <span>
                <i class="key-allocated" /> peak allocated{' '}
                <b>{peak_bytes === null ? '–' : bytesText(peak_bytes)}</b>
            </span>
            {reserved && reserved_peak_bytes !== null && (
                <span>
                    <i class="key-reserved" /> peak reserved <b>{bytesText(reserved_peak_bytes)}</b>
                </span>
            )}
            <span class="soft wide-only">drag to select a range, double click to clear it</span>
        </>
    );
}
