/* SPDX-License-Identifier: MIT
 *
 * The conclusion of a comparison, in its header: what changed, with links to it.
 */
import { useEffect } from 'preact/hooks';
import type { Comparison, ComparisonConclusion, SentencePart } from '../../base/answers';
import { formatHash, route } from '../../base/router';
import { text as formatText } from '../../base/units';
import { showDevice } from '../../model/device';
import { formatPart } from '../../model/sentence';
import { useData } from '../shared/use_json';
import { comparePath, groupsOf } from './state';

/** What changed, with links to the rows of a name. */
function Changes({ words }: { words: SentencePart[] }) {
    const groups = groupsOf(route.value.query);
    return (
        <>
            {words.map(({ text, code, value, unit, link }, i) => {
                const content = text ?? code ?? formatText(formatPart(value ?? null, unit ?? ''));
                return link ? (
                    <a
                        key={i}
                        class={code ? 'mono' : ''}
                        href={formatHash(['compare', link.tab], { ...groups, ...link.params })}
                        title={content}
                    >
                        {content}
                    </a>
                ) : (
                    <span key={i}>{content}</span>
                );
            })}
        </>
    );
}

export function ConclusionLine({ comparison }: { comparison: Comparison }) {
    const hasRequests = comparison.pictures.includes('requests');
    const isNoise = !hasRequests && comparison.headline?.verdict === 'same';
    const { query } = route.value;
    const data = useData<ComparisonConclusion | null>(
        isNoise || !comparison.tables.length ? null : comparePath(query, '/conclusion'),
    );
    useEffect(() => {
        showDevice(data?.device);
        return () => showDevice(undefined);
    }, [data]);
    if (isNoise || !(hasRequests || comparison.tables[0]?.metrics[0].adds_up)) return null;
    if (!data?.sentence.length) return null;
    return (
        <p class={`compare-conclusion${hasRequests ? ' is-long' : ''}`}>
            <b>
                <Changes words={data.sentence} />
            </b>
        </p>
    );
}
