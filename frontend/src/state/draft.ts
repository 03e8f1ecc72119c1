import { signal } from "@preact/signals";

/** A threshold while its slider is moving. */
export const draft = signal<{ aspect: number; threshold: number } | null>(null);
