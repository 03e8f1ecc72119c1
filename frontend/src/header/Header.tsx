import { Icon } from "../parts/Icon";
import { IconButton } from "../parts/IconButton";
import { Menu, MenuItem } from "../parts/Menu";
import { redo, undo } from "../state/corrections";
import { project } from "../state/project";
import { startTour } from "../state/tour";
import { dialog } from "../state/view";
import { ProgressLine } from "./ProgressLine";
import { ProjectMenu } from "./ProjectMenu";
import { Search } from "./Search";
import { Tabs } from "./Tabs";
import { ThemeSwitch } from "./ThemeSwitch";

export function Header() {
  const { can_undo = null, can_redo = null } = project.value ?? {};
  return (
    <header class="header">
      <h1 class="brand">
        <img src="./icon.svg" alt="" width="26" height="26" />
        <span class="unseen">fewaspect studio</span>
      </h1>
      <ProjectMenu />
      <Tabs />
      <Search />
      <div class="tools">
        <IconButton icon="undo" label={can_undo ? `Undo: ${can_undo}` : "Nothing to undo"} aria-disabled={!can_undo} onClick={() => void undo()} />
        <IconButton icon="redo" label={can_redo ? `Redo: ${can_redo}` : "Nothing to redo"} aria-disabled={!can_redo} onClick={() => void redo()} />
        <Menu label="Help" class="icon-button" face={<Icon name="help" />}>
          <MenuItem onClick={() => (dialog.value = "keys")}><Icon name="keys" /> Keys</MenuItem>
          {project.value && <MenuItem onClick={startTour}><Icon name="details" /> Take the tour</MenuItem>}
        </Menu>
        <ThemeSwitch />
      </div>
      <ProgressLine />
    </header>
  );
}
