/* SPDX-License-Identifier: MIT
 *
 * The tables of the range, or of the complete run, below the tracks. Dragging the upper edge
 * resizes the dock.
 */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { replaceQuery, route } from '../../base/router';
import type { Run } from '../../base/types';
import { Spacer } from '../../components/toolbar';
import { rangeText, type TraceRange } from '../../model/trace_range';
import { isStacks, rangedPath } from '../trace/data';
import { DOCK_PANES, type DockPane } from './dock_panes';

const DEFAULT_HEIGHT = 232;
/** maximum default height, as a share of the window */
const MAX_DEFAULT_SHARE = 0.3;
const MIN_HEIGHT = 90;
const MAX_SHARE = 0.75;

interface DockProps {
    run: Run;
    range: TraceRange | null;
    /** the selected slice as a pane, only in narrow windows */
    slice: { title: string; body: ComponentChildren } | null;
    tools: ComponentChildren;
}

const defaultHeight = (): number =>
    Math.min(DEFAULT_HEIGHT, Math.round(innerHeight * MAX_DEFAULT_SHARE));

function clampHeight(height: number): number {
    return Math.round(Math.min(innerHeight * MAX_SHARE, Math.max(MIN_HEIGHT, height)));
}

export function TimelineDock({ run, range, slice, tools }: DockProps) {
    const { query } = route.value;
    const height = clampHeight(Number(query.dockh) || defaultHeight());
    const panes = DOCK_PANES.filter(({ shown }) => shown(run));
    const chosen =
        query.dock === 'slice' && slice ? null : panes.find(({ id }) => id === query.dock);
    const pane: DockPane | undefined =
        query.dock === 'slice' && slice ? undefined : (chosen ?? panes[0]);
    const Body = pane?.view;
    return (
        <section class="timeline-dock" style={{ height }} aria-label="tables of the range">
            <DockEdge height={height} />
            <div class="pane-head">
                <b>
                    {pane?.title ?? slice?.title}{' '}
                    {pane && (range ? 'in range' : 'of the whole run')}
                </b>
                {pane && (
                    <span class="pane-remark">
                        {range &&
                            `${rangeText(range)}, ${isStacks(run) ? 'samples inside' : 'slices that start inside'}`}
                    </span>
                )}
                <Spacer />
                {pane?.tools && <pane.tools run={run} />}
                {tools}
                <div class="timeline-dock-tabs" role="tablist">
                    {slice && <DockTab id="slice" title={slice.title} current={!pane} />}
                    {panes.map(({ id, title }) => (
                        <DockTab key={id} id={id} title={title} current={id === pane?.id} />
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
            </div>
            <div class="timeline-dock-body">
                {Body ? <Body key={pane.id} run={run} range={range} /> : slice?.body}
            </div>
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
            onClick={() => replaceQuery({ dock: id })}
        >
            {title}
        </button>
    );
}

/* The upper edge, moved by dragging or with the arrow keys. */
function DockEdge({ height }: { height: number }) {
    const from = useRef<{ y: number; height: number } | null>(null);
    const setHeight = (next: number): void => {
        const whole = clampHeight(next);
        replaceQuery({ dockh: whole === defaultHeight() ? null : String(whole) });
    };
    return (
        <div
            class="timeline-dock-edge"
            role="separator"
            aria-orientation="horizontal"
            aria-label="height of the tables"
            aria-valuenow={height}
            tabIndex={0}
            onPointerDown={(event) => {
                event.currentTarget.setPointerCapture(event.pointerId);
                from.current = { y: event.clientY, height };
            }}
            onPointerMove={(event) => {
                const start = from.current;
                if (start) setHeight(start.height + start.y - event.clientY);
            }}
            onPointerUp={() => {
                from.current = null;
            }}
            onKeyDown={(event) => {
                if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
                event.preventDefault();
                event.stopPropagation();
                setHeight(height + (event.key === 'ArrowUp' ? 24 : -24));
            }}
        />
    );
}
