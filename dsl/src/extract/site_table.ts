import type { Site, Span } from "../exchange/site.ts";
import type { SourceText } from "./source_text.ts";

export interface Place {
  readonly source: SourceText;
  readonly start: number;
  readonly end: number;
  /** Name of the function or method that is called here. */
  readonly callee?: string;
}

/** Gives the place in the sources for each site number used in sandboxed code. */
export class SiteTable {
  // Site 0 means "no particular place".
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
