import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";

/** A part that fails does not take the page with it. */
export function Safely({ children }: { children: ComponentChildren }) {
  const [error, again] = useErrorBoundary((error: unknown) => console.error(error));
  if (!error) return <>{children}</>;
  return (
    <div class="empty" role="alert">
      <h2>This part could not be shown</h2>
      <p class="soft">{error instanceof Error ? error.message : String(error)}</p>
      <button type="button" onClick={again}>Try again</button>
    </div>
  );
}
