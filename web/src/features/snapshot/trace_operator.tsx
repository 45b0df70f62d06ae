/* SPDX-License-Identifier: MIT
 *
 * The operator and the module of a trace that ran when an allocation was made. The trace is a run of
 * its own; the clock of the machine aligns both.
 */
import type { OpenSlice, OperatorsAt, Run, SnapshotAllocation } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { formatHash } from '../../base/router';
import { int } from '../../base/units';
import { PaneValues, type PaneValue } from '../../components/selection_pane';
import { chooseThread } from '../../model/snapshot_operator';
import { companionOf, evidenceText, useCompanions } from '../shared/companions';
import { useData } from '../shared/use_json';

/** Half of the window of the linked timeline. */
const MARGIN_NS = 100_000;

interface Props {
    run: Run;
    allocation: SnapshotAllocation;
}

export function TraceOperator({ run, allocation }: Props) {
    const found = companionOf(useCompanions(run), 'slices');
    const { start_us, device, address } = allocation;
    const t_ns = found && start_us !== null ? (start_us - found.companion.started_us) * 1000 : null;
    const answer = useData<OperatorsAt>(
        found && t_ns !== null
            ? withParams(`${API}/runs/${found.companion.id}/operators_at`, {
                  t_ns,
                  device,
                  address: String(BigInt.asIntN(64, BigInt(address))),
              })
            : null,
    );
    if (!found) return null;
    const { companion, others } = found;
    const trace = (
        <a class="link" href={formatHash(['run', companion.id])}>
            {companion.name}
        </a>
    );
    if (t_ns === null)
        return (
            <p class="soft allocation-note">
                Operator in {trace}: the time of this allocation is not known. It is older than the
                recording, or PyTorch is older than 2.2.
            </p>
        );
    if (!answer) return null;
    const href = (slice: number | null): string =>
        formatHash(['run', companion.id, 'timeline'], {
            at: `${answer.t_ns - MARGIN_NS}~${answer.t_ns + MARGIN_NS}`,
            ...(slice !== null && { slice: String(slice) }),
        });
    const thread = chooseThread(answer, allocation.frames);
    const link = (label: string, slice: OpenSlice): PaneValue => ({
        label,
        text: (
            <a class="mono link" href={href(slice.id)}>
                {slice.name.replace(/^nn\.Module: /, '')}
            </a>
        ),
    });
    const n = answer.threads.length;
    const state =
        n === 0
            ? 'No operator ran at that time.'
            : `${int(n)} threads ran operators, and no Python functions tell which one allocated.`;
    return (
        <>
            {thread && (
                <PaneValues
                    values={[
                        link('Operator', thread.operator),
                        ...(thread.module ? [link('Module', thread.module)] : []),
                        { label: 'Thread', text: thread.name || thread.tid },
                    ]}
                    base={null}
                />
            )}
            <p class="soft allocation-note">
                {!thread && (
                    <>
                        {state}{' '}
                        <a class="link" href={href(null)}>
                            Timeline at that time
                        </a>
                        .{' '}
                    </>
                )}
                {answer.record ? 'By its address' : 'By its time'} in the trace {trace}, which{' '}
                {evidenceText(companion)}
                {others > 0 && `; ${int(others)} more overlap`}.
            </p>
        </>
    );
}
