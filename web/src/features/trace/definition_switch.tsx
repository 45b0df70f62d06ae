/* SPDX-License-Identifier: MIT */
import type { Definition } from '../../base/trace_types';
import { replaceQuery } from '../../base/router';
import { Segmented } from '../../components/segmented';
import { DEFINITIONS, type DefinitionText } from '../../model/breakdown';

/** Selects one of the three definitions of the step breakdown; the tooltip describes each. */
export function DefinitionSwitch({ definition }: { definition: DefinitionText }) {
    return (
        <Segmented<Definition>
            label="definition of the breakdown"
            value={definition.id}
            options={DEFINITIONS.map(({ id, title, description }) => ({
                value: id,
                text: title,
                tip: description,
            }))}
            onChange={(id) => replaceQuery({ parts: id === DEFINITIONS[0].id ? null : id })}
        />
    );
}
