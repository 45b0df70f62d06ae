/* SPDX-License-Identifier: MIT */
import { useLayoutEffect, useRef } from 'preact/hooks';

interface CheckBoxProps {
    label: string;
    /** null: partly checked */
    checked: boolean | null;
    onChange: (checked: boolean, withShift: boolean) => void;
    /** False in table rows, where the space bar toggles the row. */
    focusable?: boolean;
}

export function CheckBox({ label, checked, onChange, focusable = true }: CheckBoxProps) {
    const ref = useRef<HTMLInputElement | null>(null);
    useLayoutEffect(() => {
        if (ref.current) ref.current.indeterminate = checked === null;
    }, [checked]);
    return (
        <input
            ref={ref}
            type="checkbox"
            class="check"
            aria-label={label}
            tabIndex={focusable ? 0 : -1}
            checked={checked === true}
            onClick={(event) => onChange(event.currentTarget.checked, event.shiftKey)}
        />
    );
}
