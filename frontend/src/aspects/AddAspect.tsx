import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../parts/Icon";
import { change } from "../state/corrections";
import { announce } from "../state/messages";
import { studio } from "../state/project";
import { lines } from "../text/lines";
import { PasteAspects } from "./PasteAspects";

const EMPTY = { name: "", description: "", examples: "" };
/** Outlives the form, so that closing it loses nothing. */
const typed = signal(EMPTY);
const open = signal<"one" | "list" | null>(null);

/** One aspect after another, or a whole list; the form stays open until it is closed. */
export function AddAspect() {
  const opener = useRef<HTMLButtonElement>(null);
  const closed = useRef(false);
  useEffect(() => {
    if (!open.value && closed.current) opener.current?.focus();
    closed.current = false;
  }, [open.value]);
  if (!open.value) {
    return (
      <button ref={opener} type="button" class="add-aspect" onClick={() => (open.value = "one")}>
        <Icon name="add" /> Add an aspect
      </button>
    );
  }
  const close = () => {
    closed.current = true;
    open.value = null;
  };
  return (
    <section class="aspect-form" aria-label="Add aspects" onKeyDown={(event) => event.key === "Escape" && close()}>
      <div class="switch" role="group" aria-label="How to add">
        <button type="button" aria-pressed={open.value === "one"} onClick={() => (open.value = "one")}>One by one</button>
        <button type="button" aria-pressed={open.value === "list"} onClick={() => (open.value = "list")}>Paste a list</button>
      </div>
      {open.value === "one" ? <OneAspect close={close} /> : <PasteAspects close={close} />}
    </section>
  );
}

function OneAspect({ close }: { close: () => void }) {
  const name = useRef<HTMLInputElement>(null);
  useEffect(() => name.current?.focus(), []);
  const type = (field: keyof typeof EMPTY) => (event: Event) => {
    typed.value = { ...typed.value, [field]: (event.currentTarget as HTMLInputElement).value };
  };
  const add = async (event: Event) => {
    event.preventDefault();
    const sent = typed.value;
    const { name: own, description, examples } = sent;
    typed.value = EMPTY; // at once: what is typed while it is being added is of the next
    name.current?.focus();
    const made = await change(() => studio().addAspect({ name: own.trim(), description: description.trim(), examples: lines(examples) }));
    if (made) announce(`Added ${made.name}`);
    else if (typed.value === EMPTY) typed.value = sent;
  };
  return (
    <form onSubmit={add}>
      <label class="field">
        Name
        <input ref={name} required maxLength={100} value={typed.value.name} onInput={type("name")} placeholder="parking" autocomplete="off" />
      </label>
      <label class="field">
        <span>Description <small>(optional)</small></span>
        <input maxLength={2000} value={typed.value.description} onInput={type("description")} placeholder="car park, garage, fees" autocomplete="off" />
      </label>
      <label class="field">
        Examples, one per line
        <textarea rows={4} value={typed.value.examples} onInput={type("examples")} placeholder={"The garage was full when we came.\n15 euros a night for the car park!"} />
      </label>
      <footer>
        <button type="button" onClick={close}>Close</button>
        <button type="submit" class="primary">Add</button>
      </footer>
    </form>
  );
}
