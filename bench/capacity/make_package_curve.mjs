// Prints the steps of the curve in key_curve.cpp from the file counts.json of the npm package
// `download-counts`: node make_package_curve.mjs PATH/counts.json
import { readFileSync } from "node:fs";

const counts = Object.values(JSON.parse(readFileSync(process.argv[2], "utf8")))
  .map(Number)
  .filter((count) => count > 0)
  .sort((left, right) => right - left);
const total = counts.reduce((sum, count) => sum + count, 0);
let sum = 0;
let next = 1;
counts.forEach((count, index) => {
  sum += count;
  const rank = index + 1;
  if (rank < next && rank !== counts.length) return;
  console.log(`{${rank}, ${(sum / total).toFixed(6)}},`);
  next = Math.max(rank + 1, Math.ceil(rank * 1.35));
});
