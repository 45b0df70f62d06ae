/* SPDX-License-Identifier: MIT
 *
 * Recent imports, failures and removals on the shelf, with the user who caused them.
 */
import type { ActivityLog, ActivityRow } from '../../base/answers';
import { API } from '../../base/client';
import { formatHash } from '../../base/router';
import { when } from '../../base/units';
import { Dialog } from '../../components/dialog';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { useJson } from '../shared/use_json';

const ACTION_LABELS = {
    added: 'added',
    failed: 'could not be read',
    removed: 'removed',
    noted: 'note on',
    called: 'agent called',
};

function EventRow({ event }: { event: ActivityRow }) {
    const name = event.name || event.run || 'without a name';
    return (
        <tr class={`is-${event.what}`}>
            <td class="activity-at">{when(event.at)}</td>
            <td class="activity-who ellipsis">{event.who || '–'}</td>
            <td class="activity-what">{ACTION_LABELS[event.what]}</td>
            <td class="activity-name" title={event.text ?? name}>
                {(event.what === 'added' || event.what === 'noted') && event.run ? (
                    <a class="link" href={formatHash(['run', event.run])}>
                        {name}
                    </a>
                ) : (
                    name
                )}
                {event.text && <div class="activity-text">{event.text}</div>}
            </td>
        </tr>
    );
}

export function ActivityDialog({ onClose }: { onClose: () => void }) {
    const { data, error } = useJson<ActivityLog>(`${API}/activity?limit=200`);
    return (
        <Dialog label="Activity" class="dialog activity" onClose={onClose}>
            <h2>Activity</h2>
            {error && <Notice kind="error" title="The activity could not be read" error={error} />}
            {!data && !error && <LoadingLine active />}
            {data && data.rows.length === 0 && <p>Nothing has happened yet.</p>}
            {data && data.rows.length > 0 && (
                <div class="activity-scroll">
                    <table>
                        <thead>
                            <tr>
                                <th>time</th>
                                <th>user</th>
                                <th>event</th>
                                <th>profile</th>
                            </tr>
                        </thead>
                        <tbody>
                            {data.rows.map((event, i) => (
                                <EventRow key={i} event={event} />
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
            <div class="dialog-actions">
                <button type="button" class="button" onClick={onClose} data-focus>
                    Close
                </button>
            </div>
        </Dialog>
    );
}
