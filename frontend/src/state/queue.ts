import { signal } from "@preact/signals";
import type { Suggestion } from "../api/types";

/** The sentences whose labels would teach the most, as asked last. */
export const queue = signal<Suggestion[]>([]);
