import type { ColumnType } from 'kysely'

/** Written as JSON text, read as the value. */
export type Json<T> = ColumnType<T, string, string>
/** `numeric` is read as a number (see database/index.ts). */
export type Numeric = number
