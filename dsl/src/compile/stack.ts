import type { Span } from "../exchange/site.ts";
import type { PlanModule } from "./modules.ts";

/** The innermost place of a stack trace that is in the plan's own sources. */
export function placeInStack(stack: string, modules: readonly PlanModule[]):
    { file: string; span: Span } | undefined {
  for (const [, id, line, column] of stack.matchAll(/\((.+):(\d+):(\d+)\)$/gm)) {
    const module = modules.find((each) => each.id === id);
    const offset = module?.originalOffset(Number(line), Number(column));
    if (module !== undefined && offset !== undefined) {
      const rest = /^[\w$]+/.exec(module.source.text.slice(offset))?.[0].length ?? 1;
      return { file: module.source.file, span: module.source.span(offset, offset + rest) };
    }
  }
  return undefined;
}
