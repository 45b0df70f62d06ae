/* SPDX-License-Identifier: MIT
 *
 * `Open in editor`: a URI made from a template that the user sets, such as
 * `vscode://file/{file}:{line}`. Without a template the action copies `file:line`.
 */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { editorUri, templateError } from '../model/editor_uri';
import type { Action } from './actions';
import { copyAndConfirm } from './context_menu';
import { Dialog } from './dialog';

const KEY = 'perfshelf.editor';
const EXAMPLES = [
    ['VS Code', 'vscode://file/{file}:{line}'],
    ['PyCharm', 'pycharm://open?file={file}&line={line}'],
    ['Zed', 'zed://file/{file}:{line}'],
] as const;

function readTemplate(): string {
    try {
        return localStorage.getItem(KEY) ?? '';
    } catch {
        return ''; // Storage is disabled.
    }
}

const template = signal(readTemplate());

function storeTemplate(text: string): void {
    template.value = text;
    try {
        if (text) localStorage.setItem(KEY, text);
        else localStorage.removeItem(KEY);
    } catch {
        // Storage is disabled: the template is lost when the page is closed.
    }
}

const isDialogOpen = signal(false);

/** The action for a place in source; none if the file is unknown. `group` as in Action. */
export function editorAction(file: string, line: number, group?: number): Action[] {
    if (!file) return [];
    const uri = editorUri(template.value, file, line);
    const place = line > 0 ? `${file}:${line}` : file;
    return [
        {
            text: 'Open in editor',
            key: 'e',
            group,
            button: true,
            ...(uri ? { href: uri } : { run: () => copyAndConfirm(place, place) }),
        },
        { text: 'Set the editor…', group, run: () => (isDialogOpen.value = true) },
    ];
}

/** Dialog for the template; mounted once in each window. */
export function EditorDialog() {
    return isDialogOpen.value ? (
        <TemplateForm onClose={() => (isDialogOpen.value = false)} />
    ) : null;
}

function TemplateForm({ onClose }: { onClose: () => void }) {
    const [text, setText] = useState(template.value);
    const error = templateError(text);
    const save = (event: Event) => {
        event.preventDefault();
        if (error) return;
        storeTemplate(text.trim());
        onClose();
    };
    return (
        <Dialog label="Editor" onClose={onClose}>
            <form onSubmit={save}>
                <h2>Open in editor</h2>
                <p>
                    The URI that opens a file in your editor. <code>{'{file}'}</code> is its path,{' '}
                    <code>{'{line}'}</code> the line. Empty: the action copies the place.
                </p>
                <label class="field editor-template">
                    <input
                        data-focus
                        type="text"
                        class="mono"
                        spellcheck={false}
                        aria-label="URI template"
                        placeholder={EXAMPLES[0][1]}
                        value={text}
                        onInput={(event) => setText(event.currentTarget.value)}
                    />
                </label>
                <p class="soft">
                    {EXAMPLES.map(([name, example]) => (
                        <>
                            <button type="button" class="link" onClick={() => setText(example)}>
                                {name}
                            </button>{' '}
                        </>
                    ))}
                </p>
                <p role="alert" class="editor-error">
                    {error}
                </p>
                <div class="dialog-actions">
                    <button type="button" class="button" onClick={onClose}>
                        Cancel
                    </button>
                    <button type="submit" class="primary" disabled={error !== null}>
                        Save
                    </button>
                </div>
            </form>
        </Dialog>
    );
}
