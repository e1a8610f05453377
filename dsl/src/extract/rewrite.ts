// Rewrites the sources of a plan so that operators build expressions and calls record their place.
// It uses the syntax tree only, no types. The functions that the rewritten code calls are in
// src/hooks.
import type ts from "typescript";
import type { Problem } from "../exchange/problem.ts";
import type { Site } from "../exchange/site.ts";
import type { ReferenceTable } from "../hooks/install.ts";
import { CodeWriter, type RewrittenCode } from "./code_writer.ts";
import { loadTypeScript, type TypeScript } from "./load_typescript.ts";
import { didYouMean, type KnownNames } from "./names.ts";
import { Scopes } from "./scopes.ts";
import type { SiteTable } from "./site_table.ts";
import type { SourceText } from "./source_text.ts";
import { assigningOperators, bare, binaryOperators, isTarget, suspends, syntaxProblems } from "./syntax.ts";

/** An import of a value, as written. */
export interface ImportedModule {
  readonly specifier: string;
  readonly start: number;
  readonly end: number;
}

export interface Rewritten {
  readonly source: SourceText;
  readonly output: RewrittenCode;
  readonly imports: readonly ImportedModule[];
  readonly problems: readonly Problem[];
  /** True if the text is not TypeScript; the output is meaningless then. */
  readonly unparsable: boolean;
}

/** Modules that provide the authoring API. */
export const RUNTIME_MODULES: ReadonlySet<string> = new Set(["@millrace/dsl", "@ranking-dsl/runtime"]);

export function rewrite(source: SourceText, names: KnownNames, sites: SiteTable): Rewritten {
  const ts = loadTypeScript();
  const file = ts.createSourceFile(source.file, source.text, ts.ScriptTarget.ES2022, true,
    ts.ScriptKind.TS);
  const rewriter = new Rewriter(ts, file, source, names, sites);
  const syntax = syntaxProblems(ts, file, source);
  if (syntax.length > 0) {
    return { source, output: new CodeWriter(source).finish(), imports: [], problems: syntax,
      unparsable: true };
  }
  return rewriter.run();
}

/** Global objects whose methods take parts of expressions. */
const TABLES = new Set(["Key", "P", "E", "Pred", "Fn", "Req", "Viewer"]);

const REFERENCE_TABLES: readonly ReferenceTable[] = ["Key", "P", "Req", "Viewer"];

const FUNCTIONS_OF_MATH = new Set(["min", "max", "abs", "floor", "ceil", "round", "sqrt", "exp", "log",
  "pow", "trunc", "sign", "hypot", "log2", "log10", "cbrt"]);

class Rewriter {
  readonly #writer: CodeWriter;
  readonly #scopes: Scopes;
  readonly #imports: ImportedModule[] = [];
  readonly #problems: Problem[] = [];
  /** Row parameters of callbacks such as `expr: (row) => row.score * 2`. */
  readonly #rows = new Set<ts.Node>();
  readonly #binary: ReadonlyMap<ts.SyntaxKind, string>;
  readonly #assigning: ReadonlyMap<ts.SyntaxKind, ts.SyntaxKind>;

  constructor(
    private readonly ts: TypeScript,
    private readonly file: ts.SourceFile,
    private readonly source: SourceText,
    private readonly names: KnownNames,
    private readonly sites: SiteTable,
  ) {
    this.#writer = new CodeWriter(source);
    this.#scopes = new Scopes(ts, file);
    this.#binary = binaryOperators(ts);
    this.#assigning = assigningOperators(ts);
  }

  run(): Rewritten {
    this.#visitChildren(this.file);
    return { source: this.source, output: this.#writer.finish(), imports: this.#imports,
      problems: this.#problems, unparsable: false };
  }

  readonly #visit = (node: ts.Node): void => {
    const { ts } = this;
    if (ts.isTypeNode(node) || ts.isEnumDeclaration(node) || ts.isInterfaceDeclaration(node) ||
        ts.isTypeAliasDeclaration(node)) {
      // `Foo<Bar>` in `extends` is a type node with an expression inside; plans do not need it.
      return;
    }
    if (ts.isBinaryExpression(node)) return this.#visitBinary(node);
    if (ts.isPrefixUnaryExpression(node)) return this.#visitPrefix(node);
    if (ts.isConditionalExpression(node)) return this.#visitConditional(node);
    if (ts.isCallExpression(node)) return this.#visitCall(node);
    if (ts.isNewExpression(node)) return this.#visitArguments(node, this.#callSite(node));
    if (ts.isPropertyAccessExpression(node)) return this.#visitAccess(node);
    if (ts.isElementAccessExpression(node)) return this.#visitElement(node);
    if (ts.isVariableDeclaration(node)) return this.#visitVariable(node);
    if (ts.isPropertyAssignment(node)) return this.#visitProperty(node);
    if (ts.isTemplateSpan(node)) return this.#visitDecided(node, node.expression, "a text is made of it");
    if (ts.isIfStatement(node)) return this.#visitDecided(node, node.expression, "`if` asks for it");
    if (ts.isSwitchStatement(node)) {
      return this.#visitDecided(node, node.expression, "`switch` asks for it");
    }
    if (ts.isWhileStatement(node) || ts.isDoStatement(node)) {
      return this.#visitDecided(node, node.expression, "a loop asks for it");
    }
    if (ts.isForStatement(node)) return this.#visitDecided(node, node.condition, "a loop asks for it");
    this.#noteImport(node);
    this.#visitChildren(node);
  };

  #visitChildren(node: ts.Node): void {
    this.ts.forEachChild(node, this.#visit);
  }

  // --- operators -----------------------------------------------------------------------------

  #visitBinary(node: ts.BinaryExpression): void {
    const { ts } = this;
    const kind = node.operatorToken.kind;
    const assigned = this.#assigning.get(kind);
    if (assigned !== undefined && this.#isSimpleTarget(node.left)) {
      return this.#visitAssignment(node, assigned);
    }
    if (kind === ts.SyntaxKind.EqualsToken) this.#refuseWrite(node.left);
    // `#field in object` tests for a field, not for a value.
    if (!this.#isOperator(kind) || ts.isPrivateIdentifier(node.left) || suspends(ts, node)) {
      return this.#visitChildren(node);
    }
    this.#writer.copyTo(node.getStart());
    this.#writeOperator(kind, this.#site(node), () => this.#visitOperand(node.left), node);
  }

  #isOperator(kind: ts.SyntaxKind): boolean {
    const { SyntaxKind } = this.ts;
    return this.#binary.has(kind) || kind === SyntaxKind.AmpersandAmpersandToken ||
      kind === SyntaxKind.BarBarToken || kind === SyntaxKind.QuestionQuestionToken;
  }

  /** Writes the call of the hook for `left operator node.right`, beginning at the cursor. */
  #writeOperator(kind: ts.SyntaxKind, site: Site, left: () => void, node: ts.BinaryExpression): void {
    const { SyntaxKind } = this.ts;
    const plain = this.#binary.get(kind);
    const hook = plain !== undefined ? `__mr_bin(${JSON.stringify(plain)}, `
      : kind === SyntaxKind.QuestionQuestionToken ? "__mr_nullish("
      : `__mr_logic("${kind === SyntaxKind.BarBarToken ? "or" : "and"}", `;
    this.#writer.insert(`${hook}${site}, `);
    left();
    this.#writer.copyTo(node.operatorToken.getStart());
    this.#writer.skipTo(node.operatorToken.end);
    this.#writer.insert(plain !== undefined ? ", " : ", () => (");
    this.#visitOperand(node.right);
    this.#writer.copyTo(node.right.end);
    this.#writer.insert(plain !== undefined ? ")" : "))");
  }

  /** Writes `a += b` as `a = a + b`. */
  #visitAssignment(node: ts.BinaryExpression, operator: ts.SyntaxKind): void {
    if (suspends(this.ts, node)) return this.#visitChildren(node);
    const target = node.left.getText();
    this.#writer.copyTo(node.left.end);
    this.#writer.insert(" = ");
    this.#writeOperator(operator, this.#site(node), () => this.#writer.insert(target), node);
  }

  /** Whether the target can be read twice without side effects. */
  #isSimpleTarget(node: ts.Expression): boolean {
    const { ts } = this;
    if (ts.isIdentifier(node) || node.kind === ts.SyntaxKind.ThisKeyword) return true;
    return ts.isPropertyAccessExpression(node) && this.#isSimpleTarget(node.expression);
  }

  #visitPrefix(node: ts.PrefixUnaryExpression): void {
    const { SyntaxKind } = this.ts;
    const numeric = this.ts.isNumericLiteral(node.operand);
    if (node.operator === SyntaxKind.ExclamationToken) return this.#visitUnary(node, "__mr_not");
    if (node.operator === SyntaxKind.MinusToken && !numeric) return this.#visitUnary(node, "__mr_neg");
    if ((node.operator === SyntaxKind.PlusToken && !numeric) ||
        node.operator === SyntaxKind.TildeToken) {
      return this.#visitDecided(node, node.operand, "its number is asked for");
    }
    this.#visitChildren(node);
  }

  #visitUnary(node: ts.PrefixUnaryExpression, hook: string): void {
    this.#writer.copyTo(node.getStart());
    this.#writer.insert(`${hook}(${this.#site(node)}, `);
    this.#writer.skipTo(node.getStart() + 1);
    this.#visitOperand(node.operand);
    this.#writer.copyTo(node.end);
    this.#writer.insert(")");
  }

  #visitConditional(node: ts.ConditionalExpression): void {
    if (suspends(this.ts, node)) return this.#visitChildren(node);
    this.#writer.copyTo(node.getStart());
    this.#writer.insert(`__mr_if(${this.#site(node)}, `);
    this.#visit(node.condition);
    this.#writer.copyTo(node.questionToken.getStart());
    this.#writer.skipTo(node.questionToken.end);
    this.#writer.insert(", () => (");
    this.#visitOperand(node.whenTrue);
    this.#writer.copyTo(node.colonToken.getStart());
    this.#writer.skipTo(node.colonToken.end);
    this.#writer.insert("), () => (");
    this.#visitOperand(node.whenFalse);
    this.#writer.copyTo(node.whenFalse.end);
    this.#writer.insert("))");
  }

  /** An operand. A number keeps its written form if the value alone would lose it (1.0 is a float).
   */
  #visitOperand(node: ts.Expression): void {
    const text = this.#writtenNumber(node);
    if (text === undefined) return this.#visit(node);
    this.#writer.copyTo(node.getStart());
    this.#writer.insert(`__mr_num(${JSON.stringify(text)}, `);
    this.#writer.copyTo(node.end);
    this.#writer.insert(")");
  }

  #writtenNumber(node: ts.Expression): string | undefined {
    const { ts } = this;
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return undefined;
    if (ts.isIdentifier(node)) {
      const declaration = this.#scopes.find(node);
      if (declaration === undefined || !ts.isVariableDeclaration(declaration)) return undefined;
      if ((declaration.parent.flags & ts.NodeFlags.Const) === 0) return undefined;
      return declaration.initializer && !ts.isIdentifier(declaration.initializer)
        ? this.#writtenNumber(declaration.initializer) : undefined;
    }
    const negative = ts.isPrefixUnaryExpression(node) &&
      node.operator === ts.SyntaxKind.MinusToken;
    const literal = negative ? node.operand : node;
    if (!ts.isNumericLiteral(literal)) return undefined;
    const written = literal.getText().replaceAll("_", "");
    if (!/^[0-9.]/.test(written) || /^0[xXbBoO]/.test(written)) return undefined;
    return written === String(Number(written)) ? undefined : `${negative ? "-" : ""}${written}`;
  }

  /** JavaScript decides by the value of `asked` here, so it must not be an expression. */
  #visitDecided(node: ts.Node, asked: ts.Expression | undefined, why: string): void {
    this.ts.forEachChild(node, (child) => {
      if (child !== asked) return this.#visit(child);
      this.#writer.copyTo(child.getStart());
      this.#writer.insert(`__mr_decide(${this.#site(child)}, `);
      this.#visit(child);
      this.#writer.copyTo(child.end);
      this.#writer.insert(`, ${JSON.stringify(why)})`);
    });
  }

  // --- calls ---------------------------------------------------------------------------------

  #visitCall(node: ts.CallExpression): void {
    const { ts } = this;
    if (node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      return this.#problem(node, "bad_import", "A plan cannot load modules while it runs",
        "import at the top of the file");
    }
    const callee = node.expression;
    if (ts.isPropertyAccessExpression(callee)) {
      const object = callee.expression;
      if (this.#isAmbient(object, "Math") && FUNCTIONS_OF_MATH.has(callee.name.text)) {
        return this.#writeCallOf(node, `__mr_math("${callee.name.text}", ${this.#site(node)}`);
      }
      if (ts.isRegularExpressionLiteral(object) && callee.name.text === "test" &&
          node.arguments.length === 1) {
        return this.#writeCallOf(node, `__mr_test(${this.#site(node)}, ${object.text}`);
      }
    }
    this.#visitArguments(node, this.#callSite(node));
  }

  /** Replaces a call by the call that `beginning` opens; the arguments of the old one follow. */
  #writeCallOf(node: ts.CallExpression, beginning: string): void {
    this.#writer.copyTo(node.getStart());
    this.#writer.insert(beginning);
    this.#writer.skipTo(node.arguments.pos);
    if (node.arguments.length > 0) this.#writer.insert(", ");
    for (const argument of node.arguments) this.#visitOperand(argument);
    this.#writer.copyTo(node.end);
  }

  /** Writes `f(a, b)` as `f(a, __mr_at(site, b))`. */
  #visitArguments(node: ts.CallExpression | ts.NewExpression, site: Site): void {
    const { ts } = this;
    this.#visit(node.expression);
    const list = node.arguments;
    if (list === undefined) return;
    const takesExpressions = this.#takesExpressions(node.expression);
    const visit = takesExpressions
      ? (argument: ts.Expression) => this.#visitListed(argument) : this.#visit;
    const last = list.at(-1);
    for (const argument of list) if (argument !== last) visit(argument);
    if (last === undefined || ts.isSpreadElement(last)) {
      if (last !== undefined) visit(last);
      this.#writer.copyTo(last?.end ?? node.end - 1);
      this.#writer.insert(`${last ? ", " : ""}...__mr_end(${site})`);
    } else {
      this.#writer.copyTo(last.getStart());
      this.#writer.insert(`__mr_at(${site}, `);
      visit(last);
      this.#writer.copyTo(last.end);
      this.#writer.insert(`${this.#propertySites(last)})`);
    }
    this.#writer.copyTo(node.end);
  }

  /** If the node is an object literal with properties, gives their places as one more argument. */
  #propertySites(node: ts.Expression): string {
    const { ts } = this;
    if (!ts.isObjectLiteralExpression(node)) return "";
    const sites = node.properties.flatMap((property) =>
      property.name !== undefined && ts.isIdentifier(property.name)
        ? [`${JSON.stringify(property.name.text)}: ${this.#site(property)}`] : []);
    return sites.length > 0 ? `, { ${sites.join(", ")} }` : "";
  }

  /** Whether a call's arguments are parts of expressions: `coalesce(…)`, `E.const(…)`, `Key.x.in(…)`. */
  #takesExpressions(callee: ts.Expression): boolean {
    const { ts } = this;
    let root = callee;
    while (ts.isPropertyAccessExpression(root)) root = root.expression;
    if (!ts.isIdentifier(root)) return false;
    const declaration = this.#scopes.find(root);
    if (declaration !== undefined) return this.#isRuntimeImport(declaration);
    return root === callee ? root.text === "coalesce" : TABLES.has(root.text);
  }

  #visitListed(node: ts.Expression): void {
    if (this.ts.isArrayLiteralExpression(node)) {
      for (const item of node.elements) this.#visitOperand(item);
    } else {
      this.#visitOperand(node);
    }
  }

  #isRuntimeImport(declaration: ts.Node): boolean {
    const { ts } = this;
    if (!ts.isImportSpecifier(declaration) && !ts.isNamespaceImport(declaration)) return false;
    let node: ts.Node = declaration;
    while (!ts.isImportDeclaration(node)) node = node.parent;
    return ts.isStringLiteral(node.moduleSpecifier) && RUNTIME_MODULES.has(node.moduleSpecifier.text);
  }

  #callSite(node: ts.CallExpression | ts.NewExpression): Site {
    const { ts } = this;
    const callee = node.expression;
    // In a chain of calls, the place is that of this call: the method's name and its arguments.
    const named = ts.isPropertyAccessExpression(callee) ? callee.name : callee;
    const start = ts.isNewExpression(node) ? node.getStart() : named.getStart();
    return this.sites.add({ source: this.source, start, end: node.end,
      ...(ts.isIdentifier(named) && { callee: named.text }) });
  }

  // --- names ---------------------------------------------------------------------------------

  #visitAccess(node: ts.PropertyAccessExpression): void {
    const { ts } = this;
    if (ts.isIdentifier(node.name)) {
      if (this.#writeReference(node, node.expression, node.name, node.name.text)) return;
      this.#checkEndpoint(node, node.name);
    }
    if (!this.#readsRegistered(node.expression)) return this.#visitChildren(node);
    // Reading the property can fail, so its place is recorded first.
    this.#writer.copyTo(node.getStart());
    this.#writer.insert(`__mr_at(${this.#site(node)}, `);
    this.#visit(node.expression);
    this.#writer.copyTo(node.expression.end);
    this.#writer.insert(")");
  }

  /** Whether the properties of an object are registered names: rows of callbacks, `EP`, `EP.redis`.
   */
  #readsRegistered(node: ts.Expression): boolean {
    const { ts } = this;
    if (ts.isPropertyAccessExpression(node)) return this.#isAmbient(node.expression, "EP");
    if (!ts.isIdentifier(node)) return false;
    const declaration = this.#scopes.find(node);
    return (declaration !== undefined && this.#rows.has(declaration)) || this.#isAmbient(node, "EP");
  }

  #visitElement(node: ts.ElementAccessExpression): void {
    const argument = node.argumentExpression;
    if (this.ts.isStringLiteralLike(argument) &&
        this.#writeReference(node, node.expression, argument, argument.text)) {
      return;
    }
    this.#visitChildren(node);
  }

  /** Writes `Key.x` and similar references as the call of a hook that knows its place; returns
   * false if the node is none. */
  #writeReference(node: ts.Expression, table: ts.Expression, name: ts.Node, text: string): boolean {
    const ambient = REFERENCE_TABLES.find((each) => this.#isAmbient(table, each));
    if (ambient === undefined) return false;
    const { names, what, code } = this.names.references[ambient];
    if (!names.has(text)) {
      this.#problem(name, code, `Unknown ${what}: \`${text}\``, didYouMean(text, names));
    }
    if (isTarget(this.ts, node)) return true;
    this.#writer.copyTo(node.getStart());
    this.#writer.insert(`__mr_ref("${ambient}", ${JSON.stringify(text)}, ${this.#site(node)})`);
    this.#writer.skipTo(node.end);
    return true;
  }

  #checkEndpoint(node: ts.PropertyAccessExpression, name: ts.Identifier): void {
    const { ts } = this;
    const kinds = this.names.endpoints;
    if (this.#isAmbient(node.expression, "EP") && !kinds.has(name.text)) {
      return this.#problem(name, "unknown_endpoint", `No endpoint is of the kind \`${name.text}\``,
        didYouMean(name.text, kinds.keys()));
    }
    const inner = node.expression;
    if (!ts.isPropertyAccessExpression(inner) || !this.#isAmbient(inner.expression, "EP")) return;
    const endpoints = kinds.get(inner.name.text);
    if (endpoints !== undefined && !endpoints.has(name.text)) {
      this.#problem(name, "unknown_endpoint", `Unknown endpoint: \`${name.text}\``,
        didYouMean(name.text, endpoints));
    }
  }

  /** Whether a node is this name from outside the file, or imported from the authoring API. */
  #isAmbient(node: ts.Node, name: string): boolean {
    if (!this.ts.isIdentifier(node) || node.text !== name) return false;
    const declaration = this.#scopes.find(node);
    return declaration === undefined || this.#isRuntimeImport(declaration);
  }

  #refuseWrite(target: ts.Expression): void {
    const { ts } = this;
    if (ts.isPropertyAccessExpression(target) &&
        [...REFERENCE_TABLES, "EP"].some((name) => this.#isAmbient(target.expression, name))) {
      this.#problem(target, "read_only", "Registered names cannot be changed by a plan");
    }
  }

  #visitVariable(node: ts.VariableDeclaration): void {
    const { ts } = this;
    const made = node.initializer;
    const constant = (node.parent.flags & ts.NodeFlags.Const) !== 0;
    if (!constant || !ts.isIdentifier(node.name) || made === undefined ||
        !ts.isCallExpression(bare(ts, made)) || suspends(ts, made)) {
      return this.#visitChildren(node);
    }
    // The node that the call makes gets the name of the variable.
    this.#writer.copyTo(made.getStart());
    this.#writer.insert(`__mr_name(${JSON.stringify(node.name.text)}, () => (`);
    this.#visit(made);
    this.#writer.copyTo(made.end);
    this.#writer.insert("))");
  }

  #visitProperty(node: ts.PropertyAssignment): void {
    const { ts } = this;
    const isParam = ts.isIdentifier(node.name) && ts.isCallExpression(node.parent.parent) &&
      this.names.expressionProperties.has(node.name.text);
    if (!isParam) return this.#visitChildren(node);
    const value = bare(ts, node.initializer);
    if ((ts.isArrowFunction(value) || ts.isFunctionExpression(value)) && value.parameters[0]) {
      this.#rows.add(value.parameters[0]);
    }
    this.#visitOperand(node.initializer);
  }

  #noteImport(node: ts.Node): void {
    const { ts } = this;
    if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return;
    const typeOnly = ts.isImportDeclaration(node) ? node.importClause?.isTypeOnly : node.isTypeOnly;
    if (typeOnly || !node.moduleSpecifier || !ts.isStringLiteral(node.moduleSpecifier)) return;
    this.#imports.push({ specifier: node.moduleSpecifier.text,
      start: node.moduleSpecifier.getStart(), end: node.moduleSpecifier.end });
  }

  #site(node: ts.Node): Site {
    return this.sites.add({ source: this.source, start: node.getStart(), end: node.end });
  }

  #problem(node: ts.Node, code: string, message: string, hint?: string): void {
    this.#problems.push({ severity: "error", code, message, file: this.source.file,
      span: this.source.span(node.getStart(), node.end), ...(hint !== undefined && { hint }) });
  }
}
