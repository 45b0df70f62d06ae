/* SPDX-License-Identifier: MIT
 *
 * List of commands to copy, with descriptions: how to record each kind of profile.
 */
import type { Format } from '../base/answers';
import { CopyButton } from './copy_button';
import { KindMark } from './kind_mark';

export interface CommandLine {
    mark: string;
    what: string;
    command: string;
}

/** The record command of each format. */
export function recordLines(formats: Format[]): CommandLine[] {
    return formats.map((format) => ({
        mark: format.kind,
        what: format.label,
        command: format.record,
    }));
}

export function CommandList({ lines }: { lines: CommandLine[] }) {
    return (
        <ul class="command-list">
            {lines.map((line) => (
                <li key={line.command}>
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
