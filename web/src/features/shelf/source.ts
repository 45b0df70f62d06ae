/* SPDX-License-Identifier: MIT
 *
 * The runs of the shelf as a grid source. It holds the first part of the server's list, which grows
 * while the user scrolls, and inserts headings and imports in progress. Runs that are not loaded
 * yet are empty rows at the end.
 */
import { effect, signal, type Signal } from '@preact/signals';
import type { KindCount, Run, RunPage } from '../../base/answers';
import {
    API,
    asApiError,
    getJson,
    isAbort,
    withParams,
    type ApiError,
    type Params,
} from '../../base/client';
import type { GridSource } from '../../components/grid_types';
import {
    shelfRows,
    type Grouping,
    type RunningImport,
    type ShelfRow,
} from '../../model/shelf_rows';
import { cachedRuns, onRunChange, type RunChange } from '../shared/shelf_state';

const PAGE = 200;
/** Number of rows below the view that are fetched in advance. */
const AHEAD = 100;
/** Maximum number of rows of one request, for a jump far down or a reload. */
const MAX_ROWS = 1000;
const RELOAD_MS = 150;

export interface ShelfSource extends GridSource<ShelfRow> {
    readonly runs: readonly Run[];
    readonly totalRuns: number;
    /** Runs of each kind that pass the filters, whatever the kind; null before the first answer. */
    readonly kinds: readonly KindCount[] | null;
    readonly loading: Signal<boolean>;
    readonly error: Signal<ApiError | null>;
    readonly ready: Signal<boolean>;
    show(params: Params, grouping: Grouping): void;
    setIncoming(incoming: readonly RunningImport[]): void;
    dispose(): void;
}

/* Joins the runs before a page, the page, and the runs of the old list that follow the page's last
 * run. */
function mergePages(before: Run[], page: Run[], old: Run[]): Run[] {
    const last = page.length ? page[page.length - 1].id : '';
    const at = old.findIndex((run) => run.id === last);
    const seen = new Set(before.map((run) => run.id));
    const fresh = [...page, ...(at >= 0 ? old.slice(at + 1) : [])];
    return [...before, ...fresh.filter((run) => !seen.has(run.id) && seen.add(run.id))];
}

/** `listen` calls back with each change of a run, and returns what ends that. */
export function shelfSource(listen = onRunChange): ShelfSource {
    const version = signal(0);
    const loading = signal(false);
    const ready = signal(false);
    const error = signal<ApiError | null>(null);
    let params: Params | null = null;
    let grouping: Grouping = 'day';
    let runs: Run[] = [];
    /** what `runs` were asked with; a reload keeps none that other filters let through */
    let runsOf: Params | null = null;
    let totalRuns = 0;
    let kinds: readonly KindCount[] | null = null;
    let incoming: readonly RunningImport[] = [];
    let rows: ShelfRow[] = [];
    let wantedEnd = 0;
    let control: AbortController | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;

    function rebuildRows(): void {
        rows = shelfRows(runs, incoming, grouping, runs.length >= totalRuns, new Date());
        // peek: effects call this function too, and an effect must not depend on a signal that it
        // sets.
        version.value = version.peek() + 1;
    }

    async function fetchRuns(offset: number, limit: number, reload = false): Promise<void> {
        if (!params) return;
        control?.abort();
        const controller = new AbortController();
        const asked = params;
        control = controller;
        loading.value = true;
        try {
            const path = withParams(`${API}/runs`, {
                ...asked,
                limit,
                offset,
                kinds_too: offset === 0,
            });
            const page = await getJson<RunPage>(path, { signal: controller.signal });
            for (const run of page.rows) cachedRuns.set(run.id, run);
            const old = reload && runsOf === asked ? runs : [];
            runs = mergePages(runs.slice(0, offset), page.rows, old);
            runsOf = asked;
            // An empty page ends the list, whatever the total is.
            totalRuns = page.rows.length ? Math.max(page.total, runs.length) : runs.length;
            kinds = page.kinds ?? kinds;
            error.value = null;
            ready.value = true;
            rebuildRows();
        } catch (reason) {
            if (!isAbort(reason)) error.value = asApiError(reason);
        } finally {
            if (control === controller) {
                control = null;
                loading.value = false;
                if (!error.value) fetchMore();
            }
        }
    }

    function fetchMore(): void {
        if (control || !ready.value || runsOf !== params) return;
        if (wantedEnd > rows.length && runs.length < totalRuns) {
            const missing = wantedEnd - rows.length + PAGE;
            void fetchRuns(runs.length, Math.min(MAX_ROWS, missing));
        }
    }

    function reloadSoon(): void {
        clearTimeout(timer);
        const limit = Math.min(MAX_ROWS, Math.max(PAGE, runs.length));
        timer = setTimeout(() => void fetchRuns(0, limit, true), RELOAD_MS);
    }

    function onChange(change: RunChange): void {
        if (change.type === 'run') {
            const at = runs.findIndex((run) => run.id === change.run.id);
            if (at >= 0) {
                runs = runs.map((run, i) => (i === at ? change.run : run));
                rebuildRows();
            }
        } else if (change.type === 'gone') {
            const left = runs.filter((run) => run.id !== change.id);
            totalRuns -= runs.length - left.length;
            runs = left;
            rebuildRows();
        }
        reloadSoon();
    }

    const unlisten = listen(onChange);
    return {
        version,
        loading,
        error,
        ready,
        get total() {
            return rows.length + Math.max(0, totalRuns - runs.length);
        },
        get runs() {
            return runs;
        },
        get totalRuns() {
            return totalRuns;
        },
        get kinds() {
            return kinds;
        },
        rowAt: (index) => rows[index],
        ensure(_from, to) {
            wantedEnd = to + AHEAD;
            fetchMore();
        },
        show(next, nextGrouping) {
            const same = params !== null && withParams('', next) === withParams('', params);
            if (same && nextGrouping === grouping) return;
            params = next;
            grouping = nextGrouping;
            wantedEnd = 0;
            if (same) rebuildRows();
            else void fetchRuns(0, PAGE);
        },
        setIncoming(next) {
            if (!next.length && !incoming.length) return;
            incoming = next;
            rebuildRows();
        },
        dispose() {
            unlisten();
            clearTimeout(timer);
            control?.abort();
        },
    };
}

/** Sets the imports in progress of a source to `read()` whenever a signal that it reads changes.
 * Returns a function that stops this. */
export function followImports(
    source: ShelfSource,
    read: () => readonly RunningImport[],
): () => void {
    return effect(() => source.setIncoming(read()));
}
