/** A range in a source file: line and column of its first character and of the one after its last,
 * both from 1; columns count UTF-16 units as editors do. */
export type Span = readonly [line: number, column: number, endLine: number, endColumn: number];

/** A place in the sources of one plan, numbered by the extractor. Inside the sandbox it is opaque;
 * the host knows file and span. 0 is "nowhere in particular". */
export type Site = number;

export const NOWHERE: Site = 0;
