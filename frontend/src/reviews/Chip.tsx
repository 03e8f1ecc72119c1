import type { Sentence } from "../api/types";
import { coloured } from "../parts/colour";
import { Icon } from "../parts/Icon";
import { reject, restore } from "../state/corrections";
import { best } from "../state/decisions";
import { aspectById } from "../state/project";
import { probability } from "../text/numbers";

/** A decided aspect; a click says that the sentence is not about it, and nothing about its others. */
export function Chip({ sentence, id, tabIndex }: { sentence: Sentence; id: number; tabIndex: number }) {
  const aspect = aspectById.value.get(id);
  if (!aspect) return null;
  const score = sentence.scores[id];
  const look = sentence.look?.includes(id) ?? false;
  const accepted = !!sentence.look && !look && !sentence.confirmed;
  return (
    <button type="button" class={look ? "chip look" : "chip"} tabIndex={tabIndex} style={coloured(aspect)} aria-pressed="true"
      title={`${look ? "Needs a look. " : accepted ? "Accepted. " : ""}Not about ${aspect.name}? Click to take it away.`} onClick={() => reject(sentence, id)}>
      {accepted && <Icon name="check" />}
      <span class="clipped">{aspect.name}</span> {score !== undefined && <small>{probability(score)}</small>}
      {look && <small class="look-mark">look</small>}
      <Icon name="close" />
    </button>
  );
}

/** What a person said it is not about; a click takes that back. */
export function RejectedChip({ sentence, id, tabIndex }: { sentence: Sentence; id: number; tabIndex: number }) {
  const aspect = aspectById.value.get(id);
  if (!aspect) return null;
  const title = `You said it is not about ${aspect.name}. Click to take that back.`;
  return (
    <button type="button" class="chip rejected" tabIndex={tabIndex} title={title} aria-label={`Not about ${aspect.name}: take that back`} onClick={() => restore(sentence, id)}>
      <s class="clipped">{aspect.name}</s> <Icon name="undo" />
    </button>
  );
}

/** Not a silent “none”: what is not read is said. */
export const OtherLanguage = () => (
  <small class="other-language" title="It seems to be in a language that the detector does not read, so its answers say little. If your reviews are in other languages, say so under “Rename or delete …” in the project menu.">another language?</small>
);

export function NoneChip({ sentence }: { sentence: Sentence }) {
  const near = best(sentence);
  const name = near && aspectById.value.get(near.aspect)?.name;
  return (
    <span class="chip unsure">
      none {!sentence.confirmed && near && name && <small class="clipped" title={name}>best: {name}</small>} {!sentence.confirmed && near && name && <small>{probability(near.score)}</small>}
    </span>
  );
}
