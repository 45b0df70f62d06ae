/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';

interface SegmentedProps<T extends string> {
    label: string;
    options: { value: T; text: ComponentChildren; tip?: string; disabled?: boolean }[];
    value: T | null;
    onChange: (value: T) => void;
}

/** A choice between a few visible options. */
export function Segmented<T extends string>({
    label,
    options,
    value,
    onChange,
}: SegmentedProps<T>) {
    return (
        <div class="segmented" role="group" aria-label={label}>
            {options.map((option) => (
                <button
                    key={option.value}
                    type="button"
                    aria-pressed={option.value === value}
                    title={option.tip}
                    disabled={option.disabled}
                    onClick={() => onChange(option.value)}
                >
                    {option.text}
                </button>
            ))}
        </div>
    );
}
