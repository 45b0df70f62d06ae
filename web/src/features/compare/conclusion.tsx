/* SPDX-License-Identifier: MIT
 *
 * The conclusion of a comparison, in its header: the rows that explain the difference, each with a
 * link to it.
 */
import type {
    Comparison,
    ComparisonConclusion,
    ExplainingRow,
    Explanation,
} from '../../base/compare_types';
import type { SentencePart } from '../../base/sentence_types';
import { formatHash, route } from '../../base/router';
import { int } from '../../base/units';
import { useJson } from '../shared/use_json';
import { explanationWords } from './conclusion_text';
import { comparePath, groupsOf, PARTS_TABLE, selectionKey, STEPS_TAB } from './state';

/* Address of the table with the row selected; `per` and `metric` are those that explain. */
function rowHref({ of, metric, per }: Explanation, { id, name }: ExplainingRow): string {
    const groups = groupsOf(route.value.query);
    if (of === PARTS_TABLE)
        return formatHash(['compare', STEPS_TAB], { ...groups, sel: selectionKey('part', name) });
    const query = { ...groups, metric, per, row: String(id) };
    return formatHash(['compare', of], query);
}

function Sentence({ of }: { of: Explanation }) {
    return (
        <>
            {explanationWords(of).map(({ text, row, isCode }, i) =>
                row ? (
                    <a key={i} class={isCode ? 'mono' : ''} href={rowHref(of, row)} title={text}>
                        {text}
                    </a>
                ) : (
                    <span key={i}>{text}</span>
                ),
            )}
        </>
    );
}

/** What changed, with links to the rows of a name. */
function Changes({ words }: { words: SentencePart[] }) {
    const groups = groupsOf(route.value.query);
    return (
        <>
            {words.map(({ text, code, value, link }, i) => {
                const content = text ?? code ?? (value === null ? '–' : int(value ?? 0));
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
    const isNoise = comparison.headline?.verdict === 'same';
    const { query } = route.value;
    const { data } = useJson<ComparisonConclusion | null>(
        isNoise || !comparison.tables.length ? null : comparePath(query, '/conclusion'),
    );
    if (isNoise || !comparison.tables[0]?.metrics[0].adds_up) return null;
    const inside = data?.inside;
    return (
        <p class="compare-conclusion">
            {data && (
                <b>
                    {data.sentence.length > 0 ? (
                        <Changes words={data.sentence} />
                    ) : (
                        <>
                            <Sentence of={data} />.
                        </>
                    )}
                </b>
            )}
            {inside && inside.found !== 'none' && (
                <>
                    {' '}
                    {inside.title}: <Sentence of={inside} />.
                </>
            )}
        </p>
    );
}
