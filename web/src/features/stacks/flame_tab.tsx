/* SPDX-License-Identifier: MIT
 *
 * The Flame tab: one picture of full height.
 */
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { useKeys } from '../../base/keys';
import { route } from '../../base/router';
import { pct, THIN_SPACE } from '../../base/units';
import { hitSteps, setSearch } from '../../components/hit_steps';
import { SearchField } from '../../components/search_field';
import { Spacer, Toolbar } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import { readFilters } from '../../model/filter_query';
import { matcher } from '../../model/search';
import type { Flame } from '../../model/tree_answers';
import { ModeSwitch } from '../shared/mode_switch';
import { isStacks, useRange } from '../trace/data';
import { RangeNotice } from '../trace/toolbar';
import { flameOn } from './flame_on';
import { FlamePane, FlameSwitch } from './flame_pane';
import { ColourLegend, ColourSwitch } from './colours';
import { FRAME_KEYS, PeriodField, WeightHint } from './parts';
import { isPythonFlame, PythonOptions } from './python_flame';
import { ChosenLabels, SampleChoice } from './sample_choice';
import { samplesKey } from './sample_types';
import { showsThreadColumn, StackColumns, ThreadSelect } from './threads';
import { aroundName, showAround, TraceSandwich } from './trace_sandwich';
import { TransformRow } from './transforms';

export function FlameTab({ run }: { run: Run }) {
    const filters = readFilters(route.value.query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const range = useRange();
    const [matched, setMatched] = useState<{ count: number | null; share: number }>({
        count: null,
        share: 0,
    });
    const [flame, setFlame] = useState<Flame | undefined>(undefined);
    const isByPython = flameOn(run) === 'python';
    const around = aroundName(run);
    const input = useRef<HTMLInputElement | null>(null);
    useKeys('Flame', [{ key: '/', label: 'search', run: () => input.current?.focus() }]);
    const wide = viewportWidth.value >= 1000;
    const picture = around ? (
        <TraceSandwich run={run} range={range} />
    ) : (
        <FlamePane
            key={samplesKey(run)}
            run={run}
            range={range}
            search={search}
            isInTab
            onMatched={(count, share) => setMatched({ count, share })}
            onFlame={setFlame}
        />
    );
    return (
        <div class="tab-body">
            <Toolbar label="view options">
                <FlameSwitch run={run} />
                {around && (
                    <button type="button" class="button" onClick={() => showAround(null)}>
                        Whole flame graph
                    </button>
                )}
                <SampleChoice run={run} isPicture />
                {isStacks(run) && <ModeSwitch cleared={FRAME_KEYS} />}
                {isStacks(run) && !showsThreadColumn(run) && <ThreadSelect run={run} />}
                {isStacks(run) && <PeriodField run={run} />}
                {wide && <WeightHint run={run} />}
                {isByPython && flame && isPythonFlame(flame) && <PythonOptions flame={flame} />}
                {wide && !around && !isStacks(run) && !isByPython && (
                    <span class="soft">slices merged by path, widest first</span>
                )}
                <ColourSwitch hasOrigins={isStacks(run)} />
                <ColourLegend flame={flame} />
                <Spacer />
                <RangeNotice />
                {!around && matched.count !== null && (
                    <span class="matched">
                        matched <b>{`${pct(100 * matched.share)}${THIN_SPACE}%`}</b> of all
                    </span>
                )}
                {!around && (
                    <SearchField
                        value={filters.q}
                        inputRef={input}
                        placeholder="Search names"
                        hint="/"
                        width={wide ? 232 : 190}
                        count={matched.count}
                        {...hitSteps(matched.count)}
                        regex={filters.regex}
                        onRegex={(regex) => setSearch({ regex: regex ? '1' : null })}
                        error={search.error}
                        onInput={(q) => setSearch({ q: q || null })}
                    />
                )}
            </Toolbar>
            <ChosenLabels run={run} />
            {isStacks(run) && <TransformRow flame={flame} />}
            {isStacks(run) ? <StackColumns run={run}>{picture}</StackColumns> : picture}
        </div>
    );
}
