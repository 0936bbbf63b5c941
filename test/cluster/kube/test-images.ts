import type { ImageFiles } from "./image.ts";

/** An agent whose prompt is a shell script: what a test wants to happen in the pod, it says there. */
export const SHELL_AGENT = "cox.test/shell-agent:1";
/** The same, with git. */
export const GIT_AGENT = "cox.test/git-agent:1";
/** For the init containers; it has no entrypoint. */
export const GIT_IMAGE = "cox.test/git:1";

export const shellAgent: ImageFiles = {
  name: SHELL_AGENT,
  user: "61100",
  files: { "kelos_entrypoint.sh": '#!/bin/sh\nexec sh -c "$1"\n' },
};

const git = ["/usr/bin/git", "/usr/lib/git-core/git-remote-http", "/usr/lib/git-core"];

export const gitImage: ImageFiles = { name: GIT_IMAGE, user: "61100", copy: git };
export const gitAgent: ImageFiles = { ...shellAgent, name: GIT_AGENT, copy: git };
