/* SPDX-License-Identifier: MIT
 *
 * The page between two panels: it keeps both addresses in its own, and lets each follow what the
 * reader does in the other. What is an id of one run is told by its name, which the view on screen
 * knows, or by the comparison.
 */
import { effect, signal } from '@preact/signals';
import { API, asApiError, getJson, withParams } from '../../base/client';
import { dispatchKey } from '../../base/keys';
import type { Panel, PanelHost, Side } from '../../base/panel';
import { formatHash, goTo, navigate, type Query, route, parseHash } from '../../base/router';
import type { Run } from '../../base/types';
import {
    aloneKeys,
    groupKeys,
    mergeQuery,
    otherSide,
    ownChanges,
    panelQuery,
    SIDES,
    tableOfKey,
} from '../../model/side';
import { type Place, placed, unplaced } from '../../model/time_align';
import { showDrop } from '../upload/drop_target';

/** What a panel could not follow. */
export interface Missing {
    side: Side;
    key: string;
    /** what it is called in the other run */
    name: string;
}

/** What a row of one run is in the other. */
interface Twin {
    id: number | null;
    name: string;
}

interface NavigateHow {
    replace: boolean;
}

export const SIDE_TAB = 'side';

export function sideHash(view: string, query: Query): string {
    return formatHash(['compare', SIDE_TAB, view], query);
}

/** The view that is shown where the address names this one. */
export function sideView(views: string[], asked: string | undefined): string {
    return asked && views.includes(asked) ? asked : (views[0] ?? '');
}

const STRETCH = /^[\d.e-]+~[\d.e-]+$/;

export class SideHost {
    readonly missing = signal<Missing | null>(null);
    private readonly panels = new Map<Side, Panel>();
    private readonly frames = new Map<Side, HTMLIFrameElement>();
    /** the one that the reader is at work in: its scrolling counts, and keys of the page go there */
    private active: Side = 'base';
    /** names that the view of a side was not there to translate yet, by key */
    private readonly pending = new Map<Side, Map<string, string>>(SIDES.map((s) => [s, new Map()]));
    private readonly stop: () => void;
    private places: Record<Side, Place> | null = null;
    private waiting = false;

    constructor(
        private readonly runs: Record<Side, Run>,
        /** that both have */
        private readonly views: string[],
    ) {
        this.stop = effect(() => {
            const { path, query } = route.value;
            if (path[0] === 'compare' && path[1] === SIDE_TAB) this.show(query);
        });
    }

    /** Another view is shown. */
    enter(): void {
        this.missing.value = null;
        this.focus();
    }

    /** Where both stand on one axis of time; panels wait for it when it is under way. */
    place(places: Record<Side, Place> | null, waiting: boolean): void {
        this.places = places;
        this.waiting = waiting;
        this.show(route.peek().query);
    }

    close(): void {
        this.stop();
        this.panels.clear();
    }

    private get view(): string {
        return sideView(this.views, route.peek().path[2]);
    }

    private hashOf(side: Side, query: Query): string {
        const run = this.runs[side];
        const own = panelQuery(query, side, run.kind);
        return formatHash(['run', run.id, this.view], placed(own, this.places?.[side] ?? null));
    }

    private show(query: Query): void {
        if (this.waiting) return;
        for (const [side, panel] of this.panels) panel.show(this.hashOf(side, query));
    }

    /** Before the window in the frame starts. */
    attach(side: Side, frame: HTMLIFrameElement): void {
        this.frames.set(side, frame);
        (frame as HTMLIFrameElement & { panelHost?: PanelHost }).panelHost = this.hostOf(side);
    }

    private hostOf(side: Side): PanelHost {
        return {
            side,
            join: (panel) => {
                this.panels.set(side, panel);
                if (!this.waiting) panel.show(this.hashOf(side, route.peek().query));
                if (side === this.active) this.focus();
                if (this.panels.size === SIDES.length) this.catchUp();
            },
            go: (hash, replace) => this.take(side, hash, { replace }),
            named: () => this.resolve(side),
            say: (topic, text) => {
                if (topic === 'scroll' && side !== this.active) return;
                this.panels.get(otherSide(side))?.hear(topic, text);
            },
            key: (press) => dispatchKey(press, false),
            dragged: showDrop,
            active: () => {
                this.active = side;
            },
        };
    }

    /* What is chosen on one side alone, in a link or after another run was picked. */
    private catchUp(): void {
        for (const side of SIDES) {
            for (const [key, value] of aloneKeys(route.peek().query, side)) {
                void this.followById(otherSide(side), key, value);
            }
        }
    }

    /** Keys go to the panel that was worked in last. */
    focus(): void {
        this.frames.get(this.active)?.contentWindow?.focus();
    }

    private take(side: Side, hash: string, how: NavigateHow): void {
        const { path, query: said } = parseHash(hash);
        if (path[0] !== 'run' || path[1] !== this.runs[side].id) {
            goTo(hash);
            return;
        }
        const view = path[2];
        const asked = unplaced(said, this.places?.[side] ?? null);
        const { kind } = this.runs[side];
        const now = view === this.view ? route.peek().query : groupKeys(route.peek().query);
        const changes = ownChanges(panelQuery(now, side, kind), asked, kind);
        const query = mergeQuery(now, side, asked, kind);
        this.missing.value = null;
        for (const [key, value] of changes) this.follow(otherSide(side), key, value, query);
        navigate(['compare', SIDE_TAB, view], query, how);
    }

    /* Puts into `query` what the panel of `side` makes of a change in the other one. */
    private follow(side: Side, key: string, value: string, query: Query): void {
        const name = `${side}.${key}`;
        this.pending.get(side)?.delete(key);
        if (value === '') delete query[name];
        else if (STRETCH.test(value)) query[name] = value;
        else if (this.panels.get(otherSide(side))?.knows(key)) {
            this.followByName(side, key, value, query);
        } else void this.followById(side, key, value);
    }

    private followByName(side: Side, key: string, value: string, query: Query): void {
        const name = this.panels.get(otherSide(side))?.nameOf(key, value) ?? null;
        if (name !== null) this.followName(side, key, name, query);
    }

    private followName(side: Side, key: string, name: string, query: Query): void {
        const panel = this.panels.get(side);
        const found = panel?.knows(key) ? panel.valueOf(key, name) : undefined;
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
        const twin = await this.twinOf(of, from, value);
        // The reader may be elsewhere by now.
        const query = { ...route.peek().query };
        if (!twin || query[`${from}.${key}`] !== value) return;
        if (twin.id === null) this.missing.value = { side, key, name: twin.name };
        else this.put(side, key, String(twin.id), query);
    }

    /* null: rows that are not compared, such as modules of the interpreter's start. */
    private async twinOf(of: string, side: Side, id: string): Promise<Twin | null> {
        const { base, new: fresh } = this.runs;
        const params = { base: base.id, new: fresh.id, side, id };
        try {
            return await getJson<Twin>(withParams(`${API}/compare/twin/${of}`, params));
        } catch (error) {
            if (asApiError(error).status === 404) return null;
            throw error;
        }
    }

    private put(side: Side, key: string, value: string, query: Query): void {
        query[`${side}.${key}`] = value;
        navigate(route.peek().path, query, { replace: true });
    }

    /* A view has come that knows names: of what is chosen in it alone, and that others waited with. */
    private resolve(side: Side): void {
        const before = route.peek().query;
        const query = { ...before };
        const beside = otherSide(side);
        const waiting = [...(this.pending.get(side) ?? [])];
        for (const [key, name] of waiting) this.followName(side, key, name, query);
        for (const [key, value] of aloneKeys(before, side)) {
            if (this.panels.get(side)?.knows(key)) this.followByName(beside, key, value, query);
        }
        if (Object.keys(query).some((key) => query[key] !== before[key])) {
            navigate(route.peek().path, query, { replace: true });
        }
    }
}
