import { ProgressWords } from "../header/ProgressLine";
import { announced, dismiss, toasts } from "../state/messages";
import { IconButton } from "./IconButton";

export const Toasts = () => (
  <>
    <div class="toasts">
      {toasts.value.map(({ id, text, kind, action }) => (
        <div key={id} class={`toast ${kind}`} role={kind === "problem" ? "alert" : "status"}>
          <span>{text}</span>
          {action && (
            <button type="button" onClick={() => (dismiss(id), action.run())}>
              {action.label}
            </button>
          )}
          <IconButton icon="close" label="Hide this message" onClick={() => dismiss(id)} />
        </div>
      ))}
      <ProgressWords />
    </div>
    <div class="unseen" role="status" aria-live="polite">
      {announced.value}
    </div>
  </>
);
