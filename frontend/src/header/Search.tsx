import { useEffect, useState } from "preact/hooks";
import { Icon } from "../parts/Icon";
import { filter, part, refine, tab } from "../state/view";

const PAUSE = 200;

/** Asks when the typing pauses. */
export function Search() {
  const [typed, setTyped] = useState("");
  useEffect(() => setTyped(filter.value.q), [filter.value.q]);
  useEffect(() => {
    const later = setTimeout(() => typed !== filter.value.q && find(typed), PAUSE);
    return () => clearTimeout(later);
  }, [typed]);
  return (
    <label class="search">
      <Icon name="search" />
      <span class="unseen">Search the sentences</span>
      <input id="search" type="search" placeholder="Search" maxLength={200} value={typed} onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && (setTyped(""), event.currentTarget.blur())} />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}

function find(q: string): void {
  tab.value = "reviews";
  part.value = "main";
  refine({ q });
}
