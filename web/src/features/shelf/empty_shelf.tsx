/* SPDX-License-Identifier: MIT
 *
 * Empty state of the shelf: the record command of each tool, and how to add files.
 */
import type { Format } from '../../base/types';
import { CommandList, recordLines, type CommandLine } from '../../components/command_list';
import { Term } from '../../components/term';

interface EmptyShelfProps {
    formats: Format[];
    /** Origin of the page's URL, for the curl command. */
    origin: string;
    /** null if the user may not add runs */
    onAdd: (() => void) | null;
}

function importCommands(origin: string): CommandLine[] {
    return [
        {
            mark: 'here',
            what: 'from a shell on this machine',
            command: 'perfshelf add run.prof --series nightly',
        },
        {
            mark: 'curl',
            what: 'from any machine that reaches this one',
            command: `curl --fail-with-body --data-binary @run.prof '${origin}/api/v1/runs?wait=1'`,
        },
        {
            mark: 'record',
            what: 'recorded and added at once',
            command: 'perfshelf record cprofile --open -- python your_program.py',
        },
    ];
}

export function EmptyShelf({ formats, origin, onAdd }: EmptyShelfProps) {
    return (
        <section class="empty-shelf">
            <h1>
                No <Term of="run">runs</Term> yet
            </h1>
            {onAdd ? (
                <p>
                    Drop profiles anywhere in this window, paste one, or{' '}
                    <button type="button" class="link" onClick={onAdd}>
                        choose files
                    </button>
                    . The content decides the format.
                </p>
            ) : (
                <p>Your token can only read. To add profiles, log in with an upload token.</p>
            )}
            <h2>Record a profile</h2>
            <CommandList lines={recordLines(formats)} />
            <h2>
                Add it to the <Term of="shelf">shelf</Term>
            </h2>
            <CommandList lines={importCommands(origin)} />
        </section>
    );
}
