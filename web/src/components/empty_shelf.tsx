/* SPDX-License-Identifier: MIT
 *
 * An empty shelf teaches: per tool the one command that records a profile, and the ways in.
 */
import type { Format } from '../base/types';
import { CopyButton } from './copy_button';
import { KindMark } from './kind_mark';

interface EmptyShelfProps {
    formats: Format[];
    /** As the page reached it, for the curl line. */
    origin: string;
    onAdd: () => void;
}

interface Line {
    mark: string;
    what: string;
    command: string;
}

function waysIn(origin: string): Line[] {
    return [
        {
            mark: 'here',
            what: 'from a shell on this machine',
            command: 'perfshelf add run.prof --series nightly',
        },
        {
            mark: 'curl',
            what: 'from any machine that reaches this one',
            command: `curl --data-binary @run.prof '${origin}/api/v1/runs?wait=1'`,
        },
        {
            mark: 'record',
            what: 'recorded and added at once',
            command: 'perfshelf record cprofile --open -- python your_program.py',
        },
    ];
}

export function EmptyShelf({ formats, origin, onAdd }: EmptyShelfProps) {
    const record = formats.map((format) => ({
        mark: format.kind,
        what: format.label,
        command: format.record,
    }));
    return (
        <section class="empty-shelf">
            <h1>Nothing on the shelf yet</h1>
            <p>
                Drop profiles anywhere in this window, paste one, or{' '}
                <button type="button" class="link" onClick={onAdd}>
                    choose files
                </button>
                . The format is read from the content.
            </p>
            <h2>Record a profile</h2>
            <Lines lines={record} />
            <h2>Put it on the shelf</h2>
            <Lines lines={waysIn(origin)} />
        </section>
    );
}

function Lines({ lines }: { lines: Line[] }) {
    return (
        <ul>
            {lines.map((line) => (
                <li key={line.mark}>
                    <KindMark kind={line.mark} />
                    <span class="what">{line.what}</span>
                    <code class="ellipsis" title={line.command}>
                        {line.command}
                    </code>
                    <CopyButton text={line.command} />
                </li>
            ))}
        </ul>
    );
}
