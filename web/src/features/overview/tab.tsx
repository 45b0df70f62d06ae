/* SPDX-License-Identifier: MIT
 *
 * The Overview of a trace: breakdown of a step, device utilisation, idle times by cause, the most
 * expensive operators and kernels, and the checks. With a range, all parts except the list of steps are
 * computed for the range.
 */
import { useEffect } from 'preact/hooks';
import type { Run, TraceOverview, Utilisation } from '../../base/answers';
import { withParams } from '../../base/client';
import { route } from '../../base/router';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { setStatus } from '../../components/status_line';
import { Spacer, Toolbar } from '../../components/toolbar';
import { hideTooltip } from '../../components/tooltip';
import { readDefinition } from '../../model/breakdown';
import { chosenStep } from '../shared/chosen_step';
import { useJson } from '../shared/use_json';
import { rangedPath, useRange, viewPath } from '../trace/data';
import { DefinitionSwitch } from '../trace/definition_switch';
import { RangeNotice } from '../trace/toolbar';
import { useWorkerNames } from '../trace/worker_names';
import { Checks } from './checks';
import { DeviceCards, FileHeaders } from './device';
import { Communication, Gaps } from './gaps';
import { Breakdown, StepList } from './steps';
import { TopKernels, TopOperators } from './top';
import { UtilisationChart } from './use';

const CURVE_PX = 200;

export function TraceOverviewTab({ run }: { run: Run }) {
    const range = useRange();
    const step = chosenStep(run).value;
    const overview = useJson<TraceOverview>(
        withParams(viewPath(run, 'overview'), step ? { step } : {}),
    );
    const utilisation = useJson<Utilisation>(
        rangedPath(run, 'utilisation', range, { px: CURVE_PX }),
    );
    const definition = readDefinition(route.value.query.parts);
    const nameOf = useWorkerNames(run);
    useEffect(() => {
        setStatus(
            undefined,
            step
                ? `a step lasts until the next range named ${step}`
                : 'a step ends when its last kernel ends',
        );
        return () => {
            setStatus(undefined, null);
            hideTooltip();
        };
    }, [run.id, step]);
    const error = overview.error ?? utilisation.error;
    const data = overview.data;
    return (
        <div class="tab-body">
            <Toolbar label="view options">
                <DefinitionSwitch definition={definition} />
                <span class="soft overview-says" title={definition.description}>
                    {definition.description}
                </span>
                <Spacer />
                <RangeNotice />
            </Toolbar>
            {error && <Notice kind="error" title="The overview could not be read" error={error} />}
            {data && (
                <div class="overview">
                    <div class="overview-main">
                        <Breakdown
                            overview={data}
                            utilisation={utilisation.data}
                            range={range}
                            definition={definition}
                        />
                        <StepList
                            run={run}
                            steps={data.steps}
                            definition={definition}
                            nameOf={nameOf}
                        />
                        <UtilisationChart utilisation={utilisation.data} nameOf={nameOf} />
                        <Gaps run={run} gaps={data.gaps} range={range} />
                        <Communication
                            overview={data}
                            utilisation={utilisation.data}
                            range={range}
                            nameOf={nameOf}
                        />
                        <Checks run={run} isTarget={route.value.path[2] === 'findings'} />
                    </div>
                    <div class="overview-side">
                        <DeviceCards
                            devices={data.devices}
                            tensorCores={data.tensor_cores}
                            nameOf={nameOf}
                        />
                        <TopOperators run={run} top={data.top.operators} range={range} />
                        <TopKernels run={run} top={data.top.kernels} range={range} />
                        <FileHeaders headers={data.headers} />
                    </div>
                </div>
            )}
            <LoadingLine active={overview.loading || utilisation.loading} />
        </div>
    );
}
