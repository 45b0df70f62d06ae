/* SPDX-License-Identifier: MIT
 *
 * The Sandwich tab: functions on the left; on the right the selected function, with its callers
 * above and its callees below.
 */
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Run, SandwichAnswer } from '../../base/answers';
import { useKeys } from '../../base/keys';
import { useDefaultSelection } from '../../base/panel';
import { pushQuery, route } from '../../base/router';
import type { StackFunctionRow } from '../../base/rows';
import type { GridHandle } from '../../components/grid_types';
import { sizedPane, Splitter } from '../../components/splitter';
import { viewportWidth } from '../../components/viewport';
import { readFilters } from '../../model/filter_query';
import { matcher } from '../../model/search';
import { ModeSwitch } from '../shared/mode_switch';
import { useData, useJson } from '../shared/use_json';
import { rangedPath, useRange } from '../trace/data';
import { filterParams } from '../trace/table';
import { TraceToolbar } from '../trace/toolbar';
import { ColourLegend, colourMode, ColourSwitch, ToolbarOrigins } from './colours';
import { StackFunctions } from './functions_tab';
import { useFunctionId } from './function_id';
import { FRAME_KEYS, PeriodField, stackParams, useStackSums } from './parts';
import { ChosenLabels, SampleChoice } from './sample_choice';
import { samplesKey, signParams } from './sample_types';
import { Sandwich } from './sandwich_picture';
import { ThreadSelect } from './threads';
import { TransformRow } from './transforms';

const BESIDE_PX = 900;

interface FirstPage {
    rows: [number, string, number][];
}

/* Name id of the selected function; by default of the function with the largest self weight. */
function useSelectedFunction(run: Run): string | null {
    const range = useRange();
    const chosen = useFunctionId(run);
    const first = useData<FirstPage>(
        chosen !== undefined
            ? null
            : rangedPath(run, 'stack_functions', range, {
                  sort: 'self',
                  desc: 1,
                  limit: 1,
                  ...stackParams(run),
              }),
    );
    const costliest = first?.rows.length ? String(first.rows[0][2]) : null;
    useDefaultSelection('fn', chosen !== undefined ? null : costliest);
    return chosen ?? costliest;
}

export function SandwichTab({ run }: { run: Run }) {
    const range = useRange();
    const { query } = route.value;
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const fn = useSelectedFunction(run);
    const [shown, setShown] = useState<number | null>(null);
    const params = { ...filterParams(filters), ...stackParams(run) };
    const sums = useStackSums(run);
    const answer = useJson<SandwichAnswer>(
        fn &&
            rangedPath(run, 'sandwich', range, {
                name_id: fn,
                ...stackParams(run),
                ...signParams(run),
                limit: 10_000,
            }),
    );
    const grid = useRef<GridHandle | null>(null);
    const show = (id: string, name: string) =>
        pushQuery({
            fn: id,
            sel: name,
            sandwich_zoom: null,
            sandwich_frame: null,
            sandwich_name: null,
        });
    const select = ({ name_id, name }: StackFunctionRow) => show(String(name_id), name);
    // The functions that frames of the picture have replaced, the last one at the end.
    const [left, setLeft] = useState<{ fn: string; sel: string }[]>([]);
    const openFrame = (id: number, name: string) => {
        if (fn && String(id) !== fn) setLeft([...left, { fn, sel: query.sel ?? '' }]);
        show(String(id), name);
    };
    const goBack = () => {
        const last = left[left.length - 1];
        setLeft(left.slice(0, -1));
        show(last.fn, last.sel);
    };
    const walk = (by: number) => () => {
        grid.current?.moveTo(Math.max(0, grid.current.cursor() + by));
    };
    useKeys('Sandwich', [
        { key: 'ArrowUp', label: 'previous function', run: walk(-1) },
        { key: 'ArrowDown', label: 'next function', run: walk(1) },
        ...(left.length ? [{ key: 'Backspace', label: 'the function before', run: goBack }] : []),
    ]);
    const list = sizedPane('stacks.sandwich', {
        normal: Math.round(viewportWidth.value * 0.36),
        min: 240,
        max: Math.max(240, viewportWidth.value - 480),
    });
    const isBeside = viewportWidth.value >= BESIDE_PX;
    return (
        <div class="tab-body stacks">
            <TraceToolbar
                run={run}
                range={range}
                view="stack_functions"
                what="functions"
                filters={filters}
                error={search.error}
                params={params}
                shown={shown}
            >
                <SampleChoice run={run} isPicture />
                <ModeSwitch cleared={FRAME_KEYS} />
                <ThreadSelect run={run} />
                <PeriodField run={run} />
                <ColourSwitch hasOrigins />
                {colourMode() === 'origin' ? (
                    <ToolbarOrigins flame={sums} />
                ) : (
                    viewportWidth.value >= 1000 && (
                        <ColourLegend flame={answer.data?.callees} of="this function" />
                    )
                )}
            </TraceToolbar>
            <ChosenLabels run={run} />
            <TransformRow flame={sums} />
            <div class="panes sandwich-panes">
                <section
                    class="pane pane-sandwich-list"
                    style={isBeside ? { flexBasis: list.size } : undefined}
                >
                    {isBeside && (
                        <Splitter pane={list} side="left" label="width of the functions" />
                    )}
                    <StackFunctions
                        run={run}
                        range={range}
                        filters={filters}
                        search={search}
                        narrow
                        selected={fn}
                        onSelect={select}
                        onShown={setShown}
                        handle={grid}
                    />
                </section>
                <section class="pane pane-main">
                    {fn && (
                        <Sandwich
                            key={samplesKey(run)}
                            run={run}
                            answer={answer}
                            none="No stack in this range has this function."
                            onOpen={openFrame}
                        />
                    )}
                </section>
            </div>
        </div>
    );
}
