import { Icon, type IconName } from "../parts/Icon";
import { part, tab, type Part } from "../state/view";

const PARTS: [Part, string, IconName][] = [["aspects", "Aspects", "aspects"], ["main", "Reviews", "reviews"], ["details", "Details", "details"]];
const MAIN = { reviews: "Reviews", label: "Label next", dashboard: "Dashboard", evaluate: "Evaluate" };

/** On a narrow screen: which part of the page is shown. */
export const BottomBar = () => (
  <nav class="bottom-bar" aria-label="Parts of the page">
    {PARTS.map(([name, words, icon]) => (
      <button key={name} type="button" aria-current={part.value === name ? "page" : undefined} disabled={name === "details" && tab.value !== "reviews" && tab.value !== "label"}
        onClick={() => (part.value = name)}>
        <Icon name={icon} />
        {name === "main" ? MAIN[tab.value] : words}
      </button>
    ))}
  </nav>
);
