/* SPDX-License-Identifier: MIT
 *
 * The tabs of a cProfile report as one chunk. The graph layout is fetched when it is needed.
 */
export { CallGraphTab } from './callgraph_tab';
export { CallTreeTab } from './calltree_tab';
export { FilesTab } from './files_tab';
export { ActionsTab } from './actions_tab';
export { PrintedFilesTab, PrintedFunctionsTab } from './printed_tab';
export { FunctionsTab } from './functions_tab';
