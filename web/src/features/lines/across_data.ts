/* SPDX-License-Identifier: MIT
 *
 * Finds the runs of the shelf that measured a file, and fetches their values for its lines.
 */
import { useMemo } from 'preact/hooks';
import { API, withParams } from '../../base/client';
import { kindHas, kindsWith } from '../../base/kinds';
import type { MultiRunAnswer, MultiRunFiles } from '../../base/line_types';
import type { Query } from '../../base/router';
import type { Page, Run } from '../../base/types';
import { objectsOf } from '../shared/paged_source';
import { useJson } from '../shared/use_json';
import { pathTail } from './across';
import { countAttached, MAX_ROWS } from './data';

export interface Candidate {
    run: string;
    name: string;
    kind: string;
    created_ms: number;
}

/** cProfile runs that are looked through for the file, newest first. */
const PROFILES_MOST = 20;
/** Runs that are shown until the reader chooses. */
const SHOWN = 4;

export interface MultiRunChoice {
    /** False until the file to show is known. */
    ready: boolean;
    files: MultiRunFiles['rows'] | null;
    path: string | null;
    candidates: Candidate[];
    /** ids of the shown runs */
    chosen: string[];
}

/* cProfile dumps are not listed as runs of a file, so the newest ones are queried for this file. */
function useProfiles(path: string | null): Candidate[] {
    const list = useJson<{ rows: Run[] }>(
        withParams(`${API}/runs`, { kinds: kindsWith('calls').join(','), limit: PROFILES_MOST }),
    );
    const ids = (list.data?.rows ?? []).map(({ id }) => id).join(',');
    const asked = path !== null && ids ? withParams(`${API}/lines`, { path, runs: ids }) : null;
    const { data } = useJson<MultiRunAnswer>(asked);
    return useMemo(
        () =>
            (data?.runs ?? []).map(({ run, name, kind, created_ms }) => ({
                run,
                name,
                kind,
                created_ms: created_ms ?? 0,
            })),
        [data],
    );
}

/* This run and the newest run of each other tool. */
function defaults(run: Run, candidates: Candidate[]): string[] {
    const chosen = candidates.filter((one) => one.run === run.id);
    const newest = [...candidates].sort((a, b) => b.created_ms - a.created_ms);
    for (const one of newest) {
        if (chosen.length < SHOWN && !chosen.some(({ kind }) => kind === one.kind))
            chosen.push(one);
    }
    if (chosen.length === 1) {
        const next = newest.find((one) => one.run !== chosen[0].run);
        if (next) chosen.push(next);
    }
    return chosen.map((one) => one.run);
}

/* A cProfile dump has no lines of its own: the costliest of its files that lines are known of. */
function useDumpedPath(run: Run, files: MultiRunFiles['rows'] | null): string | null | undefined {
    const hasCalls = kindHas(run.kind, 'calls');
    const asked = withParams(`${API}/runs/${run.id}/files`, {
        sort: 'tottime_s',
        desc: true,
        limit: MAX_ROWS,
    });
    const { data } = useJson<Page>(hasCalls ? asked : null);
    if (!hasCalls) return null;
    if (!data || !files) return undefined;
    const known = new Map(files.map(({ path }) => [pathTail(path), path]));
    for (const { file } of objectsOf<{ file: string }>(data)) {
        const path = known.get(pathTail(file));
        if (path) return path;
    }
    return null;
}

export function useChoice(run: Run, query: Query): MultiRunChoice {
    const answer = useJson<MultiRunFiles>(`${API}/lines/files`);
    const files = answer.data?.rows ?? null;
    const own = files?.find(({ runs }) => runs.some((one) => one.run === run.id));
    const dumped = useDumpedPath(run, files);
    const path = query.path ?? own?.path ?? dumped ?? null;
    const profiles = useProfiles(path);
    const candidates = useMemo(() => {
        const tail = path === null ? '' : pathTail(path);
        const group = files?.find((row) => pathTail(row.path) === tail);
        const seen = new Set<string>();
        const all = [...(group?.runs ?? []), ...profiles];
        return all.filter((one) => !seen.has(one.run) && seen.add(one.run));
    }, [files, path, profiles]);
    const chosen = useMemo(
        () => (query.runs ? query.runs.split(',') : defaults(run, candidates)),
        [query.runs, run, candidates],
    );
    const ready = files !== null && dumped !== undefined;
    return { ready, files, path, candidates, chosen };
}

export function useMultiRun({ path, chosen }: MultiRunChoice) {
    const asked =
        path === null || !chosen.length
            ? null
            : withParams(`${API}/lines`, {
                  path,
                  runs: chosen.join(','),
                  v: countAttached.value || null,
              });
    return useJson<MultiRunAnswer>(asked);
}
