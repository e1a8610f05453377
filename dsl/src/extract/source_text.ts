import type { Span } from "../exchange/site.ts";

/** One source file: its text, and the line and column of any offset. */
export class SourceText {
  readonly #lineStarts: number[] = [0];

  constructor(readonly file: string, readonly text: string) {
    for (let offset = text.indexOf("\n"); offset >= 0; offset = text.indexOf("\n", offset + 1)) {
      this.#lineStarts.push(offset + 1);
    }
  }

  /** Line and column of an offset, both from 1. */
  place(offset: number): readonly [line: number, column: number] {
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#lineStarts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return [low + 1, offset - this.#lineStarts[low]! + 1];
  }

  span(start: number, end: number): Span {
    return [...this.place(start), ...this.place(end)];
  }

  /** Offset of a line and column, limited to the text. */
  offset(line: number, column: number): number {
    const start = this.#lineStarts[Math.min(line, this.#lineStarts.length) - 1] ?? 0;
    return Math.min(start + column - 1, this.text.length);
  }

  /** The text of a line without its line end; empty if there is no such line. */
  line(line: number): string {
    const start = this.#lineStarts[line - 1];
    if (start === undefined) return "";
    const end = this.#lineStarts[line] ?? this.text.length + 1;
    return this.text.slice(start, end - 1).replace(/\r$/, "");
  }
}
