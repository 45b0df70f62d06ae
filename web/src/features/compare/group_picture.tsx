/* SPDX-License-Identifier: MIT
 *
 * The icicle of one group: the merged trees of its runs; widths are means.
 */
import { useMemo } from 'preact/hooks';
import type { GroupReport, GroupTree } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import { int, pct, text, THIN_SPACE } from '../../base/units';
import { formatValueOf } from '../../model/compare';
import { certaintyOf, layoutTree } from './diff_tree';
import {
    boundsText,
    type Drawing,
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
import { groupPaint } from './tree_paint';

interface GroupPictureProps extends PictureProps {
    report: GroupReport;
}

export function GroupPicture(props: GroupPictureProps) {
    if (hasPicture(props.report, props.table)) return <MeansPicture {...props} />;
    return <NoPicture {...props} />;
}

function drawingOf(tree: GroupTree, { headline, new: runs }: GroupReport): Drawing {
    const layout = layoutTree(tree, tree.new_total, tree.new);
    const format = (value: number) => text(formatValueOf(value, tree.unit));
    const total = totalText(tree, tree.new, runs, headline?.new, headline?.unit);
    const title = `mean of ${int(runs.length)} runs, ${total}`;
    const hasModuleNames = kindHas(runs[0].kind, 'imports');
    return {
        title,
        width: tree.new_total,
        layout,
        paint: groupPaint({ tree, layout, title, format, hasModuleNames }),
    };
}

function MeansPicture({ report, table, wantedRow }: GroupPictureProps) {
    const answer = useTree<GroupTree>(table);
    const tree = answer.data;
    const drawing = useMemo(() => tree && drawingOf(tree, report), [tree, report]);
    return (
        <TreePicture
            {...{ table, wantedRow, answer, drawing }}
            label="Means of the runs"
            head={
                tree?.certainty && (
                    <div class="compare-picture-head">
                        <TreeCertaintyLegend tree={tree} />
                    </div>
                )
            }
            tip={(of, node) => <GroupTip tree={of} node={node} />}
        />
    );
}

function GroupTip({ tree, node }: { tree: GroupTree; node: number }) {
    const total = node < 0 ? tree.new : tree.new_total[node];
    const certainty = certaintyOf(tree, node);
    const self = node < 0 ? undefined : tree.new_self?.[node];
    const low = node < 0 ? total : (tree.new_low?.[node] ?? total);
    const share = (value: number) =>
        tree.new > 0 ? `${pct((100 * value) / tree.new)}${THIN_SPACE}% of all` : '';
    return (
        <TreeTip tree={tree} node={node} foot={CERTAINTY_TEXTS[certainty]}>
            <dt>mean total</dt>
            <dd>{boundsText(total, low, certainty, tree.unit)}</dd>
            <dd>{certainty === 0 && share(total)}</dd>
            {self !== undefined && (
                <>
                    <dt>mean in itself</dt>
                    <dd>{text(formatValueOf(self, tree.unit))}</dd>
                    <dd>{share(self)}</dd>
                </>
            )}
        </TreeTip>
    );
}
