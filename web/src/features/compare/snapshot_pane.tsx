/* SPDX-License-Identifier: MIT
 *
 * The pane beside the stacks of two memory snapshots: the selected stack, and the way from base to new.
 */
import type { Comparison, SnapshotComparison, SnapshotDiffRow } from '../../base/answers';
import { bytesText, int, signed, text } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { Pairs } from '../../components/pairs';
import { PaneHead } from '../../components/toolbar';
import { cellText, deltaText, formatDelta, type Scale } from '../../model/compare';
import { nodeOfKey, stackKey } from '../../model/snapshot_diff';
import { frameText, frameTitle } from '../../model/snapshot_names';
import { frameOfRow, framesUpTo } from '../../model/tree';
import { treeOfSnapshots } from '../../model/tree_answers';
import { SidePane } from './side_pane';
import { MIB, sideLinks, verdictText } from './snapshot_table';
import { largestSteps, waterfall } from './waterfall';
import { WaterfallView } from './waterfall_view';

const GIB = 1024 * MIB;
/** Number of stacks that have a step of their own. */
const MAX_STEPS = 9;

function scaleFor({ base, new: fresh }: SnapshotComparison): Scale {
    const isLarge = Math.max(base.live, fresh.live) >= GIB;
    return {
        factor: isLarge ? 1 / GIB : 1 / MIB,
        unit: isLarge ? 'GiB' : 'MiB',
        decimals: isLarge ? 2 : 1,
    };
}

/* Names of the steps: the function or place, with the line and then the caller's line where that tells
 * rows from others. */
function stepNames(rows: readonly SnapshotDiffRow[]): string[] {
    const forms = rows.map((row) => {
        const { name, place } = frameTitle(row);
        const short = name.replace(/\.py:/, ':');
        const withLine = place.endsWith(`:${row.line ?? ''}`)
            ? `${short} :${row.line ?? 0}`
            : short;
        const caller = row.caller?.line ? ` ← :${row.caller.line}` : '';
        return [short, withLine, withLine + caller];
    });
    const isUnique = (form: number, i: number): boolean =>
        forms.every((other, k) => k === i || other[form] !== forms[i][form]);
    return forms.map((all, i) => all.find((_, form) => isUnique(form, i)) ?? all[2]);
}

interface SnapshotPaneProps {
    comparison: Comparison;
    diff: SnapshotComparison;
    selected: string | null;
    onSelect: (key: string | null) => void;
}

export function SnapshotPane({ comparison, diff, selected, onSelect }: SnapshotPaneProps) {
    const scale = scaleFor(diff);
    const largest = diff.rows.slice(0, MAX_STEPS).filter(({ change }) => change !== 0);
    const names = stepNames(largest);
    const steps = largestSteps(
        largest.map((row, id) => ({
            id,
            name: names[id],
            delta: row.change,
            noise: null,
            verdict: null,
        })),
    );
    const chart = waterfall(diff.base.live, diff.new.live, steps);
    const row = diff.rows.find((one) => stackKey(one) === selected);
    const at = largest.findIndex((one) => stackKey(one) === selected);
    const cut = chart.axisFrom > 0 ? `axis from ${cellText(chart.axisFrom, scale)}` : '';
    return (
        <SidePane label="From base to new">
            {row && <SelectedStack {...{ comparison, diff, row }} onClose={() => onSelect(null)} />}
            <PaneHead title="From base to new" remark={`by stack, ${scale.unit}`}>
                <span class="soft">{cut}</span>
            </PaneHead>
            <div class="compare-body">
                <WaterfallView
                    chart={chart}
                    format={(value) => cellText(value, scale)}
                    formatDelta={(value) => deltaText(value, scale)}
                    selected={at < 0 ? null : at}
                    onPick={(id) => onSelect(stackKey(largest[id]))}
                />
            </div>
        </SidePane>
    );
}

interface SelectedStackProps {
    comparison: Comparison;
    diff: SnapshotComparison;
    row: SnapshotDiffRow;
    onClose: () => void;
}

function SelectedStack({ comparison, diff, row, onClose }: SelectedStackProps) {
    const key = stackKey(row);
    const tree = treeOfSnapshots(diff);
    const node = nodeOfKey(tree.base.stack ?? [], tree.new.stack ?? [], key);
    const frames =
        node < 0
            ? [row, row.caller].filter((one) => one !== null)
            : framesUpTo(tree, node, -1).map((at) => frameOfRow(tree, at));
    const { name, place } = frameTitle(row);
    const sideText = (side: 'base' | 'new'): string => {
        const count = row[`${side}_count`];
        return count === 0 ? '–' : `${bytesText(row[side])} in ${int(count)}`;
    };
    return (
        <>
            <PaneHead title="Stack" remark={verdictText(row)}>
                <button type="button" class="quiet" onClick={onClose}>
                    <kbd>Esc</kbd>
                </button>
            </PaneHead>
            <div class="compare-body snapshot-stack">
                <div class="named-name mono">{name}</div>
                {place && <div class="mono soft">{place}</div>}
                <Pairs
                    rows={[
                        ['Base', sideText('base')],
                        ['New', sideText('new')],
                        [
                            'Δ',
                            `${text(formatDelta(row.change, 'B'))}, ${signed(row.new_count - row.base_count, 0)} allocations`,
                        ],
                    ]}
                />
                <div class="snapshot-stack-links">
                    {sideLinks(comparison, diff, row).map(({ text: label, href }) => (
                        <a key={label} class="link" href={href}>
                            {label}
                        </a>
                    ))}
                    {key !== 'none' && (
                        <CopyButton
                            class="link"
                            label="Copy stack"
                            text={() => frames.map(frameText).join('\n')}
                        />
                    )}
                </div>
                {key !== 'none' && (
                    <ol class="snapshot-stack-frames mono">
                        {frames.map((frame, i) => (
                            <li key={i} title={frame.file ?? undefined}>
                                {frameText(frame)}
                            </li>
                        ))}
                    </ol>
                )}
            </div>
        </>
    );
}
