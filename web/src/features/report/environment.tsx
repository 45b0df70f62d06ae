/* SPDX-License-Identifier: MIT
 *
 * The machine and the software of a run: what matters most in its head, the rest in a dialog.
 */
import { useState } from 'preact/hooks';
import type { Environment, EnvironmentFact, Run } from '../../base/answers';
import { API } from '../../base/client';
import { Dialog } from '../../components/dialog';
import { environmentGroups, environmentValue, mainFacts } from '../../model/environment';
import { useData } from '../shared/use_json';

/** Nothing if no more is known than the tool, which the head has. Give it a key that changes with the
 * tags of the run: the facts are of them too. */
export function RunEnvironment({ run }: { run: Run }) {
    const [isOpen, setOpen] = useState(false);
    const facts = useData<Environment>(`${API}/runs/${run.id}/environment`)?.facts ?? [];
    if (facts.every(({ key }) => key.startsWith('tool'))) return null;
    // The head has the tag python itself.
    const main = mainFacts(facts.filter((fact) => fact.source === 'file' || fact.key !== 'python'));
    return (
        <>
            {main && <span class="wide-only"> · {main}</span>} ·{' '}
            <button type="button" class="link" onClick={() => setOpen(true)}>
                Environment
            </button>{' '}
            {isOpen && <EnvironmentDialog facts={facts} onClose={() => setOpen(false)} />}
        </>
    );
}

interface EnvironmentDialogProps {
    facts: EnvironmentFact[];
    onClose: () => void;
}

function EnvironmentDialog({ facts, onClose }: EnvironmentDialogProps) {
    return (
        <Dialog label="Environment" class="dialog environment" onClose={onClose}>
            <h2>Environment</h2>
            <table class="environment-table">
                {environmentGroups(facts).map(({ title, rows }) => (
                    <tbody key={title}>
                        <tr>
                            <th colSpan={3} scope="rowgroup">
                                {title}
                            </th>
                        </tr>
                        {rows.map(({ key, label, value, source }) => (
                            <tr key={key + label}>
                                <td>{label}</td>
                                <td>{environmentValue(key, value)}</td>
                                <td class="soft">{source === 'tag' ? 'tag' : ''}</td>
                            </tr>
                        ))}
                    </tbody>
                ))}
            </table>
            <div class="dialog-actions">
                <button type="button" data-focus onClick={onClose}>
                    Close
                </button>
            </div>
        </Dialog>
    );
}
