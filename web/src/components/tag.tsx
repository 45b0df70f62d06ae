/* SPDX-License-Identifier: MIT */

interface TagProps {
    name: string;
    value: string;
    onClick?: () => void;
}

/** `key=value`, or the key of a tag without a value. */
export function Tag({ name, value, onClick }: TagProps) {
    const whole = value ? `${name}=${value}` : name;
    if (!onClick) {
        return (
            <span class="tag" title={whole}>
                <TagText name={name} value={value} />
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
            <TagText name={name} value={value} />
        </button>
    );
}

function TagText({ name, value }: { name: string; value: string }) {
    return value ? (
        <>
            <span class="tag-key">{name}=</span>
            {value}
        </>
    ) : (
        <>{name}</>
    );
}
