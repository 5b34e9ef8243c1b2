/** What a picture may cost. */
export const pictureLimits = {
  /** Of one picture, all frames of an animated one together. */
  pixels: 100_000_000,
  frames: 1_000,
  /** Milliseconds of processor time. */
  time: 10_000,
  /** Milliseconds in all, on a machine that has other things to do. */
  wait: 60_000,
  /** MB that a process may take for it. */
  memory: 512,
} as const
