/** A mapping of one generated place to an original one; lines and columns from 0. */
export interface Mapping {
  readonly column: number;
  readonly originalLine: number;
  readonly originalColumn: number;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const DIGIT_VALUES = new Map([...DIGITS].map((digit, value) => [digit, value]));

/** Reads the `mappings` of a source map (revision 3) with one source, by generated line. */
export function readMappings(text: string): Mapping[][] {
  let originalLine = 0;
  let originalColumn = 0;
  return text.split(";").map((line) => {
    let column = 0;
    const mappings: Mapping[] = [];
    for (const segment of line.split(",")) {
      const [deltaColumn, , deltaLine, deltaOriginal] = readNumbers(segment);
      if (deltaColumn === undefined) continue;
      column += deltaColumn;
      if (deltaLine === undefined || deltaOriginal === undefined) continue;
      originalLine += deltaLine;
      originalColumn += deltaOriginal;
      mappings.push({ column, originalLine, originalColumn });
    }
    return mappings;
  });
}

function readNumbers(segment: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const letter of segment) {
    const digit = DIGIT_VALUES.get(letter)!;
    value |= (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    numbers.push((value & 1) !== 0 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

/** The last mapping at or before a generated place, lines and columns from 0. */
export function findMapping(lines: readonly Mapping[][], line: number, column: number):
    Mapping | undefined {
  return lines[line]?.filter((mapping) => mapping.column <= column).at(-1);
}
