import { newProject } from "./ProjectMenu";

export const Welcome = () => (
  <main class="main welcome">
    <h2>No project yet</h2>
    <p>A project holds your aspects, their examples and the reviews.</p>
    <button type="button" class="primary" onClick={() => void newProject()}>New project</button>
  </main>
);
