import { Dialog } from "../parts/Dialog";
import { HELP } from "../state/commands";
import { aspects } from "../state/project";

export const KeysDialog = () => (
  <Dialog title="Keys">
    <dl class="keys">
      {HELP.map(([keys, words]) => (
        <div key={keys}>
          <dt><kbd>{keys}</kbd></dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
    <p class="soft">{aspects.value.slice(0, 9).map((aspect, i) => `${i + 1} ${aspect.name}`).join(" · ")}</p>
  </Dialog>
);
