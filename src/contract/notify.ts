/** The ways a person can be told something while they look elsewhere. */
export const channelNames = ["webhook", "desktop", "command"] as const;
export type ChannelName = (typeof channelNames)[number];
