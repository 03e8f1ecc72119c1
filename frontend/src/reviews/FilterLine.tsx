import { IconButton } from "../parts/IconButton";
import { columns } from "../state/columns";
import { PolarityFilter } from "../sentiment/PolarityFilter";
import type { Order } from "../api/types";
import { aspectById, aspects } from "../state/project";
import { looking, total } from "../state/sentences";
import { dialog, filter, filtered, refine, show } from "../state/view";
import { acceptVisible } from "./AcceptDialog";
import { WhereChips } from "./WhereChips";
import { periodInWords } from "../text/conditions";
import { counted } from "../text/numbers";

const SHOWN = { all: "", none: "none of these", uncertain: "uncertain", look: "needs a look", examples: "your examples" };

/** What the list is narrowed to, in words. */
export function FilterLine() {
  const now = filter.value;
  const name = (id: number | null) => (id === null ? "" : (aspectById.value.get(id)?.name ?? ""));
  const words = [name(now.aspect), now.together === null ? "" : `with ${name(now.together)}`, now.group ?? "", now.like === null ? "" : "most like one sentence first", now.sentiment ?? "", SHOWN[now.show], now.period && periodInWords(now.period), now.q.trim() && `“${now.q.trim()}”`].filter(Boolean);
  return (
    <div class="filter-line">
      <span>
        <b>{looking() ? "Looking …" : counted(total(), "sentence")}</b>
        {words.length > 0 && <span class="soft"> · {words.join(" · ")}</span>}
      </span>
      <WhereChips where={now.where} onChange={(where) => refine({ where })} />
      {filtered(now) && <IconButton icon="close" class="tiny" label="Show all sentences" onClick={() => show({})} />}
      <PolarityFilter />
      {columns.value && columns.value.length > 0 && <button type="button" class="quiet filter-button" onClick={() => (dialog.value = "filter")}>Filter …</button>}
      <label class="order">
        Order
        <select value={now.like === null ? now.order : "like"} onChange={(event) => refine({ order: event.currentTarget.value as Order, like: null })}>
          <option value="file">as in the file</option>
          <option value="uncertain">least certain first</option>
          <option value="certain">most certain first</option>
          {now.like !== null && <option value="like">most like it first</option>}
        </select>
      </label>
      {aspects.value.length > 0 && total() > 0 && <button type="button" class="quiet" title="Confirm the answers of all sentences on the screen" onClick={acceptVisible}>Accept these …</button>}
    </div>
  );
}
