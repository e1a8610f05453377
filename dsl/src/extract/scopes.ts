import type ts from "typescript";
import type { TypeScript } from "./load_typescript.ts";

/** What an identifier was declared as in this file. */
export type Declaration = ts.Node;

/** Which names a file declares in which scope; enough to tell a global name from a local one. */
export class Scopes {
  readonly #names = new Map<ts.Node, Map<string, Declaration>>();

  constructor(private readonly ts: TypeScript, file: ts.SourceFile) {
    this.#collect(file, file);
  }

  /** The declaration of an identifier, or undefined for names from outside the file. */
  find(identifier: ts.Identifier): Declaration | undefined {
    for (let node: ts.Node | undefined = identifier.parent; node; node = node.parent) {
      const found = this.#names.get(node)?.get(identifier.text);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #declare(scope: ts.Node, name: ts.Node | undefined, declaration: Declaration): void {
    if (name === undefined) return;
    const { ts } = this;
    if (ts.isIdentifier(name)) {
      let names = this.#names.get(scope);
      if (names === undefined) this.#names.set(scope, (names = new Map()));
      names.set(name.text, declaration);
    } else if (ts.isObjectBindingPattern(name) || ts.isArrayBindingPattern(name)) {
      for (const element of name.elements) {
        // A name in a pattern is bound to a part of the initialiser, not to all of it.
        if (ts.isBindingElement(element)) this.#declare(scope, element.name, element);
      }
    }
  }

  #collect(node: ts.Node, scope: ts.Node): void {
    const { ts } = this;
    if (ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isImportClause(node) ||
        ts.isImportSpecifier(node) || ts.isNamespaceImport(node)) {
      this.#declare(scope, node.name, node);
    } else if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node) ||
               ts.isEnumDeclaration(node)) {
      this.#declare(scope, node.name, node);
    }
    const inner = this.#opensScope(node) ? node : scope;
    if (ts.isFunctionExpression(node) || ts.isClassExpression(node)) {
      this.#declare(inner, node.name, node);
    }
    ts.forEachChild(node, (child) => this.#collect(child, inner));
  }

  #opensScope(node: ts.Node): boolean {
    const { ts } = this;
    return ts.isFunctionLike(node) || ts.isBlock(node) || ts.isForStatement(node) ||
      ts.isForOfStatement(node) || ts.isForInStatement(node) || ts.isCatchClause(node) ||
      ts.isClassLike(node) || ts.isCaseBlock(node) || ts.isModuleBlock(node);
  }
}
