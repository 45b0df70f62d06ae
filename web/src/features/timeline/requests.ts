/* SPDX-License-Identifier: MIT
 *
 * Fetches the data that the timeline needs: windows of slices, curves, names. At most one request
 * of each kind is pending; a request is aborted when its data is no longer needed.
 */
import type { CurvesAnswer, PartsAnswer, TextNames, WindowAnswer } from '../../base/answers';
import { API, type ApiError, asApiError, getJson, isAbort, withParams } from '../../base/client';
import { coversView, windowFor } from '../../model/timeline_cache';
import type { TimeView } from '../../model/timeline_view';
import { curveSet } from './curves';
import type { WindowRequest, TimelineData } from './data';
import { memoryKey } from './lanes';
import { fetchSnapshotCurve } from './snapshot_memory';
import { partBand } from './steps_row';

const MAX_NAMES = 2000;
/** Width in px of the window of the complete run. It may be coarse, because it is only shown while
 * other data is loading. */
const WHOLE_PX = 1000;

/** covers no view */
const PARTLESS = { from: Infinity, to: -Infinity, nsPerPx: 1 };

type WindowRange = { from: number; to: number; px: number };

/** A request whose response has not arrived. */
interface PendingRequest {
    control: AbortController;
    range: WindowRange;
    /** keys of the requested tracks or curves */
    keys: string[];
}

const nsPerPxOf = ({ from, to, px }: WindowRange): number => (to - from) / px;

export class TimelineLoader {
    private windowRequest: PendingRequest | null = null;
    private curveRequest: PendingRequest | null = null;
    private wholeRequest: PendingRequest | null = null;
    private partsRequest: PendingRequest | null = null;
    private namesRequest: AbortController | null = null;
    private disposed = false;

    constructor(
        private readonly run: string,
        private readonly data: TimelineData,
        private readonly whole: TimeView,
        /** called when data has arrived and the picture must be redrawn */
        private readonly onData: () => void,
        private readonly onError: (error: ApiError | null) => void,
        /** true: the run has steps with parts */
        private readonly hasParts: boolean,
    ) {}

    load(need: WindowRequest): void {
        this.loadWindow(need);
        this.loadCurves(need);
        if (this.hasParts) void this.loadParts(need);
    }

    dispose(): void {
        this.disposed = true;
        const { windowRequest, curveRequest, wholeRequest, partsRequest } = this;
        for (const pending of [windowRequest, curveRequest, wholeRequest, partsRequest]) {
            pending?.control.abort();
        }
        this.namesRequest?.abort();
    }

    /** Fetches the marked names, which the picture or a tooltip needs. */
    async fetchNames(): Promise<void> {
        const { names } = this.data;
        if (this.namesRequest || !names.waiting || this.disposed) return;
        const ids = names.takeMarked(MAX_NAMES);
        const control = new AbortController();
        this.namesRequest = control;
        try {
            const path = withParams(this.path('names'), { ids: ids.join(',') });
            const answer = await getJson<TextNames>(path, control);
            for (const [id, name] of Object.entries(answer.names)) names.put(Number(id), name);
            this.onData();
        } catch (reason) {
            names.allowRetry(ids);
            this.fail(reason);
        }
        this.namesRequest = null;
        void this.fetchNames();
    }

    private path(view: string): string {
        return `${API}/runs/${this.run}/${view}`;
    }

    private fail(reason: unknown): void {
        if (!isAbort(reason) && !this.disposed) this.onError(asApiError(reason));
    }

    /* Whether the pending request will return all of the needed data. */
    private satisfies(
        pending: PendingRequest | null,
        need: WindowRequest,
        keys: string[],
    ): boolean {
        if (!pending) return false;
        const { from, to } = pending.range;
        const window = { from, to, nsPerPx: nsPerPxOf(pending.range) };
        if (!coversView(window, need.view, need.px, this.whole, need.moving)) return false;
        return keys.every((key) => pending.keys.includes(key));
    }

    private loadWindow(need: WindowRequest): void {
        const { cache } = this.data;
        const tracks = cache.missing(need.view, need.px, need.tracks, need.moving);
        if (!tracks.length) {
            if (!need.moving) void this.loadWhole(need.tracks);
            return;
        }
        const keys = tracks.map(String);
        if (this.satisfies(this.windowRequest, need, keys)) return;
        this.windowRequest?.control.abort();
        this.wholeRequest?.control.abort();
        const pending = {
            control: new AbortController(),
            range: windowFor(need.view, need.px, this.whole),
            keys,
        };
        this.windowRequest = pending;
        void this.fetchWindow(pending, need);
    }

    private requestWindow({ range, keys, control }: PendingRequest): Promise<WindowAnswer> {
        const params = { from_ns: range.from, to_ns: range.to, px: range.px, layers: 1 };
        const path = withParams(this.path('window'), params);
        return getJson<WindowAnswer>(`${path}&tracks=${keys.join(',')}`, control);
    }

    private async fetchWindow(pending: PendingRequest, need: WindowRequest): Promise<void> {
        try {
            const answer = await this.requestWindow(pending);
            const nsPerPx = (need.view.to - need.view.from) / need.px;
            for (const window of this.data.cache.put(answer)) {
                this.data.names.markLabels(window, nsPerPx);
            }
            this.onError(null);
            this.onData();
            void this.fetchNames();
        } catch (reason) {
            this.fail(reason);
        }
        if (this.windowRequest === pending) {
            this.windowRequest = null;
            void this.loadWhole(need.tracks);
        }
    }

    private async loadWhole(tracks: number[]): Promise<void> {
        const keys = tracks.filter((track) => !this.data.cache.wholeOf(track)).map(String);
        if (!keys.length || this.wholeRequest || this.windowRequest || this.disposed) return;
        const range = { from: this.whole.from, to: this.whole.to, px: WHOLE_PX };
        const pending = { control: new AbortController(), range, keys };
        this.wholeRequest = pending;
        try {
            this.data.cache.putWhole(await this.requestWindow(pending));
            this.onData();
        } catch (reason) {
            this.fail(reason);
        }
        this.wholeRequest = null;
    }

    private loadCurves(need: WindowRequest): void {
        const keys = [
            ...need.busy.map((track) => `b${track}`),
            ...need.memory.map((key) => `m${key}`),
            ...need.counters.map((id) => `c${id}`),
            ...need.snapshots.map(memoryKey),
        ];
        if (
            !keys.length ||
            this.hasCurves(need, keys) ||
            this.satisfies(this.curveRequest, need, keys)
        )
            return;
        this.curveRequest?.control.abort();
        const range = windowFor(need.view, need.px, this.whole);
        const pending = { control: new AbortController(), range, keys };
        this.curveRequest = pending;
        void this.fetchCurves(pending, need);
    }

    /* Loads the parts of the complete run first, then those of the view when it rests. */
    private async loadParts(need: WindowRequest): Promise<void> {
        const { data, whole } = this;
        const isWhole = !data.wholeParts;
        if (!isWhole) {
            // The band may be coarser than the slices, so that few views need a request.
            const covers = coversView(data.parts ?? PARTLESS, need.view, need.px, whole, true);
            if (need.moving || covers || this.satisfies(this.partsRequest, need, [])) return;
        } else if (this.partsRequest) return;
        this.partsRequest?.control.abort();
        const range = isWhole
            ? { from: whole.from, to: whole.to, px: WHOLE_PX }
            : windowFor(need.view, need.px, whole);
        const pending = { control: new AbortController(), range, keys: [] };
        this.partsRequest = pending;
        const params = { from_ns: range.from, to_ns: range.to, px: range.px };
        try {
            const answer = await getJson<PartsAnswer>(
                withParams(this.path('parts'), params),
                pending.control,
            );
            data.parts = partBand(answer);
            if (isWhole) data.wholeParts = data.parts;
            this.onData();
        } catch (reason) {
            this.fail(reason);
        }
        if (this.partsRequest !== pending) return;
        this.partsRequest = null;
        if (isWhole && data.wholeParts) void this.loadParts({ ...need, moving: false });
    }

    private hasCurves(need: WindowRequest, keys: string[]): boolean {
        const { curves } = this.data;
        if (!curves || !coversView(curves, need.view, need.px, this.whole, need.moving))
            return false;
        return keys.every((key) => curves.keys.has(key));
    }

    private async fetchCurves(pending: PendingRequest, need: WindowRequest): Promise<void> {
        const { range, control, keys } = pending;
        const path = withParams(this.path('curves'), {
            from_ns: range.from,
            to_ns: range.to,
            px: range.px,
        });
        const list = (name: string, ids: (string | number)[]): string =>
            ids.length ? `&${name}=${ids.join(',')}` : '';
        const idParams =
            list('busy', need.busy) + list('memory', need.memory) + list('counters', need.counters);
        try {
            const [answer, ...snapshots] = await Promise.all([
                getJson<CurvesAnswer>(path + idParams, control),
                ...need.snapshots.map((lane) => fetchSnapshotCurve(lane, range, control)),
            ]);
            const curves = curveSet(answer, range, keys);
            snapshots.forEach((curve, i) => {
                if (curve) curves.memory.set(memoryKey(need.snapshots[i]), curve);
            });
            this.data.curves = curves;
            this.onData();
        } catch (reason) {
            this.fail(reason);
        }
        if (this.curveRequest === pending) this.curveRequest = null;
    }
}
