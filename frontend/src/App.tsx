import { AspectsPanel } from "./aspects/AspectsPanel";
import { Dashboard } from "./dashboard/Dashboard";
import { DetailsPanel } from "./details/DetailsPanel";
import { Dialogs } from "./Dialogs";
import { Evaluate } from "./evaluate/Evaluate";
import { BottomBar } from "./header/BottomBar";
import { Header } from "./header/Header";
import { Offline } from "./header/Offline";
import { Tour } from "./header/Tour";
import { Welcome } from "./header/Welcome";
import { Safely } from "./parts/Safely";
import { Toasts } from "./parts/Toasts";
import { LabelNext } from "./queue/LabelNext";
import { Reviews } from "./reviews/Reviews";
import { SelectionMenu } from "./reviews/SelectionMenu";
import { project, started } from "./state/project";
import { dialog, part, tab } from "./state/view";

const TABS = { reviews: Reviews, label: LabelNext, dashboard: Dashboard, evaluate: Evaluate };

export function App() {
  const Main = TABS[tab.value];
  const sentences = tab.value === "reviews" || tab.value === "label";
  return (
    <div class={`studio showing-${part.value} ${sentences ? "" : "without-details"}`} data-tab={tab.value}>
      <Header />
      <Offline />
      {project.value ? (
        <>
          <AspectsPanel />
          <main class="main">
            <div id="tab" role="tabpanel" aria-labelledby={`tab-${tab.value}`}>
              <Safely key={tab.value}>
                <Main />
              </Safely>
            </div>
          </main>
          {sentences && (
            <Safely>
              <DetailsPanel />
            </Safely>
          )}
          <BottomBar />
        </>
      ) : (
        started.value && <Welcome />
      )}
      <SelectionMenu />
      <Dialogs />
      {project.value && <Tour />}
      {!dialog.value && <Toasts />}
    </div>
  );
}
