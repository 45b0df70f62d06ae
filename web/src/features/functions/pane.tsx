/* SPDX-License-Identifier: MIT */
import { formatHash } from '../../base/router';
import type { Run } from '../../base/types';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { PaneHead } from '../../components/toolbar';
import { functionName } from '../../model/labels';
import { type FunctionDetail, functionsPath } from '../calls/data';
import { useJson } from '../shared/use_json';
import { AmdahlView } from './amdahl_view';
import { Sandwich } from './callers';
import { Place } from './columns';

/** Pane of the selected function: possible speed-up, callers, the function itself, callees. */
export function FunctionPane({ run, id }: { run: Run; id: number | null }) {
    const answer = useJson<FunctionDetail>(id === null ? null : `${functionsPath(run)}/${id}`);
    const detail = answer.data;
    return (
        <section class="pane pane-function">
            {detail ? (
                <PaneHead
                    title={<span class="mono">{functionName(detail.fn.name)}</span>}
                    remark={
                        <span class="mono cut">
                            <Place file={detail.fn.file} line={detail.fn.line} />
                        </span>
                    }
                >
                    <a
                        class="quiet"
                        href={formatHash(['run', run.id, 'callgraph'], {
                            focus: String(detail.fn.id),
                        })}
                    >
                        In the call graph
                    </a>
                </PaneHead>
            ) : (
                <PaneHead title="Function" remark={id === null ? 'none selected' : ''} />
            )}
            {answer.error && (
                <Notice kind="error" title="This function could not be read" error={answer.error} />
            )}
            {detail && !answer.error && (
                <>
                    <AmdahlView share={detail.amdahl.share} total={detail.amdahl.total_s} />
                    <Sandwich detail={detail} />
                </>
            )}
            <LoadingLine active={answer.loading} />
        </section>
    );
}
