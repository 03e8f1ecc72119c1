import { defineConfig } from "vite";
import { mock } from "./mock/plugin.ts";

const server = process.env.STUDIO; // the address of a running studio; without it the mock answers

export default defineConfig({
  base: "./",
  plugins: server ? [] : [mock()],
  server: { proxy: server ? { "/api": { target: server, changeOrigin: true } } : {} },
  build: {
    outDir: "../src/fewaspect/studio/page",
    emptyOutDir: true,
    modulePreload: false,
    assetsInlineLimit: 0, // the Content-Security-Policy allows no data: addresses
  },
});
