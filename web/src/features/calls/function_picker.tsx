/* SPDX-License-Identifier: MIT */
import { useMemo, useState } from 'preact/hooks';
import type { FunctionDetail, Page, Run } from '../../base/answers';
import { withParams } from '../../base/client';
import type { FunctionRow } from '../../base/rows';
import { THIN_SPACE, formatFixed } from '../../base/units';
import { Swatch } from '../../components/origin_legend';
import { type PickItem, Picker } from '../../components/picker';
import { functionName, shortPlace } from '../../model/labels';
import { objectsOf } from '../shared/paged_source';
import { useData } from '../shared/use_json';
import { functionsPath } from './data';

interface FunctionPickerProps {
    run: Run;
    label: string;
    placeholder: string;
    /** id of the selected function; null if there is none */
    picked: number | null;
    onPick: (id: number | null) => void;
    width?: number;
    hint?: string;
    inputRef?: { current: HTMLInputElement | null };
}

/** Field to find a function by name or file. The functions with the largest cumulative time are
 * listed first. */
export function FunctionPicker(props: FunctionPickerProps) {
    const { run, picked, onPick } = props;
    const [typed, setTyped] = useState<string | null>(null);
    const path =
        typed === null
            ? null
            : withParams(functionsPath(run), {
                  q: typed,
                  sort: 'cumulative',
                  desc: true,
                  limit: 14,
              });
    const found = useData<Page>(path);
    const now = useData<FunctionDetail>(
        picked === null ? null : `${functionsPath(run)}/${picked}?limit=1`,
    );
    const items = useMemo(
        () =>
            objectsOf<FunctionRow>(found).map((row): PickItem => ({
                id: row.id,
                body: (
                    <>
                        <Swatch origin={row.origin} />
                        <span class="mono pick-name">
                            {functionName(row.name)}{' '}
                            <span class="soft">{shortPlace(row.file, row.line)}</span>
                        </span>
                        <span class="pick-note">
                            {formatFixed(row.cumtime_s, 3)}
                            {THIN_SPACE}s
                        </span>
                    </>
                ),
            })),
        [found],
    );
    return (
        <Picker
            label={props.label}
            placeholder={props.placeholder}
            value={picked !== null && now ? functionName(now.fn.name) : ''}
            items={items}
            onType={setTyped}
            onPick={onPick}
            onClear={() => onPick(null)}
            width={props.width}
            hint={props.hint}
            inputRef={props.inputRef}
        />
    );
}
