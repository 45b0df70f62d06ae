/* SPDX-License-Identifier: MIT
 *
 * The requests to a server of a language model.
 */
import type { Run } from '../../base/answers';
import { plural } from '../../base/units';
import { Notice } from '../../components/notice';

export function RequestsTab({ run }: { run: Run }) {
    const { requests } = run.summary;
    return (
        <div class="tab-body">
            <Notice
                kind="info"
                title={
                    typeof requests === 'number'
                        ? `${plural(requests, 'request')} to the server`
                        : 'This run has no requests'
                }
            />
        </div>
    );
}
