/* SPDX-License-Identifier: MIT
 *
 * The line above the shelf: kinds with their counts, the filter menus, and the grouping.
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { KindCount, Shelf } from '../../base/answers';
import { route, setQuery } from '../../base/router';
import { int } from '../../base/units';
import { Menu, type MenuItem } from '../../components/menu';
import { Segmented } from '../../components/segmented';
import { viewportWidth } from '../../components/viewport';
import type { Grouping } from '../../model/shelf_rows';
import { SeriesTrend } from '../trend/link';

interface FiltersProps {
    shelf: Shelf | null;
    /** Runs of each kind that pass the other filters; null: unknown. */
    counts: readonly KindCount[] | null;
    grouping: Grouping;
}

export function ShelfFilters({ shelf, counts, grouping }: FiltersProps) {
    const { query } = route.value;
    // Nobody looks for the load of a recording, and each has another.
    const tags = (shelf?.tags ?? []).filter((tag) => !tag.startsWith('load='));
    return (
        <div class="shelf-filters" role="toolbar" aria-label="filters">
            <Kinds shelf={shelf} counts={counts} current={query.kind} />
            <FilterMenu name="series" items={seriesItems(shelf)} />
            {query.series && <SeriesTrend series={query.series} />}
            <FilterMenu name="tag" items={tags.map((tag) => makeChoice(tag, bareTag(tag)))} />
            <FilterMenu name="who" items={(shelf?.who ?? []).map((who) => makeChoice(who))} />
            <Segmented<Grouping>
                label="grouping"
                value={grouping}
                options={[
                    { value: 'day', text: 'by day', tip: 'group by day, newest first (g)' },
                    { value: 'series', text: 'by series', tip: 'group by series (g)' },
                ]}
                onChange={setGrouping}
            />
        </div>
    );
}

export function setGrouping(grouping: Grouping): void {
    setQuery({ group: grouping === 'series' ? 'series' : null, sort: null, desc: null });
}

interface KindsProps {
    shelf: Shelf | null;
    counts: readonly KindCount[] | null;
    current: string | undefined;
}

/* The kinds of the shelf in a fixed order, with the runs that pass the other filters. */
function countedKinds(shelf: Shelf | null, counts: KindsProps['counts']): KindCount[] {
    const runs = new Map(counts?.map((one) => [one.kind, one.runs]));
    return (shelf?.kinds ?? []).map((one) =>
        counts ? { kind: one.kind, runs: runs.get(one.kind) ?? 0 } : one,
    );
}

/* Shows as many kinds as fit as chips; a menu after the chips has the others. */
function Kinds({ shelf, counts, current }: KindsProps) {
    const box = useRef<HTMLDivElement | null>(null);
    const [visibleCount, setVisibleCount] = useState(Infinity);
    const kinds = countedKinds(shelf, counts);
    const all = counts ? counts.reduce((sum, { runs }) => sum + runs, 0) : shelf?.runs;
    const width = viewportWidth.value;
    useLayoutEffect(() => {
        const chips = [...(box.current?.children ?? [])] as HTMLElement[];
        const wrapped = chips.findIndex(({ offsetTop }) => offsetTop > chips[0].offsetTop);
        setVisibleCount(wrapped < 0 ? Infinity : wrapped - 1);
    }, [shelf, counts, width, visibleCount]);
    return (
        <>
            <div class="chips" role="group" aria-label="kind" ref={box}>
                <Chip text="All" count={all} kind={null} current={current} />
                {kinds.map(({ kind, runs }, i) => (
                    <Chip
                        key={kind}
                        text={kind}
                        count={runs}
                        kind={kind}
                        current={current}
                        hidden={i >= visibleCount}
                    />
                ))}
            </div>
            {visibleCount < kinds.length && (
                <MoreKinds kinds={kinds.slice(visibleCount)} current={current} />
            )}
        </>
    );
}

function MoreKinds({ kinds, current }: { kinds: KindCount[]; current: string | undefined }) {
    const chosen = kinds.some(({ kind }) => kind === current);
    return (
        <Menu
            class={chosen ? 'filter is-set' : 'filter'}
            align="right"
            items={kinds.map(({ kind, runs }) => ({
                text: kind,
                note: int(runs),
                checked: kind === current,
                onPick: () => setQuery({ kind: kind === current ? null : kind }),
            }))}
            ariaLabel="more kinds"
            label={
                <>
                    kind <span>{chosen ? current : `${int(kinds.length)} more`}</span>
                </>
            }
        />
    );
}

interface ChipProps {
    text: string;
    count: number | undefined;
    kind: string | null;
    current: string | undefined;
    /** true: there is no space for the chip */
    hidden?: boolean;
}

function Chip({ text, count, kind, current, hidden = false }: ChipProps) {
    const pressed = (current ?? null) === kind;
    return (
        <button
            type="button"
            class="chip"
            aria-pressed={pressed}
            style={{ visibility: hidden ? 'hidden' : undefined }}
            onClick={() => setQuery({ kind: pressed ? null : kind })}
        >
            {text} {count !== undefined && <span class="chip-count">{int(count)}</span>}
        </button>
    );
}

interface Choice extends MenuItem {
    value: string;
}

function makeChoice(value: string, text: string = value): Choice {
    return { value, text };
}

/* Display form of a tag: the server writes a tag without a value as "name=". */
function bareTag(tag: string): string {
    return tag.replace(/=$/, '');
}

/* The largest series first. */
function seriesItems(shelf: Shelf | null): Choice[] {
    return [...(shelf?.series ?? [])]
        .sort((a, b) => b.runs - a.runs)
        .map(({ series, runs }) => ({ ...makeChoice(series), note: int(runs) }));
}

const FILTER_LABELS = { series: 'series', tag: 'tag', who: 'added by' };

function FilterMenu({ name, items }: { name: 'series' | 'tag' | 'who'; items: Choice[] }) {
    const label = FILTER_LABELS[name];
    const value = route.value.query[name];
    const pick = (text: string | null) => () => setQuery({ [name]: text });
    const all: MenuItem[] = [
        { text: 'any', checked: !value, onPick: pick(null) },
        ...items.map((item) => ({
            ...item,
            checked: item.value === value,
            onPick: pick(item.value),
        })),
    ];
    return (
        <Menu
            class={value ? 'filter is-set' : 'filter'}
            align="right"
            filter={items.length > 10}
            items={all}
            ariaLabel={`${label}: ${value ?? 'any'}`}
            label={
                <>
                    {label} <span>{value ? bareTag(value) : 'any'}</span>
                </>
            }
        />
    );
}
