import { useState } from "preact/hooks";
import { closeDialog, Dialog } from "../parts/Dialog";
import { ByGroup } from "../parts/ByGroup";
import { coloured } from "../parts/colour";
import { addExample } from "../state/corrections";
import { toggled } from "../state/decisions";
import { aspects } from "../state/project";
import { selectedSentence } from "../state/sentences";

/** With keys or on a phone, where selecting words is hard: the sentence is shortened by typing. */
export function ExampleDialog() {
  const [sentence] = useState(selectedSentence);
  const [text, setText] = useState(sentence?.text ?? "");
  const [chosen, setChosen] = useState(sentence?.aspects.slice(0, 1) ?? []);
  const save = async (event: Event) => {
    event.preventDefault();
    if (await addExample(text.trim(), chosen)) closeDialog();
  };
  return (
    <Dialog title="Use words as an example">
      <form onSubmit={save}>
        <label class="field">
          Shorten to the words that matter
          <textarea dir="auto" rows={3} required value={text} onInput={(event) => setText(event.currentTarget.value)} autofocus />
        </label>
        <fieldset class="choices">
          <legend>They are an example of</legend>
          <ByGroup aspects={aspects.value}>
            {(aspect) => (
              <label key={aspect.id} style={coloured(aspect)}>
                <input type="checkbox" checked={chosen.includes(aspect.id)} onChange={() => setChosen(toggled(chosen, aspect.id))} />
                <i class="dot" /> {aspect.name}
              </label>
            )}
          </ByGroup>
          {chosen.length === 0 && <p class="soft">Nothing chosen: an example of none of these.</p>}
        </fieldset>
        <footer>
          <button type="button" onClick={closeDialog}>Cancel</button>
          <button type="submit" class="primary">Add the example</button>
        </footer>
      </form>
    </Dialog>
  );
}
