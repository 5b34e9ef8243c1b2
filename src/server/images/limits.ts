/** Resource limits for decoding one picture. */
export const pictureLimits = {
  /** Number of pixels of all frames together. */
  pixels: 100_000_000,
  frames: 1_000,
  /** Milliseconds of processor time. */
  time: 10_000,
  /** Milliseconds of elapsed time. The limit is higher, because the machine may have other load. */
  wait: 60_000,
  /** Memory of the process in MB. */
  memory: 512,
} as const
