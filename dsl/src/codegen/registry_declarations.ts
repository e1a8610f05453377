// Declarations of keys, params, request fields, viewer fields and endpoints.
import {
  isStored,
  REQUEST_FIELDS,
  type Bindings,
  type EndpointBinding,
  type RegistryEntry,
  type ValueType,
} from "../exchange/bindings.ts";
import { docComment, generated, union } from "./source_text.ts";

type Documented = Pick<RegistryEntry, "doc" | "lifecycle" | "replaced_by">;

function comment(entry: Documented, facts: readonly string[], indent: string): string {
  const lines = [...(entry.doc ? [entry.doc] : []), ...facts];
  if (entry.lifecycle === "deprecated") {
    lines.push(
      `@deprecated ${entry.replaced_by ? `Use \`${entry.replaced_by}\`.` : "Do not use it in new plans."}`,
    );
  }
  return docComment(lines, indent);
}

function usable<T extends { readonly lifecycle: string }>(entries: readonly T[]): T[] {
  return entries.filter((entry) => entry.lifecycle !== "blocked");
}

export function keyDeclarations({ keys }: Bindings): string {
  const known = usable(keys);
  const members = known.map((key) => {
    const facts = `\`${key.type}\`${key.nullable ? "" : ", never null"}${key.allow_write ? ", written by plans" : ""}`;
    return `${comment(key, [facts], "    ")}    readonly ${key.name}: KeyOf<"${key.name}", "${key.type}">;\n`;
  });
  const viewer = known.map(
    (key) =>
      `${comment(key, [], "    ")}    readonly ${key.name}: ViewerOf<"${key.name}", "${key.type}">;\n`,
  );
  const writable = known.filter((key) => key.allow_write).map((key) => key.name);
  const stored = known.filter(isStored).map((key) => key.name);
  return `${generated("registry/keys.toml")}
declare namespace Millrace {
  interface Keys {
${members.join("")}  }

  interface KeySets {
    writable:${union(writable, "    ")};
    stored:${union(stored, "    ")};
  }

  interface ViewerFields {
${viewer.join("")}  }
}
`;
}

export function paramDeclarations({ keys, params }: Bindings): string {
  const members = usable(params).map((param) => {
    const fact = `\`${param.type}\`${param.nullable ? ", null unless a request sets it" : ""}`;
    return `${comment(param, [fact], "    ")}    readonly ${param.name}: ParamOf<"${param.name}", "${param.type}">;\n`;
  });
  const fields = new Map<string, ValueType>(Object.entries(REQUEST_FIELDS));
  for (const { name, type } of [...usable(params), ...usable(keys)]) {
    if (!fields.has(name)) fields.set(name, type);
  }
  const request = [...fields]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, type]) => `    readonly ${name}: RequestOf<"${name}", "${type}">;\n`);
  return `${generated("registry/params.toml and registry/keys.toml")}
declare namespace Millrace {
  interface Params {
${members.join("")}  }

  interface RequestFields {
${request.join("")}  }
}
`;
}

export function endpointDeclarations({ endpoints }: Bindings): string {
  const groups = new Map<string, EndpointBinding[]>();
  for (const endpoint of usable(endpoints)) {
    groups.set(endpoint.kind, [...(groups.get(endpoint.kind) ?? []), endpoint]);
  }
  const members = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, list]) => {
      const names = list.map(
        (endpoint) =>
          `${comment(endpoint, [], "      ")}      readonly ${endpoint.name}: Endpoint<"${kind}">;\n`,
      );
      return `    readonly ${kind}: {\n${names.join("")}    };\n`;
    });
  return `${generated("registry/endpoints.toml")}
declare namespace Millrace {
  interface Endpoints {
${members.join("")}  }
}
`;
}
