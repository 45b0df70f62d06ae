/* SPDX-License-Identifier: MIT */

interface TagProps {
    name: string;
    value: string;
    onClick?: () => void;
}

/** The value, which is what differs; name and value together in the tooltip. */
export function Tag({ name, value, onClick }: TagProps) {
    const whole = value ? `${name}=${value}` : name;
    const text = value || name;
    if (!onClick) {
        return (
            <span class="tag" title={whole}>
                {text}
            </span>
        );
    }
    return (
        <button
            type="button"
            class="tag"
            title={`only runs with ${whole}`}
            tabIndex={-1}
            onClick={onClick}
        >
            {text}
        </button>
    );
}
