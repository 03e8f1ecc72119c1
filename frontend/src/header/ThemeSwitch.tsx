import { Icon } from "../parts/Icon";
import { Menu, MenuItem } from "../parts/Menu";
import { theme, type Theme } from "../state/theme";

const NAMES: [Theme, string][] = [["system", "As the system"], ["light", "Light"], ["dark", "Dark"]];

export const ThemeSwitch = () => (
  <Menu label="Theme" class="icon-button" face={<Icon name={theme.value} />}>
    {NAMES.map(([name, words]) => (
      <MenuItem key={name} checked={theme.value === name} onClick={() => (theme.value = name)}>
        <Icon name={name} /> {words}
      </MenuItem>
    ))}
  </Menu>
);
