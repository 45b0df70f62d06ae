/* SPDX-License-Identifier: MIT */

interface TagProps {
    name: string;
    value: string;
    onClick?: () => void;
}

/** Shows the value of a tag, because values differ more than names; the tooltip has both. */
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
