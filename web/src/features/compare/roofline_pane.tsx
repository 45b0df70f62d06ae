/* SPDX-License-Identifier: MIT */
/* The selected operator of two rooflines: its work, its rates and its limit in both runs. */
import type { Comparison } from '../../base/answers';
import { formatFixed, int, pct, signed, THIN_SPACE } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { PaneHead } from '../../components/toolbar';
import { LABELS } from '../../base/terms';
import { flopText, movedText, rateText, type RooflineBy } from '../../model/roofline';
import type { RooflineDiff, RooflinePer, RooflineSide } from '../../model/roofline_diff';
import { ms } from '../../model/trace_range';
import { rooflineLinks } from './roofline_table';
import { SidePane } from './side_pane';
import { deviceWord } from '../../model/device';

const dash = <span class="zero">–</span>;
const time = (ns: number): string => `${ms(ns)}${THIN_SPACE}ms`;
const change = (ns: number): string => `${signed(ns / 1e6, 3)}${THIN_SPACE}ms`;

/** A number of an operator in both runs. */
interface Fact {
    label: string;
    of: (side: RooflineSide) => number | null;
    text: (value: number) => string;
    /** text of a difference; without it only the percentage is shown */
    delta?: (value: number) => string;
}

const perCall = (sum: number | null, { calls }: RooflineSide): number | null =>
    sum === null ? null : sum / Math.max(1, calls);

function factsOf(per: RooflinePer): Fact[] {
    const ofCall = per === 'call' ? ' a call' : '';
    const percent = (value: number): string => `${pct(value)}${THIN_SPACE}%`;
    return [
        { label: `${deviceWord()}${ofCall}`, of: ({ ns }) => ns, text: time, delta: change },
        { label: 'Calls', of: ({ calls }) => calls, text: int, delta: (n) => signed(n, 0) },
        ...(per === 'run'
            ? [
                  {
                      label: 'Mean call',
                      of: (side: RooflineSide) => perCall(side.ns, side),
                      text: time,
                      delta: change,
                  },
              ]
            : []),
        {
            label: `At limit${ofCall}`,
            of: ({ limit_ns }) => limit_ns,
            text: time,
            delta: change,
        },
        {
            label: `Above limit${ofCall}`,
            of: ({ above_ns }) => above_ns,
            text: time,
            delta: change,
        },
        {
            label: '% of limit',
            of: ({ percent: value }) => value,
            text: percent,
            delta: (value) => signed(value, 1),
        },
        { label: 'TFLOP/s', of: ({ tflops }) => tflops, text: rateText },
        { label: 'Peak TFLOP/s', of: ({ peak }) => peak, text: rateText },
        { label: 'GB/s', of: ({ gbps }) => gbps, text: rateText },
        { label: 'Work a call', of: (side) => perCall(side.flops, side), text: flopText },
        { label: 'Moved a call', of: (side) => perCall(side.bytes, side), text: movedText },
        {
            label: 'FLOP a byte',
            of: ({ intensity }) => intensity,
            text: (value) => formatFixed(value, value < 10 ? 2 : 0),
        },
    ];
}

function deltaText({ delta }: Fact, base: number, fresh: number): string {
    if (delta) return delta(fresh - base);
    if (base <= 0) return '';
    return `${signed((100 * (fresh - base)) / base, 1)}${THIN_SPACE}%`;
}

const boundOf = (side: RooflineSide | null): string | null =>
    side?.limit_ns == null ? null : (side.bound ?? 'both');

function Facts({ row, per }: { row: RooflineDiff; per: RooflinePer }) {
    const { base, new: fresh } = row;
    const bounds = [boundOf(base), boundOf(fresh)];
    return (
        <table class="phase-facts roofline-facts">
            <thead>
                <tr>
                    <th />
                    <th>Base</th>
                    <th>New</th>
                    <th>Δ</th>
                </tr>
            </thead>
            <tbody>
                {factsOf(per).map((fact) => {
                    const [old, now] = [base && fact.of(base), fresh && fact.of(fresh)];
                    if (old === null && now === null) return null;
                    return (
                        <tr key={fact.label}>
                            <th>{fact.label}</th>
                            <td>{old === null ? dash : fact.text(old)}</td>
                            <td>{now === null ? dash : fact.text(now)}</td>
                            <td>
                                {old === null || now === null ? dash : deltaText(fact, old, now)}
                            </td>
                        </tr>
                    );
                })}
                {bounds.some(Boolean) && (
                    <tr>
                        <th>Bound by</th>
                        <td>{bounds[0] ?? dash}</td>
                        <td>{bounds[1] ?? dash}</td>
                        <td />
                    </tr>
                )}
            </tbody>
        </table>
    );
}

interface RooflinePaneProps {
    comparison: Comparison;
    row: RooflineDiff;
    by: RooflineBy;
    per: RooflinePer;
    onClose: () => void;
}

export function RooflinePane({ comparison, row, by, per, onClose }: RooflinePaneProps) {
    const { name, shapes, types } = row;
    return (
        <SidePane label="The selected operator">
            <PaneHead title="Operator" remark={row.base && row.new ? 'selected' : 'in one run'}>
                <button type="button" class="quiet" onClick={onClose}>
                    <kbd>Esc</kbd>
                </button>
            </PaneHead>
            <div class="compare-body">
                <div class="named-name mono">{name}</div>
                {(shapes || types) && (
                    <p class="compare-note mono break">{`${shapes} ${types}`.trim()}</p>
                )}
                <div class="snapshot-stack-links">
                    {rooflineLinks(comparison, row, by)
                        .filter(({ disabled }) => !disabled)
                        .map(({ text, href }) => (
                            <a key={text} class="link" href={href}>
                                {text}
                            </a>
                        ))}
                    <CopyButton class="link" text={name} label={LABELS.copyName} />
                </div>
                <Facts row={row} per={per} />
            </div>
        </SidePane>
    );
}
