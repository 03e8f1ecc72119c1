import { createProject, importProject, Studio } from "../api/studio";
import { Icon } from "../parts/Icon";
import { Menu, MenuItem } from "../parts/Menu";
import { report, toast } from "../state/messages";
import { openProject, openSome, project, projects, readProjects } from "../state/project";
import { dialog } from "../state/view";
import { counted } from "../text/numbers";

export function ProjectMenu() {
  const open = project.value;
  return (
    <Menu label={open ? `Project: ${open.name}` : "Projects"} class="project-button" face={<><span>{open?.name ?? "Projects"}</span> <Icon name="down" /></>}>
      {projects.value.map((entry) => (
        <MenuItem key={entry.id} checked={entry.id === open?.id} onClick={() => void openProject(entry.id)}>
          <Icon name="folder" />
          <span>
            {entry.name}
            <small>
              {counted(entry.aspects, "aspect")}, {counted(entry.reviews, "review")}
            </small>
          </span>
        </MenuItem>
      ))}
      <hr />
      {open && <MenuItem onClick={() => (dialog.value = "import")}><Icon name="upload" /> Import reviews …</MenuItem>}
      {open && <MenuItem onClick={() => (dialog.value = "imports")}><Icon name="folder" /> Imported files …</MenuItem>}
      {open && <MenuItem onClick={() => (dialog.value = "export")}><Icon name="download" /> Export …</MenuItem>}
      <hr />
      <MenuItem onClick={() => void newProject()}><Icon name="add" /> New project</MenuItem>
      <MenuItem onClick={chooseProjectFile}><Icon name="folder" /> Open a project file …</MenuItem>
      {open && <MenuItem onClick={() => (dialog.value = "project")}><Icon name="edit" /> Rename or delete …</MenuItem>}
    </Menu>
  );
}

let making = false;

export async function newProject(): Promise<void> {
  if (making) return; // a double click
  making = true;
  const taken = new Set(projects.value.map((entry) => entry.name));
  let name = "New project";
  for (let n = 2; taken.has(name); n++) name = `New project ${n}`;
  try {
    const made = await createProject(name);
    await openProject(made.id);
    await readProjects();
    dialog.value = "project";
  } catch (error) {
    report(error);
  }
  making = false;
}

function chooseProjectFile(): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".zip";
  input.onchange = async () => {
    const file = input.files?.[0];
    if (!file) return;
    try {
      const made = await importProject(file);
      await openProject(made.id);
      await readProjects();
    } catch (error) {
      report(error);
    }
  };
  input.click();
}

export async function deleteProject(id: number, name: string): Promise<void> {
  await new Studio(id).remove();
  dialog.value = null;
  project.value = null;
  await openSome();
  toast(`Deleted “${name}”.`);
}
