/* SPDX-License-Identifier: MIT
 *
 * The icicle of one group: the merged trees of its runs; widths are means.
 */
import { useMemo } from 'preact/hooks';
import type { GroupReport, GroupTree } from '../../base/answers';
import { int, pct, text, THIN_SPACE } from '../../base/units';
import { COLOURS_OF_GROUPS, paintOf, tintsOfNames } from '../../canvas/tree_paint';
import { formatValueOf } from '../../model/compare';
import { certaintyOf, type Tree } from '../../model/tree';
import { treeOfGroup } from '../../model/tree_answers';
import { boundsOf } from '../../model/tree_diff';
import { layoutDrawn } from './diff_tree';
import {
    boundsText,
    type Drawing,
    formsOfKind,
    hasPicture,
    CERTAINTY_TEXTS,
    NoPicture,
    type PictureProps,
    TreeCertaintyLegend,
    totalText,
    TreePicture,
    TreeTip,
    useTree,
} from './tree';

interface GroupPictureProps extends PictureProps {
    report: GroupReport;
}

export function GroupPicture(props: GroupPictureProps) {
    if (hasPicture(props.report, props.table)) return <MeansPicture {...props} />;
    return <NoPicture {...props} />;
}

function drawingOf(answer: GroupTree, { headline, new: runs }: GroupReport): Drawing {
    const tree = treeOfGroup(answer);
    const { total: width, sum, unit } = tree;
    const layout = layoutDrawn(tree, width, sum);
    const whole = totalText(answer, sum, runs, headline?.new, headline?.unit);
    const title = `mean of ${int(runs.length)} runs, ${whole}`;
    const paint = paintOf(tree, layout, {
        title,
        colours: COLOURS_OF_GROUPS,
        tintOf: tintsOfNames(tree),
        formsOf: formsOfKind(tree, runs[0]),
        valueText: (node) => text(formatValueOf(width[node], unit)),
    });
    return { tree, title, width, layout, paint };
}

function MeansPicture({ report, table, wantedRow }: GroupPictureProps) {
    const answer = useTree<GroupTree>(table);
    const { data } = answer;
    const drawing = useMemo(() => data && drawingOf(data, report), [data, report]);
    return (
        <TreePicture
            {...{ table, wantedRow, answer, drawing }}
            label="Means of the runs"
            head={
                drawing?.tree.certainty && (
                    <div class="compare-picture-head">
                        <TreeCertaintyLegend tree={drawing.tree} />
                    </div>
                )
            }
            tip={(of, node) => <GroupTip tree={of} node={node} />}
        />
    );
}

function GroupTip({ tree, node }: { tree: Tree; node: number }) {
    const [low, total] = boundsOf(tree, node);
    const certainty = certaintyOf(tree, node);
    const self = tree.self?.[node];
    const share = (value: number) =>
        tree.sum > 0 ? `${pct((100 * value) / tree.sum)}${THIN_SPACE}% of all` : '';
    return (
        <TreeTip tree={tree} node={node} foot={CERTAINTY_TEXTS[certainty]}>
            <dt>mean total</dt>
            <dd>{boundsText(total, low, certainty, tree.unit)}</dd>
            <dd>{certainty === 0 && share(total)}</dd>
            {typeof self === 'number' && (
                <>
                    <dt>mean in itself</dt>
                    <dd>{text(formatValueOf(self, tree.unit))}</dd>
                    <dd>{share(self)}</dd>
                </>
            )}
        </TreeTip>
    );
}
