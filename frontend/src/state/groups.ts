interface Grouped {
  group: string;
}

/** The groups in the order of their first member, each with its members in theirs; those of no group come first, under "". */
export function byGroup<A extends Grouped>(those: readonly A[]): [string, A[]][] {
  const found = new Map<string, A[]>();
  for (const one of those) found.set(one.group, [...(found.get(one.group) ?? []), one]);
  return [...found].sort(([a], [b]) => Number(a !== "") - Number(b !== ""));
}
