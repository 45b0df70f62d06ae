/* SPDX-License-Identifier: MIT
 *
 * The conclusion at the head of a report: a sentence whose numbers are links, and a table of
 * causes. On the first tab it is open, on the others it is one line; `i` opens and closes it.
 */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type {
    Cause,
    Conclusion as ConclusionData,
    ReportLink,
    Run,
    SentencePart,
} from '../../base/answers';
import { useKeys } from '../../base/keys';
import { navigate, route } from '../../base/router';
import { formatFixed, int, text } from '../../base/units';
import { API } from '../../base/client';
import { CodeText, FormattedValueText } from '../../components/text';
import { viewportWidth } from '../../components/viewport';
import { showDevice } from '../../model/device';
import { functionName } from '../../model/labels';
import { chooseStep, chosenStep } from '../shared/chosen_step';
import { useJson } from '../shared/use_json';
import { Composition } from './composition';
import { type CauseGroup, groupCauses, groupsShown, initiallyOpen, shortFrame } from './data';
import { formatPart } from '../../model/sentence';

type HrefOf = (link: ReportLink) => string;

function Part({ part, hrefOf }: { part: SentencePart; hrefOf: HrefOf }) {
    const isNumber = part.text === undefined && part.code === undefined;
    const content = isNumber ? (
        <FormattedValueText value={formatPart(part.value ?? null, part.unit ?? '')} />
    ) : part.code !== undefined ? (
        <code title={part.code}>{shortFrame(functionName(part.code))}</code>
    ) : (
        part.text
    );
    if (part.link)
        return (
            <a class={isNumber ? 'linked-value' : 'link'} href={hrefOf(part.link)}>
                {content}
            </a>
        );
    return isNumber ? <b class="value">{content}</b> : <>{content}</>;
}

function Sentence({ parts, hrefOf }: { parts: SentencePart[]; hrefOf: HrefOf }) {
    return (
        <>
            {parts.map((part, i) => (
                <Part key={i} part={part} hrefOf={hrefOf} />
            ))}
        </>
    );
}

/** "up to 0.639 s": a saving is a bound. "0 to": the profile does not prove that anything is saved. */
function Saving({ cause, unit }: { cause: Cause; unit: string }) {
    if (cause.save_max === null) return null;
    return (
        <>
            {cause.save_min === null
                ? 'up to '
                : `${text(formatPart(cause.save_min, 'count'))} to `}
            <b>
                <FormattedValueText value={formatPart(cause.save_max, unit)} />
            </b>
        </>
    );
}

interface RowProps {
    cause: Cause;
    unit: string;
    saveUnit: string;
    hrefOf: HrefOf;
    /** whether the table has these columns */
    hasAmounts: boolean;
    hasSavings: boolean;
    /** null: the cause has no parts */
    isOpen: boolean | null;
    onToggle: () => void;
}

function CauseRow({
    cause,
    unit,
    saveUnit,
    hrefOf,
    hasAmounts,
    hasSavings,
    isOpen,
    onToggle,
}: RowProps) {
    return (
        <tr class={cause.level > 0 ? 'is-part' : undefined}>
            <th scope="row">
                {isOpen !== null && (
                    <button
                        type="button"
                        class="cause-toggle"
                        aria-expanded={isOpen}
                        aria-label="Parts of this cause"
                        onClick={onToggle}
                    >
                        {isOpen ? '▾' : '▸'}
                    </button>
                )}
                <Sentence parts={cause.title} hrefOf={hrefOf} />
            </th>
            {hasAmounts && (
                <td class="num">
                    <FormattedValueText value={formatPart(cause.amount, unit)} />
                </td>
            )}
            <td class="num soft">
                {cause.share !== null && `${formatFixed(cause.share * 100, 1)}`}
            </td>
            {hasSavings && (
                <td class="num saving">
                    <Saving cause={cause} unit={saveUnit} />
                </td>
            )}
            <td class="evidence" title={cause.advice ?? undefined}>
                <Sentence parts={cause.evidence} hrefOf={hrefOf} />
            </td>
        </tr>
    );
}

/** Column title of the amounts: "Time", "Memory a step", "Samples". */
function amountTitle({ unit, per }: ConclusionData): string {
    const noun = unit === 's' ? 'Time' : unit === 'bytes' ? 'Memory' : (unit ?? '');
    const title = noun.charAt(0).toUpperCase() + noun.slice(1);
    return per ? `${title} a ${per}` : title;
}

interface CausesProps {
    groups: CauseGroup[];
    /** index of the open cause; 0: none */
    open: number;
    conclusion: ConclusionData;
    hrefOf: HrefOf;
}

function Causes({ groups, open, conclusion, hrefOf }: CausesProps) {
    const unit = conclusion.unit ?? '';
    const saveUnit = conclusion.save_unit ?? unit;
    const hasAmounts = conclusion.causes.some((cause) => cause.amount !== null);
    const hasSavings = conclusion.causes.some((cause) => cause.save_max !== null);
    const toggle = (index: number) => {
        const { path, query } = route.value;
        navigate(path, { ...query, why: String(open === index ? 0 : index) });
    };
    return (
        <table class="causes">
            <thead>
                <tr>
                    <th scope="col">Cause</th>
                    {hasAmounts && (
                        <th scope="col" class="num">
                            {amountTitle(conclusion)}
                        </th>
                    )}
                    <th scope="col" class="num">
                        {conclusion.base ? `% ${conclusion.base}` : ''}
                    </th>
                    {hasSavings && (
                        <th scope="col" class="num">
                            Could save
                        </th>
                    )}
                    <th scope="col">Evidence</th>
                </tr>
            </thead>
            <tbody>
                {groups.map(({ index, cause, parts }) => [
                    <CauseRow
                        key={index}
                        cause={cause}
                        unit={unit}
                        saveUnit={saveUnit}
                        hrefOf={hrefOf}
                        hasAmounts={hasAmounts}
                        hasSavings={hasSavings}
                        isOpen={parts.length > 0 ? open === index : null}
                        onToggle={() => toggle(index)}
                    />,
                    ...(open === index ? parts : []).map((part, i) => (
                        <CauseRow
                            key={`${index}.${i}`}
                            cause={part}
                            unit={unit}
                            saveUnit={saveUnit}
                            hrefOf={hrefOf}
                            hasAmounts={hasAmounts}
                            hasSavings={hasSavings}
                            isOpen={null}
                            onToggle={() => undefined}
                        />
                    )),
                ])}
            </tbody>
        </table>
    );
}

const KEY = 'perfshelf.conclusion';

function readIsHidden(): boolean {
    try {
        return localStorage.getItem(KEY) === 'hidden';
    } catch {
        return false; // storage is disabled: the choice lasts until the page is closed
    }
}

function storeIsHidden(hidden: boolean): void {
    try {
        if (hidden) localStorage.setItem(KEY, 'hidden');
        else localStorage.removeItem(KEY);
    } catch {
        // see readIsHidden
    }
}

/** In narrower windows the causes would leave no room for the tab. */
const OPEN_FROM_PX = 1000;

function isOpenAtFirst(isFirstTab: boolean): boolean {
    return isFirstTab && viewportWidth.peek() >= OPEN_FROM_PX && !readIsHidden();
}

function StepSelect({
    data,
    choose,
}: {
    data: ConclusionData;
    choose: (name: string | null) => void;
}) {
    return (
        <label>
            Step:{' '}
            <select
                class="field"
                value={data.step ?? ''}
                onChange={(event) => choose(event.currentTarget.value || null)}
            >
                <option value="">as marked in the file</option>
                {data.step_choices.map(({ name, ranges, share }) => (
                    <option key={name} value={name}>
                        {name} ({int(ranges)} ranges, {formatFixed(100 * share, 0)} %)
                    </option>
                ))}
            </select>{' '}
        </label>
    );
}

interface ConclusionProps {
    run: Run;
    /** whether the first tab of the report is shown */
    isFirstTab: boolean;
    hrefOf: HrefOf;
}

export function Conclusion({ run, isFirstTab, hrefOf }: ConclusionProps) {
    const step = chosenStep(run);
    const { data, error } = useJson<ConclusionData>(
        `${API}/runs/${run.id}/conclusion${step.value ? `?step=${encodeURIComponent(step.value)}` : ''}`,
    );
    useEffect(() => {
        if (error && step.peek()) step.value = null; // another run of the series has no such ranges
    }, [error, step]);
    useEffect(() => {
        showDevice(data?.device);
        return () => showDevice(undefined);
    }, [data]);
    const isOpen = useSignal(isOpenAtFirst(isFirstTab));
    const showsAll = useSignal(false);
    useEffect(() => {
        isOpen.value = isOpenAtFirst(isFirstTab);
    }, [isFirstTab, isOpen]);
    const toggle = () => {
        isOpen.value = !isOpen.value;
        if (isFirstTab) storeIsHidden(!isOpen.value);
    };
    useKeys('Conclusion', [{ key: 'i', label: 'show or hide the causes', run: toggle }]);
    // The place is kept while the conclusion loads, so that the tab below does not move.
    if (!data) return <section class={isOpen.value ? 'conclusion is-loading' : 'conclusion'} />;
    const groups = groupCauses(data.causes);
    const chosen = route.value.query.why;
    const open = chosen === undefined ? initiallyOpen(groups) : Number(chosen);
    const shown = showsAll.value ? groups : groupsShown(groups, open);
    const nSmaller = groups.length - shown.length;
    const hasMore = groups.length > 0 || data.notes.length > 0 || data.composition !== null;
    return (
        <section class="conclusion" aria-label="Conclusion">
            <p class="conclusion-sentence">
                {hasMore && !isOpen.value && (
                    <button
                        type="button"
                        class="cause-toggle"
                        aria-expanded={false}
                        aria-label="Show the causes"
                        onClick={toggle}
                    >
                        ▸
                    </button>
                )}
                <strong>
                    <Sentence parts={data.verdict} hrefOf={hrefOf} />
                </strong>
                <Sentence parts={data.sentence} hrefOf={hrefOf} />
            </p>
            {isOpen.value && hasMore && (
                <>
                    <div class="conclusion-body">
                        {groups.length > 0 && (
                            <Causes groups={shown} open={open} conclusion={data} hrefOf={hrefOf} />
                        )}
                        {data.composition && (
                            <Composition composition={data.composition} hrefOf={hrefOf} />
                        )}
                    </div>
                    <p class="conclusion-notes">
                        {nSmaller > 0 && (
                            <>
                                <button
                                    type="button"
                                    class="link"
                                    onClick={() => (showsAll.value = true)}
                                >
                                    {nSmaller} smaller {nSmaller === 1 ? 'cause' : 'causes'}
                                </button>
                                {' · '}
                            </>
                        )}
                        {data.notes.map((note) => (
                            <CodeText key={note} text={`${note} `} />
                        ))}
                        {data.step_choices.length > 0 && (
                            <StepSelect data={data} choose={(name) => chooseStep(run, name)} />
                        )}
                        {data.checked.length > 0 && (
                            <span title={data.checked.join('\n')}>
                                {int(data.checked.length)}{' '}
                                {data.checked.length === 1 ? 'check' : 'checks'} passed.{' '}
                            </span>
                        )}
                        <button type="button" class="link" onClick={toggle}>
                            Hide
                        </button>{' '}
                        <kbd>i</kbd>
                    </p>
                </>
            )}
        </section>
    );
}
