import { useEffect, useRef, useState } from "preact/hooks";
import type { Example } from "../api/types";
import { ByGroup } from "../parts/ByGroup";
import { coloured } from "../parts/colour";
import { Dialog } from "../parts/Dialog";
import { Icon } from "../parts/Icon";
import { IconButton } from "../parts/IconButton";
import { Menu, MenuItem } from "../parts/Menu";
import { change, settled } from "../state/corrections";
import { toggled } from "../state/decisions";
import { report } from "../state/messages";
import { aspectById, aspects, studio } from "../state/project";
import { dialog } from "../state/view";
import { lines } from "../text/lines";
import { counted } from "../text/numbers";
import { AspectFields } from "./AspectFields";
import { edited } from "./editing";

/** Name, description and examples of an aspect, or the examples of "none of these". */
export function AspectDialog() {
  const of = edited.value;
  const aspect = of === "none" ? undefined : aspectById.value.get(of);
  const [examples, setExamples] = useState<{ total: number; examples: Example[] } | null>(null);
  const said = useRef(0);
  useEffect(() => {
    const before = said.current;
    studio().examples(of).then((found) => said.current === before && setExamples(found)).catch(report);
  }, [of, settled.value]);
  /** Shown at once: what is said next builds on it. */
  const correct = async (example: Example, own: number[]) => {
    const show = (aspects: number[]) => setExamples((now) => now && { ...now, examples: now.examples.map((one) => (one.id === example.id ? { ...one, aspects } : one)) });
    said.current++;
    show(own);
    if (!(await change(() => studio().correctExample(example.id, own)))) show(example.aspects);
  };
  return (
    <Dialog title={aspect?.name ?? "None of these"}>
      <div style={coloured(aspect)}>
        {aspect ? <AspectFields key={aspect.id} aspect={aspect} /> : <p class="soft">Sentences that speak about none of your aspects. They teach the detector to stay silent.</p>}
        {aspect && (
          <p class="aspect-more">
            <button type="button" disabled={aspects.value.length < 2} onClick={() => (dialog.value = "merge")}>Merge with another …</button>
            <button type="button" disabled={aspect.examples < 2} onClick={() => (dialog.value = "split")}>Split in two …</button>
          </p>
        )}
        <h3>{examples ? counted(examples.total, "example") : "Examples"}</h3>
        <ul class="examples">
          {examples?.examples.map((example) => (
            <li key={example.id}>
              <span dir="auto">
                {example.text}
                {example.aspects.length > 1 && <small>also {example.aspects.filter((id) => id !== of).map((id) => aspectById.value.get(id)?.name).join(", ")}</small>}
              </span>
              <ExampleMenu example={example} onCorrect={(own) => void correct(example, own)} />
              <IconButton icon="remove" label={`Remove the example “${example.text}”`} onClick={() => void change(() => studio().removeExample(example.id))} />
            </li>
          ))}
        </ul>
        <MoreExamples own={of === "none" ? [] : [of]} />
      </div>
    </Dialog>
  );
}

/** Which aspects an example stands for. */
function ExampleMenu({ example, onCorrect }: { example: Example; onCorrect: (own: number[]) => void }) {
  return (
    <Menu label={`Aspects of the example “${example.text}”`} class="icon-button" face={<Icon name="edit" />}>
      <ByGroup aspects={aspects.value}>
        {(aspect) => (
          <MenuItem key={aspect.id} several checked={example.aspects.includes(aspect.id)} onClick={() => onCorrect(toggled(example.aspects, aspect.id))}>
            <i class="dot" style={coloured(aspect)} /> {aspect.name}
          </MenuItem>
        )}
      </ByGroup>
      <hr />
      <MenuItem several checked={!example.aspects.length} onClick={() => onCorrect([])}><i class="dot none" /> None of these</MenuItem>
    </Menu>
  );
}

function MoreExamples({ own }: { own: number[] }) {
  const [typed, setTyped] = useState("");
  const add = async (event: Event) => {
    event.preventDefault();
    const left = lines(typed);
    await change(async () => {
      while (left.length) {
        await studio().addExample(left[0]!, own);
        left.shift();
      }
    });
    setTyped(left.join("\n"));
  };
  return (
    <form onSubmit={add}>
      <label class="field">
        More examples, one per line
        <textarea rows={3} value={typed} required onInput={(event) => setTyped(event.currentTarget.value)} />
      </label>
      <footer>
        <button type="submit" class="primary">Add examples</button>
      </footer>
    </form>
  );
}
