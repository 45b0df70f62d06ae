/* SPDX-License-Identifier: MIT
 *
 * Makes visible the marks that change the direction of text, such as U+202E: in a name they could
 * make a text read otherwise than it is, and reorder what stands beside it. Applies to all texts,
 * tooltips and canvases of the page. Data keep their characters.
 */
import { options, type VNode } from 'preact';

const MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const ATTRIBUTES = ['title', 'aria-label', 'alt', 'placeholder'];

/** The text with `\u202e` in place of each mark. */
export function showMarks(text: string): string {
    return text.replace(MARKS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function showMarksOf(vnode: VNode): void {
    // A text is a node without a type, whose properties are the text.
    const node = vnode as { type: unknown; props: unknown };
    if (node.type === null && typeof node.props === 'string') node.props = showMarks(node.props);
    if (typeof node.type !== 'string') return;
    const props = node.props as Record<string, unknown>;
    for (const name of ATTRIBUTES) {
        const value = props[name];
        if (typeof value === 'string') props[name] = showMarks(value);
    }
}

/** Call it once, before the first text is drawn. `canvas`: the prototype of contexts. */
export function showDirectionMarks(canvas: CanvasRenderingContext2D): void {
    const before = options.vnode?.bind(options);
    options.vnode = (vnode) => {
        showMarksOf(vnode);
        before?.(vnode);
    };
    // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the context below
    const { fillText, measureText } = canvas;
    canvas.fillText = function (text, ...rest) {
        fillText.call(this, showMarks(text), ...rest);
    };
    canvas.measureText = function (text) {
        return measureText.call(this, showMarks(text));
    };
}
