/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useKeys } from '../../base/keys';
import { replaceQuery } from '../../base/router';
import { LABELS } from '../../base/terms';
import { setSearch } from '../../components/hit_steps';
import { HideField } from '../../components/hide_field';
import { Menu } from '../../components/menu';
import { NumberField } from '../../components/number_field';
import { OriginLegend } from '../../components/origin_legend';
import { OriginMenu } from '../../components/origin_menu';
import { SearchField } from '../../components/search_field';
import { Segmented } from '../../components/segmented';
import { Spacer, Toolbar } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import { type Filters, toggledOff } from '../../model/filter_query';
import type { ImportData } from './data';

export type Mode = 'heavy' | 'order' | 'treemap';

export function readMode(text: string | undefined): Mode {
    return text === 'order' || text === 'treemap' ? text : 'heavy';
}

const TREEMAP = {
    value: 'treemap' as Mode,
    text: 'Treemap',
    tip: 'self times as areas, by package (3)',
};

interface ToolbarProps {
    data: ImportData;
    filters: Filters;
    mode: Mode;
    by: 'self' | 'cumulative';
    count: number | null;
    error: string | null;
    matched: ComponentChildren;
    position: number | null;
    onStep: (by: 1 | -1) => void;
}

export function ImportsToolbar(props: ToolbarProps) {
    const { data, filters, mode, by } = props;
    const input = useRef<HTMLInputElement | null>(null);
    useKeys('Imports', [
        { key: '/', label: 'search the modules', run: () => input.current?.focus() },
        { key: '1', label: 'import order', run: () => replaceQuery({ mode: 'order' }) },
        { key: '2', label: 'left-heavy', run: () => replaceQuery({ mode: null }) },
        { key: '3', label: 'treemap', run: () => replaceQuery({ mode: 'treemap' }) },
    ]);
    const wide = viewportWidth.value >= 1400;
    return (
        <Toolbar label="view options">
            <Segmented<Mode>
                label="picture"
                value={mode}
                options={[
                    { value: 'heavy', text: 'Left-heavy', tip: 'the widest sibling first (2)' },
                    { value: 'order', text: 'Import order', tip: 'as they were imported (1)' },
                    ...(viewportWidth.value >= 900 || mode === 'treemap' ? [TREEMAP] : []),
                ]}
                onChange={(next) => replaceQuery({ mode: next === 'heavy' ? null : next })}
            />
            {data.shares.length === 0 ? null : wide ? (
                <OriginLegend
                    shares={data.shares}
                    base={`of ${data.sumName}`}
                    hidden={filters.off}
                    onToggle={(origin) => replaceQuery({ off: toggledOff(filters.off, origin) })}
                />
            ) : (
                <OriginMenu shares={data.shares} base={`of ${data.sumName}`} off={filters.off} />
            )}
            <Spacer />
            <Threshold min={filters.min} by={by} />
            <HideField hide={filters.hide} what="modules" width={wide ? 108 : 96} />
            <SearchField
                value={filters.q}
                inputRef={input}
                placeholder={LABELS.searchModules}
                hint="/"
                width={wide ? 212 : 196}
                count={props.count}
                position={props.position}
                onStep={props.onStep}
                regex={filters.regex}
                onRegex={(regex) => setSearch({ regex: regex ? '1' : null })}
                error={props.error}
                onInput={(q) => setSearch({ q: q || null })}
            />
            {wide && props.matched}
        </Toolbar>
    );
}

function Threshold({ min: least, by }: { min: number | null; by: 'self' | 'cumulative' }) {
    return (
        <span class="threshold">
            <NumberField
                label="at least"
                unit="ms"
                value={least}
                placeholder="0"
                width={76}
                tip={
                    by === 'self'
                        ? 'hide modules with less self time'
                        : 'hide modules with less cumulative time from the table; the picture draws them as dots'
                }
                onChange={(min) => replaceQuery({ min: min ? String(min) : null })}
            />
            <Menu
                class="quiet"
                label={<>of {by} ▾</>}
                tip="what the threshold looks at"
                items={[
                    {
                        text: 'self',
                        note: 'the table',
                        checked: by === 'self',
                        onPick: () => replaceQuery({ by: null }),
                    },
                    {
                        text: 'cumulative',
                        note: 'the table and the picture',
                        checked: by === 'cumulative',
                        onPick: () => replaceQuery({ by: 'cumulative' }),
                    },
                ]}
            />
        </span>
    );
}
