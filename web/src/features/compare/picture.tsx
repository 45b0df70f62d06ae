/* SPDX-License-Identifier: MIT
 *
 * Picture above a comparison table: memory over time, steps part by part, or an icicle of the
 * difference. The icicle merges the trees of the runs, with the widths of the new runs or of the
 * base. Removed paths are drawn only with the widths of the base.
 */
import { useMemo } from 'preact/hooks';
import type { Comparison, ComparisonTable, ComparisonTree } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import { replaceQuery, route } from '../../base/router';
import { int, MINUS, pct, text, THIN_SPACE } from '../../base/units';
import { changeOptions, paintOf } from '../../canvas/tree_paint';
import { Segmented } from '../../components/segmented';
import { formatDelta, formatValueOf, changeWord } from '../../model/compare';
import { certaintyOf, nameOf } from '../../model/tree';
import { type DiffTree, treeOfComparison } from '../../model/tree_answers';
import {
    boundsOf,
    deltaOf,
    deltaRange,
    isOpen,
    levelOf,
    nodeChangeOf,
    removedNodes,
    widthsOf,
} from '../../model/tree_diff';
import { ComparisonCurves } from './curves';
import { layoutDrawn, type Side } from './diff_tree';
import { frameActions } from './row_menu';
import { metricOf } from './state';
import {
    boundsText,
    type Drawing,
    formsOfKind,
    hasPicture,
    CERTAINTY_TEXTS,
    NoPicture,
    type PictureMark,
    type PictureProps,
    TreeCertaintyLegend,
    totalText,
    TreePicture,
    TreeTip,
    useTree,
} from './tree';

/* Tables of memory whose runs also have curves over time. */
const TABLES_WITH_CURVES = ['memory', 'categories', 'processes', 'spans'];

function isCurved({ base: [{ kind }] }: Comparison, table: ComparisonTable): boolean {
    const metric = metricOf(table, route.value.query);
    return (
        TABLES_WITH_CURVES.includes(table.of) ||
        (kindHas(kind, 'line_cpu') && metric !== table.metrics[0])
    );
}

interface ComparePictureProps extends PictureProps {
    comparison: Comparison;
}

export function ComparePicture(props: ComparePictureProps) {
    const { comparison, table } = props;
    if (isCurved(comparison, table)) return <ComparisonCurves comparison={comparison} />;
    if (!hasPicture(comparison, table)) return <NoPicture report={comparison} table={table} />;
    return <DiffPicture {...props} />;
}

function titleOf(comparison: Comparison, answer: ComparisonTree, side: Side): string {
    const { headline, [side]: runs } = comparison;
    const mean = runs.length > 1 ? ', mean of its runs' : '';
    return `${side}${mean}, ${totalText(answer, answer[side], runs, headline?.[side], headline?.unit)}`;
}

function drawingOf(answer: ComparisonTree, side: Side, comparison: Comparison): Drawing<DiffTree> {
    const tree = treeOfComparison(answer);
    const width = widthsOf(tree[side]);
    const { sum } = tree[side];
    const layout = layoutDrawn(tree, width, sum);
    const title = titleOf(comparison, answer, side);
    const formsOf = formsOfKind(tree, comparison.base[0]);
    const format = (delta: number) => text(formatDelta(delta, tree.unit));
    const paint = paintOf(tree, layout, { ...changeOptions(tree, format), title, formsOf });
    return { tree, title, width, layout, paint };
}

/* The side whose totals are the widths. What vanished is only drawn with those of the base. */
function sideOf(tree: ComparisonTree | null): Side {
    const { width } = route.value.query;
    if (width === 'base' || width === 'new') return width;
    return tree && tree.new < tree.base ? 'base' : 'new';
}

type DiffPictureProps = ComparePictureProps & PictureMark;

export function DiffPicture({ comparison, table, wantedRow, ...mark }: DiffPictureProps) {
    const answer = useTree<ComparisonTree>(table);
    const { data } = answer;
    const side = sideOf(data);
    const drawing = useMemo(
        () => data && drawingOf(data, side, comparison),
        [data, side, comparison],
    );
    return (
        <TreePicture
            {...{ table, wantedRow, answer, drawing, ...mark }}
            label="Difference"
            head={<PictureHead tree={drawing?.tree} side={side} markText={mark.markText} />}
            tip={(of, node) => <DiffTip tree={of} node={node} />}
            actions={(of, node) => frameActions(comparison, table, of, node)}
        />
    );
}

interface PictureHeadProps {
    tree: DiffTree | undefined;
    side: Side;
    markText?: string | null;
}

function PictureHead({ tree, side, markText }: PictureHeadProps) {
    const removed = tree ? removedNodes(tree) : [];
    const removedTotal = removed.reduce((sum, node) => sum + (tree?.base.total[node] ?? 0), 0);
    const names = tree ? removed.slice(0, 12).map((node) => nameOf(tree, node)) : [];
    return (
        <div class="compare-picture-head">
            <Segmented
                label="width of frames"
                value={side}
                options={[
                    { value: 'new', text: 'Width: new' },
                    { value: 'base', text: 'Width: base', tip: 'also draws removed frames' },
                ]}
                onChange={(value) =>
                    replaceQuery({
                        width: value,
                        zoom: null,
                        frame: null,
                    })
                }
            />
            <span class="soft wide-only">colour = Δ of the total against base</span>
            {markText && <span class="ellipsis">marked: {markText}</span>}
            {tree && <TreeCertaintyLegend tree={tree} />}
            {removed.length > 0 && (
                <span class="soft ellipsis" title={names.join('\n')}>
                    {int(removed.length)} removed,{' '}
                    {text(formatValueOf(removedTotal, tree?.unit ?? ''))}: {names.join(', ')}
                </span>
            )}
            <span class="spacer" />
            <DiffLegend unit={tree?.unit ?? 's'} hasGone={side === 'base'} />
        </div>
    );
}

/** hasGone: what only the base has is drawn too. */
export function DiffLegend({ unit, hasGone = false }: { unit: string; hasGone?: boolean }) {
    return (
        <span class="diff-legend">
            {changeWord(false, unit)}
            <span aria-hidden="true">
                {[1, 2, 3, 4, 5, 6, 7].map((step) => (
                    <i key={step} style={{ background: `var(--diff-${step})` }} />
                ))}
            </span>
            {changeWord(true, unit)}
            <i class="is-new" aria-hidden="true" />
            new
            {hasGone && (
                <>
                    <i class="is-gone" aria-hidden="true" />
                    gone
                </>
            )}
        </span>
    );
}

const NODE_CHANGE_TEXTS = {
    new: 'new on this path',
    gone: 'removed from this path',
    below: 'below the threshold of a profile, or not called',
    kept: '',
};
const VERDICT_NOTES = ['', 'too few runs for a test', 'within noise', '', ''];

function sideText(tree: DiffTree, side: Side, node: number): string {
    const change = nodeChangeOf(tree, node);
    if (change === (side === 'base' ? 'new' : 'gone')) return '–';
    const [low, high] = boundsOf(tree[side], node);
    if (isOpen(tree[side], node))
        return isFinite(high) ? `< ${text(formatValueOf(high, tree.unit))}` : '?';
    return boundsText(high, low, certaintyOf(tree, node), tree.unit);
}

function deltaText(tree: DiffTree, node: number): string {
    const format = (value: number) => text(formatDelta(value, tree.unit));
    const [low, high] = deltaRange(tree, node);
    if (low === high) return format(low);
    return isFinite(high - low) ? `${format(low)} to ${format(high)}` : '?';
}

function shareText(tree: DiffTree, node: number): string {
    const [low, high] = boundsOf(tree.base, node);
    const delta = deltaOf(tree, node);
    const isExact = certaintyOf(tree, node) === 0 && nodeChangeOf(tree, node) !== 'below';
    if (!isExact || low !== high || low <= 0) return '';
    return `${delta < 0 ? MINUS : '+'}${pct((100 * Math.abs(delta)) / low)}${THIN_SPACE}% of base`;
}

function DiffTip({ tree, node }: { tree: DiffTree; node: number }) {
    const level = node < 0 ? 0 : levelOf(tree, node);
    const verdictNote =
        VERDICT_NOTES[tree.verdict?.[node] ?? 0] || (level ? changeWord(level > 0, tree.unit) : '');
    const foot = [
        NODE_CHANGE_TEXTS[nodeChangeOf(tree, node)],
        verdictNote,
        CERTAINTY_TEXTS[certaintyOf(tree, node)],
    ]
        .filter(Boolean)
        .join(', ');
    return (
        <TreeTip tree={tree} node={node} foot={foot}>
            <dt>base</dt>
            <dd>{sideText(tree, 'base', node)}</dd>
            <dd />
            <dt>new</dt>
            <dd>{sideText(tree, 'new', node)}</dd>
            <dd />
            <dt>Δ</dt>
            <dd>{deltaText(tree, node)}</dd>
            <dd>{shareText(tree, node)}</dd>
        </TreeTip>
    );
}
