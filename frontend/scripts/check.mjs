import { readFileSync } from "node:fs";
import { fingerprints, stamp } from "./sources.mjs";

const committed = JSON.parse(readFileSync(stamp, "utf8"));
const present = fingerprints();
const changed = ["sources", "page"].filter((part) => committed[part] !== present[part]);
if (changed.length) {
  console.error(`The built page does not belong to these sources (changed: ${changed.join(", ")}). Run "npm run build" and commit src/fewaspect/studio/page.`);
  process.exit(1);
}
