// Questions about syntax trees that need only the tree.
import type ts from "typescript";
import type { Problem } from "../exchange/problem.ts";
import type { TypeScript } from "./load_typescript.ts";
import type { SourceText } from "./source_text.ts";

export function syntaxProblems(ts: TypeScript, file: ts.SourceFile, source: SourceText): Problem[] {
  const diagnostics =
    (file as unknown as { parseDiagnostics?: ts.DiagnosticWithLocation[] }).parseDiagnostics ?? [];
  return diagnostics.map(({ messageText, start, length }) => ({
    severity: "error", code: "syntax", file: source.file,
    message: ts.flattenDiagnosticMessageText(messageText, " "),
    span: source.span(start, start + length),
  }));
}

export function binaryOperators(ts: TypeScript): ReadonlyMap<ts.SyntaxKind, string> {
  const tokens = ["+", "-", "*", "/", "%", "**", "<", "<=", ">", ">=", "==", "!=", "===", "!==", "&",
    "|", "^", "<<", ">>", ">>>", "in"];
  const wanted = new Set(tokens);
  const found = new Map<ts.SyntaxKind, string>();
  for (let kind = ts.SyntaxKind.FirstToken; kind <= ts.SyntaxKind.LastToken; ++kind) {
    const text = ts.tokenToString(kind);
    if (text !== undefined && wanted.has(text)) found.set(kind, text);
  }
  return found;
}

export function assigningOperators(ts: TypeScript): ReadonlyMap<ts.SyntaxKind, ts.SyntaxKind> {
  const { SyntaxKind } = ts;
  return new Map([
    [SyntaxKind.PlusEqualsToken, SyntaxKind.PlusToken],
    [SyntaxKind.MinusEqualsToken, SyntaxKind.MinusToken],
    [SyntaxKind.AsteriskEqualsToken, SyntaxKind.AsteriskToken],
    [SyntaxKind.SlashEqualsToken, SyntaxKind.SlashToken],
    [SyntaxKind.PercentEqualsToken, SyntaxKind.PercentToken],
    [SyntaxKind.AsteriskAsteriskEqualsToken, SyntaxKind.AsteriskAsteriskToken],
    [SyntaxKind.AmpersandAmpersandEqualsToken, SyntaxKind.AmpersandAmpersandToken],
    [SyntaxKind.BarBarEqualsToken, SyntaxKind.BarBarToken],
    [SyntaxKind.QuestionQuestionEqualsToken, SyntaxKind.QuestionQuestionToken],
  ]);
}

/** Whether code inside can suspend its function (await, yield), so that it must not be wrapped in
 * an arrow function. */
export function suspends(ts: TypeScript, node: ts.Node): boolean {
  if (ts.isAwaitExpression(node) || ts.isYieldExpression(node)) return true;
  if (ts.isFunctionLike(node)) return false;
  return ts.forEachChild(node, (child) => suspends(ts, child) || undefined) ?? false;
}

/** Whether the expression is assigned to or deleted. */
export function isTarget(ts: TypeScript, node: ts.Expression): boolean {
  const { parent } = node;
  if (ts.isDeleteExpression(parent) || ts.isPostfixUnaryExpression(parent)) return true;
  if (ts.isPrefixUnaryExpression(parent)) {
    return parent.operator === ts.SyntaxKind.PlusPlusToken ||
      parent.operator === ts.SyntaxKind.MinusMinusToken;
  }
  return ts.isBinaryExpression(parent) && parent.left === node &&
    parent.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    parent.operatorToken.kind <= ts.SyntaxKind.LastAssignment;
}

/** An expression without the parentheses and type assertions around it. */
export function bare(ts: TypeScript, node: ts.Expression): ts.Expression {
  while (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) ||
         ts.isSatisfiesExpression(node) || ts.isNonNullExpression(node)) {
    node = node.expression;
  }
  return node;
}
