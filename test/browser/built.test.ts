import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { root } from "../support/cox.ts";

const web = join(root, "dist/web");

describe("the page as it is built", () => {
  test("loads little script before the board is there", () => {
    const html = readFileSync(join(web, "index.html"), "utf8");
    const first = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path ?? "");
    expect(first.length).toBeGreaterThan(0);
    const loaded = new Set<string>();
    const load = (path: string): number => {
      if (loaded.has(path)) return 0;
      loaded.add(path);
      const text = readFileSync(join(web, path), "utf8");
      const imports = [...text.matchAll(/(?:import|from)\s*"\.\/([^"]+\.js)"/g)].map(([, name]) => `/assets/${name}`);
      return gzipSync(text).length + imports.reduce((sum, name) => sum + load(name), 0);
    };
    const bytes = first.reduce((sum, path) => sum + load(path), 0);
    console.log(`first load: ${(bytes / 1024).toFixed(1)} KB of script, gzip`);
    expect(bytes).toBeLessThan(100 * 1024);
  });

  test("has no inline script or style, and asks for nothing elsewhere", () => {
    const html = readFileSync(join(web, "index.html"), "utf8");
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
    expect(html).not.toMatch(/(?:src|href)="(?!\/)/);
  });

  test("never makes HTML of text", () => {
    const files = readdirSync(join(root, "web/src"), { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.tsx?$/.test(name),
    );
    expect(files.length).toBeGreaterThan(80);
    const forbidden =
      /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySet|document\.write|\beval\(|new Function|srcdoc/;
    const bad = files.filter((name) => forbidden.test(readFileSync(join(root, "web/src", name), "utf8")));
    expect(bad).toEqual([]);
  });
});
