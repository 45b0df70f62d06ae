/* SPDX-License-Identifier: MIT
 *
 * The menu of the sample types of two runs of pprof: those that both have, and which run lacks a type.
 */
import type { Comparison, Run, SampleTypes } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import { pushQuery } from '../../base/router';
import { Menu } from '../../components/menu';
import { type PairedType, pairTypes, totalText } from '../../model/sample_types';
import { useData } from '../shared/use_json';
import { viewPath } from '../trace/data';

/* Frames and rows have other numbers in the tree of another type. */
const OTHER_TREE = { row: null, frame: null, zoom: null };

const useTypes = (run: Run | undefined): SampleTypes | null =>
    useData<SampleTypes>(
        run && kindHas(run.kind, 'sample_types') ? viewPath(run, 'sample-types') : null,
    );

function noteOf({ base, fresh }: PairedType): string {
    if (!base) return 'not in base';
    if (!fresh) return 'not in new';
    return `${totalText(base, base.total)} → ${totalText(fresh, fresh.total)}`;
}

/** Nothing unless both runs have sample types. Of groups, the last run of each. */
export function CompareTypeMenu({ comparison }: { comparison: Comparison }) {
    const { base, new: fresh, sample_type } = comparison;
    const [a, b] = [useTypes(base[base.length - 1]), useTypes(fresh[fresh.length - 1])];
    if (!a || !b) return null;
    const pairs = pairTypes(a.types, b.types);
    return (
        <Menu
            ariaLabel={`sample type: ${sample_type ?? 'each its default'}`}
            tip={
                sample_type
                    ? 'what the samples measure'
                    : 'the runs have different default types: choose one that both have'
            }
            label={<>{sample_type ?? 'Choose a sample type'} ▾</>}
            items={pairs.map((pair) => ({
                text: pair.name,
                note: noteOf(pair),
                checked: pair.name === sample_type,
                isFaint: !pair.base?.samples && !pair.fresh?.samples,
                isDisabled: !pair.base || !pair.fresh,
                onPick: () => pushQuery({ ...OTHER_TREE, sample_type: pair.name }),
            }))}
        />
    );
}
