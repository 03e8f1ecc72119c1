import { render } from "preact";
import { App } from "./App";
import { takeToken } from "./api/http";
import { followScoring } from "./state/importing";
import { listenToKeys } from "./state/keyboard";
import { openSome } from "./state/project";
import { followFilter, followSelection } from "./state/sentences";
import "./styles/index.css";

takeToken();
render(<App />, document.getElementById("studio")!);
listenToKeys();
followFilter();
followSelection();
followScoring();
void openSome();
