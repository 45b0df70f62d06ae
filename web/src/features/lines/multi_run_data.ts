/* SPDX-License-Identifier: MIT
 *
 * Finds the runs of the shelf that measured a file, and fetches their values for its lines.
 */
import { useMemo } from 'preact/hooks';
import type { MultiRunAnswer, MultiRunFiles, Page, Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { kindHas } from '../../base/kinds';
import type { Query } from '../../base/router';
import { objectsOf } from '../shared/paged_source';
import { useData, useJson } from '../shared/use_json';
import { fileName } from './multi_run';
import { attachedSourcesVersion } from './attach';
import { MAX_ROWS } from './data';

export type Candidate = MultiRunFiles['rows'][number]['runs'][number];

/** Number of runs that are shown until the user selects others. */
const DEFAULT_RUNS = 4;

export interface MultiRunChoice {
    /** false while the files of the shelf, and the file to show, are not known yet */
    ready: boolean;
    files: MultiRunFiles['rows'] | null;
    path: string | null;
    /** runs that measured the file */
    candidates: Candidate[];
    /** runs with a file of the same name, of which nobody knows whether it is the same file */
    namesakes: Candidate[];
    /** ids of the shown runs */
    chosen: string[];
    /** paths of namesakes that the user chose to combine with the file */
    also: string[];
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

/* For a cProfile dump, which has no lines: path of the file with the largest tottime, of those whose
 * name a file with measured lines has. null if there is none or the run is no dump; undefined while loading. */
function useDumpPath(run: Run, files: MultiRunFiles['rows'] | null): string | null | undefined {
    const hasCalls = kindHas(run.kind, 'calls');
    const filesPath = withParams(`${API}/runs/${run.id}/files`, {
        sort: 'tottime_s',
        desc: true,
        limit: MAX_ROWS,
    });
    const data = useData<Page>(hasCalls ? filesPath : null);
    if (!hasCalls) return null;
    if (!data || !files) return undefined;
    const measured = new Set(files.map(({ path }) => fileName(path)));
    const rows = objectsOf<{ file: string }>(data);
    return rows.find(({ file }) => measured.has(fileName(file)))?.file ?? null;
}

export function useMultiRunChoice(run: Run, query: Query): MultiRunChoice {
    const files = useData<MultiRunFiles>(`${API}/lines/files`)?.rows ?? null;
    const ownFile = files?.find(({ runs }) => runs.some((one) => one.run === run.id));
    const dumpPath = useDumpPath(run, files);
    const path = query.path ?? ownFile?.path ?? dumpPath ?? null;
    const ofPath = useData<MultiRunFiles>(
        path === null ? null : withParams(`${API}/lines/files`, { path }),
    );
    const [candidates, namesakes] = useMemo(() => {
        const runs = ofPath?.rows[0]?.runs ?? [];
        const isNamesake = (one: Candidate) => one.same === 'name' && one.run !== run.id;
        return [runs.filter((one) => !isNamesake(one)), runs.filter(isNamesake)];
    }, [ofPath, run.id]);
    const chosen = useMemo(
        () => (query.runs ? query.runs.split(',') : defaultRuns(run, candidates)),
        [query.runs, run, candidates],
    );
    const also = query.also?.split('\n') ?? [];
    const ready = files !== null && dumpPath !== undefined;
    return { ready, files, path, candidates, namesakes, chosen, also };
}

export function useMultiRun({ path, chosen, also }: MultiRunChoice) {
    const linesPath =
        path === null || !chosen.length
            ? null
            : withParams(`${API}/lines`, {
                  path,
                  runs: chosen.join(','),
                  also: also.join('\n') || null,
                  v: attachedSourcesVersion.value || null,
              });
    return useJson<MultiRunAnswer>(linesPath);
}
