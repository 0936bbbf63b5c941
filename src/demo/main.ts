import { Readable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { demoAgent } from "./agent.ts";
import { ConversationFiles, homeOf } from "./conversation/conversation-file.ts";
import { Output } from "./output.ts";

/** The demo agent's program: ACP on stdin and stdout until stdin ends. */
const output = new Output();
const speed = Number(process.env.DEMO_SPEED ?? 1);
const app = demoAgent(new ConversationFiles(homeOf(process.env)), { output, speed: speed >= 0 ? speed : 1 });

process.on("SIGTERM", () => process.exit(143));
void app.connect(ndJsonStream(output.frames, Readable.toWeb(process.stdin))).closed.then(() => process.exit(0));
