/* SPDX-License-Identifier: MIT
 *
 * In what the machines and the software of the compared runs differ: a line above the verdict, and
 * the values in a dialog.
 */
import { useState } from 'preact/hooks';
import type { Comparison, EnvironmentDifference } from '../../base/answers';
import { Dialog } from '../../components/dialog';
import { environmentGroups, shortDifferences, sideText } from '../../model/environment';

/** Warnings first: they may explain a difference of times. */
export function EnvironmentLine({ comparison }: { comparison: Comparison }) {
    const [isOpen, setOpen] = useState(false);
    const differences = comparison.environment;
    const warnings = shortDifferences(differences.filter(({ warns }) => warns));
    const notes = shortDifferences(differences.filter(({ warns }) => !warns));
    if (differences.length === 0) return null;
    return (
        <p class="compare-environment">
            {warnings.length > 0 && (
                <>
                    <b>Environment differs:</b> {warnings.join(', ')}
                    {notes.length > 0 && ' · '}
                </>
            )}
            {notes.length > 0 && <span class="soft">{notes.join(', ')}</span>}{' '}
            <button type="button" class="link" onClick={() => setOpen(true)}>
                Details
            </button>
            {isOpen && (
                <DifferencesDialog differences={differences} onClose={() => setOpen(false)} />
            )}
        </p>
    );
}

interface DifferencesDialogProps {
    differences: EnvironmentDifference[];
    onClose: () => void;
}

function DifferencesDialog({ differences, onClose }: DifferencesDialogProps) {
    return (
        <Dialog
            label="Differences of the environments"
            class="dialog environment"
            onClose={onClose}
        >
            <h2>Differences of the environments</h2>
            <table class="environment-table">
                <thead>
                    <tr>
                        <td />
                        <th scope="col">base</th>
                        <th scope="col">new</th>
                    </tr>
                </thead>
                {environmentGroups(differences).map(({ title, rows }) => (
                    <tbody key={title}>
                        <tr>
                            <th colSpan={3} scope="rowgroup">
                                {title}
                            </th>
                        </tr>
                        {rows.map(({ key, label, base, new: fresh }) => (
                            <tr key={key + label}>
                                <td>{label}</td>
                                <td>{sideText(key, base)}</td>
                                <td>{sideText(key, fresh)}</td>
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
