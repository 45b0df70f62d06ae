/* SPDX-License-Identifier: MIT
 *
 * The treemap with its input: a click selects a module, a double click zooms into its package,
 * Escape zooms out, the left and right keys select by size.
 */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useEffectOn } from '../../base/hooks';
import { useKeys } from '../../base/keys';
import { postToPanels, usePanelMessage } from '../../base/panel';
import { type FrameTheme, readTheme } from '../../canvas/theme';
import { FrameCrumb } from '../../components/frame_crumb';
import { watchTheme } from '../../components/theme_watch';
import { showTip } from '../../components/tip';
import { hideTooltip } from '../../components/tooltip';
import type { TipData } from '../../model/tip';
import type { Imports } from './data';
import { REST_TILE, type Rect, type Treemap, layoutTreemap, tileAt } from './treemap';
import { drawTreemap } from './treemap_canvas';

interface TreemapViewProps {
    tree: Imports;
    hidden: Uint8Array | null;
    minUs: number;
    match: Uint8Array | null;
    selected: number;
    onSelect: (node: number) => void;
    /** name of the zoomed package, or '' */
    zoom: string;
    onZoom: (name: string | null) => void;
    rootName: string;
    tip: (node: number) => TipData;
    height: number;
}

const CRUMB_HEIGHT = 18;
const TOPIC = 'treemap';

/* Tile under the pointer of this panel, else under that of the other panel, matched by module
 * name. */
function useHover(map: Treemap, tree: Imports) {
    const [ownHover, setOwnHover] = useState(-1);
    const [otherHover, setOtherHover] = useState(-1);
    const nameOf = (tile: number): string => tree.frames.name[map.tiles[tile]?.node] ?? '';
    usePanelMessage(TOPIC, (name) =>
        setOtherHover(name === '' ? -1 : map.tiles.findIndex((_, i) => nameOf(i) === name)),
    );
    const hoverTile = (tile: number): void => {
        if (tile !== ownHover) postToPanels(TOPIC, nameOf(tile));
        setOwnHover(tile);
    };
    return { hover: ownHover >= 0 ? ownHover : otherHover, hoverTile };
}

export function TreemapView(props: TreemapViewProps) {
    const { tree, hidden, minUs, match, selected, zoom } = props;
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const [size, setSize] = useState<Rect>({ x: 0, y: 0, w: 0, h: 0 });
    const [theme, setTheme] = useState<FrameTheme | null>(null);
    const only = zoom ? tree.packages.indexOf(zoom) : -1;
    const area = useMemo(
        () =>
            only >= 0 ? { ...size, y: CRUMB_HEIGHT, h: Math.max(0, size.h - CRUMB_HEIGHT) } : size,
        [size, only],
    );
    const map = useMemo(
        () => layoutTreemap(tree, hidden, only, minUs, area),
        [tree, hidden, only, minUs, area],
    );

    const { hover, hoverTile } = useHover(map, tree);

    useLayoutEffect(() => {
        const element = canvas.current;
        if (!element) return undefined;
        const measure = (): void =>
            setSize({ x: 0, y: 0, w: element.clientWidth, h: element.clientHeight });
        const updateTheme = (): void => setTheme(readTheme(element));
        measure();
        updateTheme();
        const observer = new ResizeObserver(measure);
        observer.observe(element);
        const unwatch = watchTheme(updateTheme);
        return () => {
            observer.disconnect();
            unwatch();
            hideTooltip();
        };
    }, []);

    useEffectOn(() => {
        const element = canvas.current;
        const ctx = element?.getContext('2d');
        if (!element || !ctx || !theme) return;
        const ratio = devicePixelRatio || 1;
        element.width = Math.round(size.w * ratio);
        element.height = Math.round(size.h * ratio);
        ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
        drawTreemap(ctx, { map, tree, theme, match, hover, selected }, size);
    }, [map, theme, match, hover, selected, size]);

    const tileIndexAt = (event: MouseEvent): number => {
        const box = canvas.current?.getBoundingClientRect();
        return box ? tileAt(map, event.clientX - box.left, event.clientY - box.top) : -1;
    };
    const step = (by: 1 | -1) => () => {
        const nodes = map.tiles.filter(({ node }) => node !== REST_TILE);
        const now = nodes.findIndex(({ node }) => node === selected);
        const next = nodes[Math.max(0, Math.min(nodes.length - 1, now + by))];
        if (next) props.onSelect(next.node);
    };
    const zoomInto = (node: number): void => {
        if (node >= 0) props.onZoom(tree.packages[tree.package[node]]);
    };
    useKeys('Picture', [
        { key: 'ArrowRight', label: 'next smaller module', run: step(1) },
        { key: 'ArrowLeft', label: 'next larger module', run: step(-1) },
        {
            key: 'f',
            label: 'zoom to the package of the selected module',
            run: () => zoomInto(selected),
        },
        { key: 'Enter', label: '', run: () => zoomInto(selected) },
        { key: '0', label: 'reset zoom', run: () => props.onZoom(null) },
        ...(only >= 0 || selected >= 0
            ? [
                  {
                      key: 'Escape',
                      label: only >= 0 ? 'all packages' : 'clear selection',
                      run: () => (only >= 0 ? props.onZoom(null) : props.onSelect(-1)),
                  },
              ]
            : []),
    ]);

    function onMove(event: PointerEvent): void {
        const tile = tileIndexAt(event);
        hoverTile(tile);
        const found = map.tiles[tile];
        if (!found || !canvas.current) {
            hideTooltip();
            return;
        }
        const top = canvas.current.getBoundingClientRect().top + found.y;
        const data =
            found.node === REST_TILE
                ? { title: `small modules of ${tree.packages[found.package]}`, rows: [] }
                : props.tip(found.node);
        showTip(data, event, { top, bottom: top + Math.min(40, found.h) });
    }

    return (
        <div class="frame-view" style={{ height: props.height }}>
            <canvas
                ref={canvas}
                class="treemap"
                tabIndex={0}
                role="img"
                aria-label={`Treemap of self times, ${map.tiles.length} tiles`}
                onPointerMove={onMove}
                onPointerLeave={() => {
                    hoverTile(-1);
                    hideTooltip();
                }}
                onClick={(event) =>
                    props.onSelect(Math.max(-1, map.tiles[tileIndexAt(event)]?.node ?? -1))
                }
                onDblClick={(event) => {
                    const tile = map.tiles[tileIndexAt(event)];
                    if (tile) props.onZoom(only >= 0 ? null : tree.packages[tile.package]);
                }}
            />
            {only >= 0 && (
                <FrameCrumb
                    path={[
                        { frame: 0, name: props.rootName },
                        { frame: 1, name: zoom },
                    ]}
                    onPick={(frame) => frame < 0 && props.onZoom(null)}
                />
            )}
        </div>
    );
}
