import type { SourceText } from "./source_text.ts";

/** Writes a changed copy of a source from beginning to end and remembers where each copied piece
 * came from. Line numbers do not change: skipped line ends are written too. */
export class CodeWriter {
  readonly #pieces: string[] = [];
  readonly #copies: { written: number; original: number; length: number }[] = [];
  #written = 0;
  #cursor = 0;

  constructor(readonly source: SourceText) {}

  copyTo(offset: number): void {
    if (offset <= this.#cursor) return;
    const text = this.source.text.slice(this.#cursor, offset);
    this.#copies.push({ written: this.#written, original: this.#cursor, length: text.length });
    this.#push(text);
    this.#cursor = offset;
  }

  skipTo(offset: number): void {
    this.#push(this.source.text.slice(this.#cursor, offset).replace(/[^\n]/g, ""));
    this.#cursor = Math.max(offset, this.#cursor);
  }

  insert(text: string): void {
    this.#push(text);
  }

  finish(): RewrittenCode {
    this.copyTo(this.source.text.length);
    return new RewrittenCode(this.source, this.#pieces.join(""), this.#copies);
  }

  #push(text: string): void {
    if (text === "") return;
    this.#pieces.push(text);
    this.#written += text.length;
  }
}

/** The changed copy. */
export class RewrittenCode {
  constructor(
    readonly source: SourceText,
    readonly code: string,
    readonly copies: readonly { written: number; original: number; length: number }[],
  ) {}

  /** Offset in the original of a character of the copy; for an inserted character, that of the next
   * copied one. */
  original(written: number): number {
    let found = 0;
    for (const copy of this.copies) {
      if (copy.written > written) return written < found ? found : copy.original;
      found = copy.original + Math.min(written - copy.written, copy.length);
      if (written < copy.written + copy.length) return found;
    }
    return found;
  }
}
