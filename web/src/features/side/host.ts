/* SPDX-License-Identifier: MIT
 *
 * The page around two panels: it stores both URLs in its own URL, and applies changes of one panel
 * to the other. Ids of one run are translated into ids of the other: by name, if the current view
 * knows the names, else by the rows of the comparison.
 */
import { effect, signal } from '@preact/signals';
import type { MatchingRow, Run } from '../../base/answers';
import { API, asApiError, getJson, withParams } from '../../base/client';
import { dispatchKey } from '../../base/keys';
import type { Panel, PanelHost, Side } from '../../base/panel';
import { formatHash, goTo, navigate, type Query, route, parseHash } from '../../base/router';
import {
    unmatchedKeys,
    groupKeys,
    mergeQuery,
    otherSide,
    perRunChanges,
    panelQuery,
    SIDES,
    tableOfKey,
} from '../../model/side';
import { type AxisPosition, withAxisPosition, withoutAxisPosition } from '../../model/time_align';
import { setFailedPart } from '../shared/use_json';
import { showDrop } from '../upload/drop_target';

/** A selection that the other run does not have. */
export interface MissingName {
    side: Side;
    key: string;
    /** name of the selected item */
    name: string;
}

interface NavigateOptions {
    replace: boolean;
}

export const SIDE_TAB = 'side';

/* The requests for matching rows: one part of the page. */
const TWIN = `${API}/compare/twin`;

export function sideHash(view: string, query: Query): string {
    return formatHash(['compare', SIDE_TAB, view], query);
}

/** The view of the URL if both runs have it, else the first view. */
export function sideView(views: string[], urlView: string | undefined): string {
    return urlView && views.includes(urlView) ? urlView : (views[0] ?? '');
}

const RANGE_VALUE = /^[\d.e-]+~[\d.e-]+$/;

export class SideHost {
    readonly missing = signal<MissingName | null>(null);
    private readonly panels = new Map<Side, Panel>();
    private readonly frames = new Map<Side, HTMLIFrameElement>();
    /** The panel that the user last used. The other panel follows its scrolling; keys of the page
     * are sent to it. */
    private active: Side = 'base';
    /** by side and URL key: names that the view of that side could not translate yet */
    private readonly pending = new Map<Side, Map<string, string>>(SIDES.map((s) => [s, new Map()]));
    private readonly stop: () => void;
    private places: Record<Side, AxisPosition> | null = null;
    private waiting = false;

    constructor(
        private readonly runs: Record<Side, Run>,
        /** views that both runs have */
        private readonly views: string[],
    ) {
        this.stop = effect(() => {
            const { path, query } = route.value;
            if (path[0] === 'compare' && path[1] === SIDE_TAB) this.show(query);
        });
    }

    /** Called when the page shows another view. */
    enter(): void {
        this.missing.value = null;
        this.focus();
    }

    /** Sets the positions of both runs on the common time axis. While they are loading (`waiting`),
     * the panels are not updated. */
    setPositions(places: Record<Side, AxisPosition> | null, waiting: boolean): void {
        this.places = places;
        this.waiting = waiting;
        this.show(route.peek().query);
    }

    close(): void {
        this.stop();
        this.panels.clear();
        setFailedPart(TWIN, null);
    }

    private get view(): string {
        return sideView(this.views, route.peek().path[2]);
    }

    private hashOf(side: Side, query: Query): string {
        const run = this.runs[side];
        const ownQuery = panelQuery(query, side, run.kind);
        return formatHash(
            ['run', run.id, this.view],
            withAxisPosition(ownQuery, this.places?.[side] ?? null),
        );
    }

    private show(query: Query): void {
        if (this.waiting) return;
        for (const [side, panel] of this.panels) panel.show(this.hashOf(side, query));
    }

    /** Registers the frame of a panel, before its window loads. */
    attach(side: Side, frame: HTMLIFrameElement): void {
        this.frames.set(side, frame);
        (frame as HTMLIFrameElement & { panelHost?: PanelHost }).panelHost = this.hostOf(side);
    }

    private hostOf(side: Side): PanelHost {
        return {
            side,
            register: (panel) => {
                this.panels.set(side, panel);
                if (!this.waiting) panel.show(this.hashOf(side, route.peek().query));
                if (side === this.active) this.focus();
                if (this.panels.size === SIDES.length) this.translateUnshared();
            },
            navigated: (hash, replace) => this.applyUrl(side, hash, { replace }),
            namesChanged: () => this.applyNames(side),
            send: (topic, text) => {
                if (topic === 'scroll' && side !== this.active) return;
                this.panels.get(otherSide(side))?.receive(topic, text);
            },
            key: (press) => dispatchKey(press, false),
            filesDragged: showDrop,
            activated: () => {
                this.active = side;
            },
        };
    }

    /* Translates selections that only one side of the URL has: from a link, or after another run
     * was selected. */
    private translateUnshared(): void {
        for (const side of SIDES) {
            for (const [key, value] of unmatchedKeys(route.peek().query, side)) {
                void this.followById(otherSide(side), key, value);
            }
        }
    }

    /** Gives the focus to the panel that the user last used. */
    focus(): void {
        this.frames.get(this.active)?.contentWindow?.focus();
    }

    private applyUrl(side: Side, hash: string, how: NavigateOptions): void {
        const { path, query: urlQuery } = parseHash(hash);
        if (path[0] !== 'run' || path[1] !== this.runs[side].id) {
            goTo(hash);
            return;
        }
        const view = path[2];
        const pageQuery = withoutAxisPosition(urlQuery, this.places?.[side] ?? null);
        const { kind } = this.runs[side];
        const now = view === this.view ? route.peek().query : groupKeys(route.peek().query);
        const changes = perRunChanges(panelQuery(now, side, kind), pageQuery, kind);
        const query = mergeQuery(now, side, pageQuery, kind);
        this.missing.value = null;
        for (const [key, value] of changes) this.follow(otherSide(side), key, value, query);
        navigate(['compare', SIDE_TAB, view], query, how);
    }

    /* Changes `query` for the panel of `side`, after the other panel changed `key` to `value`. */
    private follow(side: Side, key: string, value: string, query: Query): void {
        const name = `${side}.${key}`;
        this.pending.get(side)?.delete(key);
        if (value === '') delete query[name];
        else if (RANGE_VALUE.test(value)) query[name] = value;
        else if (this.panels.get(otherSide(side))?.translates(key)) {
            this.followByName(side, key, value, query);
        } else void this.followById(side, key, value);
    }

    private followByName(side: Side, key: string, value: string, query: Query): void {
        const name = this.panels.get(otherSide(side))?.nameOf(key, value) ?? null;
        if (name !== null) this.followName(side, key, name, query);
    }

    private followName(side: Side, key: string, name: string, query: Query): void {
        const panel = this.panels.get(side);
        const found = panel?.translates(key) ? panel.valueOf(key, name) : undefined;
        const waiting = this.pending.get(side);
        if (found === undefined) waiting?.set(key, name);
        else waiting?.delete(key);
        if (found === null) this.missing.value = { side, key, name };
        else if (found !== undefined) query[`${side}.${key}`] = found;
    }

    private async followById(side: Side, key: string, value: string): Promise<void> {
        const from = otherSide(side);
        const of = tableOfKey(this.runs[from].kind, this.view, key);
        if (!of || !/^\d+$/.test(value)) return;
        const match = await this.matchingRow(of, from, value);
        // The user may have navigated during the request.
        const query = { ...route.peek().query };
        if (!match || query[`${from}.${key}`] !== value) return;
        if (match.id === null) this.missing.value = { side, key, name: match.name };
        else this.setKey(side, key, String(match.id), query);
    }

    /* The row of the other run that matches row `id` of `side`. null for rows that the server does
     * not compare, such as modules of the interpreter's start. */
    private async matchingRow(of: string, side: Side, id: string): Promise<MatchingRow | null> {
        const { base, new: fresh } = this.runs;
        const params = { base: base.id, new: fresh.id, side, id };
        try {
            const match = await getJson<MatchingRow>(withParams(`${TWIN}/${of}`, params));
            setFailedPart(TWIN, null);
            return match;
        } catch (reason) {
            const error = asApiError(reason);
            if (error.status !== 404 && this.panels.size) setFailedPart(TWIN, error);
            return null;
        }
    }

    private setKey(side: Side, key: string, value: string, query: Query): void {
        query[`${side}.${key}`] = value;
        navigate(route.peek().path, query, { replace: true });
    }

    /* Called when the view of a side can translate names: applies the pending names, and translates
     * the selections that only this side has. */
    private applyNames(side: Side): void {
        const before = route.peek().query;
        const query = { ...before };
        const other = otherSide(side);
        const waiting = [...(this.pending.get(side) ?? [])];
        for (const [key, name] of waiting) this.followName(side, key, name, query);
        for (const [key, value] of unmatchedKeys(before, side)) {
            if (this.panels.get(side)?.translates(key)) this.followByName(other, key, value, query);
        }
        if (Object.keys(query).some((key) => query[key] !== before[key])) {
            navigate(route.peek().path, query, { replace: true });
        }
    }
}
