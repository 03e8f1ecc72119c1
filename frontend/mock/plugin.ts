import type { IncomingMessage, ServerResponse } from "node:http";
import type { Plugin } from "vite";
import { MockProject } from "./project.ts";
import { answer } from "./routes.ts";

/** Answers /api/v1 during `npm run dev`, so that the page can be worked on without Python. */
export function mock(): Plugin {
  const projects = [new MockProject(1, true)];
  const handle = async (request: IncomingMessage, response: ServerResponse, next: () => void) => {
    if (!request.url?.startsWith("/api/v1")) return next();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const json = request.headers["content-type"]?.startsWith("application/json") ? JSON.parse(body) : {};
    const url = new URL(request.url, "http://localhost");
    const { status = 200, type = "application/json", content } = answer(projects, request.method!, url.pathname.slice("/api/v1".length), url.searchParams, json);
    response.writeHead(status, { "Content-Type": type });
    response.end(content === undefined ? undefined : typeof content === "string" ? content : JSON.stringify(content));
  };
  return { name: "mock", configureServer: (server) => void server.middlewares.use(handle) };
}
