/* SPDX-License-Identifier: MIT */

/** Default depth around a focused function: unlimited depth would show most of the program. */
export const FOCUS_DEPTH = '2';

/** Number of nodes that Graphviz lays out in about a second. */
export const GRAPH_LIMIT = 100;
