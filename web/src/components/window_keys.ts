/* SPDX-License-Identifier: MIT
 *
 * Keys pressed anywhere in the window.
 */
import { dispatchKey } from '../base/keys';

const PRESSABLE_TAGS = new Set(['BUTTON', 'A', 'SUMMARY']);

/* Whether the key presses the focused control, such as a button, so that no shortcut may use it. */
function pressesTarget(event: KeyboardEvent): boolean {
    if (event.key !== 'Enter' && event.key !== ' ') return false;
    const target = event.target as HTMLElement;
    return PRESSABLE_TAGS.has(target.tagName) || target instanceof HTMLInputElement;
}

/** Runs the action bound to the key. Returns true if there is none and no text field has the focus,
 * so that the caller may handle the key. */
export function dispatchWindowKey(event: KeyboardEvent): boolean {
    if (event.defaultPrevented || event.isComposing || pressesTarget(event)) return false;
    const writing = inField(event.target);
    return !dispatchKey(event, writing) && !writing;
}

export function inField(target: EventTarget | null): boolean {
    if (!(target instanceof HTMLElement)) return false;
    if (target instanceof HTMLInputElement) return target.type !== 'checkbox';
    return target instanceof HTMLTextAreaElement || target.isContentEditable;
}
