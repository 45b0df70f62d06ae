/* SPDX-License-Identifier: MIT */
import { useMemo } from 'preact/hooks';
import { route, setQuery } from '../../base/router';
import { THIN, fmtFixed, plural } from '../../base/units';
import { importPaint } from '../../canvas/frame_paint';
import { FrameView } from '../../components/frame_view';
import { layoutIcicle } from '../../model/icicle';
import type { ImportData } from './data';
import { ImportTip } from './tip';
import type { Mode } from './toolbar';
import { TreemapView } from './treemap_view';

const ROOT_NAME = 'python -X importtime';

interface PictureProps {
    data: ImportData;
    mode: Mode;
    hidden: Uint8Array | null;
    match: Uint8Array | null;
    /** threshold in µs and the time that it applies to: the icicle uses cumulative times, the
     * treemap self times */
    minUs: number;
    by: 'self' | 'cumulative';
    /** index of the node, or -1 */
    selected: number;
    onSelect: (node: number) => void;
}

/** The icicle in one of its two orders, or the treemap. */
export function ImportsPicture(props: PictureProps) {
    const { data, mode, hidden, match, minUs, by, selected, onSelect } = props;
    const query = route.value.query;
    const leftHeavy = mode !== 'order';
    const least = by === 'cumulative' ? minUs : 0;
    const layout = useMemo(
        () => layoutIcicle(data.tree, { leftHeavy, hidden, minUs: least }),
        [data, leftHeavy, hidden, least],
    );
    const paint = useMemo(
        () => importPaint(data.tree, layout, { name: ROOT_NAME, us: data.total }),
        [data, layout],
    );
    return (
        <div class="picture">
            {mode === 'treemap' ? (
                <TreemapView
                    tree={data.tree}
                    hidden={hidden}
                    minUs={by === 'self' ? minUs : 0}
                    match={match}
                    selected={selected}
                    onSelect={onSelect}
                    zoom={query.pkg ?? ''}
                    onZoom={(pkg) => setQuery({ pkg }, { replace: true })}
                    rootName={ROOT_NAME}
                    tip={(node) => <ImportTip data={data} node={node} rootName={ROOT_NAME} />}
                    height={290}
                />
            ) : (
                <FrameView
                    label="Icicle of the imports"
                    layout={layout}
                    paint={paint}
                    match={match}
                    selected={selected}
                    onSelect={onSelect}
                    zoom={query.zoom ?? ''}
                    onZoom={(zoom) => setQuery({ zoom }, { replace: true })}
                    idOf={(node) => data.tree.id[node]}
                    nodeOf={(id) => data.index.get(id) ?? -1}
                    nameOf={(node) => data.tree.names[node]}
                    rootName={ROOT_NAME}
                    tip={(node) => <ImportTip data={data} node={node} rootName={ROOT_NAME} />}
                    height={290}
                    empty="This log has no import times. Record one with python -X importtime."
                />
            )}
            {data.tree.cut && (
                <div class="picture-note">
                    {plural(data.tree.cut.rows, 'module')} below{' '}
                    {fmtFixed(data.tree.cut.below_us / 1000, 3)}
                    {THIN}ms not drawn; the table lists all modules
                </div>
            )}
        </div>
    );
}
