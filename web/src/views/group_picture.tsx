/* SPDX-License-Identifier: MIT
 *
 * The icicle of one group: the trees of its runs laid over each other, as wide as their means.
 */
import { useMemo } from 'preact/hooks';
import type { ComparedTable, GroupReport, GroupTree } from '../base/compare_types';
import { route } from '../base/router';
import { int, pct, text, THIN } from '../base/units';
import { groupPaint } from '../canvas/group_paint';
import { FrameView } from '../components/frame_view';
import { Notice } from '../components/notice';
import { LoadingLine } from '../components/progress';
import { figOf } from '../model/compare';
import { layoutTree, nameOf } from '../model/diff_tree';
import { matcher, matchSet } from '../model/search';
import { hasPicture, NODES } from './compare_picture';
import { comparePath, put } from './compare_state';
import { useJson } from './use_json';

export function GroupPicture({ report, table }: { report: GroupReport; table: ComparedTable }) {
    return hasPicture(report, table) ? <TreePicture report={report} /> : null;
}

function useDrawn(tree: GroupTree | null, report: GroupReport) {
    const { q = '', regex } = route.value.query;
    const drawn = useMemo(() => {
        if (!tree) return null;
        const layout = layoutTree(tree, tree.new_total, tree.new);
        const say = (value: number) => text(figOf(value, tree.unit));
        const title = `mean of ${int(report.new.length)} runs, ${say(tree.new)}`;
        const modules = report.new[0].kind === 'importtime';
        return { tree, layout, title, paint: groupPaint({ tree, layout, title, say, modules }) };
    }, [tree, report]);
    const match = useMemo(() => {
        const search = matcher(q, regex === '1');
        return tree && !search.empty ? matchSet(search, tree.n, (i) => nameOf(tree, i)) : null;
    }, [tree, q, regex]);
    return { drawn, match };
}

function TreePicture({ report }: { report: GroupReport }) {
    const { query } = route.value;
    const { data, error, loading } = useJson<GroupTree>(
        comparePath(query, '/tree', { limit: NODES }),
    );
    const { drawn, match } = useDrawn(data, report);
    const picked = Number(query.frame ?? -1);
    return (
        <section class="picture compare-picture" aria-label="Means of the runs">
            {error && <Notice kind="error" title="The picture could not be read" error={error} />}
            {drawn && !error && (
                <FrameView
                    label="Means of the runs"
                    layout={drawn.layout}
                    paint={drawn.paint}
                    match={match?.set ?? null}
                    selected={picked < drawn.tree.n ? picked : -1}
                    onSelect={(node) => put({ frame: node >= 0 ? String(node) : null })}
                    zoom={query.zoom ?? ''}
                    onZoom={(span) => put({ zoom: span })}
                    idOf={(node) => node}
                    nodeOf={(id) => id}
                    nameOf={(node) => nameOf(drawn.tree, node)}
                    rootName={drawn.title}
                    tip={(node) => <GroupTip tree={drawn.tree} node={node} />}
                    height={182}
                    keyless
                    empty="There is nothing to draw."
                />
            )}
            <LoadingLine active={loading} />
        </section>
    );
}

function GroupTip({ tree, node }: { tree: GroupTree; node: number }) {
    const total = node < 0 ? tree.new : tree.new_total[node];
    const share = (value: number) =>
        tree.new > 0 ? `${pct((100 * value) / tree.new)}${THIN}% of all` : '';
    return (
        <>
            <div class="tooltip-title tip-long">{node < 0 ? 'all' : nameOf(tree, node)}</div>
            <dl>
                <dt>mean total</dt>
                <dd>{text(figOf(total, tree.unit))}</dd>
                <dd>{share(total)}</dd>
                {node >= 0 && (
                    <>
                        <dt>mean in itself</dt>
                        <dd>{text(figOf(tree.new_self[node], tree.unit))}</dd>
                        <dd>{share(tree.new_self[node])}</dd>
                    </>
                )}
            </dl>
        </>
    );
}
