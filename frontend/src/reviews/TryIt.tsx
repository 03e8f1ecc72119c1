import { useEffect, useState } from "preact/hooks";
import type { Detection } from "../api/types";
import { coloured } from "../parts/colour";
import { settled } from "../state/corrections";
import { report } from "../state/messages";
import { aspects, studio } from "../state/project";
import { probability } from "../text/numbers";
import { OtherLanguage } from "./Chip";

const PAUSE = 250;

/** A sentence of one's own, detected while typing. */
export function TryIt() {
  const [text, setText] = useState("");
  const [found, setFound] = useState<Detection | null>(null);
  useEffect(() => {
    if (!text.trim()) return setFound(null);
    let wanted = true;
    const later = setTimeout(() => studio().detect(text.trim()).then((result) => wanted && setFound(result), report), PAUSE);
    return () => ((wanted = false), clearTimeout(later));
  }, [text, settled.value]);
  return (
    <div class="try-it">
      <input dir="auto" aria-label="Try a sentence of your own" placeholder="Try a sentence of your own …" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <div class="chips" role="status">
        {found?.aspects.map((name) => (
          <span key={name} class="chip" style={coloured(aspects.value.find((aspect) => aspect.name === name))}>
            {name} <small>{probability(found.scores[name] ?? 0)}</small>
          </span>
        ))}
        {found && !found.aspects.length && <span class="chip unsure">none of these</span>}
        {found?.foreign && <OtherLanguage />}
      </div>
    </div>
  );
}
