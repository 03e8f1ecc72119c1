import { useId, useState } from "preact/hooks";
import type { Aspect } from "../api/types";
import { coloured } from "../parts/colour";
import { change } from "../state/corrections";
import { COLOURS, hue, tone } from "../state/decisions";
import { groups, studio } from "../state/project";

/** By their angles, every 30 degrees. */
const HUES = ["rose", "red", "orange", "yellow", "green", "emerald", "teal", "sky blue", "blue", "indigo", "purple", "pink"];
const colourName = (colour: number) => HUES[Math.floor(hue(colour) / 30)] + (tone(colour) ? " 2" : "");

/** Name, description, group and colour. */
export function AspectFields({ aspect }: { aspect: Aspect }) {
  const { name, description, group, colour } = aspect;
  const [typed, setTyped] = useState({ name, description, group, colour });
  const known = useId();
  const set = (values: Partial<typeof typed>) => setTyped({ ...typed, ...values });
  const now = { ...typed, name: typed.name.trim(), description: typed.description.trim(), group: typed.group.trim() };
  const same = now.name === name && now.description === description && now.group === group && now.colour === colour;
  const save = (event: Event) => {
    event.preventDefault();
    void change(() => studio().changeAspect(aspect.id, now));
  };
  return (
    <form onSubmit={save}>
      <label class="field">
        Name
        <input value={typed.name} required maxLength={100} onInput={(event) => set({ name: event.currentTarget.value })} />
      </label>
      <label class="field">
        Description
        <input value={typed.description} maxLength={2000} placeholder="a few words that say what belongs to it" onInput={(event) => set({ description: event.currentTarget.value })} />
      </label>
      <label class="field">
        <span>Group <small>(optional: a heading that several aspects share)</small></span>
        <input value={typed.group} maxLength={100} list={known} placeholder="Room" autocomplete="off" onInput={(event) => set({ group: event.currentTarget.value })} />
        <datalist id={known}>{groups.value.map((own) => <option key={own} value={own} />)}</datalist>
      </label>
      <fieldset class="swatches">
        <legend>Colour</legend>
        {Array.from({ length: COLOURS }, (_, own) => (
          <label key={own} style={coloured({ colour: own })} title={colourName(own)}>
            <input type="radio" name="colour" checked={typed.colour === own} onChange={() => set({ colour: own })} aria-label={colourName(own)} />
            <i class="dot" />
          </label>
        ))}
      </fieldset>
      <footer>
        <button type="submit" class="primary" disabled={same}>Save</button>
      </footer>
    </form>
  );
}
