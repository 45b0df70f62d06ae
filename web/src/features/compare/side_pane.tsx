/* SPDX-License-Identifier: MIT
 *
 * The areas of a comparison whose size the user chooses: the pane beside a table, and the picture
 * above or below it.
 */
import type { ComponentChildren } from 'preact';
import { type SizedPane, sizedPane, Splitter } from '../../components/splitter';
import { viewportWidth } from '../../components/viewport';

/** From this width of the window on, the pane is beside the table; see compare.css. */
export const PANE_BESIDE = 1000;
/** Padding of the pane, left and right. */
const PANE_PADDING = 24;
/** Head and padding of a picture, px. */
const PICTURE_HEAD = 44;

function sidePane(): SizedPane {
    const max = Math.max(300, Math.round(viewportWidth.value * 0.6));
    return sizedPane('compare.pane', { normal: 420, min: 300, max });
}

/** Width of the pane beside the table; 0 where the pane is below the table. */
export function sidePaneWidth(): number {
    return viewportWidth.value >= PANE_BESIDE ? sidePane().size : 0;
}

/** Width of the content of the pane. */
export function sidePaneContent(): number {
    return (sidePaneWidth() || Math.min(420, viewportWidth.value)) - PANE_PADDING;
}

export function SidePane({ label, children }: { label: string; children: ComponentChildren }) {
    const isBeside = viewportWidth.value >= PANE_BESIDE;
    const pane = sidePane();
    return (
        <section
            class="pane pane-compare"
            aria-label={label}
            style={isBeside ? { flexBasis: pane.size } : undefined}
        >
            {isBeside && <Splitter pane={pane} side="right" label="width of the pane" />}
            {children}
        </section>
    );
}

function picturePane(): SizedPane {
    const max = Math.max(80, Math.round(innerHeight * 0.6));
    return sizedPane('compare.picture', { normal: 164, min: 60, max });
}

/** Height of the drawing in a picture, px. */
export function pictureHeight(): number {
    return picturePane().size;
}

interface PictureBoxProps {
    label: string;
    /** true: the picture is below the table */
    isBelow?: boolean;
    children: ComponentChildren;
}

/** The picture of a comparison, with the edge that changes its height. */
export function PictureBox({ label, isBelow = false, children }: PictureBoxProps) {
    const pane = picturePane();
    return (
        <section
            class={`picture compare-picture${isBelow ? ' is-below' : ''}`}
            aria-label={label}
            style={{ minHeight: pane.size + PICTURE_HEAD }}
        >
            {children}
            <Splitter
                pane={pane}
                side={isBelow ? 'below' : 'above'}
                label="height of the picture"
            />
        </section>
    );
}
