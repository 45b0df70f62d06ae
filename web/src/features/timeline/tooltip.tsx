/* SPDX-License-Identifier: MIT */
import { useState } from 'preact/hooks';
import { axisText } from '../../base/axis';
import { useEffectOn } from '../../base/hooks';
import { bytesText, formatValueIn, int, pct, text, THIN_SPACE } from '../../base/units';
import { FamilySwatch } from '../../components/family_swatch';
import { familyOf } from '../../model/family';
import type { RowMark } from '../sql/links';
import { timesText } from './args';
import { type CurveSet, valueAt } from './curves';
import type { TimelineData } from './data';
import type { Hit } from './hit';
import type { Lane } from './lanes';
import type { TimelineLoader } from './requests';

interface TipProps {
    hit: Hit;
    data: TimelineData;
    loader: TimelineLoader;
}

const RETRY_MS = 60;

/** Tooltip of the slice under the pointer. If the name of the slice is not loaded, it is
 * requested. */
export function SliceTip({ hit, data, loader }: TipProps) {
    const [, redraw] = useState(0);
    const name = data.names.nameOf(hit.name);
    useEffectOn(() => {
        if (name !== null) return undefined;
        data.names.markName(hit.name);
        void loader.fetchNames();
        const timer = setInterval(() => {
            if (data.names.nameOf(hit.name) !== null) redraw((n) => n + 1);
        }, RETRY_MS);
        return () => clearInterval(timer);
    }, [hit.name, name]);
    const isGroup = hit.id < 0 && hit.count > 1;
    return (
        <div class="timeline-tip">
            <div class="tooltip-title">{name ?? '…'}</div>
            {isGroup ? (
                <div>
                    {int(hit.count)} slices in {axisText(hit.end - hit.start)}; the name is that of
                    the longest
                </div>
            ) : (
                <div>
                    {axisText(hit.end - hit.start)} from {timesText(hit.start)}
                </div>
            )}
            {hit.family > 0 && (
                <div>
                    <FamilySwatch family={hit.family} /> {familyOf(hit.family).label}
                </div>
            )}
        </div>
    );
}

interface CurveTipProps {
    lane: Lane;
    t: number;
    curves: CurveSet | null;
}

/** Tooltip with the value of a curve at the pointer. */
export function CurveTip({ lane, t, curves }: CurveTipProps) {
    return (
        <div class="timeline-tip">
            <div class="tooltip-title">{lane.label.name || lane.label.role}</div>
            <div>
                {(curves && curveText(lane, t, curves)) ?? 'not known'} at {timesText(t)}
            </div>
            {lane.memory?.snapshot && (
                <div class="soft">
                    {lane.memory.snapshot.name}, {lane.memory.snapshot.evidence} by the clock
                </div>
            )}
        </div>
    );
}

/** Tooltip of a row of an SQL statement. */
export function RowTip({ mark: { row, name, from, to } }: { mark: RowMark }) {
    return (
        <div class="timeline-tip">
            <div class="tooltip-title">{name || `Row ${int(row + 1)}`}</div>
            <div>
                {name && `row ${int(row + 1)}, `}
                {axisText(to - from)} from {timesText(from)}
            </div>
        </div>
    );
}

function curveText(lane: Lane, t: number, curves: CurveSet): string | null {
    if (lane.kind === 'busy') {
        const share = curves.busy.get(lane.track?.id ?? -1);
        const px = Math.floor((t - curves.from) / curves.nsPerPx);
        return share && px in share
            ? `${pct((share[px] / 255) * 100)}${THIN_SPACE}% of a pixel`
            : null;
    }
    const curve =
        lane.kind === 'memory'
            ? curves.memory.get(lane.key)
            : curves.counters.get(lane.counter?.id ?? -1);
    const value = curve ? valueAt(curve, t) : Number.NaN;
    if (Number.isNaN(value)) return null;
    if (lane.kind === 'memory') return bytesText(value);
    const unit = lane.counter?.unit ?? '';
    return Number.isInteger(value)
        ? `${int(value)} ${unit}`.trim()
        : text(formatValueIn(value, unit));
}
