/* SPDX-License-Identifier: MIT */
import { useTyped } from '../base/typed_fields';

interface NumberFieldProps {
    label: string;
    unit: string;
    /** null for an empty field */
    value: number | null;
    onChange: (value: number | null) => void;
    placeholder?: string;
    width?: number;
    tip?: string;
}

/** A label, a number and its unit. The number is applied on Enter, on blur, and by the arrow keys.
 */
export function NumberField(props: NumberFieldProps) {
    const shown = props.value === null ? '' : String(props.value);
    const [typed, setTyped] = useTyped(shown);
    const text = typed ?? shown;

    function commit(): void {
        const value = text.trim() === '' ? null : Number(text.replace(',', '.'));
        if (value !== null && (!Number.isFinite(value) || value < 0)) setTyped(null);
        else if (value !== props.value) props.onChange(value);
    }

    /* The step is a power of ten that depends on the value, so it suits 0.5 and 500 alike. */
    function step(direction: 1 | -1): void {
        const value = Number(text) || 0;
        const size = value > 0 ? 10 ** Math.floor(Math.log10(value)) : 1;
        const unit = direction < 0 && value === size ? size / 10 : size;
        const next = Number(Math.max(0, value + direction * unit).toPrecision(6));
        setTyped(String(next));
        props.onChange(next);
    }

    function onKeyDown(event: KeyboardEvent): void {
        if (event.key === 'Enter') commit();
        else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
            event.preventDefault();
            step(event.key === 'ArrowUp' ? 1 : -1);
        } else if (event.key === 'Escape') (event.currentTarget as HTMLElement).blur();
    }

    return (
        <label class="number-field" title={props.tip}>
            <span>{props.label}</span>
            <span class="field" style={{ width: props.width ?? 72 }}>
                <input
                    type="text"
                    inputMode="decimal"
                    value={text}
                    placeholder={props.placeholder}
                    onInput={(event) => setTyped(event.currentTarget.value)}
                    onBlur={commit}
                    onKeyDown={onKeyDown}
                />
                <span class="unit">{props.unit}</span>
            </span>
        </label>
    );
}
