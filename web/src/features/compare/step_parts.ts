/* SPDX-License-Identifier: MIT */
/* The parts of a step in two groups: rows that add up to the step, and the frames of a part. */
import type { Change, ComparisonRow, Parts } from '../../base/answers';
import { partText } from '../../model/breakdown';

/** Name of the row that closes the table of parts: their sum. */
export const STEP_ROW = 'Step';

/* A part takes no time in a group: the group lacks it. */
function changeOf(base: number, fresh: number): Change {
    if (base === 0) return fresh === 0 ? null : 'added';
    return fresh === 0 ? 'removed' : null;
}

function partRow(id: number, name: string, base: number, fresh: number): ComparisonRow {
    const delta = fresh - base;
    return {
        id,
        name,
        place: null,
        base_place: null,
        within: null,
        line: null,
        base_line: null,
        by: null,
        base_by: null,
        change: changeOf(base, fresh),
        base,
        new: fresh,
        delta,
        delta_pct: base > 0 ? (100 * delta) / base : null,
        share: null,
        in_base: Number(base > 0),
        in_new: Number(fresh > 0),
        noise: null,
        low: null,
        high: null,
        p: null,
        verdict: null,
    };
}

/** Rows of GET /compare/step_parts, without parts that take no time in either group. */
export function partRows(rows: readonly ComparisonRow[]): ComparisonRow[] {
    return rows
        .filter(({ base, new: fresh }) => (base ?? 0) > 0 || (fresh ?? 0) > 0)
        .map((row) => ({
            ...row,
            change: changeOf(row.base ?? 0, row.new ?? 0),
            in_base: Number((row.base ?? 0) > 0),
            in_new: Number((row.new ?? 0) > 0),
        }));
}

/** Rows of two mean steps in ns, largest difference first; their values are µs. */
export function partRowsOfMeans(base: Parts | undefined, fresh: Parts | undefined) {
    const values = new Map<string, [number, number]>();
    [base, fresh].forEach((parts, side) => {
        for (const [name, ns] of parts ?? []) {
            const pair = values.get(name) ?? [0, 0];
            pair[side] += ns / 1000;
            values.set(name, pair);
        }
    });
    const rows = [...values].map(([name, [a, b]], i) => partRow(i + 1, name, a, b));
    return partRows(rows).sort((a, b) => Math.abs(b.delta ?? 0) - Math.abs(a.delta ?? 0));
}

/** The row that closes the table: what the parts add up to. */
export function sumOfParts(rows: readonly ComparisonRow[]): ComparisonRow {
    const sum = (side: 'base' | 'new') => rows.reduce((all, row) => all + (row[side] ?? 0), 0);
    return partRow(0, STEP_ROW, sum('base'), sum('new'));
}

interface FrameRule {
    pattern: RegExp;
    /** what the frames are */
    text: string;
}

/** Frames of the host that belong to a part, by the family of the part. */
const FRAME_RULES: Record<string, FrameRule> = {
    data: { pattern: /DataLoader.*__next__|^enumerate\(DataLoader\)/, text: 'waits for data' },
    matmul: {
        pattern: /Launch(Cooperative)?Kernel|(Stream|Device|Event)Synchronize|^aten::item$/,
        text: 'calls that launch kernels or wait for them',
    },
    memory: { pattern: /Mem(cpy|set)|^aten::copy_$/, text: 'calls that copy or set memory' },
    communication: {
        pattern: /^(nccl|c10d|gloo|mpi)\b|AllReduce|AllGather|ReduceScatter/i,
        text: 'collective operations',
    },
    runtime: { pattern: /^(cu|cuda|hip)[A-Z]/, text: 'runtime calls' },
    norm: { pattern: /^(aten|prims|autograd|torch)::|Backward\d*$/, text: 'operators of the host' },
};

/** Which frames a part marks, by their names; null: none can be told. */
export function frameRuleOf(part: string): FrameRule | null {
    return FRAME_RULES[partText(part).family] ?? null;
}
