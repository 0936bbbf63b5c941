import { z } from "zod";
import { bundledAgentTypes } from "./agent-types.ts";
import { Condition, LocalReference, type ObjectMeta, rules } from "./object.ts";
import { isFinalPhase, type TaskPhase, taskPhases } from "./phases.ts";
import { PodOverrides } from "./pod-overrides.ts";

export { isFinalPhase, type TaskPhase, taskPhases };

/**
 * What may be tried again. NotStarted: the agent never ran. Disrupted: its pod was evicted or its node went away. The others
 * had their chance and may have left something behind, so they are repeated only when asked for.
 */
export const retryReasons = ["NotStarted", "Disrupted", "Failed", "OOMKilled", "TimedOut"] as const;
export type RetryReason = (typeof retryReasons)[number];

const seconds = (what: string) => z.number().int().min(0).max(2_147_483_647).optional().describe(what);

const quotedTypes = bundledAgentTypes.map((type) => `'${type}'`).join(", ");

export const TaskSpec = z
  .object({
    type: z
      .string()
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
      .max(63)
      .describe("The agent: claude-code, codex, gemini, opencode, or a name of your own together with an image."),
    prompt: z
      .string()
      .min(1)
      .max(524_288)
      .describe(
        'What to do. {{ index .Deps "task-a" "Results" "branch" }} stands for a result of a Task in dependsOn.',
      ),
    model: z.string().max(256).optional().describe("The model, in the agent's own spelling."),
    effort: z.string().max(64).optional().describe("How hard the model should think, in the agent's own words."),
    image: z
      .string()
      .min(1)
      .max(512)
      .optional()
      .describe("The image, in place of the one the operator has for the type."),
    credentials: z
      .object({
        type: z.enum(["api-key", "oauth", "none"]).describe("What the Secret holds."),
        secretRef: LocalReference.optional().describe("A Secret whose key has the name of the agent's variable."),
      })
      .describe("How the agent reaches its model.")
      .meta(
        rules({
          rule: "self.type == 'none' || has(self.secretRef)",
          message: "secretRef is needed for credentials of type api-key and oauth",
        }),
      ),
    workspaceRef: LocalReference.optional().describe("The Workspace to work in."),
    agentConfigRef: LocalReference.optional().describe("Instructions, plugins and MCP servers."),
    agentConfigRefs: z.array(LocalReference).min(1).max(16).optional().describe("Several of them, merged in order."),
    branch: z.string().min(1).max(255).optional().describe("The branch to work on. Tasks on one branch take turns."),
    upstreamRepo: z
      .string()
      .max(255)
      .optional()
      .describe("owner/repo that pull requests go to, if not the Workspace's own."),
    dependsOn: z.array(z.string().min(1).max(63)).max(64).optional().describe("Tasks that must have succeeded before."),
    ttlSecondsAfterFinished: seconds("How long the Task is kept after its end. Not given: for ever."),
    ttlSecondsByPhase: z
      .object({
        Succeeded: seconds("After success."),
        Failed: seconds("After failure."),
        Cancelled: seconds("After it was cancelled."),
        TimedOut: seconds("After its time was over."),
      })
      .optional()
      .describe("The same for one outcome, in place of ttlSecondsAfterFinished."),
    timeoutSeconds: z.number().int().min(1).max(2_147_483_647).optional().describe("How long one attempt may take."),
    retry: z
      .object({
        attempts: z.number().int().min(1).max(10).default(1).describe("How often the agent is started at most."),
        on: z
          .array(z.enum(retryReasons))
          .default(["NotStarted", "Disrupted"])
          .describe("What is tried again. The last three may repeat work that was done."),
        appendFailure: z
          .boolean()
          .default(false)
          .describe("Whether the next attempt's prompt ends with what went wrong before."),
      })
      .optional()
      .describe("Whether and when the agent is started again."),
    cancel: z
      .boolean()
      .optional()
      .describe("Set to true, the agent is asked to stop and the Task ends as Cancelled, with what it had.")
      .meta(rules({ rule: "self || !oldSelf", message: "a cancelled Task can't be taken back; create another" })),
    podOverrides: PodOverrides.optional().describe("Changes to the agent's pod."),
  })
  .meta(
    rules(
      {
        rule: `self.type in [${quotedTypes}] || has(self.image)`,
        message: `spec.image is needed: only ${bundledAgentTypes.join(", ")} have an image of their own`,
      },
      {
        rule: `self.type in [${quotedTypes}] || self.credentials.type == 'none'`,
        message: "an agent type of your own has credentials of type none; give it variables by podOverrides.env",
      },
      {
        rule: "!(has(self.agentConfigRef) && has(self.agentConfigRefs))",
        message: "give agentConfigRef or agentConfigRefs, not both",
      },
      {
        rule: "has(self.cancel) || !has(oldSelf.cancel) || !oldSelf.cancel",
        message: "a cancelled Task can't be taken back; create another",
      },
    ),
  );
export type TaskSpec = z.infer<typeof TaskSpec>;

const time = (what: string) => z.string().optional().meta({ format: "date-time" }).describe(what);

export const TaskStatus = z.object({
  phase: z.enum(taskPhases).optional().describe("Where the Task stands."),
  reason: z.string().optional().describe("Why, in one word for programs."),
  message: z.string().optional().describe("Why, in a sentence for people."),
  exitCode: z.number().int().optional().describe("What the agent's container ended with."),
  attempts: z.number().int().optional().describe("How often the agent was started."),
  jobName: z.string().optional().describe("The Job of the last attempt."),
  jobUID: z.string().optional().describe("The same Job, beyond its name."),
  podName: z.string().optional().describe("The pod of the last attempt."),
  startTime: time("When the agent started for the first time."),
  completionTime: time("When the Task ended."),
  outputs: z.array(z.string()).optional().describe("The lines the agent's image reported, as they came."),
  results: z.record(z.string(), z.string()).optional().describe("The same as a map; of a repeated key the last."),
  usage: z
    .object({
      inputTokens: z.number().int().optional().describe("Tokens read by the model, over all attempts."),
      outputTokens: z.number().int().optional().describe("Tokens written by the model, over all attempts."),
      costUSD: z.string().optional().describe("What it cost in US dollars, over all attempts."),
    })
    .optional()
    .describe("What the Task used, as its agent reported it."),
  lastAttempt: z
    .object({
      number: z.number().int().describe("Which attempt it was."),
      retryReason: z.string().optional().describe("The kind of failure, as in spec.retry.on."),
      reason: z.string().describe("Why it ended, in one word."),
      message: z.string().describe("Why it ended, in a sentence."),
      finishedAt: z.string().meta({ format: "date-time" }).describe("When it ended."),
    })
    .optional()
    .describe("The attempt before the one that follows, once it is judged."),
  dependencies: z
    .array(
      z.object({
        name: z.string().describe("Name of the Task."),
        uid: z.string().describe("That Task, beyond its name."),
        phase: z.string().describe("Where it stood when last seen."),
      }),
    )
    .optional()
    .describe("The dependencies that were seen: one that goes away afterwards is a failure, not a reason to wait."),
  conditions: z
    .array(Condition)
    .optional()
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] })
    .describe("What is known beyond the phase."),
  observedGeneration: z.number().int().optional().describe("The generation this status is about."),
});
export type TaskStatus = z.infer<typeof TaskStatus>;

export interface Task {
  apiVersion: string;
  kind: "Task";
  metadata: ObjectMeta;
  spec: TaskSpec;
  status?: TaskStatus;
}
