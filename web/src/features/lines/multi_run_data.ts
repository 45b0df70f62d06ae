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
import { pathTail } from './multi_run';
import { attachedCount, MAX_ROWS } from './data';

export interface Candidate {
    run: string;
    name: string;
    kind: string;
    created_ms: number;
}

/** Maximum number of cProfile runs that are searched for the file, newest first. */
const MAX_PROFILES = 20;
/** Number of runs that are shown until the user selects others. */
const DEFAULT_RUNS = 4;

export interface MultiRunChoice {
    /** false while the files of the shelf, and the file to show, are not known yet */
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
        withParams(`${API}/runs`, { kinds: kindsWith('calls').join(','), limit: MAX_PROFILES }),
    );
    const ids = (list.data?.rows ?? []).map(({ id }) => id).join(',');
    const linesPath = path !== null && ids ? withParams(`${API}/lines`, { path, runs: ids }) : null;
    const { data } = useJson<MultiRunAnswer>(linesPath);
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

/* Ids of this run and the newest run of each other tool. If there is no other tool, the newest
 * other run is added. */
function defaultRuns(run: Run, candidates: Candidate[]): string[] {
    const chosen = candidates.filter((one) => one.run === run.id);
    const newest = [...candidates].sort((a, b) => b.created_ms - a.created_ms);
    for (const one of newest) {
        if (chosen.length < DEFAULT_RUNS && !chosen.some(({ kind }) => kind === one.kind))
            chosen.push(one);
    }
    if (chosen.length === 1) {
        const next = newest.find((one) => one.run !== chosen[0].run);
        if (next) chosen.push(next);
    }
    return chosen.map((one) => one.run);
}

/* For a cProfile dump, which has no lines: path of the file with the largest tottime whose lines
 * another run measured. null if there is none or the run is no dump; undefined while loading. */
function useDumpPath(run: Run, files: MultiRunFiles['rows'] | null): string | null | undefined {
    const hasCalls = kindHas(run.kind, 'calls');
    const filesPath = withParams(`${API}/runs/${run.id}/files`, {
        sort: 'tottime_s',
        desc: true,
        limit: MAX_ROWS,
    });
    const { data } = useJson<Page>(hasCalls ? filesPath : null);
    if (!hasCalls) return null;
    if (!data || !files) return undefined;
    const pathByTail = new Map(files.map(({ path }) => [pathTail(path), path]));
    for (const { file } of objectsOf<{ file: string }>(data)) {
        const path = pathByTail.get(pathTail(file));
        if (path) return path;
    }
    return null;
}

export function useMultiRunChoice(run: Run, query: Query): MultiRunChoice {
    const answer = useJson<MultiRunFiles>(`${API}/lines/files`);
    const files = answer.data?.rows ?? null;
    const ownFile = files?.find(({ runs }) => runs.some((one) => one.run === run.id));
    const dumpPath = useDumpPath(run, files);
    const path = query.path ?? ownFile?.path ?? dumpPath ?? null;
    const profiles = useProfiles(path);
    const candidates = useMemo(() => {
        const tail = path === null ? '' : pathTail(path);
        const group = files?.find((row) => pathTail(row.path) === tail);
        const seen = new Set<string>();
        const all = [...(group?.runs ?? []), ...profiles];
        return all.filter((one) => !seen.has(one.run) && seen.add(one.run));
    }, [files, path, profiles]);
    const chosen = useMemo(
        () => (query.runs ? query.runs.split(',') : defaultRuns(run, candidates)),
        [query.runs, run, candidates],
    );
    const ready = files !== null && dumpPath !== undefined;
    return { ready, files, path, candidates, chosen };
}

export function useMultiRun({ path, chosen }: MultiRunChoice) {
    const linesPath =
        path === null || !chosen.length
            ? null
            : withParams(`${API}/lines`, {
                  path,
                  runs: chosen.join(','),
                  v: attachedCount.value || null,
              });
    return useJson<MultiRunAnswer>(linesPath);
}
