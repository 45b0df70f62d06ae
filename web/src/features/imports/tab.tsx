/* SPDX-License-Identifier: MIT
 *
 * The Imports tab: the icicle in full width, below it the modules as a flat table or tree, and the
 * packages. All its state is in the URL.
 */
import { useMemo } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { useEffectOn } from '../../base/hooks';
import { useNames } from '../../base/panel';
import { pushQuery, route } from '../../base/router';
import { THIN_SPACE, formatFixed, pct } from '../../base/units';
import { hitSteps } from '../../components/hit_steps';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { isPaneBeside } from '../../components/selection_layout';
import { setStatus } from '../../components/status_line';
import { hitFrames } from '../../model/frame_hits';
import { readFilters } from '../../model/filter_query';
import { matchedTotal } from '../../model/tree';
import { type ImportData, summaryOf, useSearchHits, useImportData } from './data';
import { ModuleSelection } from './module_selection';
import { ImportsModules } from './modules';
import { PackagesPane } from './packages_pane';
import { ImportsPicture, useIcicle } from './picture';
import { ImportsToolbar, readMode } from './toolbar';

export function ImportsTab({ run }: { run: Run }) {
    const { data, answer } = useImportData(run);
    useRoundingRemark(run);
    if (answer.error) {
        return (
            <Notice kind="error" title="The import tree could not be read" error={answer.error} />
        );
    }
    return (
        <div class="tab-body">
            {data && <ImportsReport run={run} data={data} />}
            <LoadingLine active={answer.loading} />
        </div>
    );
}

/* Explains in the status line why Σ self differs from Total: CPython rounds each time up. */
function useRoundingRemark(run: Run): void {
    const { total_us, self_us, negative_self } = summaryOf(run);
    useEffectOn(() => {
        const differenceMs = (self_us - total_us) / 1000;
        const by = `${formatFixed(Math.abs(differenceMs), 3)}${THIN_SPACE}ms ${differenceMs < 0 ? 'below' : 'above'} Total`;
        const reason = negative_self > 0 ? 'several threads shift times between rows;' : '';
        const message = `${reason ? `${reason} ` : ''}CPython rounds each value up to 1${THIN_SPACE}µs: Σ self is ${by}`;
        setStatus(undefined, self_us === 0 ? null : message, undefined);
        return () => setStatus(undefined, null, undefined);
    }, [run.id]);
}

function ImportsReport({ run, data }: { run: Run; data: ImportData }) {
    const query = route.value.query;
    const filters = readFilters(query);
    const { search, found, hidden } = useSearchHits(data, filters);
    const mode = readMode(query.mode);
    const by = query.by === 'cumulative' ? 'cumulative' : 'self';
    const selected = query.sel ? (data.index.get(Number(query.sel)) ?? -1) : -1;
    useNames(['sel', 'zoom'], {
        nameOf: (id) => data.tree.frames.name[data.index.get(Number(id)) ?? -1] ?? null,
        valueOf: (name) => {
            const node = data.tree.frames.name.indexOf(name);
            return node < 0 ? null : String(data.ids[node]);
        },
    });
    const minUs = filters.min === null ? 0 : filters.min * 1000;
    const layout = useIcicle(data, mode, hidden, by === 'cumulative' ? minUs : 0);
    const hits = useMemo(() => hitFrames(layout, found?.set ?? null), [layout, found]);
    const steps = hitSteps(hits?.length ?? null);
    const matched = found ? matchedTotal(data.tree, found.set) : 0;
    const select = (node: number): void =>
        pushQuery({ sel: node >= 0 ? String(data.ids[node]) : null });

    return (
        <>
            <ImportsToolbar
                data={data}
                filters={filters}
                mode={mode}
                by={by}
                count={hits?.length ?? null}
                position={steps.position}
                error={search.error}
                matched={
                    found && data.total > 0 ? (
                        <span class="matched">
                            <b>{`${pct((100 * matched) / data.total)}${THIN_SPACE}%`}</b> of{' '}
                            {data.totalName} matched
                        </span>
                    ) : null
                }
                onStep={(by) => {
                    steps.onStep(by);
                    const { position } = hitSteps(hits?.length ?? null);
                    const frame = hits?.[(position ?? 0) - 1] ?? -1;
                    if (frame >= 0) select(layout.node[frame]);
                }}
            />
            <ImportsPicture
                run={run}
                data={data}
                mode={mode}
                hidden={hidden}
                match={found?.set ?? null}
                layout={layout}
                minUs={minUs}
                by={by}
                selected={selected}
                onSelect={select}
            />
            <div class="panes">
                <ImportsModules
                    run={run}
                    data={data}
                    filters={filters}
                    search={search}
                    found={found?.set ?? null}
                    hidden={hidden}
                    by={by}
                    selected={selected}
                />
                {selected >= 0 && isPaneBeside() ? (
                    <section class="pane pane-packages">
                        <ModuleSelection run={run} data={data} node={selected} onSelect={select} />
                    </section>
                ) : (
                    <PackagesPane run={run} data={data} />
                )}
            </div>
        </>
    );
}
