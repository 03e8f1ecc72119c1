import { IconButton } from "../parts/IconButton";
import { aspectById } from "../state/project";
import { total } from "../state/sentences";
import { filter, filtered, refine, show } from "../state/view";
import { counted } from "../text/numbers";

const SHOWN = { all: "", none: "none of these", uncertain: "uncertain", look: "needs a look", examples: "your examples" };

/** What the list is narrowed to, in words. */
export function FilterLine() {
  const now = filter.value;
  const name = (id: number | null) => (id === null ? "" : (aspectById.value.get(id)?.name ?? ""));
  const words = [name(now.aspect), now.together === null ? "" : `with ${name(now.together)}`, SHOWN[now.show], now.period ?? "", now.q.trim() && `“${now.q.trim()}”`].filter(Boolean);
  return (
    <div class="filter-line">
      <span>
        <b>{counted(total(), "sentence")}</b>
        {words.length > 0 && <span class="soft"> · {words.join(" · ")}</span>}
      </span>
      {filtered(now) && <IconButton icon="close" class="tiny" label="Show all sentences" onClick={() => show({})} />}
      <label class="order">
        Order
        <select value={now.order} onChange={(event) => refine({ order: event.currentTarget.value as "file" | "uncertain" })}>
          <option value="file">as in the file</option>
          <option value="uncertain">least certain first</option>
        </select>
      </label>
    </div>
  );
}
