/* SPDX-License-Identifier: MIT
 *
 * Above the tracks: the filter of the tracks with what it shows, and the search of slices.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { useKeys } from '../../base/keys';
import { replaceQuery } from '../../base/router';
import { int, plural } from '../../base/units';
import { SearchField } from '../../components/search_field';
import { Spacer, Toolbar } from '../../components/toolbar';
import { tabHash } from '../trace/data';
import type { Lanes } from './lanes';
import type { SqlRows } from './sql_rows';

interface TimelineToolbarProps {
    lanes: Lanes;
    /** words of the filter */
    filter: string;
    /** the search field */
    children: ComponentChildren;
}

const setFilter = (words: string | null): void => replaceQuery({ tracks: words || null });

export function TimelineToolbar({ lanes, filter, children }: TimelineToolbarProps) {
    const input = useRef<HTMLInputElement | null>(null);
    useKeys('Tracks', [
        { key: 'shift+t', label: 'filter tracks', run: () => input.current?.select() },
    ]);
    const isCut = lanes.unlisted > 0;
    useEffect(() => {
        if (isCut) input.current?.focus();
    }, [isCut]);
    return (
        <Toolbar label="tracks">
            <SearchField
                value={filter}
                inputRef={input}
                placeholder="Filter tracks"
                label="filter tracks by process, thread, stream, device; -word hides"
                hint="⇧T"
                onInput={setFilter}
            />
            <TrackCount lanes={lanes} filter={filter} />
            <Spacer />
            {lanes.pinned.length > 0 && (
                <span class="soft">
                    Pinned <b>{int(lanes.pinned.length)}</b>
                </span>
            )}
            {children}
        </Toolbar>
    );
}

function TrackCount({ lanes, filter }: { lanes: Lanes; filter: string }) {
    const { shown, total, unlisted, lanes: list, pinned } = lanes;
    const folded = list.filter(({ isFolded, kind }) => isFolded && kind !== 'busy').length;
    if (unlisted > 0) {
        return (
            <>
                <span class="timeline-count">
                    {int(shown)} of {plural(total, 'track')}, with the most slices
                </span>
                <button type="button" class="button" onClick={() => setFilter('*')}>
                    Show {int(unlisted)} more
                </button>
            </>
        );
    }
    if (filter && shown === pinned.length) {
        return (
            <>
                <span class="timeline-count">No track matches.</span>
                <button type="button" class="button" onClick={() => setFilter(null)}>
                    Clear
                </button>
            </>
        );
    }
    const count =
        shown < total ? `${int(shown)} of ${plural(total, 'track')}` : plural(total, 'track');
    return (
        <span class="timeline-count">{folded > 0 ? `${count}, ${int(folded)} folded` : count}</span>
    );
}

interface RowsChipProps {
    run: Run;
    rows: SqlRows;
}

/** The SQL statement whose rows are on the timeline, and how to remove them. */
export function RowsChip({ run, rows: { sql, text, error } }: RowsChipProps) {
    return (
        <span class={`timeline-chip${error ? ' is-error' : ''}`} title={sql}>
            <a class="link" href={tabHash(run, 'sql', { sql })}>
                SQL
            </a>
            <span>{text}</span>
            <button
                type="button"
                aria-label="remove the rows of the statement"
                onClick={() => replaceQuery({ overlay: null })}
            >
                ×
            </button>
        </span>
    );
}
