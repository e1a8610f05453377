/** A range in a source file: line and column of its first character and of the one after its last,
 * both from 1; columns count UTF-16 units as editors do. */
export type Span = readonly [line: number, column: number, endLine: number, endColumn: number];

/** The number of a place in the sources of one plan, given by the extractor. Inside the sandbox it
 * has no meaning; the host knows its file and span. 0 means "no particular place". */
export type Site = number;

export const NOWHERE: Site = 0;
