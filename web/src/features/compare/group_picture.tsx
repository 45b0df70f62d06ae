/* SPDX-License-Identifier: MIT
 *
 * The icicle of one group: the merged trees of its runs; widths are means.
 */
import { useMemo } from 'preact/hooks';
import type { GroupReport, GroupTree } from '../../base/answers';
import { int, text } from '../../base/units';
import { COLOURS_OF_GROUPS, paintOf, tintsOfNames } from '../../canvas/tree_paint';
import { formatValueOf } from '../../model/compare';
import { FUNCTIONS, treeOf } from '../../model/tree_answers';
import { certaintyText, weightRows } from '../../model/tree_tip';
import { layoutDrawn } from './diff_tree';
import {
    type Drawing,
    formsOfKind,
    hasPicture,
    NoPicture,
    type PictureProps,
    TreeCertaintyLegend,
    totalText,
    TreePicture,
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
    const tree = treeOf(answer, answer.certainty && FUNCTIONS);
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
                    <div class="compare-picture-head wide-only">
                        <TreeCertaintyLegend tree={drawing.tree} />
                    </div>
                )
            }
            tip={(of, node) => ({
                rows: weightRows(of, node, {
                    total: 'mean total',
                    self: 'mean in itself',
                    whole: of.sum,
                    of: 'of all',
                    format: (value) => text(formatValueOf(value, of.unit)),
                }),
                foot: [certaintyText(of, node)],
            })}
        />
    );
}
