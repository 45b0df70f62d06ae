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
import { int, text } from '../../base/units';
import { changeOptions, paintOf } from '../../canvas/tree_paint';
import { Segmented } from '../../components/segmented';
import { formatDelta, formatValueOf, changeWord } from '../../model/compare';
import { nameOf } from '../../model/tree';
import { type DiffTree, treeOfComparison } from '../../model/tree_answers';
import { removedNodes, widthsOf } from '../../model/tree_diff';
import { changeRows, changeText } from '../../model/tree_tip';
import { ComparisonCurves } from './curves';
import { layoutDrawn, type Side } from './diff_tree';
import { frameActions } from './row_menu';
import { metricOf } from './state';
import {
    type Drawing,
    formsOfKind,
    hasPicture,
    NoPicture,
    type PictureMark,
    type PictureProps,
    TreeCertaintyLegend,
    totalText,
    TreePicture,
    useTree,
} from './tree';

/* Tables of memory whose runs also have curves over time. */
const TABLES_WITH_CURVES = ['memory', 'categories', 'processes', 'spans'];

function isCurved({ base: [{ kind }] }: Comparison, table: ComparisonTable): boolean {
    const metric = metricOf(table, route.value.query);
    return (
        TABLES_WITH_CURVES.includes(table.of) ||
        (table.of === 'lines' && kindHas(kind, 'line_cpu') && metric !== table.metrics[0])
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
    return `${side}${mean}, ${totalText(answer, answer[side].sum, runs, headline?.[side], headline?.unit)}`;
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
    return tree && tree.new.sum < tree.base.sum ? 'base' : 'new';
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
            tip={(of, node) => ({ rows: changeRows(of, node), foot: [changeText(of, node)] })}
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
