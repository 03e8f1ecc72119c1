import { useState } from "preact/hooks";
import { keepToken } from "../api/http";
import { unreachable } from "../state/project";
import { start } from "../state/router";
import { newProject } from "./ProjectMenu";

/** What is shown when no project is open: because there is none, or because the studio does not let us in. */
export function Welcome() {
  const problem = unreachable.value;
  if (problem?.status === 401) return <AskToken />;
  return (
    <main class="main welcome">
      <h2>{problem ? "The studio cannot be reached" : "No project yet"}</h2>
      <p>{problem?.message ?? "A project holds your aspects, their examples and the reviews."}</p>
      {problem ? (
        <button type="button" class="primary" onClick={() => void start()}>Try again</button>
      ) : (
        <button type="button" class="primary" onClick={() => void newProject()}>New project</button>
      )}
    </main>
  );
}

function AskToken() {
  const [typed, setTyped] = useState("");
  const enter = (event: Event) => {
    event.preventDefault();
    keepToken(typed.trim());
    void start();
  };
  return (
    <main class="main welcome">
      <h2>This studio asks for a token</h2>
      <p>It is the last part of the address that was shown when the studio was started. Whoever started it can tell you.</p>
      <form onSubmit={enter}>
        <label class="field">
          Token
          <input type="password" required autocomplete="off" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        <footer>
          <button type="submit" class="primary">Enter</button>
        </footer>
      </form>
    </main>
  );
}
