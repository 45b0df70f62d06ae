/* SPDX-License-Identifier: MIT
 *
 * Types of the answers of the server: web/rows.mjs generates them from schema/answers. Times, sizes
 * and shares have the units that their comments and docs/api.md state.
 */
export type * from '../../generated/answers';
