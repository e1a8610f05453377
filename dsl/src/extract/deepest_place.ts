// Where a source goes too deep. The walk keeps its own stack, because that of the program was too small.
import type ts from "typescript";
import { loadTypeScript } from "./load_typescript.ts";

interface Step {
  readonly node: ts.Node;
  readonly depth: number;
  /** The outermost operator or call that the node is part of. */
  readonly whole: ts.Node | undefined;
}

/** The begin and end of the expression that goes deepest; undefined if not even the parser can read it. */
export function deepestPlace(text: string): readonly [number, number] | undefined {
  const ts = loadTypeScript();
  let file: ts.SourceFile;
  try {
    file = ts.createSourceFile("deep.ts", text, ts.ScriptTarget.ESNext, false);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  let deepest: Step = { node: file, depth: 0, whole: undefined };
  const open = [deepest];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const { node, depth, whole } = step;
    if (depth > deepest.depth) deepest = step;
    ts.forEachChild(node, (child) => {
      const begins = ts.isBinaryExpression(child) || ts.isParenthesizedExpression(child);
      open.push({ node: child, depth: depth + 1, whole: whole ?? (begins ? child : undefined) });
    });
  }
  const found = deepest.whole ?? deepest.node;
  return [found.getStart(file), found.end];
}
