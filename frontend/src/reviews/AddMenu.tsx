import type { Sentence } from "../api/types";
import { ByGroup } from "../parts/ByGroup";
import { coloured } from "../parts/colour";
import { Icon } from "../parts/Icon";
import { Menu, MenuItem } from "../parts/Menu";
import { label } from "../state/corrections";
import { aspects } from "../state/project";
import { dialog, selected } from "../state/view";
import { probability } from "../text/numbers";

/** What else the sentence may be about, likeliest first, by group. */
export function AddMenu({ sentence, tabIndex }: { sentence: Sentence; tabIndex: number }) {
  const score = (id: number) => sentence.scores[id] ?? 0;
  const others = aspects.value.filter((aspect) => !sentence.aspects.includes(aspect.id)).sort((a, b) => score(b.id) - score(a.id));
  const example = () => {
    selected.value = sentence.id;
    dialog.value = "example";
  };
  return (
    <Menu label="Add an aspect" tabIndex={tabIndex} class="chip add" face={<Icon name="add" />}>
      <ByGroup aspects={others}>
        {(aspect) => (
          <MenuItem key={aspect.id} onClick={() => label(sentence, [...sentence.aspects, aspect.id])}>
            <i class="dot" style={coloured(aspect)} /> {aspect.name} <small>{probability(score(aspect.id))}</small>
          </MenuItem>
        )}
      </ByGroup>
      <hr />
      <MenuItem onClick={() => label(sentence, [])}><i class="dot" /> None of these</MenuItem>
      <MenuItem onClick={example}><Icon name="quote" /> Some of its words …</MenuItem>
    </Menu>
  );
}
