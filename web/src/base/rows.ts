/* SPDX-License-Identifier: MIT
 *
 * Types of the rows of SQL queries: web/rows.mjs generates them from schema/queries. The row type
 * has the name of the query in the singular: functions.sql has FunctionRow.
 */
export type * from '../../generated/rows';
