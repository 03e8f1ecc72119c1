import { AspectDialog } from "./aspects/AspectDialog";
import { GroupsDialog } from "./aspects/GroupsDialog";
import { MergeDialog } from "./aspects/MergeDialog";
import { SplitDialog } from "./aspects/SplitDialog";
import { TunedDialog } from "./aspects/TunedDialog";
import { ExportDialog } from "./files/ExportDialog";
import { ImportDialog } from "./files/ImportDialog";
import { ReportDialog } from "./files/ReportDialog";
import { ImportsDialog } from "./files/ImportsDialog";
import { KeysDialog } from "./header/KeysDialog";
import { ProjectDialog } from "./header/ProjectDialog";
import { ColumnFilters } from "./reviews/ColumnFilters";
import { AcceptDialog } from "./reviews/AcceptDialog";
import { ExampleDialog } from "./reviews/ExampleDialog";
import { dialog, type DialogName } from "./state/view";

const DIALOGS: Record<DialogName, () => preact.JSX.Element | null> = {
  keys: KeysDialog,
  import: ImportDialog,
  imports: ImportsDialog,
  export: ExportDialog,
  project: ProjectDialog,
  aspect: AspectDialog,
  example: ExampleDialog,
  tuned: TunedDialog,
  merge: MergeDialog,
  split: SplitDialog,
  groups: GroupsDialog,
  accept: AcceptDialog,
  filter: ColumnFilters,
  report: ReportDialog,
};

export function Dialogs() {
  const Open = dialog.value && DIALOGS[dialog.value];
  return Open ? <Open /> : null;
}
