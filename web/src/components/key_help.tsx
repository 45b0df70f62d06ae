/* SPDX-License-Identifier: MIT
 *
 * Help overlay of the keyboard shortcuts, generated from the registry, so it is always up to date.
 */
import type { Format } from '../base/answers';
import { scopes, type KeyScope } from '../base/keys';
import { offlineFile } from '../base/offline';
import { CommandList, recordLines } from './command_list';
import { Dialog } from './dialog';

const SIGNS: Record<string, string> = {
    ArrowUp: '↑',
    ArrowDown: '↓',
    ArrowLeft: '←',
    ArrowRight: '→',
    Enter: '↵',
    Escape: 'esc',
    ' ': 'space',
    Delete: 'del',
    PageUp: 'pg up',
    PageDown: 'pg dn',
};

export function keySign(key: string): string {
    return SIGNS[key] ?? key;
}

/* Bindings with the same label are shown on one line. */
function groupByLabel(keys: { key: string; label: string }[]): [label: string, keys: string[]][] {
    const keysByLabel = new Map<string, string[]>();
    for (const { key, label } of keys) {
        if (label) keysByLabel.set(label, [...(keysByLabel.get(label) ?? []), key]);
    }
    return [...keysByLabel];
}

function KeyCombo({ combo }: { combo: string }) {
    const parts = combo === '+' ? ['+'] : combo.split('+');
    return (
        <>
            {parts.map((part) => (
                <kbd key={part}>{keySign(part)}</kbd>
            ))}
        </>
    );
}

/* Returns the scopes without the keys that an inner scope binds too; `inner` begins with the
 * innermost scope. */
function activeBindings(inner: KeyScope[]): KeyScope[] {
    const boundKeys = new Set<string>();
    return inner
        .map(({ name, keys }) => {
            const bindings = keys.filter(({ key, label }) => label && !boundKeys.has(key));
            for (const { key } of keys) boundKeys.add(key);
            return { name, keys: bindings };
        })
        .filter(({ keys }) => keys.length);
}

/* Keys that components handle themselves, without the registry. */
const TABLE_KEYS: [label: string, keys: string[]][] = [
    ['move', ['↑', '↓', 'pg up', 'pg dn']],
    ['first, last row', ['home', 'end']],
    ['close, open a branch', ['←', '→']],
];

function FixedKeys({ name, keys }: { name: string; keys: typeof TABLE_KEYS }) {
    return (
        <section>
            <h3>{name}</h3>
            <dl>
                {keys.map(([label, signs]) => [
                    <dt key={label}>
                        {signs.map((sign) => (
                            <kbd key={sign}>{sign}</kbd>
                        ))}
                    </dt>,
                    <dd>{label}</dd>,
                ])}
            </dl>
        </section>
    );
}

interface KeyHelpProps {
    formats: Format[];
    onClose: () => void;
}

function ShelfHelp({ formats }: { formats: Format[] }) {
    return (
        <>
            <details class="help-formats">
                <summary>Formats, and how to record them</summary>
                <CommandList lines={recordLines(formats)} />
            </details>
            <div class="key-foot">
                Drop files anywhere, or paste what you copied (<kbd>ctrl</kbd> <kbd>v</kbd>), to add
                them to the shelf.{' '}
                <a class="link" href="/licences.txt" target="_blank">
                    Licences
                </a>{' '}
                of the libraries of this page
            </div>
        </>
    );
}

/* Licences in an offline file, which contains them because they cannot be downloaded. */
function EmbeddedLicences() {
    return (
        <details class="help-formats">
            <summary>Licences of the libraries of this page</summary>
            <pre class="mono">{document.getElementById('licences')?.textContent}</pre>
        </details>
    );
}

export function KeyHelp({ formats, onClose }: KeyHelpProps) {
    const shown = activeBindings([...scopes.value].reverse());
    return (
        <Dialog label="Keys" class="dialog key-help" onClose={onClose}>
            <h2 tabIndex={-1} data-focus>
                Keys
            </h2>
            <div class="key-scopes">
                {shown.map((scope) => (
                    <section key={scope.name}>
                        <h3>{scope.name}</h3>
                        <dl>
                            {groupByLabel(scope.keys).map(([label, keys]) => [
                                <dt key={label}>
                                    {keys.map((key) => (
                                        <KeyCombo key={key} combo={key} />
                                    ))}
                                </dt>,
                                <dd>{label}</dd>,
                            ])}
                        </dl>
                    </section>
                ))}
                <FixedKeys name="In a table" keys={TABLE_KEYS} />
            </div>
            {offlineFile() ? <EmbeddedLicences /> : <ShelfHelp formats={formats} />}
        </Dialog>
    );
}
