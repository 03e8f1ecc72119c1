import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../parts/Icon";
import { filter, part, refine, tab } from "../state/view";

const PAUSE = 200;

/** Asks when the typing pauses. */
export function Search() {
  const [typed, setTyped] = useState("");
  const asked = useRef("");
  const later = useRef(0);
  useEffect(() => {
    if (filter.value.q === asked.current) return; // what was typed since stays
    clearTimeout(later.current);
    setTyped((asked.current = filter.value.q));
  }, [filter.value.q]);
  const type = (words: string) => {
    setTyped(words);
    clearTimeout(later.current);
    later.current = window.setTimeout(() => {
      asked.current = words;
      if (words !== filter.value.q) find(words);
    }, PAUSE);
  };
  return (
    <label class="search">
      <Icon name="search" />
      <span class="unseen">Search the sentences</span>
      <input id="search" type="search" placeholder="Search" maxLength={200} value={typed} onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && (type(""), event.currentTarget.blur())} />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}

function find(q: string): void {
  tab.value = "reviews";
  part.value = "main";
  refine({ q });
}
