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
import { formatDelta, formatValueOf, groupName, verdictOf, verdictText } from '../../model/compare';
import { ConclusionLine } from './conclusion';
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
                <GroupLine label="base" runs={base} group={headline?.base} unit={headline?.unit} />
                <GroupLine label="new" runs={fresh} group={headline?.new} unit={headline?.unit} />
                <HeadlineVerdict comparison={comparison} />
                <ConclusionLine comparison={comparison} />
            </div>
            {headline && (
                <GroupStrip
                    base={headline.base}
                    fresh={headline.new}
                    width={stripWidth(width)}
                    format={(value) => text(formatValueOf(value, headline.unit))}
                    nameOf={(side, run) => comparison[side][run]?.name ?? ''}
                />
            )}
        </header>
    );
}

/** Width of the dots of a header. */
export function stripWidth(windowWidth: number): number {
    return windowWidth >= 1200 ? 520 : windowWidth >= 1000 ? 380 : 300;
}

interface GroupLineProps {
    label: string;
    runs: Run[];
    group?: Group;
    unit?: string;
}

/** A group: its name, its runs, its median and spread. */
export function GroupLine({ label, runs, group, unit }: GroupLineProps) {
    const name = groupName(runs);
    const last = runs[runs.length - 1];
    const one = runs.length === 1;
    return (
        <div class="compare-group">
            <small>{label}</small>
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
                {!one && <RunList label={label} runs={runs} />}
                <span class="wide-only">
                    {[last.who, when(last.created_at)].filter(Boolean).join(', ')}
                </span>
                {group && unit !== undefined && (
                    <span>
                        {!one && 'median '}
                        <b>
                            <FormattedValueText value={formatValueOf(group.median, unit)} />
                        </b>
                        {!one && (
                            <>
                                {' ± '}
                                <FormattedValueText value={formatValueOf(group.mad, unit)} />
                            </>
                        )}
                    </span>
                )}
            </span>
        </div>
    );
}

/* Menu with the runs of a group. */
function RunList({ label, runs }: { label: string; runs: Run[] }) {
    return (
        <Menu
            label={plural(runs.length, 'run')}
            ariaLabel={`the ${runs.length} runs of ${label}`}
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

function HeadlineVerdict({ comparison }: { comparison: Comparison }) {
    const { headline, base, new: fresh } = comparison;
    if (!headline) {
        return (
            <p class="compare-answer">
                No difference of the headline: {comparison.no_headline}. Compare the tables below.
            </p>
        );
    }
    const { unit, delta, delta_pct } = headline;
    const judgement = verdictOf(headline, unit);
    const [phrase, rest] = verdictText(headline, unit, base.length, fresh.length);
    const whole = phrase + rest;
    return (
        <p class="compare-answer" title={whole}>
            <b class={`compare-delta ${judgement.tone === 'faint' ? '' : judgement.tone}`}>
                {judgement.tone !== 'faint' && (
                    <span aria-hidden="true">{delta > 0 ? '▲ ' : '▼ '}</span>
                )}
                <FormattedValueText value={formatDelta(delta, unit)} />
            </b>{' '}
            {delta_pct !== null && `(${signed(delta_pct, 1)}${THIN_SPACE}% of base)`}{' '}
            <span class="soft">{headline.label}</span> · <b>{phrase}</b>
            <span class="soft">{rest}</span>
        </p>
    );
}
