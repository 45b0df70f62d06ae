/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface DialogProps {
    label: string;
    class?: string;
    onClose: () => void;
    children: ComponentChildren;
}

/** Modal dialog of the browser: it traps the focus; Escape or a click outside closes it. */
export function Dialog({ label, class: name = 'dialog', onClose, children }: DialogProps) {
    const ref = useRef<HTMLDialogElement | null>(null);
    useEffect(() => {
        const dialog = ref.current;
        const previousFocus = document.activeElement as HTMLElement | null;
        dialog?.showModal();
        const first = dialog?.querySelector<HTMLElement>('[data-focus]');
        first?.focus();
        if (first instanceof HTMLInputElement) first.select();
        return () => {
            dialog?.close();
            previousFocus?.focus?.();
        };
    }, []);
    return (
        <dialog
            ref={ref}
            class={name}
            aria-label={label}
            onCancel={(event) => {
                event.preventDefault();
                onClose();
            }}
            onKeyDown={(event) => event.stopPropagation()}
            onPointerDown={(event) => {
                if (event.target === ref.current) onClose();
            }}
        >
            <div class="dialog-body">{children}</div>
        </dialog>
    );
}
