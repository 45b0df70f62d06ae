/* SPDX-License-Identifier: MIT
 *
 * The tables of the range, or of the complete run, below the tracks. The dock can be resized, and
 * closed so that only its head is visible.
 */
import type { ComponentChildren } from 'preact';
import type { Run, TimelineAnswer } from '../../base/answers';
import { replaceQuery, route } from '../../base/router';
import { plural } from '../../base/units';
import { type SizedPane, sizedPane, Splitter } from '../../components/splitter';
import { Spacer } from '../../components/toolbar';
import { rangeText, type TraceRange } from '../../model/trace_range';
import { isStacks, rangedPath } from '../trace/data';
import { DOCK_PANES, type DockPane } from './dock_panes';

const DEFAULT_HEIGHT = 226;
/** maximum default height, as a share of the window */
const MAX_DEFAULT_SHARE = 0.3;
const HEAD_HEIGHT = 28;
/** the head, the header of a table and three rows */
const MIN_HEIGHT = HEAD_HEIGHT + 28 + 3 * 24;
const MAX_SHARE = 0.75;

/** A pane of the dock that is beside the tracks in wide windows. */
export interface DockDetail {
    id: string;
    title: string;
    body: ComponentChildren;
}

interface DockProps {
    run: Run;
    timeline: TimelineAnswer;
    range: TraceRange | null;
    /** only in narrow windows */
    details: readonly DockDetail[];
    /** the search field of a panel */
    tools: ComponentChildren;
}

/** Height of the dock, and whether it is open. */
export function dockPane(): SizedPane {
    const normal = Math.min(DEFAULT_HEIGHT, Math.round(innerHeight * MAX_DEFAULT_SHARE));
    return sizedPane('timeline.dock', {
        normal,
        min: Math.min(MIN_HEIGHT, normal),
        max: Math.round(innerHeight * MAX_SHARE),
    });
}

function placeText(range: TraceRange | null): string {
    if (!range) return 'of the whole run';
    return range.tracks === undefined ? 'in range' : 'in area';
}

/* The range, and which slices count. */
function ruleText(run: Run, range: TraceRange): string {
    const rule = isStacks(run) ? 'samples inside' : 'slices that start inside';
    const tracks = range.tracks?.split(',').length;
    return `${rangeText(range)}, ${rule}${tracks ? `, ${plural(tracks, 'track')}` : ''}`;
}

export function TimelineDock({ run, timeline, range, details, tools }: DockProps) {
    const { query } = route.value;
    const dock = dockPane();
    const panes = DOCK_PANES.filter(({ shown }) => shown(run, timeline));
    const detail = details.find(({ id }) => id === query.dock);
    const chosen = panes.find(({ id }) => id === query.dock) ?? panes[0];
    const pane: DockPane | null = detail ? null : chosen;
    const Body = pane?.view;
    return (
        <section
            class="timeline-dock"
            style={{ height: dock.isOpen ? dock.size : HEAD_HEIGHT }}
            aria-label="tables of the range"
        >
            {dock.isOpen && <Splitter pane={dock} side="below" label="height of the tables" grip />}
            <div class="pane-head">
                <b>
                    {pane?.title ?? detail?.title} {pane && placeText(range)}
                </b>
                {pane && <span class="pane-remark">{range && ruleText(run, range)}</span>}
                <Spacer />
                {pane?.tools && <pane.tools run={run} />}
                {tools}
                <div class="timeline-dock-tabs" role="tablist">
                    {[...details, ...panes].map(({ id, title }) => (
                        <DockTab
                            key={id}
                            id={id}
                            title={title}
                            current={id === (detail ?? pane)?.id}
                        />
                    ))}
                </div>
                {pane?.csv && (
                    <a
                        class="timeline-csv"
                        href={rangedPath(run, pane.csv, range, { format: 'csv' })}
                        download
                        title="all rows, unrounded"
                    >
                        CSV
                    </a>
                )}
                <button
                    type="button"
                    class="timeline-toggle"
                    aria-expanded={dock.isOpen}
                    aria-label="tables of the range"
                    title={`${dock.isOpen ? 'close' : 'open'} the tables (Shift+D)`}
                    onClick={() => dock.setOpen(!dock.isOpen)}
                >
                    {dock.isOpen ? '▾' : '▴'}
                </button>
            </div>
            {dock.isOpen && (
                <div class="timeline-dock-body">
                    {Body ? <Body key={pane.id} run={run} range={range} /> : detail?.body}
                </div>
            )}
        </section>
    );
}

function DockTab({ id, title, current }: { id: string; title: string; current: boolean }) {
    return (
        <button
            type="button"
            role="tab"
            aria-selected={current}
            class={current ? 'is-current' : ''}
            onClick={() => {
                dockPane().setOpen(true);
                replaceQuery({ dock: id });
            }}
        >
            {title}
        </button>
    );
}
