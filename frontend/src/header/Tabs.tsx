import { rove } from "../parts/roving";
import { Icon, type IconName } from "../parts/Icon";
import { part, tab, type Tab } from "../state/view";

const TABS: [Tab, string, IconName][] = [
  ["reviews", "Reviews", "reviews"],
  ["label", "Label next", "queue"],
  ["dashboard", "Dashboard", "chart"],
  ["evaluate", "Evaluate", "target"],
];

export const Tabs = () => (
  <div class="tabs" role="tablist" aria-label="What to look at" onKeyDown={rove}>
    {TABS.map(([name, words, icon]) => (
      <button key={name} id={`tab-${name}`} type="button" role="tab" aria-controls="tab" aria-selected={tab.value === name} tabIndex={tab.value === name ? 0 : -1}
        onClick={() => ((tab.value = name), (part.value = "main"))}>
        <Icon name={icon} />
        <span>{words}</span>
      </button>
    ))}
  </div>
);
