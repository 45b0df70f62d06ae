/* SPDX-License-Identifier: MIT
 *
 * Header of a comparison: the two groups, the verdict with its test, and every run as a dot.
 */
import type { Comparison, Group } from '../../base/compare_types';
import { formatHash } from '../../base/router';
import type { Run } from '../../base/types';
import { THIN_SPACE, plural, signed, text, when } from '../../base/units';
import { Menu } from '../../components/menu';
import { FormattedValueText } from '../../components/text';
import { viewportWidth } from '../../components/viewport';
import {
    formatDelta,
    formatValueOf,
    groupName,
    verdictOf,
    verdictWords,
} from '../../model/compare';
import { GroupStrip } from './group_strip';

export function CompareHead({ comparison }: { comparison: Comparison }) {
    const { headline, base, new: fresh } = comparison;
    const width = viewportWidth.value;
    return (
        <header class="compare-head">
            <div class="compare-who">
                <h1 class="sr-only">
                    {groupName(base)} and {groupName(fresh)} compared
                </h1>
                <GroupLine word="base" runs={base} group={headline?.base} unit={headline?.unit} />
                <GroupLine word="new" runs={fresh} group={headline?.new} unit={headline?.unit} />
                <Answer comparison={comparison} />
            </div>
            {headline && (
                <GroupStrip
                    base={headline.base}
                    fresh={headline.new}
                    width={width >= 1200 ? 520 : width >= 1000 ? 380 : 300}
                    say={(value) => text(formatValueOf(value, headline.unit))}
                    nameOf={(side, run) => comparison[side][run]?.name ?? ''}
                />
            )}
        </header>
    );
}

interface GroupLineProps {
    word: string;
    runs: Run[];
    group?: Group;
    unit?: string;
}

/** A group: its name, its runs, its median and spread. */
export function GroupLine({ word, runs, group, unit }: GroupLineProps) {
    const name = groupName(runs);
    const last = runs[runs.length - 1];
    const one = runs.length === 1;
    return (
        <div class="compare-group">
            <small>{word}</small>
            {one ? (
                <a class="compare-name" href={formatHash(['run', last.id])} title={name}>
                    {name}
                </a>
            ) : (
                <b class="compare-name" title={name}>
                    {name}
                </b>
            )}
            <span class="compare-meta">
                {!one && <RunList word={word} runs={runs} />}
                <span class="wide-only">
                    {[last.who, when(last.created_at)].filter(Boolean).join(', ')}
                </span>
                {group && unit && (
                    <span>
                        {!one && 'median '}
                        <b>
                            <FormattedValueText fig={formatValueOf(group.median, unit)} />
                        </b>
                        {!one && (
                            <>
                                {' ± '}
                                <FormattedValueText fig={formatValueOf(group.mad, unit)} />
                            </>
                        )}
                    </span>
                )}
            </span>
        </div>
    );
}

/* Menu with the runs of a group. */
function RunList({ word, runs }: { word: string; runs: Run[] }) {
    return (
        <Menu
            label={plural(runs.length, 'run')}
            ariaLabel={`the ${runs.length} runs of ${word}`}
            class="link"
            filter={runs.length > 12}
            items={runs.map((run) => ({
                text: run.name,
                note: run.headline
                    ? text(formatValueOf(run.headline.value, run.headline.unit))
                    : '',
                href: formatHash(['run', run.id]),
            }))}
        />
    );
}

function Answer({ comparison }: { comparison: Comparison }) {
    const { headline, base, new: fresh } = comparison;
    if (!headline) {
        return (
            <p class="compare-answer">
                The runs have different headline metrics. Compare the tables below.
            </p>
        );
    }
    const { unit, delta, delta_pct, verdict } = headline;
    const said = verdictOf(headline, unit);
    const [word, rest] = verdictWords(headline, unit, base.length, fresh.length);
    const whole = word + rest;
    return (
        <p class="compare-answer" title={whole}>
            <b class={`compare-delta ${said.tone === 'faint' ? '' : said.tone}`}>
                {verdict !== 'same' && verdict !== 'few' && delta !== 0 && (
                    <span aria-hidden="true">{delta > 0 ? '▲ ' : '▼ '}</span>
                )}
                <FormattedValueText fig={formatDelta(delta, unit)} />
            </b>{' '}
            {delta_pct !== null && `(${signed(delta_pct, 1)}${THIN_SPACE}% of base)`}{' '}
            <span class="soft">{headline.label}</span> · <b>{word}</b>
            <span class="soft">{rest}</span>
        </p>
    );
}
