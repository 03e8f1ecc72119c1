import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../parts/Icon";
import { change } from "../state/corrections";
import { studio } from "../state/project";
import { lines } from "../text/lines";

const EMPTY = { name: "", description: "", examples: "" };
/** Outlives the form, so that closing it loses nothing. */
const typed = signal(EMPTY);
const open = signal(false);

export function AddAspect() {
  const name = useRef<HTMLInputElement>(null);
  useEffect(() => void (open.value && name.current?.focus()), [open.value]);
  if (!open.value) {
    return (
      <button type="button" class="add-aspect" onClick={() => (open.value = true)}>
        <Icon name="add" /> Add an aspect
      </button>
    );
  }
  const type = (field: keyof typeof EMPTY) => (event: Event) => {
    typed.value = { ...typed.value, [field]: (event.currentTarget as HTMLInputElement).value };
  };
  const add = async (event: Event) => {
    event.preventDefault();
    const { name, description, examples } = typed.value;
    const made = await change(() => studio().addAspect({ name: name.trim(), description: description.trim(), examples: lines(examples) }));
    if (!made) return;
    typed.value = EMPTY;
    open.value = false;
  };
  return (
    <form class="aspect-form" onSubmit={add} onKeyDown={(event) => event.key === "Escape" && (open.value = false)}>
      <label class="field">
        Name
        <input ref={name} required value={typed.value.name} onInput={type("name")} placeholder="parking" autocomplete="off" />
      </label>
      <label class="field">
        <span>Description <small>(optional)</small></span>
        <input value={typed.value.description} onInput={type("description")} placeholder="car park, garage, fees" autocomplete="off" />
      </label>
      <label class="field">
        Examples, one per line
        <textarea rows={4} value={typed.value.examples} onInput={type("examples")} placeholder={"The garage was full when we came.\n15 euros a night for the car park!"} />
      </label>
      <footer>
        <button type="button" onClick={() => (open.value = false)}>Cancel</button>
        <button type="submit" class="primary">Add</button>
      </footer>
    </form>
  );
}
