import { writeFileSync } from "node:fs";
import { fingerprints, stamp } from "./sources.mjs";

writeFileSync(stamp, `${JSON.stringify(fingerprints(), null, 2)}\n`);
