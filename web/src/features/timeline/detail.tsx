/* SPDX-License-Identifier: MIT
 *
 * Details of the selected slice: times, arguments, ancestors, the launch of a kernel or the
 * launched kernels, and the rank among all slices of the same name.
 */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { axisText } from '../../base/axis';
import { API, withParams } from '../../base/client';
import type { NameStatistics } from '../../base/trace_types';
import type { Run } from '../../base/types';
import { bytesText, int } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { HistogramView } from '../../components/histogram_view';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { kindLabel } from '../../model/family';
import { capital } from '../../model/labels';
import { shortName } from '../../model/timeline_names';
import type { SliceAnswer, SliceRef, TimelineAnswer } from '../../model/timeline_types';
import { type Answer, useJson } from '../shared/use_json';
import { argRows, type FactRow, factRows, flagLabels, flowLabel, timesText } from './args';

const BINS = 24;
const SHOWN = 8;

interface DetailProps {
    run: Run;
    timeline: TimelineAnswer;
    answer: Answer<SliceAnswer>;
    /** only for a kernel: its launch, whose ancestors are operators */
    launcher: SliceAnswer | null;
    onSelect: (id: number | null) => void;
}

export function TimelineDetail({ run, timeline, answer, launcher, onSelect }: DetailProps) {
    const { data, error, loading } = answer;
    if (error) return <Notice kind="error" title="The slice could not be read" error={error} />;
    if (!data) return <LoadingLine active={loading} />;
    const { slice } = data;
    const track = timeline.tracks.find(({ id }) => id === slice.track) ?? null;
    return (
        <>
            <div class="pane-head">
                <b>{capital(kindLabel(slice.kind))}</b>
                <span class="pane-remark">selected slice</span>
                <span class="spacer" />
                <button
                    type="button"
                    class="timeline-close"
                    title="clear selection"
                    onClick={() => onSelect(null)}
                >
                    <kbd>Esc</kbd>
                </button>
            </div>
            <div class="timeline-detail-body">
                <SliceName name={slice.name} />
                <Rows rows={factRows(data, track)} />
                {flagLabels(slice.flags).map((label) => (
                    <p class="timeline-flag" key={label}>
                        {capital(label)}.
                    </p>
                ))}
                <Relations data={data} launcher={launcher} onSelect={onSelect} />
                <AllOfName run={run} data={data} />
                <Arguments data={data} />
            </div>
        </>
    );
}

function SliceName({ name }: { name: string }) {
    const [whole, setWhole] = useState(false);
    return (
        <div class="timeline-name">
            <code
                class={whole ? 'is-whole' : ''}
                title={whole ? undefined : name}
                onClick={() => setWhole(!whole)}
            >
                {name}
            </code>
            <CopyButton text={name} tip="copy the name" />
        </div>
    );
}

function Rows({ rows }: { rows: FactRow[] }) {
    return (
        <dl class="timeline-facts">
            {rows.map(({ key, value, strong, tip }) => (
                <div key={key} title={tip}>
                    <dt>{key}</dt>
                    <dd>{strong ? <b>{value}</b> : value}</dd>
                </div>
            ))}
        </dl>
    );
}

interface RelationsProps {
    data: SliceAnswer;
    launcher: SliceAnswer | null;
    onSelect: (id: number | null) => void;
}

function Relations({ data, launcher, onSelect }: RelationsProps) {
    const { launch, operator, parents, kernels, children, flows, memory } = data;
    const inside = launch && launcher ? launcher.parents : parents;
    // The rows for the launch and for the launched kernels already represent these arrows.
    const shownIds = new Set([launch?.id, ...kernels.map((kernel) => kernel.id)]);
    const others = flows.filter(({ from, to }) => !shownIds.has(from) && !shownIds.has(to));
    const link = (one: { id: number; name: string }) => (
        <SliceLink key={one.id} slice={one} onSelect={onSelect} />
    );
    const id = data.slice.id;
    return (
        <>
            {(launch || inside.length > 0 || operator) && (
                <dl class="timeline-facts is-apart">
                    {launch && <Relation label="Launched by">{link(launch)}</Relation>}
                    {launch && (
                        <Relation label="Launch to start">
                            {axisText(data.slice.start_ns - launch.start_ns)}
                        </Relation>
                    )}
                    {inside.length > 0 && (
                        <Relation label="Inside">{inside.slice(-SHOWN).map(link)}</Relation>
                    )}
                    {inside.length === 0 && operator && (
                        <Relation label="Operator">{link(operator)}</Relation>
                    )}
                </dl>
            )}
            {others.length > 0 && (
                <dl class="timeline-facts is-apart">
                    {others.slice(0, SHOWN).map((flow) => {
                        const out = flow.from === id;
                        const end = {
                            id: out ? flow.to : flow.from,
                            name: out ? flow.to_name : flow.from_name,
                        };
                        return (
                            <Relation
                                key={`${flow.from} ${flow.to}`}
                                label={flowLabel(flow.kind, out)}
                            >
                                {link(end)}
                            </Relation>
                        );
                    })}
                </dl>
            )}
            <SliceList
                title="Launched"
                unit="on the device"
                slices={kernels}
                total={data.kernels_total}
                onSelect={onSelect}
            />
            <SliceList
                title="Calls"
                unit={data.children_total > 1 ? 'directly, longest first' : 'directly'}
                slices={children}
                total={data.children_total}
                onSelect={onSelect}
            />
            {memory.length > 0 && (
                <dl class="timeline-facts is-apart">
                    {memory.slice(0, SHOWN).map(({ t_ns, bytes: size, device_type, device }) => (
                        <Relation
                            key={t_ns}
                            label={`${size < 0 ? 'Freed' : 'Allocated'} ${device_type === 0 ? 'on CPU' : `on GPU ${device}`}`}
                        >
                            {bytesText(Math.abs(size))} at {timesText(t_ns)}
                        </Relation>
                    ))}
                </dl>
            )}
            <More total={data.memory_total} />
        </>
    );
}

function Relation({ label, children }: { label: string; children: ComponentChildren }) {
    return (
        <div>
            <dt>{label}</dt>
            <dd>{children}</dd>
        </div>
    );
}

interface LinkProps {
    slice: { id: number; name: string };
    onSelect: (id: number | null) => void;
}

function SliceLink({ slice, onSelect }: LinkProps) {
    return (
        <button
            type="button"
            class="timeline-link"
            title={slice.name}
            onClick={() => onSelect(slice.id)}
        >
            {slice.name.length > 40 ? shortName(slice.name) : slice.name}
        </button>
    );
}

interface ListProps {
    title: string;
    unit: string;
    slices: SliceRef[];
    total: number;
    onSelect: (id: number | null) => void;
}

function SliceList({ title, unit, slices, total, onSelect }: ListProps) {
    if (!slices.length) return null;
    return (
        <div class="timeline-part">
            <div class="timeline-part-head">
                <b>{title}</b>
                <span>
                    {int(total)} {unit}
                </span>
            </div>
            {slices.slice(0, SHOWN).map((slice) => (
                <div class="timeline-part-row" key={slice.id}>
                    <SliceLink slice={slice} onSelect={onSelect} />
                    <span>{axisText(slice.duration_ns)}</span>
                </div>
            ))}
            <More total={total} />
        </div>
    );
}

/** How many rows of a list are not shown. */
function More({ total }: { total: number }) {
    return total > SHOWN ? <div class="timeline-part-more">{int(total - SHOWN)} more</div> : null;
}

function AllOfName({ run, data }: { run: Run; data: SliceAnswer }) {
    const { slice } = data;
    const path = withParams(`${API}/runs/${run.id}/named`, { name: slice.name_id, px: BINS });
    const { data: named } = useJson<NameStatistics>(path);
    if (!named || named.name !== slice.name) return null;
    const format = (ns: number): string => axisText(ns);
    return (
        <div class="timeline-part">
            <div class="timeline-part-head">
                <b>All with this name</b>
                <span>{int(named.count)} in trace</span>
            </div>
            {named.max_ns > named.min_ns && (
                <HistogramView
                    histogram={named.histogram}
                    marks={[{ ns: slice.duration_ns, label: 'the selected slice' }]}
                />
            )}
            <Rows
                rows={[
                    { key: 'Total', value: format(named.total_ns) },
                    { key: 'Mean', value: format(named.mean_ns) },
                    {
                        key: 'Median, p95',
                        value: `${format(named.median_ns)}, ${format(named.p95_ns)}`,
                    },
                ]}
            />
        </div>
    );
}

function Arguments({ data }: { data: SliceAnswer }) {
    const rows = argRows(data);
    const { category } = data.slice;
    if (!rows.length && !category) return null;
    return (
        <div class="timeline-part">
            <div class="timeline-part-head">
                <b>Arguments</b>
                {rows.length > 0 && (
                    <CopyButton text={() => JSON.stringify(data.args, null, 2)} label="Copy JSON" />
                )}
            </div>
            <dl class="timeline-args">
                {category && (
                    <div>
                        <dt>category</dt>
                        <dd>{category}</dd>
                    </div>
                )}
                {rows.map(({ key, value }) => (
                    <div key={key}>
                        <dt>{key}</dt>
                        <dd title={value.length > 80 ? value : undefined}>{value}</dd>
                    </div>
                ))}
            </dl>
        </div>
    );
}
