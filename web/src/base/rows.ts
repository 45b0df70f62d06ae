/* SPDX-License-Identifier: MIT
 *
 * Types of the rows of SQL queries: web/rows.mjs generates them from schema/queries. The row of
 * NAMEs.sql is called NameRow.
 */
export type * from '../../generated/rows';
