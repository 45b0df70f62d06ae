/* SPDX-License-Identifier: MIT
 *
 * What a person can do with a selected frame, slice or row. The context menu, the selection pane
 * and the keyboard offer the same actions.
 */
import type { ComponentChildren } from 'preact';
import { useKeys } from '../base/keys';

export interface Action {
    text: string;
    /** As in base/keys: 'f', 'shift+f', 'ctrl+z'. */
    key?: string;
    /** Set in mono after the text: the file, the library. */
    detail?: string;
    run?: () => void;
    /** A link; without it `run` is called. */
    href?: string;
    /** The reason why the action is not possible. */
    disabled?: string;
    /** A line separates groups in the menu. */
    group?: number;
    /** The selection pane has a button for it. */
    button?: boolean;
}

/** What the actions apply to. */
export interface ActionHead {
    name: string;
    place?: string;
    swatch?: ComponentChildren;
}

/** A row of a table and what a person can do with it. */
export interface RowActions {
    head: ActionHead;
    actions: readonly Action[];
}

/** Binds the keys of the actions while there are any. */
export function useActionKeys(scope: string, actions: readonly Action[]): void {
    const bound = actions.filter(({ key, disabled }) => key && !disabled);
    useKeys(
        scope,
        bound.map((action) => ({
            key: action.key ?? '',
            label: action.text.charAt(0).toLowerCase() + action.text.slice(1),
            run: () => runAction(action),
        })),
    );
}

/** The actions with each key once: the first action with a key keeps it. */
export function withUniqueKeys(actions: readonly Action[]): Action[] {
    const used = new Set<string>();
    return actions.map((action) => {
        if (!action.key || used.has(action.key)) return { ...action, key: undefined };
        used.add(action.key);
        return action;
    });
}

export function runAction({ run, href, disabled }: Action): void {
    if (disabled) return;
    if (run) run();
    else if (href) openLink(href);
}

function openLink(href: string): void {
    const link = document.createElement('a');
    link.href = href;
    document.body.append(link);
    link.click();
    link.remove();
}

const SIGNS: Record<string, string> = { shift: '⇧', ctrl: 'Ctrl ', alt: 'Alt ', Enter: '↵' };

/** A key as it is written beside an action: `F`, `⇧F`, `Ctrl Z`. */
export function keyText(key: string): string {
    const parts = key === '+' ? ['+'] : key.split('+');
    return parts.map((part) => SIGNS[part] ?? part.toUpperCase()).join('');
}
