import { AspectDialog } from "./aspects/AspectDialog";
import { TunedDialog } from "./aspects/TunedDialog";
import { ExportDialog } from "./files/ExportDialog";
import { ImportDialog } from "./files/ImportDialog";
import { KeysDialog } from "./header/KeysDialog";
import { ProjectDialog } from "./header/ProjectDialog";
import { ExampleDialog } from "./reviews/ExampleDialog";
import { dialog, type DialogName } from "./state/view";

const DIALOGS: Record<DialogName, () => preact.JSX.Element | null> = {
  keys: KeysDialog,
  import: ImportDialog,
  export: ExportDialog,
  project: ProjectDialog,
  aspect: AspectDialog,
  example: ExampleDialog,
  tuned: TunedDialog,
};

export function Dialogs() {
  const Open = dialog.value && DIALOGS[dialog.value];
  return Open ? <Open /> : null;
}
