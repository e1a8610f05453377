import type { Problem } from "../exchange/problem.ts";

/** How results are shown. */
export interface ReportStyle {
  readonly color: boolean;
  /** The text of a line of a source, for the excerpt under a problem. */
  lineOf(file: string, line: number): string | undefined;
}

/** Excerpts of longer lines are cut. */
const EXCERPT_MAX = 300;

/** Control characters, and those that change the direction of text. */
const UNPRINTABLE = /[\0-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text as a terminal may show it: what a plan wrote must not move the cursor or colour the rest. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    if (character === "\n") return "\\n";
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** One problem for people to read: place, message, the line with a caret under it, hint. */
export function problemText(problem: Problem, style: ReportStyle): string {
  const paint = (code: number, text: string): string => (style.color ? `\x1b[${code}m${text}\x1b[0m` : text);
  const { file, span, severity, code, message, hint } = problem;
  const place = [printable(file), ...(span ? span.slice(0, 2) : [])].filter((part) => part !== "").join(":");
  const lines = [`${place ? `${paint(1, place)}: ` : ""}` +
    `${paint(severity === "error" ? 31 : 33, severity)}: ${printable(message)} [${printable(code)}]`];
  const source = span && style.lineOf(file, span[0]);
  if (span && source !== undefined) {
    const [line, column, endLine, endColumn] = span;
    const end = endLine === line ? endColumn : source.length + 1;
    const gutter = String(line).padStart(4);
    const first = source.length > EXCERPT_MAX ? Math.max(0, column - 1 - EXCERPT_MAX / 2) : 0;
    const last = Math.min(source.length, first + EXCERPT_MAX);
    // Tabs stay tabs, so that the caret is below the right column in an editor.
    const before = printable(source.slice(first, column - 1)).replace(/[^\t]/g, " ");
    const marked = printable(source.slice(column - 1, Math.min(end - 1, last)));
    const marks = `^${"~".repeat(Math.max(0, marked.length - 1))}`;
    const cut = [first > 0 ? "…" : "", last < source.length ? "…" : ""] as const;
    lines.push(`${gutter} | ${cut[0]}${printable(source.slice(first, last))}${cut[1]}`,
      `     | ${cut[0] && " "}${before}${paint(31, marks)}`);
  }
  if (hint !== undefined) lines.push(`     hint: ${printable(hint)}`);
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
