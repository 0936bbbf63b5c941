/** What the conversation has cost so far. The names are those of the wire. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  total_cost_usd: number;
  request_count: number;
  total_api_ms: number;
}

export const noUsage = (): Usage => ({
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  total_cost_usd: 0,
  request_count: 0,
  total_api_ms: 0,
});

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
    cache_write_tokens: a.cache_write_tokens + b.cache_write_tokens,
    total_cost_usd: a.total_cost_usd + b.total_cost_usd,
    request_count: a.request_count + b.request_count,
    total_api_ms: a.total_api_ms + b.total_api_ms,
  };
}
