/* SPDX-License-Identifier: MIT
 *
 * A button that asks for a file with Python source.
 */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

interface SourceFileButtonProps {
    class: string;
    onFile: (file: File) => void;
    children: ComponentChildren;
}

export function SourceFileButton({ class: name, onFile, children }: SourceFileButtonProps) {
    const input = useRef<HTMLInputElement | null>(null);
    return (
        <>
            <button type="button" class={name} onClick={() => input.current?.click()}>
                {children}
            </button>
            <input
                ref={input}
                type="file"
                accept=".py,.pyw,text/x-python"
                hidden
                onChange={(event) => {
                    const file = event.currentTarget.files?.[0];
                    if (file) onFile(file);
                }}
            />
        </>
    );
}
