/* SPDX-License-Identifier: MIT
 *
 * The tabs of a cProfile report as one chunk. The graph layout is fetched when it is needed.
 */
export { CallGraphTab } from '../calls/graph_tab';
export { CallTreeTab } from '../calls/tree_tab';
export { FilesTab } from '../functions/files_tab';
export { ActionsTab } from '../functions/actions_tab';
export { PrintedFilesTab, PrintedFunctionsTab } from '../functions/printed_tab';
export { FunctionsTab } from '../functions/tab';
