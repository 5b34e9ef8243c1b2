/** What a picture may cost. */
export const pictureLimits = {
  /** Of one picture, all frames of an animated one together. */
  pixels: 100_000_000,
  frames: 1_000,
  /** Pixels that a side of a result may have, unless the source has more. */
  side: 5_000,
  /** Milliseconds of work at one picture. */
  time: 10_000,
  /** MB that a process may take for it. */
  memory: 512,
} as const
