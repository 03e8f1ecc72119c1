import { settleInTurn } from "./corrections";
import { project, readProject, readProjects } from "./project";

/** What was changed in another window, or by someone else, is shown when the person comes back to this one. */
export function followOthers(): void {
  const look = async () => {
    const before = project.value;
    if (document.hidden || !before) return;
    await Promise.all([readProject(), readProjects()]);
    const after = project.value;
    if (after?.id === before.id && after.revision !== before.revision) await settleInTurn();
  };
  for (const event of ["focus", "visibilitychange"]) addEventListener(event, () => void look().catch(() => undefined));
}
