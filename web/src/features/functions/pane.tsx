/* SPDX-License-Identifier: MIT */
import { formatHash } from '../../base/router';
import type { Run } from '../../base/types';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { sizedPane, Splitter } from '../../components/splitter';
import { PaneHead } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import { functionName } from '../../model/labels';
import { type FunctionDetail, functionsPath } from '../calls/data';
import { useJson } from '../shared/use_json';
import { AmdahlView } from './amdahl_view';
import { Sandwich } from './callers';
import { Place } from './columns';

/** Pane of the selected function: possible speed-up, callers, the function itself, callees. */
/* In narrower windows, in px, the pane is below the table. */
const BESIDE_PX = 900;

export function FunctionPane({ run, id }: { run: Run; id: number | null }) {
    const answer = useJson<FunctionDetail>(id === null ? null : `${functionsPath(run)}/${id}`);
    const detail = answer.data;
    const isBeside = viewportWidth.value >= BESIDE_PX;
    const pane = sizedPane('functions.callers', {
        normal: viewportWidth.value < 1200 ? 440 : 540,
        min: 320,
        max: Math.max(320, Math.round(viewportWidth.value * 0.7)),
    });
    return (
        <section
            class="pane pane-function"
            style={isBeside ? { flexBasis: `${pane.size}px` } : undefined}
        >
            {isBeside && <Splitter pane={pane} side="right" label="width of the callers" />}
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
                    <Sandwich run={run} detail={detail} />
                </>
            )}
            <LoadingLine active={answer.loading} />
        </section>
    );
}
