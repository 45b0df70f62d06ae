/* SPDX-License-Identifier: MIT
 *
 * Rows of tables, and objects that are rows of a statement: web/rows.mjs generates them from
 * schema/queries. The row of NAMEs.sql is called NameRow.
 */
export type * from '../../generated/rows';
