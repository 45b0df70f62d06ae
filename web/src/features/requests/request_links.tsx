/* SPDX-License-Identifier: MIT */
/* A list of requests in a sentence, each a link. */
import type { StepRequest } from '../../base/answers';
import { int } from '../../base/units';
import { requestHref } from './links';

const MAX_SHOWN = 8;

interface RequestLinksProps {
    /** what they are, in front of the list */
    before: string;
    requests: readonly StepRequest[];
    text?: (one: StepRequest) => string;
}

/** Nothing without requests. */
export function RequestLinks({ before, requests, text }: RequestLinksProps) {
    if (requests.length === 0) return null;
    const rest = requests.length - MAX_SHOWN;
    return (
        <span>
            {before}{' '}
            {requests.slice(0, MAX_SHOWN).map((one, i) => (
                <span key={one.request}>
                    {i > 0 && ', '}
                    <a class="link" href={requestHref(one.request)} title={one.name || undefined}>
                        {text ? text(one) : int(one.request)}
                    </a>
                </span>
            ))}
            {rest > 0 && ` and ${int(rest)} more`}
        </span>
    );
}
