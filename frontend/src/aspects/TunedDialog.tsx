import { closeDialog, Dialog } from "../parts/Dialog";
import { tuned, undo } from "../state/corrections";
import { probability } from "../text/numbers";

export const TunedDialog = () => (
  <Dialog title="Thresholds tuned">
    <p class="soft">Each aspect now has the threshold that gives the best answers on your examples. F1, from 0 to 1, says how good these are.</p>
    <div class="scroll-x" tabIndex={0} role="region" aria-label="Before and after">
      <table class="numbers-table">
        <thead>
          <tr><th>Aspect</th><th>Threshold</th><th>F1</th><th>Examples</th></tr>
        </thead>
        <tbody>
          {tuned.value?.aspects.map((aspect) => (
            <tr key={aspect.id}>
              <th scope="row">{aspect.name}</th>
              <td>{change(aspect.threshold_before, aspect.threshold)}</td>
              <td>{change(aspect.f1_before, aspect.f1)}</td>
              <td>{aspect.texts}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    <footer>
      <button type="button" onClick={() => (closeDialog(), void undo())}>Undo</button>
      <button type="button" class="primary" onClick={closeDialog}>Keep</button>
    </footer>
  </Dialog>
);

const change = (before: number | null, after: number | null) => `${probability(before)} → ${probability(after)}`;
