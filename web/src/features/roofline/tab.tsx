/* SPDX-License-Identifier: MIT
 *
 * The Roofline tab: operators against the limits of the device. URL: by=operator or kernel, op (selected), small=1
 * (also the short ones), peak (given peaks, as in the API), sort, desc=0.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Peaks, Roofline, Run } from '../../base/answers';
import { withParams } from '../../base/client';
import { useKeys } from '../../base/keys';
import { goTo, replaceQuery, route } from '../../base/router';
import { pct, plural, THIN_SPACE } from '../../base/units';
import { CheckBox } from '../../components/check_box';
import { Notice } from '../../components/notice';
import { NumberField } from '../../components/number_field';
import { LoadingLine } from '../../components/progress';
import { Says } from '../../components/says';
import { Segmented } from '../../components/segmented';
import { setStatus } from '../../components/status_line';
import { readStored, storeText } from '../../components/stored_text';
import { Spacer, Toolbar } from '../../components/toolbar';
import {
    type RooflineBy,
    type RooflineItem,
    rooflineItems,
    rooflineSays,
    SMALL_SHARE,
} from '../../model/roofline';
import { ms, rangeParams } from '../../model/trace_range';
import { useJson } from '../shared/use_json';
import { useRange, viewPath } from '../trace/data';
import { timelineHash } from '../trace/timeline_link';
import { RooflineChart } from './chart';
import { RooflineDetail } from './detail';
import { RooflineTable } from './table';
import { deviceWord } from '../../model/device';

/** The value of a peak in the text of the URL; null: not given. */
function givenPeak(text: string, key: string): number | null {
    const found = text.split(',').find((word) => word.startsWith(`${key}:`));
    const value = Number(found?.slice(key.length + 1));
    return found && value > 0 ? value : null;
}

function withPeak(text: string, key: string, value: number | null): string | null {
    const others = text.split(',').filter((word) => word && !word.startsWith(`${key}:`));
    return [...others, ...(value === null ? [] : [`${key}:${value}`])].join(',') || null;
}

/** Where the browser keeps the peaks that were typed for a device. */
const storedPeaks = (device: string): string => `peaks.${device}`;

interface PeakFieldsProps {
    device: string;
    given: string;
    peaks: Peaks | null;
    items: readonly RooflineItem[];
}

/** A field for the bandwidth, and for each kind of unit and number that the operators use. */
function PeakFields({ device, given, peaks, items }: PeakFieldsProps) {
    const used = new Map<string, { units: 'matrix' | 'vector'; type: string }>();
    for (const { units, type } of items)
        if (units && type !== 'unknown') used.set(`${units}_${type}`, { units, type });
    const set = (key: string, value: number | null): void => {
        const peak = withPeak(given, key, value);
        if (device) storeText(storedPeaks(device), peak);
        replaceQuery({ peak });
    };
    return (
        <span class="roofline-peaks">
            {[...used].map(([key, { units, type }]) => (
                <NumberField
                    key={key}
                    label={`${units} ${type}`}
                    unit="TFLOP/s"
                    width={120}
                    value={givenPeak(given, key)}
                    placeholder={String(peaks?.[units][type] ?? '')}
                    tip="peak of these units; empty: that of the data sheet"
                    onChange={(value) => set(key, value)}
                />
            ))}
            <NumberField
                label="memory"
                unit="GB/s"
                width={104}
                value={givenPeak(given, 'bandwidth')}
                placeholder={String(peaks?.bandwidth ?? '')}
                tip="bandwidth of the memory; empty: that of the data sheet"
                onChange={(value) => set('bandwidth', value)}
            />
        </span>
    );
}

function statusOf({ device_ns, modelled_ns, unattributed_ns, omitted }: Roofline): string {
    const share = (ns: number): string =>
        `${pct((100 * ns) / Math.max(1, device_ns))}${THIN_SPACE}%`;
    return [
        `${share(modelled_ns)} of ${ms(device_ns)} ms on the ${deviceWord()} has a model`,
        unattributed_ns > 0 ? `${share(unattributed_ns)} has no known operator` : '',
        omitted > 0 ? `${plural(omitted, 'smaller row')} omitted` : '',
    ]
        .filter(Boolean)
        .join(' · ');
}

function Operators({ run, answer }: { run: Run; answer: Roofline }) {
    const { query } = route.value;
    const by: RooflineBy = query.by === 'operator' || query.by === 'kernel' ? query.by : 'shape';
    const given = query.peak ?? '';
    const [isOpen, setOpen] = useState(given !== '');
    const all = useMemo(() => rooflineItems(answer, by), [answer, by]);
    const isSmall = (item: RooflineItem): boolean => item.ns < SMALL_SHARE * answer.device_ns;
    const small = all.filter(isSmall).length;
    const items = query.small === '1' ? all : all.filter((item) => !isSmall(item));
    const selected = items.find(({ key }) => key === query.op) ?? null;
    const select = (item: RooflineItem | null): void => replaceQuery({ op: item?.key ?? null });
    const [first, second] = useMemo(() => rooflineSays(answer, all), [answer, all]);
    const open = ({ name }: RooflineItem): void => goTo(timelineHash(run, { find: name }));
    useKeys('Roofline', [
        ...(selected
            ? [
                  { key: 'Escape', label: 'no operator', run: () => select(null) },
                  { key: 'Enter', label: 'its slices in the timeline', run: () => open(selected) },
              ]
            : []),
    ]);
    // Peaks in the address, of a shared link, go before those of this browser.
    useEffect(() => {
        const stored = given || !answer.device ? null : readStored(storedPeaks(answer.device));
        if (stored) replaceQuery({ peak: stored });
    }, [answer.device, given]);
    useEffect(() => {
        setStatus(undefined, statusOf(answer));
        return () => setStatus(undefined, null);
    }, [answer]);
    const source = [answer.peaks?.name, answer.peaks?.source].filter(Boolean).join(', ');
    return (
        <>
            <Says first={first} second={second} />
            <Toolbar label="roofline">
                <Segmented<RooflineBy>
                    label="rows"
                    value={by}
                    options={[
                        { value: 'shape', text: 'by operator and shape' },
                        { value: 'operator', text: 'by operator' },
                        {
                            value: 'kernel',
                            text: 'by kernel',
                            tip: 'the work of operators that launch one kernel a call',
                        },
                    ]}
                    onChange={(next) =>
                        replaceQuery({ by: next === 'shape' ? null : next, op: null })
                    }
                />
                {small > 0 && (
                    <label>
                        <CheckBox
                            label="also the short ones"
                            checked={query.small === '1'}
                            onChange={(checked) => replaceQuery({ small: checked ? '1' : null })}
                        />
                        {` also ${plural(small, 'short one')}`}
                    </label>
                )}
                <Spacer />
                <span class="soft" title={answer.device}>
                    Peaks {source || 'are not known'}
                </span>
                <button type="button" class="quiet" onClick={() => setOpen(!isOpen)}>
                    Change
                </button>
                {(isOpen || !answer.peaks) && (
                    <PeakFields
                        device={answer.device}
                        given={given}
                        peaks={answer.peaks}
                        items={all}
                    />
                )}
            </Toolbar>
            <div class="roofline-panes">
                <RooflineChart
                    scene={{
                        items,
                        peaks: answer.peaks,
                        selected: selected?.key ?? null,
                        total: answer.device_ns,
                    }}
                    onPick={select}
                />
                <section class="pane pane-main">
                    <RooflineTable
                        run={run}
                        by={by}
                        items={items}
                        sort={{ key: query.sort ?? 'ns', desc: query.desc !== '0' }}
                        onSort={(next) =>
                            replaceQuery({ sort: next.key, desc: next.desc ? null : '0' })
                        }
                        selected={selected?.key ?? null}
                        onSelect={select}
                        onOpen={open}
                    />
                    {selected && (
                        <RooflineDetail
                            item={selected}
                            total={answer.device_ns}
                            onClose={() => select(null)}
                        />
                    )}
                </section>
            </div>
        </>
    );
}

export function RooflineTab({ run }: { run: Run }) {
    const range = useRange();
    const path = withParams(viewPath(run, 'roofline'), {
        ...rangeParams(range),
        peak: route.value.query.peak,
    });
    const { data, error, loading } = useJson<Roofline>(path);
    return (
        <div class="tab-body roofline">
            {error && <Notice kind="error" title="The roofline could not be read" error={error} />}
            {data && data.modelled_ns > 0 && <Operators run={run} answer={data} />}
            {data && data.modelled_ns === 0 && (
                <Notice kind="info" title={rooflineSays(data, [])[0]}>
                    {data.device_ns > 0
                        ? 'Record with profile(record_shapes=True), so that the shapes of the inputs are in the trace.'
                        : ''}
                </Notice>
            )}
            <LoadingLine active={loading} />
        </div>
    );
}
