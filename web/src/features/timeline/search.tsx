/* SPDX-License-Identifier: MIT
 *
 * Search of the timeline: hits keep their colour, Enter moves from hit to hit, and the matching
 * names are listed below with their counts.
 */
import type { FindAnswer, FoundName, Run, SliceFacts } from '../../base/answers';
import { axisText } from '../../base/axis';
import { API, getJson, isAbort, withParams } from '../../base/client';
import { useMemoOn } from '../../base/hooks';
import { int, plural } from '../../base/units';
import { replaceQuery } from '../../base/router';
import { SearchField } from '../../components/search_field';
import { type Answer, useData, useJson } from '../shared/use_json';

const MAX_NAMES = 1000;

/** number of pixels into which the trace is divided for the ticks of the overview */
const TICK_PX = 2000;

export interface Find {
    q: string;
    regex: boolean;
    answer: Answer<FindAnswer>;
    /** ids of the matching names; null if there is no search */
    found: ReadonlySet<number> | null;
    /** where hits start, as shares of the trace from 0 to 1 */
    ticks: readonly number[];
}

export function useFind(run: Run, q: string, regex: boolean): Find {
    const params = { q, regex: regex || undefined, limit: MAX_NAMES, px: TICK_PX };
    const path = q ? withParams(`${API}/runs/${run.id}/find`, params) : null;
    const answer = useJson<FindAnswer>(path);
    const found = useMemoOn(
        () => (path && answer.data ? new Set(answer.data.names.map(({ id }) => id)) : null),
        [path === null, answer.data],
    );
    const ticks = useMemoOn(
        () => (found && answer.data?.bins?.px.map((px) => (px + 0.5) / TICK_PX)) || NO_TICKS,
        [found],
    );
    return { q, regex, answer, found, ticks };
}

const NO_TICKS: readonly number[] = [];

/** Place of a slice among the hits of the search in the whole trace, from 1; null if it is no
 * hit. */
export function useHitPosition(run: Run, find: Find, slice: SliceFacts | null): number | null {
    const isHit = slice !== null && (find.found?.has(slice.name_id) ?? false);
    const params = slice && {
        q: find.q,
        regex: find.regex || undefined,
        from_ns: slice.start_ns,
        from_id: slice.id - 1,
        limit: 0,
    };
    const path = isHit && params ? withParams(`${API}/runs/${run.id}/find`, params) : null;
    const data = useData<FindAnswer>(path);
    return path && data?.hit?.id === slice?.id ? (data?.hit?.index ?? 0) + 1 : null;
}

/** The next or previous slice that matches; null if there is none in that direction. */
export async function findSlice(
    run: Run,
    { q, regex }: { q: string; regex: boolean },
    /** start of the search: a time, and the id of a slice at that time if the search starts at a
     * slice */
    from: { ns: number; id?: number },
    backward: boolean,
): Promise<FindAnswer['hit']> {
    const dir = backward ? 'previous' : 'next';
    const params = {
        q,
        regex: regex || undefined,
        from_ns: Math.max(0, Math.floor(from.ns)),
        from_id: from.id,
        dir,
        limit: 1,
    };
    try {
        const path = withParams(`${API}/runs/${run.id}/find`, params);
        return (await getJson<FindAnswer>(path)).hit;
    } catch (reason) {
        if (isAbort(reason)) return null;
        throw reason;
    }
}

interface FieldProps {
    find: Find;
    /** place of the selected slice among the hits, from 1; null if it is no hit */
    position: number | null;
    inputRef: { current: HTMLInputElement | null };
    width?: number;
    /** message after Enter found no slice; null for none */
    message: string | null;
    onStep: (backward: boolean) => void;
}

export function FindField({ find, position, inputRef, width, message, onStep }: FieldProps) {
    const { answer, q, regex } = find;
    return (
        <SearchField
            value={q}
            inputRef={inputRef}
            placeholder="Search slices"
            label="search slices, operators, kernels"
            hint="/"
            width={width}
            count={q ? (answer.data?.count ?? null) : null}
            position={position}
            regex={regex}
            onRegex={(on) => replaceQuery({ regex: on ? '1' : null })}
            error={answer.error?.text ?? message}
            onInput={(text) => replaceQuery({ q: text || null })}
            onStep={(by) => onStep(by < 0)}
        />
    );
}

/** The matching names, largest total time first. A click selects the next slice of the clicked
 * name. */
export function FoundNames({ find, onName }: { find: Find; onName: (found: FoundName) => void }) {
    const { data, error } = find.answer;
    if (error) return <p class="timeline-hint">{error.text}</p>;
    if (!data) return null;
    if (!data.names.length) return <p class="timeline-hint">No slice name contains this text.</p>;
    return (
        <div class="timeline-part">
            <div class="timeline-part-head">
                <b>
                    {data.names_total === 1
                        ? '1 name matches'
                        : `${int(data.names_total)} names match`}
                </b>
                <span>Enter, Shift+Enter: next, previous</span>
            </div>
            {data.names.slice(0, 60).map((found) => (
                <div class="timeline-part-row" key={found.id}>
                    <button
                        type="button"
                        class="timeline-link"
                        title={found.name}
                        onClick={() => onName(found)}
                    >
                        {found.name}
                    </button>
                    <span>{int(found.count)}</span>
                    <span>{axisText(found.total_ns)}</span>
                </div>
            ))}
            {data.names_total > 60 && (
                <div class="timeline-part-more">{plural(data.names_total - 60, 'more name')}</div>
            )}
        </div>
    );
}
