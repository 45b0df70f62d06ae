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
import { certaintyOf, layoutTree, nameOf, placeOf, type RowName } from '../model/diff_tree';
import { matcher, matchSet } from '../model/search';
import {
    boundsText,
    hasPicture,
    MEANINGS,
    NODES,
    NoPicture,
    pictureHeight,
    SureLegend,
} from './compare_picture';
import { selectFrame, useFrameOfRow } from './compare_link';
import { comparePath, put } from './compare_state';
import { useJson } from './use_json';

interface GroupPictureProps {
    report: GroupReport;
    table: ComparedTable;
    /** what was picked in the table */
    wanted: RowName | null;
}

export function GroupPicture(props: GroupPictureProps) {
    const { report, table } = props;
    if (!hasPicture(report, table)) return <NoPicture report={report} table={table} />;
    return <TreePicture {...props} />;
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

function TreePicture({ report, table, wanted }: GroupPictureProps) {
    const { query } = route.value;
    const { data, error, loading } = useJson<GroupTree>(
        comparePath(query, '/tree', { limit: NODES }),
    );
    const { drawn, match } = useDrawn(data, report);
    useFrameOfRow(data, data?.new_total ?? [], wanted);
    const picked = Number(query.frame ?? -1);
    return (
        <section class="picture compare-picture" aria-label="Means of the runs">
            {data?.certainty && (
                <div class="compare-picture-head">
                    <SureLegend tree={data} />
                </div>
            )}
            {error && <Notice kind="error" title="The picture could not be read" error={error} />}
            {drawn && !error && (
                <FrameView
                    label="Means of the runs"
                    layout={drawn.layout}
                    paint={drawn.paint}
                    match={match?.set ?? null}
                    selected={picked < drawn.tree.n ? picked : -1}
                    onSelect={(node) => void selectFrame(table, drawn.tree, node)}
                    zoom={query.zoom ?? ''}
                    onZoom={(span) => put({ zoom: span })}
                    idOf={(node) => node}
                    nodeOf={(id) => id}
                    nameOf={(node) => nameOf(drawn.tree, node)}
                    rootName={drawn.title}
                    tip={(node) => <GroupTip tree={drawn.tree} node={node} />}
                    height={pictureHeight(drawn.layout, 182)}
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
    const certainty = certaintyOf(tree, node);
    const own = node < 0 ? undefined : tree.new_self?.[node];
    const place = node < 0 ? null : placeOf(tree, node);
    const low = node < 0 ? total : (tree.new_low?.[node] ?? total);
    const share = (value: number) =>
        tree.new > 0 ? `${pct((100 * value) / tree.new)}${THIN}% of all` : '';
    return (
        <>
            <div class="tooltip-title tip-long">{node < 0 ? 'all' : nameOf(tree, node)}</div>
            {place && <div class="soft mono tip-place">{place}</div>}
            <dl>
                <dt>mean total</dt>
                <dd>{boundsText(total, low, certainty, tree.unit)}</dd>
                <dd>{certainty === 0 && share(total)}</dd>
                {own !== undefined && (
                    <>
                        <dt>mean in itself</dt>
                        <dd>{text(figOf(own, tree.unit))}</dd>
                        <dd>{share(own)}</dd>
                    </>
                )}
            </dl>
            {MEANINGS[certainty] && <div class="tooltip-foot">{MEANINGS[certainty]}</div>}
        </>
    );
}
