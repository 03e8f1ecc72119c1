import type { Aspect } from "../api/types";
import { coloured } from "../parts/colour";
import { IconButton } from "../parts/IconButton";
import { removeAspect } from "../state/corrections";
import { filter, show } from "../state/view";
import { count, counted } from "../text/numbers";
import { editAspect } from "./editing";
import { GrowthMark } from "./GrowthMark";
import { ThresholdSlider } from "./ThresholdSlider";

interface Props {
  aspect: Aspect;
  position: number;
  most: number;
}

export function AspectRow({ aspect, position, most }: Props) {
  const { q, where, sentiment } = filter.value;
  const on = filter.value.aspect === aspect.id;
  return (
    <li class={`aspect ${on ? "on" : ""}`} style={coloured(aspect)}>
      <div class="aspect-top">
        <button type="button" class="aspect-name" aria-pressed={on} title={`${aspect.name}: ${aspect.description || "show its sentences"}`}
          onClick={() => show({ aspect: on ? null : aspect.id, q, where, sentiment })}>
          {position < 9 && <kbd aria-hidden="true">{position + 1}</kbd>}
          <span class="clipped">{aspect.name}</span>
        </button>
        <div class="aspect-tools">
          <IconButton icon="edit" label={`Edit ${aspect.name}`} onClick={() => editAspect(aspect.id)} />
          <IconButton icon="remove" label={`Remove ${aspect.name}`} onClick={() => void removeAspect(aspect.id, aspect.name)} />
        </div>
        <b class="found-count" title="Sentences it was found in">{count(aspect.found)}</b>
      </div>
      <span class="track"><i style={{ "--p": `${(100 * aspect.found) / most}%` }} /></span>
      {aspect.description && <p class="aspect-description">{aspect.description}</p>}
      <div class="aspect-bottom">
        <button type="button" class="linked" onClick={() => editAspect(aspect.id)}>{counted(aspect.examples, "example")}</button>
        <GrowthMark id={aspect.id} />
        <ThresholdSlider aspect={aspect} />
      </div>
    </li>
  );
}
