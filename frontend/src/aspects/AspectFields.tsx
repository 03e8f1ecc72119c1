import { useState } from "preact/hooks";
import type { Aspect } from "../api/types";
import { change } from "../state/corrections";
import { studio } from "../state/project";

export function AspectFields({ aspect }: { aspect: Aspect }) {
  const [name, setName] = useState(aspect.name);
  const [description, setDescription] = useState(aspect.description);
  const same = name.trim() === aspect.name && description.trim() === aspect.description;
  const save = (event: Event) => {
    event.preventDefault();
    void change(() => studio().changeAspect(aspect.id, { name: name.trim(), description: description.trim() }));
  };
  return (
    <form onSubmit={save}>
      <label class="field">
        Name
        <input value={name} required onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label class="field">
        Description
        <input value={description} placeholder="a few words that say what belongs to it" onInput={(event) => setDescription(event.currentTarget.value)} />
      </label>
      <footer>
        <button type="submit" class="primary" disabled={same}>Save</button>
      </footer>
    </form>
  );
}
