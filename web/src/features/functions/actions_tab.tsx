/* SPDX-License-Identifier: MIT
 *
 * Report of the PyTorch Lightning profilers: one report at a time, selected by stage. An action of
 * the advanced profiler links to the table of its functions.
 */
import { useMemo } from 'preact/hooks';
import type { Page, Run } from '../../base/answers';
import { API } from '../../base/client';
import { formatHash, goTo, route, setQuery } from '../../base/router';
import { LABELS } from '../../base/terms';
import { formatSeconds, formatFixed, int, pct, THIN_SPACE } from '../../base/units';
import type { GridColumn } from '../../components/data_grid';
import { MarkedName } from '../../components/marked_name';
import { Menu } from '../../components/menu';
import { LoadingLine } from '../../components/progress';
import { Segmented } from '../../components/segmented';
import { ShareBar } from '../../components/share_bar';
import type { Matcher } from '../../model/search';
import { objectsOf } from '../shared/paged_source';
import { rowActions } from '../shared/row_actions';
import { TableTab } from '../shared/table_tab';
import { useJson } from '../shared/use_json';
import type { ActionRow, SectionRow } from '../../base/rows';

const MAX_ROWS = 1000;
const MAX_BUTTONS = 5;
const NESTED_REMARK = 'actions are nested: percentages add up to more than 100';
const ADVANCED_REMARK =
    'actions are nested: time in Profiler.enable also counts for the enclosing actions';

function useSections(run: Run): {
    sections: SectionRow[];
    shown: SectionRow | null;
    ready: boolean;
} {
    const { data, error } = useJson<Page>(`${API}/runs/${run.id}/sections?limit=${MAX_ROWS}`);
    const sections = useMemo(() => objectsOf<SectionRow>(data), [data]);
    const urlSection = Number(route.value.query.section);
    const longest = [...sections].sort(
        (a, b) =>
            (b.total_s ?? b.longest_s ?? 0) - (a.total_s ?? a.longest_s ?? 0) ||
            b.actions - a.actions ||
            a.id - b.id,
    )[0];
    const shown = sections.find(({ id }) => id === urlSection) ?? longest ?? null;
    return { sections, shown, ready: data !== null || error !== null };
}

/** Name of a report: "fit", or "fit 2" if the file has several reports of that stage. */
function sectionName(sections: SectionRow[], { id, stage }: SectionRow): string {
    const label = stage ? stage.toLowerCase().replaceAll('_', ' ') : 'report';
    const same = sections.filter((other) => other.stage === stage);
    return same.length > 1 ? `${label} ${same.findIndex((other) => other.id === id) + 1}` : label;
}

function selectSection(id: number): void {
    setQuery({ section: String(id), action: null });
}

function StageSelect({ sections, shown }: { sections: SectionRow[]; shown: SectionRow }) {
    if (sections.length < 2) return null;
    if (sections.length <= MAX_BUTTONS) {
        return (
            <Segmented
                label="stage"
                value={String(shown.id)}
                options={sections.map((section) => ({
                    value: String(section.id),
                    text: sectionName(sections, section),
                }))}
                onChange={(value) => selectSection(Number(value))}
            />
        );
    }
    return (
        <Menu
            ariaLabel="stage"
            tip="which of the reports is shown"
            filter
            label={<>{sectionName(sections, shown)} ▾</>}
            items={sections.map((section) => ({
                text: sectionName(sections, section),
                note: section.total_s === null ? undefined : seconds(section.total_s),
                checked: section.id === shown.id,
                onPick: () => selectSection(section.id),
            }))}
        />
    );
}

function seconds(value: number): string {
    const { value: text, unit } = formatSeconds(value);
    return `${text}${THIN_SPACE}${unit}`;
}

export function ActionsTab({ run }: { run: Run }) {
    const { sections, shown, ready } = useSections(run);
    if (!ready) return <LoadingLine active />;
    const total = shown?.total_s ?? null;
    const isAdvanced = total === null && Boolean(run.summary.reports);
    return (
        <TableTab<ActionRow>
            key={shown?.id}
            run={run}
            view="actions"
            title={LABELS.actions}
            sort="total_s"
            hide
            picker={shown && <StageSelect sections={sections} shown={shown} />}
            remark={
                total !== null
                    ? `total ${seconds(total)} · ${NESTED_REMARK}`
                    : isAdvanced
                      ? ADVANCED_REMARK
                      : null
            }
            extra={{ section: shown?.id }}
            selectKey="action"
            rowKey={(row) => row.id}
            columns={(search) =>
                actionColumns(
                    search,
                    run,
                    isAdvanced,
                    total ?? shown?.longest_s ?? 0,
                    total !== null,
                )
            }
            onOpen={({ report }) => {
                if (report !== null) goTo(functionsHash(run, report));
            }}
            actions={({ action }) =>
                rowActions(run, { name: action, row: { of: 'actions', row: action } })
            }
            empty={(filtered) =>
                filtered
                    ? 'No action matches the filters. Clear them to see all.'
                    : 'This report lists no actions.'
            }
        />
    );
}

function functionsHash(run: Run, report: number): string {
    return formatHash(['run', run.id, 'functions'], { report: String(report) });
}

const RIGHT_ALIGNED = { align: 'right' as const, numeric: true };
const NO_VALUE = <span class="zero">–</span>;

/** Cell of a time in s. The profiler prints five digits, for durations from microseconds to hours;
 * the tooltip has all of them. */
function timeCell(value: number | null, decimals: number) {
    if (value === null) return NO_VALUE;
    const text = formatFixed(value, decimals);
    return (
        <span class={/[1-9]/.test(text) ? '' : 'zero'} title={`${value} s`}>
            {text}
        </span>
    );
}

function nameColumn(search: Matcher): GridColumn<ActionRow> {
    return {
        key: 'action',
        title: 'action',
        width: 'rest',
        sortKey: 'action',
        render: ({ action }) => (
            <span class="mono" title={action}>
                <MarkedName text={action} search={search} />
            </span>
        ),
    };
}

/** `base` is 100 % of the bars: the total, or the longest action if there is no total. */
function actionColumns(
    search: Matcher,
    run: Run,
    isAdvanced: boolean,
    base: number,
    shares: boolean,
): GridColumn<ActionRow>[] {
    return [
        nameColumn(search),
        ...(isAdvanced ? functionColumns(run) : simpleColumns()),
        {
            key: 'total_s',
            title: 'total',
            unit: 's',
            width: 128,
            sortKey: 'total_s',
            ...RIGHT_ALIGNED,
            render: (row) => (
                <ShareBar share={base > 0 ? (row.total_s ?? 0) / base : 0} tone="total">
                    {timeCell(row.total_s, isAdvanced ? 3 : 6)}
                </ShareBar>
            ),
        },
        ...(shares ? [SHARE_COLUMN] : []),
    ];
}

const SHARE_COLUMN: GridColumn<ActionRow> = {
    key: 'share',
    title: '',
    unit: '% of total',
    width: 92,
    sortKey: 'share',
    ...RIGHT_ALIGNED,
    render: ({ share }) => (share === null ? NO_VALUE : pct(share)),
};

function simpleColumns(): GridColumn<ActionRow>[] {
    return [
        {
            key: 'mean_s',
            title: 'mean',
            unit: 's',
            width: 112,
            sortKey: 'mean_s',
            hideBelow: 700,
            ...RIGHT_ALIGNED,
            render: (row) => timeCell(row.mean_s, 6),
        },
        {
            key: 'calls',
            title: 'calls',
            width: 88,
            sortKey: 'calls',
            ...RIGHT_ALIGNED,
            render: ({ calls }) => (calls === null ? NO_VALUE : int(calls)),
        },
    ];
}

function functionColumns(run: Run): GridColumn<ActionRow>[] {
    return [
        {
            key: 'functions',
            title: 'functions',
            width: 104,
            sortKey: 'functions',
            title_tip: 'the table of them',
            ...RIGHT_ALIGNED,
            render: ({ report, functions }) =>
                report === null || functions === null ? (
                    NO_VALUE
                ) : (
                    <a class="link" href={functionsHash(run, report)}>
                        {int(functions)}
                    </a>
                ),
        },
        {
            key: 'function_calls',
            title: 'function calls',
            width: 124,
            sortKey: 'function_calls',
            hideBelow: 900,
            ...RIGHT_ALIGNED,
            render: (row) => (row.function_calls === null ? NO_VALUE : int(row.function_calls)),
        },
    ];
}
