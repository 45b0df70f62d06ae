/* SPDX-License-Identifier: MIT */
/* Answers about the roofline of a trace (docs/api-traces.md). */

export interface Peaks {
    name: string;
    source: string;
    /** TFLOP/s by type of the numbers: {"bf16": 989.4} */
    matrix: Record<string, number>;
    vector: Record<string, number>;
    /** GB/s */
    bandwidth: number;
}

/** The work with one name of a row. */
export interface RooflineKernel {
    name: string;
    name_id: number;
    count: number;
    /** sum of the durations */
    device_ns: number;
}

export interface RooflineRow {
    name: string;
    name_id: number;
    family: number;
    shapes: string | null;
    types: string | null;
    calls: number;
    device_ns: number;
    slice: number;
    /** most time first */
    kernels: RooflineKernel[];
    kernels_omitted: number;
    has_model: boolean;
    /** the following: only with a model; null: unknown */
    flops?: number | null;
    bytes?: number | null;
    intensity?: number | null;
    tflops?: number | null;
    gbps?: number | null;
    units?: 'matrix' | 'vector';
    type?: string;
    peak_tflops?: number | null;
    limit_ns?: number | null;
    bound?: 'compute' | 'memory' | null;
    percent?: number | null;
}

export interface Roofline {
    device: string;
    peaks: Peaks | null;
    /** with work */
    devices: number;
    span_ns: number;
    device_ns: number;
    modelled_ns: number;
    unattributed_ns: number;
    flops: number;
    bytes: number;
    limited_ns: number;
    limit_ns: number | null;
    mfu: number | null;
    mbu: number | null;
    rows: RooflineRow[];
    omitted: number;
    omitted_ns: number;
}
