import type { Site, Span } from "../exchange/site.ts";
import type { SourceText } from "./source_text.ts";

export interface Place {
  readonly source: SourceText;
  readonly start: number;
  readonly end: number;
  /** Name of the function or method that is called here. */
  readonly callee?: string;
}

/** Knows what the numbers mean that stand for places in sandboxed code. */
export class SiteTable {
  // Site 0 is nowhere.
  readonly #places: (Place | undefined)[] = [undefined];

  add(place: Place): Site {
    return this.#places.push(place) - 1;
  }

  find(site: Site): Place | undefined {
    return this.#places[site];
  }

  span(site: Site): Span | undefined {
    const place = this.#places[site];
    return place?.source.span(place.start, place.end);
  }
}
