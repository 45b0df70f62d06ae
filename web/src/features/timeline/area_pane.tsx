/* SPDX-License-Identifier: MIT
 *
 * Statistics of the selected area, next to the tracks: how busy its devices and tracks are, what its
 * device time consists of, launches, arrows and counters.
 */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { AreaAnswer, AreaDevice, AreaFamily, Run, TimelineAnswer } from '../../base/answers';
import { axisText } from '../../base/axis';
import { formatFixed, formatValueIn, int, pct, plural, text, THIN_SPACE } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { FamilySwatch } from '../../components/family_swatch';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { acceleratorName } from '../../model/device';
import { familyOf } from '../../model/family';
import { type Area, countersOf } from '../../model/timeline_area';
import { rangeParams, type TraceRange } from '../../model/trace_range';
import { useJson } from '../shared/use_json';
import { withParams } from '../../base/client';
import { viewPath } from '../trace/data';
import { trackLabel } from './lanes';

const SHOWN_TRACKS = 12;

interface AreaPaneProps {
    run: Run;
    timeline: TimelineAnswer;
    area: Area;
    range: TraceRange;
    onZoom: () => void;
    /** null: notes cannot be written here */
    onNote: (() => void) | null;
    onClose: () => void;
}

export function AreaPane(props: AreaPaneProps) {
    const { run, timeline, area, range } = props;
    const counters = useMemo(
        () =>
            countersOf(
                area,
                timeline.counters.map(({ id }) => id),
            ),
        [area, timeline],
    );
    const { data, error, loading } = useJson<AreaAnswer>(
        withParams(viewPath(run, 'area'), {
            ...rangeParams(range),
            counters: counters.length ? counters.slice(0, 256).join(',') : undefined,
        }),
    );
    const length = area.to - area.from;
    const tracks = range.tracks === undefined ? null : range.tracks.split(',').length;
    return (
        <>
            <div class="pane-head">
                <b>Area</b>
                <span class="pane-remark">
                    {tracks === null ? 'all tracks' : plural(tracks, 'track')}, {axisText(length)}
                </span>
                <span class="spacer" />
                <button
                    type="button"
                    class="timeline-close"
                    title="clear the area"
                    onClick={props.onClose}
                >
                    <kbd>Esc</kbd>
                </button>
            </div>
            <div class="timeline-detail-body">
                <div class="area-actions">
                    <CopyButton text={() => location.href} label="Copy link" />
                    <button type="button" class="button" onClick={props.onZoom}>
                        Zoom to area
                    </button>
                    {props.onNote && (
                        <button type="button" class="button" onClick={props.onNote}>
                            Note
                        </button>
                    )}
                </div>
                {error && <Notice kind="error" title="The area could not be read" error={error} />}
                <LoadingLine active={loading && !data} />
                {data && <AreaStatistics data={data} timeline={timeline} length={length} />}
            </div>
        </>
    );
}

interface StatisticsProps {
    data: AreaAnswer;
    timeline: TimelineAnswer;
    /** of the area, ns */
    length: number;
}

function AreaStatistics({ data, timeline, length }: StatisticsProps) {
    const deviceWork = data.device_families.reduce((sum, { count }) => sum + count, 0);
    return (
        <>
            <dl class="timeline-facts">
                <Fact label="From">{axisText(data.from_ns)}</Fact>
                <Fact label="To">{axisText(data.to_ns)}</Fact>
                {data.devices.map((device) => (
                    <DeviceFacts
                        key={`${device.worker} ${device.device}`}
                        device={device}
                        many={data.devices.some(({ worker }) => worker !== device.worker)}
                        length={length}
                    />
                ))}
                {deviceWork > 0 && <Fact label="Kernels, copies">{int(deviceWork)}</Fact>}
                <Fact label="Slices that start inside">{int(data.slices)}</Fact>
                <Launches data={data} />
            </dl>
            {data.device_families.length > 0 ? (
                <Families
                    title="Device time by family"
                    families={data.device_families}
                    sum="total_ns"
                />
            ) : (
                <Families title="Self time by family" families={data.host_families} sum="self_ns" />
            )}
            <Tracks data={data} timeline={timeline} length={length} />
            <Counters data={data} timeline={timeline} />
        </>
    );
}

function Fact({
    label,
    tip,
    children,
}: {
    label: string;
    tip?: string;
    children: ComponentChildren;
}) {
    return (
        <div title={tip}>
            <dt>{label}</dt>
            <dd>{children}</dd>
        </div>
    );
}

const share = (ns: number, of: number): string =>
    `${axisText(ns)} · ${pct((100 * ns) / of)}${THIN_SPACE}%`;

interface DeviceFactsProps {
    device: AreaDevice;
    /** true: devices of several workers are shown */
    many: boolean;
    length: number;
}

function DeviceFacts({ device, many, length }: DeviceFactsProps) {
    const { communication_ns, overlap_ns, compute_ns } = device;
    const name = `${acceleratorName(device.device)}${many ? `, worker ${device.worker}` : ''}`;
    return (
        <>
            <Fact
                label={`${name} busy`}
                tip="time in which at least one kernel, copy or set of these tracks lasts; percent of the area"
            >
                <b>{share(device.busy_ns, length)}</b>
            </Fact>
            {communication_ns > 0 && (
                <Fact
                    label="Computing"
                    tip="kernels without those of collectives; percent of the area"
                >
                    {share(compute_ns, length)}
                </Fact>
            )}
            {communication_ns > 0 && (
                <Fact label="Communicating" tip="kernels of collectives; percent of the area">
                    {share(communication_ns, length)}
                </Fact>
            )}
            {communication_ns > 0 && (
                <Fact label="Both at once" tip="percent of the time of communication">
                    {share(overlap_ns, communication_ns)}
                </Fact>
            )}
        </>
    );
}

function Launches({ data: { launches, flows } }: { data: AreaAnswer }) {
    const arrows = flows.inside + flows.in + flows.out;
    return (
        <>
            {launches.median_ns !== undefined && launches.max_ns !== undefined && (
                <Fact
                    label="Launch to start"
                    tip={`median and maximum of ${int(launches.count)} kernels, copies and sets that start inside`}
                >
                    {axisText(launches.median_ns)}, max {axisText(launches.max_ns)}
                </Fact>
            )}
            {arrows > 0 && (
                <Fact label="Arrows" tip="both ends inside; only the end; only the start">
                    {int(flows.inside)} inside, {int(flows.in)} in, {int(flows.out)} out
                </Fact>
            )}
        </>
    );
}

interface FamiliesProps {
    title: string;
    families: AreaFamily[];
    sum: 'total_ns' | 'self_ns';
}

function Families({ title, families, sum }: FamiliesProps) {
    const total = families.reduce((all, family) => all + family[sum], 0);
    if (!families.length) return null;
    const sorted = [...families].sort((a, b) => b[sum] - a[sum]);
    return (
        <div class="timeline-part">
            <table class="area-table" aria-label={title}>
                <thead>
                    <tr>
                        <th>{title}</th>
                        <th>ms</th>
                        <th>% of Σ</th>
                    </tr>
                </thead>
                <tbody>
                    {sorted.map((family) => (
                        <tr key={family.family}>
                            <td>
                                <FamilySwatch family={family.family} />{' '}
                                {familyOf(family.family).label}{' '}
                                <span class="soft">{int(family.count)}</span>
                            </td>
                            <td>{formatFixed(family[sum] / 1e6, 3)}</td>
                            <td>{total > 0 ? formatFixed((100 * family[sum]) / total, 1) : '–'}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function Tracks({ data, timeline, length }: StatisticsProps) {
    const byId = useMemo(() => new Map(timeline.tracks.map((one) => [one.id, one])), [timeline]);
    const rows = data.tracks.slice(0, SHOWN_TRACKS);
    if (!rows.length) return null;
    const name = (id: number): string => {
        const track = byId.get(id);
        if (!track) return `track ${id}`;
        const device = track.device >= 0 ? `${acceleratorName(track.device)}, ` : '';
        return `${device}${trackLabel(track).name}`;
    };
    return (
        <div class="timeline-part">
            <table class="area-table" aria-label="Tracks">
                <thead>
                    <tr>
                        <th>Tracks</th>
                        <th>slices</th>
                        <th title="percent of the area in which at least one slice lasts">
                            busy %
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {rows.map(({ id, slices, busy_ns }) => (
                        <tr key={id}>
                            <td>{name(id)}</td>
                            <td>{int(slices)}</td>
                            <td>{formatFixed((100 * busy_ns) / length, 1)}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
            {data.tracks_total > rows.length && (
                <div class="timeline-part-more">{int(data.tracks_total - rows.length)} more</div>
            )}
        </div>
    );
}

function Counters({ data, timeline }: Omit<StatisticsProps, 'length'>) {
    const known = data.counters.filter(({ mean }) => mean !== undefined);
    if (!known.length) return null;
    const format = (value: number | undefined): string =>
        value === undefined ? '–' : text(formatValueIn(value, ''));
    return (
        <div class="timeline-part">
            <table class="area-table" aria-label="Counters">
                <thead>
                    <tr>
                        <th>Counters</th>
                        <th title="weighted by time">mean</th>
                        <th>min</th>
                        <th>max</th>
                        <th>last</th>
                    </tr>
                </thead>
                <tbody>
                    {known.map(({ id, mean, min, max, last }) => (
                        <tr key={id}>
                            <td>{timeline.counters.find((one) => one.id === id)?.name ?? id}</td>
                            <td>{format(mean)}</td>
                            <td>{format(min)}</td>
                            <td>{format(max)}</td>
                            <td>{format(last)}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}
