import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { Exchange, Reply } from "../../lib/http/route.ts";
import { hash } from "./api/idempotency.ts";

/**
 * The page's files. Only what was found in the folder is served, by a table of exact paths, so no path can lead out of it.
 * Any other path gets the page itself: it knows its own addresses.
 */
export function staticFiles(folder: string): (exchange: Exchange) => Reply {
  let known: { version: number; files: Map<string, string> } | undefined;

  /** Looked through again when the page was built anew. */
  const files = (): Map<string, string> | undefined => {
    const version = statSync(join(folder, "index.html"), { throwIfNoEntry: false })?.mtimeMs;
    if (version === undefined) return undefined;
    if (known?.version !== version) known = { version, files: filesIn(folder) };
    return known.files;
  };

  return ({ url, request }) => {
    const { pathname } = url;
    if (pathname === "/api" || pathname.startsWith("/api/")) {
      throw new AppError("http.not_found", `nothing at ${pathname}; see /api/v1/openapi.json`);
    }
    const found = files();
    if (found === undefined) return { status: 404, headers: PAGE_HEADERS, text: NO_PAGE };
    const exact = found.get(pathname);
    // A missing script or picture is missing: the page in its place would only confuse the browser.
    if (exact === undefined && FILES_ONLY.test(pathname)) throw new AppError("http.not_found", `no file ${pathname}`);
    return fileReply(exact ?? join(folder, "index.html"), pathname, request.headers["if-none-match"]);
  };
}

/** Below assets/, and right below the root what has an ending. Deeper a dot may be part of a task's name. */
const FILES_ONLY = /^\/assets\/|^\/[^/]*\.[^/]*$/;

function fileReply(path: string, pathname: string, known: string | undefined): Reply {
  const bytes = readFileSync(path);
  const etag = `"${hash(bytes).slice(0, 22)}"`;
  // The bundler puts a hash of the content into the names below assets/.
  const lasting = pathname.startsWith("/assets/") && HASHED.test(pathname);
  const headers = {
    ...PAGE_HEADERS,
    "content-type": TYPES[extname(path)] ?? "application/octet-stream",
    "cache-control": lasting ? "public, max-age=31536000, immutable" : "no-cache",
    etag,
  };
  return known === etag ? { status: 304, headers } : { headers, bytes };
}

const HASHED = /-[\w-]{8,}\.\w+$/;

/** The terminal makes `<style>` elements that stay empty: what would be in them goes into sheets made by script. */
const EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

/** Scripts and styles only from our own files, nothing from elsewhere, in nobody's frame. */
const PAGE_HEADERS: Record<string, string> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${EMPTY_STYLE}`,
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};

const NO_PAGE = `Coxswain is running, but its page is not part of this installation.

The API is at /api/v1 (its description: /api/v1/openapi.json), and the \`cox\` command does everything the page does.
In a checkout of the sources, build the page with: npm run build
`;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".map": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/plain; charset=utf-8",
};

function filesIn(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length), path];
    }),
  );
}
