/* SPDX-License-Identifier: MIT */

/** Two calls up and down: all of them is most of the program. */
export const FOCUS_DEPTH = '2';

/** What Graphviz lays out in about a second. */
export const GRAPH_LIMIT = 100;
