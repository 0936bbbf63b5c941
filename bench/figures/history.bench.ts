import { join } from "node:path";
import { type Comparison, median } from "../measure/figure.ts";
import { type History, historyOf } from "../scenes/history.ts";
import { cox, cpuOf, temporary } from "../scenes/scene.ts";
import { opened, type Serving, serve } from "../scenes/serving.ts";

const [SMALLEST, ...LARGER] = [100, 1000, 10_000, 100_000] as const;
const TIMES = 3;
const REQUESTS = 20;
/** Slow ones are asked less often. */
const LONG_ENOUGH_MS = 500;

/** What everyday work costs after so many runs, of what it costs after a hundred. */
export function history(): Comparison[] {
  const scenes = new Map<number, Scene>();
  const sceneOf = (size: number): Scene => {
    const scene = scenes.get(size) ?? new Scene(size);
    scenes.set(size, scene);
    return scene;
  };
  const works: Record<string, (scene: Scene) => number | Promise<number>> = {
    "`cox ls`": (scene) => scene.cpuOf("ls"),
    "`cox show`": (scene) => scene.cpuOf(`show ${scene.history.newest}`),
    "`cox inbox`": (scene) => scene.cpuOf("inbox"),
    "first page of the API": (scene) => scene.opened("/runs?limit=50"),
    "`/stream` opened": (scene) => scene.opened("/stream?from=now"),
    "start of `cox serve`": (scene) => scene.started(),
  };
  const lines = Object.entries(works).flatMap(([line, work]) =>
    LARGER.map(
      (size): Comparison => ({
        name: `history: ${line} after ${size.toLocaleString("en")} runs, of ${SMALLEST}`,
        series: { line, size },
        must: 1.5,
        aim: 1.1,
        rounds: 5,
        baseline: () => work(sceneOf(SMALLEST)),
        subject: () => work(sceneOf(size)),
      }),
    ),
  );
  return [
    {
      name: "server: `/stream` opened at 1,000 tasks, of an empty home",
      headline: true,
      must: 1.5,
      aim: 1.05,
      rounds: 9,
      baseline: () => sceneOf(0).opened("/stream?from=now"),
      subject: () => sceneOf(1000).opened("/stream?from=now"),
    },
    ...lines,
  ];
}

/** A home with a history, and the server on it once somebody asks one. */
class Scene {
  readonly history: History;
  readonly #env: NodeJS.ProcessEnv;
  #serving: Promise<Serving> | undefined;

  constructor(size: number) {
    const { folder } = temporary();
    this.history = historyOf(join(folder, "home"), size);
    this.#env = { ...process.env, COX_HOME: this.history.home.root, HOME: folder };
  }

  cpuOf(command: string): number {
    return cpuOf(`node ${cox} ${command} 2>/dev/null`, TIMES, this.#env);
  }

  async opened(path: string): Promise<number> {
    const serving = await (this.#serving ??= serve(this.history.home.root));
    const times: number[] = [];
    const until = performance.now() + LONG_ENOUGH_MS;
    while (times.length === 0 || (times.length < REQUESTS && performance.now() < until))
      times.push(await opened(serving, path));
    return median(times);
  }

  async started(): Promise<number> {
    await (await this.#serving)?.stop();
    this.#serving = undefined;
    const serving = await serve(this.history.home.root);
    await serving.stop();
    return serving.startMs;
  }
}
