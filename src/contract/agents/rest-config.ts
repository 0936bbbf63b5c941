import { z } from "zod";

/** Whose addresses and variables we know by heart. */
export const restProviders = ["perplexity", "xai"] as const;
export type RestProvider = (typeof restProviders)[number];

export const isRestProvider = (name: string | undefined): name is RestProvider =>
  restProviders.some((known) => known === name);

/** `protocol_config` of a definition with protocol "rest". */
export const RestConfig = z
  .strictObject({
    provider: z.string().min(1).optional(),
    base_url: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).optional(),
    /** The variable that holds the key; "" for a server that wants none. */
    api_key_env: z
      .string()
      .regex(/^(?:[A-Za-z_]\w*)?$/, 'must be the name of a variable, or "" if the server wants no key')
      .optional(),
    default_model: z
      .unknown()
      .refine((value) => value === undefined, "belongs into model_config.default_model")
      .optional(),
    path: z.string().startsWith("/").default("/chat/completions"),
    headers: z.record(z.string(), z.string()).default({}),
    header_timeout_ms: z.number().positive().default(10_000),
    idle_timeout_ms: z.number().positive().default(60_000),
    total_timeout_ms: z
      .number()
      .positive()
      .default(30 * 60_000),
  })
  .superRefine(({ provider, base_url, api_key_env }, context) => {
    if (isRestProvider(provider)) return;
    const problem = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
    if (base_url === undefined) {
      const why = provider === undefined ? "required" : `required: provider ${provider} is unknown`;
      problem("base_url", `${why}; or set provider to ${restProviders.join(" or ")}`);
    }
    if (api_key_env === undefined) {
      problem("api_key_env", 'required: the variable that holds the key, or "" if the server wants no key');
    }
  });
