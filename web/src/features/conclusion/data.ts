/* SPDX-License-Identifier: MIT
 *
 * The conclusion of a run, as the server sends it (docs/api-views.md), and which of its causes are
 * shown.
 */
import type { Cause, Composition, ReportLink } from '../../base/answers';
import { text } from '../../base/units';
import { type BarPart, partText } from '../../model/breakdown';
import { heatLevel } from '../../model/heat';
import { categoryColour } from '../../model/memory_categories';
import { formatPart } from '../../model/sentence';

/** A cause with its parts. `index` counts the causes of level 0 from 1. */
export interface CauseGroup {
    index: number;
    cause: Cause;
    parts: Cause[];
}

export function groupCauses(causes: Cause[]): CauseGroup[] {
    const groups: CauseGroup[] = [];
    for (const cause of causes) {
        const last = groups[groups.length - 1];
        if (cause.level > 0 && last) last.parts.push(cause);
        else groups.push({ index: groups.length + 1, cause, parts: [] });
    }
    return groups;
}

/** rows of causes and parts that fit above the tabs */
const ROWS_SHOWN = 4;

/** Returns the index of the cause that is expanded initially: the first one if it and its parts fit
 * into ROWS_SHOWN rows; 0: none. */
export function initiallyOpen(groups: CauseGroup[]): number {
    const first = groups[0];
    if (!first || first.parts.length === 0) return 0;
    return 1 + first.parts.length <= ROWS_SHOWN ? first.index : 0;
}

/** The causes that are shown before the user asks for more: those that fit into ROWS_SHOWN rows with
 * the parts of the open one, and all up to the open one. */
export function groupsShown(groups: CauseGroup[], open: number): CauseGroup[] {
    let rows = 0;
    return groups.filter(({ index, parts }) => {
        rows += 1 + (index === open ? parts.length : 0);
        return rows <= ROWS_SHOWN || index <= open;
    });
}

/** Colours of CPU samples, as in the table of lines. */
const CPU_COLOURS: Record<string, string> = {
    python: 'bar',
    native: 'bar-2',
    system: 'line-strong',
};

/** The name of the colour that the part has in the views of the report. */
function partColour(kind: Composition['kind'], name: string, share: number): string {
    switch (kind) {
        case 'step_parts':
            return `family-${partText(name).family}`;
        case 'origins':
            return `origin-${name}`;
        case 'lines':
            return name === 'other' ? 'inset' : `heat-${Math.max(1, heatLevel(100 * share))}`;
        case 'cpu':
            return CPU_COLOURS[name] ?? 'inset';
        case 'categories':
            return categoryColour(name);
    }
}

export function barParts(
    { kind, unit, whole, parts }: Composition,
    hrefOf: (link: ReportLink) => string,
): BarPart[] {
    return parts.map(({ name, label, value, link }) => ({
        label,
        colour: partColour(kind, name, value / whole),
        amount: text(formatPart(value, unit)),
        share: value / whole,
        href: hrefOf(link),
    }));
}

const FRAME_PLACE = /^.*[\\/]([^\\/]+\(\d+\): .*)$/;

/** A Python frame of a trace without the folders of its file; other names are unchanged. */
export function shortFrame(name: string): string {
    return FRAME_PLACE.exec(name)?.[1] ?? name;
}
