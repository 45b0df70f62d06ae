/* SPDX-License-Identifier: MIT */
import type { Run } from '../base/types';
import { int } from '../base/units';
import { Notice } from '../components/notice';
import { summaryOf } from './imports_data';

/** What in this log makes its tree unreliable, in one line; nothing when nothing does. */
export function ImportsWarning({ run }: { run: Run }) {
    const { negative_self, interpreters } = summaryOf(run);
    const said: string[] = [];
    if (negative_self > 0) {
        const times = negative_self === 1 ? 'self time is' : 'self times are';
        said.push(
            `Two threads imported at once: ${int(negative_self)} ${times} negative, and some modules stand under a parent that did not import them.`,
        );
    }
    if (interpreters > 1) {
        said.push(
            `${int(interpreters)} interpreters wrote into this log: their trees stand side by side, and lines that were interleaved cannot be told apart.`,
        );
    }
    return said.length > 0 ? <Notice kind="warning">{said.join(' ')}</Notice> : null;
}
