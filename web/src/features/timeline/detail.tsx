/* SPDX-License-Identifier: MIT
 *
 * The selection pane of a slice: its times, its rank among all slices of the name, its ancestors,
 * the launch of a kernel or the launched kernels, callees, arrows, memory and arguments.
 */
import { useState } from 'preact/hooks';
import type { NameStatistics, Run, SliceAnswer, TimelineAnswer } from '../../base/answers';
import { axisText } from '../../base/axis';
import { API, withParams } from '../../base/client';
import { bytesText, int } from '../../base/units';
import { type Action, useActionKeys } from '../../components/actions';
import { CopyButton } from '../../components/copy_button';
import { FamilySwatch } from '../../components/family_swatch';
import { HistogramView } from '../../components/histogram_view';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import {
    Neighbours,
    type PaneFrame,
    type PaneInstances,
    PaneSection,
    type PaneValue,
    PaneValues,
    SelectionPane,
} from '../../components/selection_pane';
import { kindLabel } from '../../model/family';
import { frameParts } from '../../model/frame_names';
import { capital } from '../../model/labels';
import { shortName } from '../../model/timeline_names';
import { isDeviceWork } from '../../model/timeline_types';
import { useFrameSource } from '../lines/frame_source';
import { OtherRuns } from '../shared/other_runs';
import { type Answer, useData } from '../shared/use_json';
import { searchedSlice } from '../trace/data';
import { argRows, factRows, flagLabels, flowLabel, timesText } from './args';
import { deviceName } from '../../model/device';

const BINS = 24;
const SHOWN = 8;
/** longer names are shown in their short form */
const MAX_NAME = 40;

type Select = (id: number | null) => void;

interface DetailProps {
    run: Run;
    timeline: TimelineAnswer;
    answer: Answer<SliceAnswer>;
    /** only for a kernel: its launch, whose ancestors are operators, or the operator of its capture */
    launcher: SliceAnswer | null;
    actionsOf: (answer: SliceAnswer) => readonly Action[];
    onSelect: Select;
}

export function TimelineDetail(props: DetailProps) {
    const { data, error, loading } = props.answer;
    if (error) return <Notice kind="error" title="The slice could not be read" error={error} />;
    if (!data) return <LoadingLine active={loading} />;
    return <SliceSelection {...props} data={data} />;
}

function SliceSelection(props: DetailProps & { data: SliceAnswer }) {
    const { run, timeline, data, launcher, actionsOf, onSelect } = props;
    const { slice, launch, children, kernels } = data;
    const [isFolded, setFolded] = useState(true);
    const instances = useInstances(run, data, onSelect);
    const track = timeline.tracks.find(({ id }) => id === slice.track) ?? null;
    // Only parts of the slice have percentages: its self time and its callees.
    const duration = slice.duration_ns;
    const base = isDeviceWork(slice.kind)
        ? null
        : { value: duration, text: `${axisText(duration)}, its duration` };
    const frame = frameOf(onSelect);
    const { title, frames } = stackOf(data, launcher, frame);
    const hidden = isFolded ? Math.max(0, frames.length - SHOWN) : 0;
    const fold = { key: 'fold', fold: `${int(hidden)} outer slices` };
    const source = useFrameSource(run, frameParts(slice.name));
    const actions = actionsOf(data);
    // The other actions have keys of the timeline.
    useActionKeys(
        'Slice',
        actions.filter(({ button }) => button),
    );
    const values = factRows(data, track);
    if (launch) {
        const delay = axisText(slice.start_ns - launch.start_ns);
        values.push({ label: 'Launch to start', text: delay });
        if (data.operator?.recorded_by) values.push({ label: 'Replayed by', text: launch.name });
    }
    return (
        <SelectionPane
            head={{
                name: slice.name,
                swatch: <FamilySwatch family={slice.family} />,
            }}
            actions={actions}
            base={base}
            instance={{
                title: `This ${kindLabel(slice.kind)}`,
                values,
                children: flagLabels(slice.flags).map((label) => (
                    <p class="timeline-flag" key={label}>
                        {capital(label)}.
                    </p>
                )),
            }}
            instances={instances}
            stack={{
                title,
                rows: hidden ? [fold, ...frames.slice(hidden)] : frames,
                count: frames.length,
                noun: 'slice',
                isFolded,
                onFold: setFolded,
            }}
            callers={{ title: 'Arrows', rows: arrowsOf(data, frame) }}
            callees={{
                title: 'Calls',
                rows: children
                    .slice(0, SHOWN)
                    .map((one) => ({ ...frame(one), value: one.duration_ns })),
                count: data.children_total,
                note: data.children_total > 1 ? 'directly, longest first' : 'directly',
            }}
            source={source}
            otherRuns={<OtherRuns run={run} row={searchedSlice(slice.name, slice.kind)} />}
            onClose={() => onSelect(null)}
        >
            <Neighbours
                title="Launched"
                rows={kernels.slice(0, SHOWN).map((one) => frame(one))}
                count={data.kernels_total}
                note="on the device"
                base={base}
            />
            <Memory data={data} />
            <Arguments data={data} />
        </SelectionPane>
    );
}

interface LinkedSlice {
    id: number;
    name: string;
    duration_ns?: number;
}

const frameOf =
    (onSelect: Select) =>
    ({ id, name, duration_ns }: LinkedSlice, place?: string): PaneFrame => ({
        key: `${place ?? ''} ${id}`,
        name: name.length > MAX_NAME ? shortName(name) : name,
        place,
        text: duration_ns === undefined ? '' : axisText(duration_ns),
        tip: name,
        onSelect: () => onSelect(id),
    });

/* The slices around a slice, the outermost first. A kernel has those around its launch, or around
 * the operator that recorded it in a graph. */
function stackOf(
    { slice, parents, launch, operator }: SliceAnswer,
    launcher: SliceAnswer | null,
    frame: (one: LinkedSlice) => PaneFrame,
): { title: string; frames: PaneFrame[] } {
    const origin = operator?.recorded_by ? operator : launch;
    if (origin) {
        const around = launcher?.slice.id === origin.id ? launcher.parents : [];
        return {
            title: origin === launch ? 'Launched by' : 'Captured by',
            frames: [...around, origin].map((one) => frame(one)),
        };
    }
    if (!parents.length && operator) return { title: 'Operator', frames: [frame(operator)] };
    if (!parents.length) return { title: '', frames: [] };
    const own = { ...frame(slice), isSelected: true };
    return { title: 'Inside', frames: [...parents.map((one) => frame(one)), own] };
}

/* The ends of arrows that are not the launch or a launched kernel. */
function arrowsOf(
    { slice: { id }, launch, kernels, flows }: SliceAnswer,
    frame: (one: LinkedSlice, place: string) => PaneFrame,
): PaneFrame[] {
    const shownIds = new Set([launch?.id, ...kernels.map((kernel) => kernel.id)]);
    return flows
        .filter(({ from, to }) => !shownIds.has(from) && !shownIds.has(to))
        .slice(0, SHOWN)
        .map((flow) => {
            const isOut = flow.from === id;
            const end = isOut
                ? { id: flow.to, name: flow.to_name }
                : { id: flow.from, name: flow.from_name };
            return frame(end, flowLabel(flow.kind, isOut));
        });
}

/* All slices with the name and kind of the selected one. */
function useInstances(run: Run, { slice }: SliceAnswer, onSelect: Select) {
    const named = useData<NameStatistics>(
        withParams(`${API}/runs/${run.id}/named`, {
            name: slice.name_id,
            kind: slice.kind,
            slice: slice.id,
            px: BINS,
        }),
    );
    if (!named || named.name !== slice.name) return undefined;
    const { count, total_ns, mean_ns, median_ns, p95_ns, place } = named;
    const instances: PaneInstances = {
        count,
        index: place?.index ?? -1,
        values: [
            { label: 'Total', text: axisText(total_ns) },
            { label: 'Mean', text: axisText(mean_ns) },
            { label: 'Median, p95', text: `${axisText(median_ns)}, ${axisText(p95_ns)}` },
        ],
        onStep: place ? (by) => onSelect(by > 0 ? place.next : place.previous) : undefined,
        children: named.max_ns > named.min_ns && (
            <div class="timeline-durations">
                <HistogramView
                    histogram={named.histogram}
                    marks={[{ ns: slice.duration_ns, label: 'the selected slice' }]}
                />
            </div>
        ),
    };
    return instances;
}

function Memory({ data: { memory, memory_total } }: { data: SliceAnswer }) {
    if (!memory.length) return null;
    const rows = memory.slice(0, SHOWN).map(({ t_ns, bytes: size, device_type, device }, i) => {
        const value: PaneValue = {
            label: `${i + 1}. ${size < 0 ? 'freed' : 'allocated'} on ${deviceName(device_type, device)}`,
            text: `${bytesText(Math.abs(size))} at ${timesText(t_ns)}`,
        };
        return value;
    });
    return (
        <PaneSection title="Memory" note={int(memory_total)}>
            <PaneValues values={rows} base={null} />
        </PaneSection>
    );
}

function Arguments({ data }: { data: SliceAnswer }) {
    const { category } = data.slice;
    const rows = [...(category ? [['category', category]] : []), ...argRows(data)];
    if (!rows.length) return null;
    const text = (): string => JSON.stringify(data.args, null, 2);
    return (
        <PaneSection title="Arguments" right={<CopyButton text={text} label="Copy JSON" />}>
            <dl class="timeline-args">
                {rows.map(([key, value]) => (
                    <div key={key}>
                        <dt>{key}</dt>
                        <dd title={value.length > 80 ? value : undefined}>{value}</dd>
                    </div>
                ))}
            </dl>
        </PaneSection>
    );
}
