// Pieces of TypeScript text that generated files are made of.

const COLUMNS = 100;

/** The first lines of every generated file. */
export function generated(from: string): string {
  return `// Generated from ${from} by \`dslc codegen\`; do not edit.\n`;
}

/** A doc comment; a text that would end the comment is escaped. */
export function docComment(lines: readonly string[], indent: string): string {
  const safe = lines.flatMap((line) =>
    wrap(line.replaceAll("*/", "*\\/"), COLUMNS - indent.length - 3),
  );
  if (safe.length === 0) return "";
  if (safe.length === 1) return `${indent}/** ${safe[0]} */\n`;
  return `${indent}/**\n${safe.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  if (line !== "") lines.push(line);
  return lines;
}

/** A union of names, with the space before it; `never` if there are none. */
export function union(names: readonly string[], indent: string): string {
  if (names.length === 0) return " never";
  const text = names.map((name) => JSON.stringify(name)).join(" | ");
  if (text.length + indent.length < COLUMNS - 12) return ` ${text}`;
  return `\n${names.map((name) => `${indent}  | ${JSON.stringify(name)}`).join("\n")}`;
}
