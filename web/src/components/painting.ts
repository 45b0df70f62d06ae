/* SPDX-License-Identifier: MIT
 *
 * Hooks of pictures on a canvas that are as wide as the element around them.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { watchTheme } from './theme_watch';

/** An element and its width in px, which is 0 before the first measurement. */
export function useWidth() {
    const box = useRef<HTMLDivElement | null>(null);
    const [width, setWidth] = useState(0);
    useLayoutEffect(() => {
        if (!box.current) return undefined;
        const observer = new ResizeObserver(([{ contentRect }]) => setWidth(contentRect.width));
        observer.observe(box.current);
        return () => observer.disconnect();
    }, []);
    return { box, width };
}

/** Calls `paint` after each render and when the theme changes. */
export function usePaint(paint: () => void): void {
    const latest = useRef(paint);
    latest.current = paint;
    useLayoutEffect(paint);
    useEffect(() => watchTheme(() => latest.current()), []);
}
