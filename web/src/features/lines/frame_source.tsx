/* SPDX-License-Identifier: MIT
 *
 * The source of a function or frame in a selection pane: the lines around its costliest line, from
 * the file that is attached to the run, and a line profile of the same file.
 */
import { useState } from 'preact/hooks';
import type { AttachedSource, MultiRunFiles, Run } from '../../base/answers';
import { API, type ApiError, asApiError, withParams } from '../../base/client';
import { useEffectOn, useMemoOn } from '../../base/hooks';
import { kindHas } from '../../base/kinds';
import { offlineFile } from '../../base/offline';
import { formatHash } from '../../base/router';
import { pct, plural, THIN_SPACE } from '../../base/units';
import type { PaneSource } from '../../components/selection_pane';
import { heatLevel } from '../../model/heat';
import { shortPlace } from '../../model/labels';
import { hasRole } from '../login/user';
import { useData, useJson } from '../shared/use_json';
import { attachedSourcesVersion, attachSource } from './attach';
import { usePython } from './data';
import { colouredText } from './source_row';

export interface SourcePlace {
    /** as the profile has it; '', `~` and `<…>` are no files */
    file: string;
    /** 0: unknown */
    line: number;
    /** measured lines, the costliest first */
    lines?: readonly { line: number; total: number }[];
    /** the base of their heat */
    total?: number;
    valueText?: (value: number) => string;
}

const LINES_SHOWN = 5;
const LINES_BEFORE = 2;
const LINE_MEASURES = ['line_times', 'line_memory', 'line_cpu'] as const;
const NO_TEXT: readonly (string | null)[] = [];

const isSourceFile = (file: string): boolean =>
    file !== '' && file !== '~' && !file.startsWith('<');

/** The Source section of a place; undefined: its file or line is unknown, or not read yet. */
export function useFrameSource(run: Run, place: SourcePlace): PaneSource | undefined {
    const { file, lines = [], total = 0, valueText } = place;
    const current = lines.length ? lines[0].line : place.line;
    const path = isSourceFile(file) && current > 0 ? file : null;
    const answer = useJson<AttachedSource>(
        path && withParams(`${API}/runs/${run.id}/source`, { path }),
        attachedSourcesVersion.value,
    );
    const [problem, setProblem] = useState<ApiError | null>(null);
    useEffectOn(() => setProblem(null), [run.id, path]);
    const profile = useLineProfile(run, path, current);
    const data = answer.data?.path === path ? answer.data : null;
    const text = data?.text ?? NO_TEXT;
    const tokensOf = usePython(text);
    const totals = useMemoOn(() => new Map(lines.map((one) => [one.line, one.total])), [lines]);
    const error = problem ?? answer.error;
    if (path === null || (!data && !error)) return undefined;
    const canAdd = hasRole('uploader') && !offlineFile();
    const first = Math.max(1, Math.min(current - LINES_BEFORE, text.length - LINES_SHOWN + 1));
    const shown = text.slice(first - 1, first - 1 + LINES_SHOWN);
    const rows = shown.map((code, i) => {
        const line = first + i;
        const value = totals.get(line);
        const share = value !== undefined && total > 0 ? (100 * value) / total : 0;
        return {
            line,
            code: colouredText(code, tokensOf(line)),
            text: value === undefined ? undefined : valueText?.(value),
            heat: heatLevel(share),
            isCurrent: line === current,
            tip:
                value === undefined
                    ? (code ?? undefined)
                    : `${code}\n${pct(share)}${THIN_SPACE}% of this frame`,
        };
    });
    return {
        file: shortPlace(file, 0),
        tip: file,
        lines: text.length >= current ? rows : null,
        state: stateText(data, current),
        onAdd:
            canAdd && data?.source.state === 'missing'
                ? (body) => {
                      setProblem(null);
                      attachSource(run, path, body).catch((reason: unknown) =>
                          setProblem(asApiError(reason)),
                      );
                  }
                : undefined,
        problem: error?.text,
        profile,
    };
}

function stateText(data: AttachedSource | null, line: number): string {
    const state = data?.source.state ?? 'missing';
    if (state === 'missing') return 'Source not attached.';
    if (data && data.text.length < line)
        return `The attached file has only ${plural(data.text.length, 'line')}.`;
    return state === 'changed' ? 'changed after the recording' : 'attached';
}

/* Link to the newest run that measured the lines of the file. Files that have only their name in
 * common may be of different projects, so they do not count. */
function useLineProfile(run: Run, path: string | null, line: number): PaneSource['profile'] {
    const data = useData<MultiRunFiles>(
        path === null || offlineFile() ? null : withParams(`${API}/lines/files`, { path }),
    );
    const runs = (data?.rows[0]?.runs ?? []).filter(
        ({ kind, same, run: id }) =>
            same !== 'name' &&
            id !== run.id &&
            LINE_MEASURES.some((measure) => kindHas(kind, measure)),
    );
    if (path === null || runs.length === 0) return undefined;
    const newest = runs.reduce((a, b) => (b.created_ms > a.created_ms ? b : a));
    return {
        text: newest.name,
        href: formatHash(['run', newest.run, 'lines'], {
            file: String(newest.file_id),
            line: String(line),
        }),
        note: runs.length > 1 ? `newest of ${plural(runs.length, 'run')}` : undefined,
    };
}
