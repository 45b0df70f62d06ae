/* SPDX-License-Identifier: MIT
 *
 * Links a call graph with the call graph of the other panel. Two layouts have different
 * coordinates, so the view is sent as the function nearest to the middle and its distance from the
 * middle.
 */
import { postToPanels, usePanelMessage, useNames } from '../base/panel';
import { parsePlane, type Plane, planeText } from '../model/plane';
import type { CallGraphViewProps } from './call_graph_view';

const TOPIC = 'graph';

type Props = { current: CallGraphViewProps };
type ViewportRect = () => DOMRect;

function baseName(file: string): string {
    return file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
}

/* Returns scale and offset as `k dx dy`, then name and file of the function nearest to the middle,
 * each on its own line. */
function planeName({ current: { graph, picture } }: Props, plane: Plane, viewportRect: DOMRect) {
    const [mx, my] = [
        (viewportRect.width / 2 - plane.x) / plane.k,
        (viewportRect.height / 2 - plane.y) / plane.k,
    ];
    const away = (box: { x: number; y: number }) => Math.hypot(box.x - mx, box.y - my);
    const box = picture.nodes.reduce((best, one) => (away(one) < away(best) ? one : best));
    const node = graph.nodes.find(({ id }) => id === box.id);
    if (!node) return null;
    return [[plane.k, mx - box.x, my - box.y].join(' '), node.name, baseName(node.file)].join('\n');
}

function planeOf(
    { current: { graph, picture } }: Props,
    name: string,
    viewportRect: DOMRect,
): Plane | null {
    const [numbers, functionName, file] = name.split('\n');
    const node = graph.nodes.find(
        (one) => one.name === functionName && baseName(one.file) === file,
    );
    const box = node && picture.nodes.find(({ id }) => id === node.id);
    if (!box) return null;
    const [k, dx, dy] = numbers.split(' ').map(Number);
    return {
        k,
        x: viewportRect.width / 2 - (box.x + dx) * k,
        y: viewportRect.height / 2 - (box.y + dy) * k,
    };
}

/** Links the two views. Returns a function to call whenever the user moves the view. */
export function useGraphLink(
    latest: Props,
    viewportRect: ViewportRect,
    show: (plane: Plane) => void,
) {
    usePanelMessage(TOPIC, (name) => {
        const plane = planeOf(latest, name, viewportRect());
        if (plane) show(plane);
    });
    useNames(['view'], {
        nameOf: (value) => {
            const plane = parsePlane(value);
            return plane && planeName(latest, plane, viewportRect());
        },
        // If the function is not in the other graph, that view does not move.
        valueOf: (name) => {
            const plane = planeOf(latest, name, viewportRect());
            return plane ? planeText(plane) : undefined;
        },
    });
    return (plane: Plane): void => {
        const name = planeName(latest, plane, viewportRect());
        if (name) postToPanels(TOPIC, name);
    };
}
