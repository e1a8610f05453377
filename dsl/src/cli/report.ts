import type { Problem } from "../exchange/problem.ts";

/** How results are shown. */
export interface ReportStyle {
  readonly color: boolean;
  /** The text of a line of a source, for the excerpt under a problem. */
  lineOf(file: string, line: number): string | undefined;
}

/** One problem for people to read: place, message, the line with a caret under it, hint. */
export function problemText(problem: Problem, style: ReportStyle): string {
  const paint = (code: number, text: string): string => (style.color ? `\x1b[${code}m${text}\x1b[0m` : text);
  const { file, span, severity, code, message, hint } = problem;
  const place = [file, ...(span ? span.slice(0, 2) : [])].filter((part) => part !== "").join(":");
  const lines = [`${place ? `${paint(1, place)}: ` : ""}` +
    `${paint(severity === "error" ? 31 : 33, severity)}: ${message} [${code}]`];
  const source = span && style.lineOf(file, span[0]);
  if (span && source !== undefined) {
    const [line, column, endLine, endColumn] = span;
    const end = endLine === line ? endColumn : source.length + 1;
    const gutter = String(line).padStart(4);
    // Tabs stay tabs, so that the caret is below the right column in an editor.
    const before = source.slice(0, column - 1).replace(/[^\t]/g, " ");
    const marks = `^${"~".repeat(Math.max(0, Math.min(end, source.length + 1) - column - 1))}`;
    lines.push(`${gutter} | ${source}`, `     | ${before}${paint(31, marks)}`);
  }
  if (hint !== undefined) lines.push(`     hint: ${hint}`);
  return `${lines.join("\n")}\n`;
}

/** The same problem as JSON. */
export function problemJson({ severity, code, message, hint, file, span }: Problem): object {
  return { severity, code, file, ...(span && { line: span[0], column: span[1], end_line: span[2],
    end_column: span[3] }), message, ...(hint !== undefined && { hint }) };
}

/** Sorts by file, then by place. */
export function sorted(problems: readonly Problem[]): Problem[] {
  const key = ({ span }: Problem): number => (span ? span[0] * 1e6 + span[1] : 0);
  return [...problems].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : key(a) - key(b)));
}
