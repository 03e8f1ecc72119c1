import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const frontend = new URL("../", import.meta.url);
export const page = new URL("../../src/fewaspect/studio/page/", import.meta.url);
export const stamp = new URL("sources.json", page);

const built_from = ["index.html", "package-lock.json", "public", "src", "tsconfig.json", "vite.config.ts"];

/** One sha256 over what the page is built from, one over what the build wrote. */
export function fingerprints() {
  return { sources: digest(frontend, built_from.flatMap((name) => files(frontend, name))), page: digest(page, files(page, "").filter((name) => name !== "sources.json")) };
}

function digest(root, names) {
  const hash = createHash("sha256");
  for (const name of names.sort()) {
    const text = readFileSync(new URL(name, root), "utf8").replaceAll("\r\n", "\n");
    hash.update(`${name}\0${text}\0`);
  }
  return hash.digest("hex");
}

function files(root, name) {
  const path = new URL(name, root);
  try {
    return readdirSync(fileURLToPath(path), { withFileTypes: true }).flatMap((entry) => files(root, name ? `${name}/${entry.name}` : entry.name));
  } catch (error) {
    if (error.code === "ENOTDIR") return [name];
    throw error;
  }
}
