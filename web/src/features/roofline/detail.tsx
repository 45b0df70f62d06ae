/* SPDX-License-Identifier: MIT */
/* The selected operator: its work, its rates and what its limit would save. */
import type { RooflineKernel } from '../../base/answers';
import { formatFixed, int, pct, THIN_SPACE } from '../../base/units';
import { Pairs } from '../../components/pairs';
import { PaneHead } from '../../components/toolbar';
import { flopText, lineName, movedText, rateText, type RooflineItem } from '../../model/roofline';
import { ms } from '../../model/trace_range';
import { deviceWord } from '../../model/device';

interface DetailProps {
    item: RooflineItem;
    /** device time of all, ns */
    total: number;
    onClose: () => void;
}

const KERNELS_MAX = 6;

function KernelOf({ kernel, total }: { kernel: RooflineKernel; total: number }) {
    const share = pct((100 * kernel.device_ns) / Math.max(1, total));
    return (
        <span class="roofline-kernel" title={kernel.name}>
            <span class="mono ellipsis">{kernel.name}</span>
            <small class="soft">
                {`${time(kernel.device_ns)}, ${share}${THIN_SPACE}%, ${int(kernel.count)}×`}
            </small>
        </span>
    );
}

const time = (ns: number): string => `${ms(ns)}${THIN_SPACE}ms`;

export function RooflineDetail({ item, total, onClose }: DetailProps) {
    const { calls, ns, flops, bytes, limit_ns: limit } = item;
    const rows: [string, preact.ComponentChildren][] = [];
    if (item.shapes)
        rows.push([
            item.kernels.length ? 'Shapes' : 'Operators',
            <span class="mono">{item.shapes}</span>,
        ]);
    if (flops !== null) rows.push(['Work', `${flopText(flops / calls)} a call`]);
    if (bytes !== null)
        rows.push(['Moved', `${movedText(bytes / calls)} a call, each operand once`]);
    if (item.intensity !== null)
        rows.push([
            'Intensity',
            `${formatFixed(item.intensity, item.intensity < 10 ? 2 : 0)} FLOP a byte`,
        ]);
    rows.push(['Calls', int(calls)]);
    rows.push(['Mean call', time(ns / calls)]);
    for (const kernel of item.kernels.slice(0, KERNELS_MAX))
        rows.push([
            kernel === item.kernels[0] ? 'Kernels' : '',
            <KernelOf kernel={kernel} total={ns} />,
        ]);
    if (item.kernels.length > KERNELS_MAX)
        rows.push(['', `${item.kernels.length - KERNELS_MAX} more`]);
    if (limit !== null) rows.push(['At its limit', `${time(limit / calls)} a call`]);
    if (item.peak !== null && item.tflops !== null)
        rows.push([
            'Achieved',
            `${rateText(item.tflops)} of ${rateText(item.peak)} TFLOP/s ${item.units ?? ''} ${item.type}`,
        ]);
    if (limit !== null)
        rows.push([
            'If at its limit',
            limit < ns
                ? `−${time(ns - limit)}, ${pct((100 * (ns - limit)) / Math.max(1, total))}${THIN_SPACE}% of the ${deviceWord()} time`
                : 'nothing: it is above its limit, check the peak',
        ]);
    return (
        <div class="roofline-detail">
            <PaneHead
                title={
                    <span class="mono" title={item.name}>
                        {lineName(item.name)}
                    </span>
                }
                remark={item.remark}
            >
                <button type="button" class="button-plain" onClick={onClose}>
                    <kbd>Esc</kbd>
                </button>
            </PaneHead>
            <Pairs rows={rows} />
        </div>
    );
}
