/* SPDX-License-Identifier: MIT
 *
 * Goodput of serving runs: a field for limits, and how many requests of each run kept all of them. URL:
 * limits.
 */
import { useState } from 'preact/hooks';
import type { Goodput, Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { replaceQuery, route } from '../../base/router';
import { formatFixed, int } from '../../base/units';
import { useJson } from './use_json';

const EXAMPLE = 'ttft:200ms tpot:20ms e2el:2s';

export function GoodputLine({ runs }: { runs: readonly Run[] }) {
    const limits = route.value.query.limits ?? '';
    const [typed, setTyped] = useState(limits);
    return (
        <form
            class="goodput"
            onSubmit={(event) => {
                event.preventDefault();
                replaceQuery({ limits: typed.trim() || null });
            }}
        >
            <label>
                Goodput within{' '}
                <input
                    value={typed}
                    placeholder={EXAMPLE}
                    size={26}
                    title="time to first token, time per output token, end-to-end latency"
                    onInput={(event) => setTyped(event.currentTarget.value)}
                    onChange={() => replaceQuery({ limits: typed.trim() || null })}
                />
            </label>
            {limits &&
                runs.map((run, i) => (
                    <span key={run.id}>
                        {i > 0 && '→ '}
                        <RunGoodput run={run} limits={limits} />
                    </span>
                ))}
        </form>
    );
}

function RunGoodput({ run, limits }: { run: Run; limits: string }) {
    const { data, error } = useJson<Goodput>(
        withParams(`${API}/runs/${run.id}/goodput`, { limits }),
    );
    if (error) return <span class="soft">{error.message}</span>;
    if (!data) return <span class="soft">…</span>;
    if (!data.loads.length) return <span class="soft">no requests of a client</span>;
    return (
        <>
            {data.loads.map(({ result, good, requests, share, per_second: rate }) => (
                <span key={result}>
                    <b>{share === null ? '–' : `${formatFixed(100 * share, 1)} %`}</b>{' '}
                    <span class="soft">
                        {int(good)} of {int(requests)}
                        {rate !== null && `, ${formatFixed(rate, 2)}/s`}
                    </span>{' '}
                </span>
            ))}
        </>
    );
}
