/* SPDX-License-Identifier: MIT
 *
 * Wheel, drag and keyboard input of the call graph.
 */
import type { GraphEdge } from '../base/answers';
import { useEffectOn } from '../base/hooks';
import { useKeys } from '../base/keys';
import { type Plane, centreOn, fitPlane, zoomPlane } from '../model/plane';
import type { CallGraphViewProps } from './call_graph_view';
import { hideTooltip } from './tooltip';
import { readWheel } from './wheel';

/** Minimum scale at which labels are readable. */
export const READABLE_SCALE = 0.62;

export type Apply = (next: Plane, notify?: boolean) => void;

export function usePlaneInput(
    svg: { current: SVGSVGElement | null },
    plane: { current: Plane },
    apply: Apply,
): void {
    useEffectOn(() => {
        const element = svg.current;
        if (!element) return undefined;
        let drag: { x: number; y: number; from: Plane } | null = null;
        let moved = false;
        const onWheel = (event: WheelEvent): void => {
            event.preventDefault();
            const at = element.getBoundingClientRect();
            const turn = readWheel(event);
            hideTooltip();
            const { current } = plane;
            if (turn.kind === 'zoom') {
                const [x, y] = [event.clientX - at.left, event.clientY - at.top];
                apply(zoomPlane(current, 1 / turn.factor, x, y));
            } else if (turn.kind === 'pan') apply({ ...current, x: current.x - turn.px });
            else apply({ ...current, y: current.y - turn.px });
        };
        const onDown = (event: PointerEvent): void => {
            if (event.button !== 0) return;
            drag = { x: event.clientX, y: event.clientY, from: plane.current };
            moved = false;
        };
        const onMove = (event: PointerEvent): void => {
            if (!drag) return;
            const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
            if (!moved && Math.hypot(dx, dy) < 4) return;
            if (!moved) element.setPointerCapture(event.pointerId);
            moved = true;
            hideTooltip();
            apply({ ...drag.from, x: drag.from.x + dx, y: drag.from.y + dy });
        };
        const onUp = (): void => {
            drag = null;
        };
        // Ignore the click event at the end of a drag.
        const onClick = (event: MouseEvent): void => {
            if (moved) event.stopPropagation();
            moved = false;
        };
        element.addEventListener('wheel', onWheel, { passive: false });
        element.addEventListener('pointerdown', onDown);
        element.addEventListener('pointermove', onMove);
        element.addEventListener('pointerup', onUp);
        element.addEventListener('click', onClick, true);
        return () => hideTooltip();
    }, []);
}

export function useGraphKeys(
    latest: { current: CallGraphViewProps },
    plane: { current: Plane },
    apply: Apply,
    viewportRect: () => DOMRect,
): void {
    const zoom = (factor: number) => () => {
        const { width, height } = viewportRect();
        apply(zoomPlane(plane.current, factor, width / 2, height / 2));
    };
    const pan = (dx: number, dy: number) => () => {
        const { width, height } = viewportRect();
        apply({
            ...plane.current,
            x: plane.current.x + dx * width,
            y: plane.current.y + dy * height,
        });
    };
    const show = (id: number): void => {
        const box = latest.current.picture.nodes.find((node) => node.id === id);
        if (box)
            apply(
                centreOn(box.x, box.y, Math.max(READABLE_SCALE, plane.current.k), viewportRect()),
            );
    };
    const moveAlongEdge = (down: boolean) => () => {
        const { graph, selected, onSelect } = latest.current;
        const edges = graph.edges.filter(
            (e) => (down ? e.from : e.to) === selected && e.from !== e.to,
        );
        const best = edges.reduce<GraphEdge | null>(
            (most, e) =>
                most === null || (e.total ?? e.ncalls ?? 0) > (most.total ?? most.ncalls ?? 0)
                    ? e
                    : most,
            null,
        );
        const next = selected === null ? graph.nodes[0]?.id : best && (down ? best.to : best.from);
        if (next === undefined || next === null) return;
        onSelect(next);
        show(next);
    };
    useKeys('Call graph', [
        { key: '+', label: 'zoom in', run: zoom(1.25) },
        { key: '=', label: '', run: zoom(1.25) },
        { key: '-', label: 'zoom out', run: zoom(0.8) },
        {
            key: '0',
            label: 'reset zoom',
            run: () => apply(fitWholeGraph(latest.current, viewportRect())),
        },
        { key: 'w', label: 'up', run: pan(0, 0.15) },
        { key: 's', label: 'down', run: pan(0, -0.15) },
        { key: 'a', label: 'left', run: pan(0.15, 0) },
        { key: 'd', label: 'right', run: pan(-0.15, 0) },
        { key: 'ArrowUp', label: 'most expensive caller', run: moveAlongEdge(false) },
        { key: 'ArrowDown', label: 'most expensive callee', run: moveAlongEdge(true) },
        {
            key: 'f',
            label: 'center the selected function',
            run: () => latest.current.selected !== null && show(latest.current.selected),
        },
        {
            key: 'Enter',
            label: 'focus on the selected function',
            run: () =>
                latest.current.selected !== null && latest.current.onFocus(latest.current.selected),
        },
    ]);
}

function fitWholeGraph({ picture }: CallGraphViewProps, viewportRect: DOMRect): Plane {
    const whole = fitPlane(picture.width + 32, picture.height + 32, viewportRect);
    return { ...whole, x: whole.x + 16 * whole.k, y: whole.y + 16 * whole.k };
}
