/* SPDX-License-Identifier: MIT */
import { THIN, fmtFixed, int, pct, plural } from '../../base/units';
import { childLists } from '../../model/frames';
import { ORIGINS } from '../../model/tint';
import type { ImportData } from './data';

const ms = (us: number): string => `${fmtFixed(us / 1000, 3)}${THIN}ms`;

function percent(part: number, whole: number): string {
    return whole > 0 ? `${pct((100 * part) / whole)}${THIN}%` : '–';
}

const kids = new WeakMap<ImportData, Int32Array>();

function childCount(data: ImportData, node: number): number {
    let starts = kids.get(data);
    if (!starts) {
        starts = childLists(data.tree.parent, data.tree.n).start;
        kids.set(data, starts);
    }
    return starts[node + 1] - starts[node];
}

/** Tooltip with all numbers of a module and the base of each percentage; node -1 is the complete run. */
export function ImportTip({
    data,
    node,
    rootName,
}: {
    data: ImportData;
    node: number;
    rootName: string;
}) {
    const { tree, total, sumSelf } = data;
    if (node < 0) {
        return (
            <>
                <div class="tooltip-title">{rootName}</div>
                <dl>
                    <dt>{data.totalName}</dt>
                    <dd>{ms(total)}</dd>
                    <dd>{percent(total, total)}</dd>
                    <dt>{data.sumName}</dt>
                    <dd>{ms(sumSelf)}</dd>
                    <dd>{percent(sumSelf, total)}</dd>
                </dl>
                <div class="tooltip-foot">
                    {int(tree.n)} modules · percentages of {data.totalName}
                </div>
            </>
        );
    }
    const up = tree.parent[node];
    const count = childCount(data, node);
    return (
        <>
            <div class="tooltip-title">{tree.names[node]}</div>
            <dl>
                <dt>self</dt>
                <dd>{ms(tree.self_us[node])}</dd>
                <dd>{percent(tree.self_us[node], total)}</dd>
                <dt>cumulative</dt>
                <dd>{ms(tree.cumulative_us[node])}</dd>
                <dd>{percent(tree.cumulative_us[node], total)}</dd>
            </dl>
            <div class="tooltip-foot">
                {up >= 0 && (
                    <div class="tip-line">
                        first importer <span class="mono">{tree.names[up]}</span>
                    </div>
                )}
                <div class="tip-small">
                    {ORIGINS[tree.origin[node]]} · depth {data.depth[node]} ·{' '}
                    {plural(count, 'direct import')} · percentages of {data.totalName}
                    {tree.self_us[node] < 0 && ' · a negative self time is drawn as 0'}
                </div>
            </div>
        </>
    );
}
