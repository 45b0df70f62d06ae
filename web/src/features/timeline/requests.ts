/* SPDX-License-Identifier: MIT
 *
 * Fetches what the timeline is about to show: windows of slices, curves, names. One question of each
 * sort is under way at a time; one that no longer serves is aborted.
 */
import { API, type ApiError, asApiError, getJson, isAbort, withParams } from '../../base/client';
import type { TextNames } from '../../base/trace_types';
import { covers, windowFor } from '../../model/timeline_cache';
import type { CurvesAnswer, WindowAnswer } from '../../model/timeline_types';
import type { TimeView } from '../../model/timeline_view';
import { curveSet } from './curves';
import type { WindowRequest, TimelineData } from './data';

const NAMES_AT_ONCE = 2000;
/** The whole run, to fall back on while panning far: coarse is enough. */
const WHOLE_PX = 1000;

type SqlRequest = { from: number; to: number; px: number };

/** A question under way. */
interface Flight {
    control: AbortController;
    asked: SqlRequest;
    /** what it asks for, as words */
    of: string[];
}

const ofPxOf = ({ from, to, px }: SqlRequest): number => (to - from) / px;

export class TimelineLoader {
    private windowFlight: Flight | null = null;
    private curveFlight: Flight | null = null;
    private wholeFlight: Flight | null = null;
    private namesFlight: AbortController | null = null;
    private gone = false;

    constructor(
        private readonly run: string,
        private readonly data: TimelineData,
        private readonly whole: TimeView,
        /** something came: the picture is to be drawn anew */
        private readonly onData: () => void,
        private readonly onError: (error: ApiError | null) => void,
    ) {}

    need(need: WindowRequest): void {
        this.needWindow(need);
        this.needCurves(need);
    }

    dispose(): void {
        this.gone = true;
        for (const flight of [this.windowFlight, this.curveFlight, this.wholeFlight]) {
            flight?.control.abort();
        }
        this.namesFlight?.abort();
    }

    /** Names that the picture or a tooltip wants. */
    async fetchNames(): Promise<void> {
        const { names } = this.data;
        if (this.namesFlight || !names.waiting || this.gone) return;
        const ids = names.take(NAMES_AT_ONCE);
        const control = new AbortController();
        this.namesFlight = control;
        try {
            const path = withParams(this.path('names'), { ids: ids.join(',') });
            const answer = await getJson<TextNames>(path, control);
            for (const [id, name] of Object.entries(answer.names)) names.put(Number(id), name);
            this.onData();
        } catch (reason) {
            names.giveBack(ids);
            this.fail(reason);
        }
        this.namesFlight = null;
        void this.fetchNames();
    }

    private path(view: string): string {
        return `${API}/runs/${this.run}/${view}`;
    }

    private fail(reason: unknown): void {
        if (!isAbort(reason) && !this.gone) this.onError(asApiError(reason));
    }

    /* True when what is under way will do, so that nothing has to be asked. */
    private serves(flight: Flight | null, need: WindowRequest, of: string[]): boolean {
        if (!flight) return false;
        const { from, to } = flight.asked;
        const window = { from, to, ofPx: ofPxOf(flight.asked) };
        if (!covers(window, need.view, need.px, this.whole, need.moving)) return false;
        return of.every((word) => flight.of.includes(word));
    }

    private needWindow(need: WindowRequest): void {
        const { cache } = this.data;
        const tracks = cache.missing(need.view, need.px, need.tracks, need.moving);
        if (!tracks.length) {
            if (!need.moving) void this.needWhole(need.tracks);
            return;
        }
        const of = tracks.map(String);
        if (this.serves(this.windowFlight, need, of)) return;
        this.windowFlight?.control.abort();
        this.wholeFlight?.control.abort();
        const flight = {
            control: new AbortController(),
            asked: windowFor(need.view, need.px, this.whole),
            of,
        };
        this.windowFlight = flight;
        void this.fetchWindow(flight, need);
    }

    private askWindow({ asked, of, control }: Flight): Promise<WindowAnswer> {
        const params = { from_ns: asked.from, to_ns: asked.to, px: asked.px };
        const path = withParams(this.path('window'), params);
        return getJson<WindowAnswer>(`${path}&tracks=${of.join(',')}`, control);
    }

    private async fetchWindow(flight: Flight, need: WindowRequest): Promise<void> {
        try {
            const answer = await this.askWindow(flight);
            const ofPx = (need.view.to - need.view.from) / need.px;
            for (const window of this.data.cache.put(answer)) {
                this.data.names.wantLabels(window, ofPx);
            }
            this.onError(null);
            this.onData();
            void this.fetchNames();
        } catch (reason) {
            this.fail(reason);
        }
        if (this.windowFlight === flight) {
            this.windowFlight = null;
            void this.needWhole(need.tracks);
        }
    }

    private async needWhole(tracks: number[]): Promise<void> {
        const of = tracks.filter((track) => !this.data.cache.wholeOf(track)).map(String);
        if (!of.length || this.wholeFlight || this.windowFlight || this.gone) return;
        const asked = { from: this.whole.from, to: this.whole.to, px: WHOLE_PX };
        const flight = { control: new AbortController(), asked, of };
        this.wholeFlight = flight;
        try {
            this.data.cache.putWhole(await this.askWindow(flight));
            this.onData();
        } catch (reason) {
            this.fail(reason);
        }
        this.wholeFlight = null;
    }

    private needCurves(need: WindowRequest): void {
        const of = [
            ...need.busy.map((track) => `b${track}`),
            ...need.memory.map((key) => `m${key}`),
            ...need.counters.map((id) => `c${id}`),
        ];
        if (!of.length || this.hasCurves(need, of) || this.serves(this.curveFlight, need, of))
            return;
        this.curveFlight?.control.abort();
        const asked = windowFor(need.view, need.px, this.whole);
        const flight = { control: new AbortController(), asked, of };
        this.curveFlight = flight;
        void this.fetchCurves(flight, need);
    }

    private hasCurves(need: WindowRequest, of: string[]): boolean {
        const { curves } = this.data;
        if (!curves || !covers(curves, need.view, need.px, this.whole, need.moving)) return false;
        return of.every((word) => curves.of.has(word));
    }

    private async fetchCurves(flight: Flight, need: WindowRequest): Promise<void> {
        const { asked, control, of } = flight;
        const path = withParams(this.path('curves'), {
            from_ns: asked.from,
            to_ns: asked.to,
            px: asked.px,
        });
        const list = (name: string, ids: (string | number)[]): string =>
            ids.length ? `&${name}=${ids.join(',')}` : '';
        const which =
            list('busy', need.busy) + list('memory', need.memory) + list('counters', need.counters);
        try {
            const answer = await getJson<CurvesAnswer>(path + which, control);
            this.data.curves = curveSet(answer, asked, of);
            this.onData();
        } catch (reason) {
            this.fail(reason);
        }
        if (this.curveFlight === flight) this.curveFlight = null;
    }
}
