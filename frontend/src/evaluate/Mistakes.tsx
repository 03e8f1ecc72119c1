import type { Mistake, MistakeKind } from "../api/types";
import { counted } from "../text/numbers";

interface Props {
  kind: MistakeKind;
  aspect: number;
  count: number;
  mistakes: Mistake[];
}

/** The sentences behind a number of wrong answers. */
export function Mistakes({ kind, aspect, count, mistakes }: Props) {
  const own = mistakes.filter((mistake) => mistake[kind].includes(aspect));
  return (
    <div class="mistakes" role="region" aria-label={kind === "wrong" ? "Found but wrong" : "Missed"}>
      <h3>{kind === "wrong" ? "Found, but not about it" : "About it, but not found"}</h3>
      <ul>{own.map((mistake, i) => <li key={i}>{mistake.text}</li>)}</ul>
      {own.length < count && <p class="soft">The first {counted(own.length, "sentence")} of {count}.</p>}
    </div>
  );
}
