/* SPDX-License-Identifier: MIT
 *
 * Two runs side by side: every view that both runs have, in two linked panels. Each panel is an
 * iframe with the program, so it has the width, the keys and the axis of its own run.
 */
import { useMemo, useRef } from 'preact/hooks';
import type { Comparison, Run } from '../../base/answers';
import { useEffectOn, useLayoutEffectOn, useMemoOn } from '../../base/hooks';
import { useKeys } from '../../base/keys';
import { offlineFile } from '../../base/offline';
import type { Side } from '../../base/panel';
import { formatHash, goTo, navigate, type Query, route } from '../../base/router';
import { text } from '../../base/units';
import { Menu } from '../../components/menu';
import { Tabs } from '../../components/tabs';
import { formatValueOf } from '../../model/compare';
import { ALIGN_KEY, groupKeys, selectGroupRun, RUN_KEY, SIDES } from '../../model/side';
import { currentName, SQL_TAB, tabsOf, type TabSpec } from '../report/tabs';
import { AlignBar } from './align';
import { canAlign, shareTimeAxis, TIMELINE, useAligned } from './axis';
import { sideHash, SideHost, sideView } from './host';

/* The run to show of each group: the run that the user selected, else the first. */
function runsOf(comparison: Comparison, query: Query): Record<Side, Run> {
    const pick = (side: Side) =>
        comparison[side].find(({ id }) => id === query[`${side}.${RUN_KEY}`]) ??
        comparison[side][0];
    return { base: pick('base'), new: pick('new') };
}

/* Last query of each view, so that returning to a view restores its state. */
const lastQuery = new Map<string, Query>();

function useViewHrefs(specs: TabSpec[], runs: Record<Side, Run>, current: string) {
    const { query } = route.value;
    const keyOf = (view: string) => `${runs.base.id} ${runs.new.id} ${view}`;
    lastQuery.set(keyOf(current), query);
    return specs.map(({ id, title }) => {
        const nextQuery = { ...lastQuery.get(keyOf(id)), ...groupKeys(query) };
        return { id, title, href: sideHash(id, nextQuery) };
    });
}

interface SideProps {
    comparison: Comparison;
    view: string | undefined;
}

export function SideView({ comparison, view }: SideProps) {
    const { query } = route.value;
    const runs = runsOf(comparison, query);
    const [ofBase, ofNew] = [runs.base, runs.new].map((run) =>
        tabsOf(run).filter((spec) => spec !== SQL_TAB),
    );
    const specs = ofBase.filter(({ id }) => ofNew.some((other) => other.id === id));
    const views = specs.map(({ id }) => id);
    const current = sideView(views, currentName(view));
    const unsharedViews = [
        ...viewsOfOneSide(ofBase, views, 'base'),
        ...viewsOfOneSide(ofNew, views, 'new'),
    ];
    return (
        <>
            <ViewTabs specs={specs} runs={runs} current={current} unsharedViews={unsharedViews} />
            <Panels
                key={`${runs.base.id} ${runs.new.id}`}
                runs={runs}
                comparison={comparison}
                views={views}
                current={current}
            />
        </>
    );
}

function viewsOfOneSide(all: TabSpec[], shared: string[], side: Side): string[] {
    return all.filter(({ id }) => !shared.includes(id)).map(({ title }) => `${title} (${side})`);
}

interface ViewTabsProps {
    specs: TabSpec[];
    runs: Record<Side, Run>;
    current: string;
    /** views that only one of the runs has */
    unsharedViews: string[];
}

function ViewTabs({ specs, runs, current, unsharedViews }: ViewTabsProps) {
    const items = useViewHrefs(specs, runs, current);
    useKeys('Side by side', [
        ...items.map(({ href }, i) => ({
            key: String(i + 1),
            label: 'switch views',
            run: () => goTo(href),
        })),
    ]);
    return (
        <Tabs current={current} items={items} label="views that both runs have">
            {unsharedViews.length > 0 && (
                <span class="soft" title="views that only one of the two runs has">
                    not in both: {unsharedViews.join(', ')}
                </span>
            )}
        </Tabs>
    );
}

interface PanelsProps {
    runs: Record<Side, Run>;
    comparison: Comparison;
    views: string[];
    current: string;
}

function Panels({ runs, comparison, views, current }: PanelsProps) {
    const host = useMemoOn(() => new SideHost(runs, views), []);
    // Timelines are stacked, so that their time axes are aligned.
    const stacked = current === TIMELINE;
    const isRequested = stacked || route.value.query[ALIGN_KEY] !== undefined;
    const isAligned = isRequested && shareTimeAxis(runs, views);
    const { aligned, failed } = useAligned(runs, isAligned);
    const places = aligned?.places ?? null;
    useLayoutEffectOn(
        () => host.setPositions(places, isAligned && !places && !failed),
        [places, isAligned, failed],
    );
    useEffectOn(() => host.enter(), [current]);
    useEffectOn(() => () => host.close(), []);
    return (
        <>
            {stacked && aligned && canAlign(runs) && <AlignBar runs={runs} now={aligned} />}
            <div class={stacked ? 'side-panels is-stacked' : 'side-panels'}>
                {SIDES.map((side) => (
                    <PanelFrame
                        key={side}
                        side={side}
                        run={runs[side]}
                        runs={comparison[side]}
                        host={host}
                    />
                ))}
            </div>
        </>
    );
}

interface FrameProps {
    side: Side;
    run: Run;
    /** all runs of the group of this side */
    runs: Run[];
    host: SideHost;
}

function PanelFrame({ side, run, runs, host }: FrameProps) {
    const frame = useRef<HTMLIFrameElement | null>(null);
    const page = useMemo(panelPage, []);
    useLayoutEffectOn(() => {
        if (frame.current) host.attach(side, frame.current);
    }, []);
    const missing = host.missing.value;
    return (
        <section class={`side-panel is-${side}`} aria-label={`${side}: ${run.name}`}>
            <header class="pane-head side-head">
                <i class="side-mark" aria-hidden="true" />
                <small>{side}</small>
                <a class="side-name" href={formatHash(['run', run.id])} title={run.name}>
                    {run.name}
                </a>
                {run.headline && (
                    <span class="soft">
                        {text(formatValueOf(run.headline.value, run.headline.unit))}
                    </span>
                )}
                {runs.length > 1 && <RunPicker side={side} run={run} runs={runs} />}
                {missing?.side === side && <MissingNote name={missing.name} />}
            </header>
            <iframe ref={frame} {...page} title={`${side}: ${run.name}`} />
        </section>
    );
}

/* Shows the last part of the name, for example the last frame of a path or the text of a line. */
function MissingNote({ name }: { name: string }) {
    const last = name.split('\n').filter(Boolean).pop();
    return (
        <span class="side-missing" role="status" title={name}>
            {last ?? 'it'} is not in this run
        </span>
    );
}

function RunPicker({ side, run, runs }: { side: Side; run: Run; runs: Run[] }) {
    const pick = (id: string) => {
        const { path, query } = route.peek();
        navigate(path, selectGroupRun(query, side, id));
    };
    return (
        <Menu
            label={`1 of ${runs.length}`}
            ariaLabel={`which run of ${side}`}
            class="link"
            filter={runs.length > 12}
            items={runs.map((one) => ({
                text: one.name,
                note: one.headline
                    ? text(formatValueOf(one.headline.value, one.headline.unit))
                    : '',
                checked: one.id === run.id,
                onPick: () => pick(one.id),
            }))}
        />
    );
}

/** Source of a panel's iframe: the shelf's page with `?panel`. An offline file has no URL to load;
 * its panels contain the head of this page, which includes the complete program. */
function panelPage(): { src: string } | { srcdoc: string } {
    if (!offlineFile()) return { src: '/?panel' };
    const head = document.head.innerHTML;
    return {
        srcdoc: `<!doctype html><html lang="en"><head>${head}</head><body><div id="app"></div></body></html>`,
    };
}
