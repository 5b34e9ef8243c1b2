/** The work exceeded the limit of time or memory; a retry would end the same way. */
export class WorkTooLarge extends Error {}

/** It took longer than `runLimit`. For a low-priority process, the cause may be a busy machine rather than the work. */
export class WorkTookTooLong extends WorkTooLarge {}

/** The worker ended before its work, and so did a second one: they crashed or were killed. */
export class WorkerEnded extends Error {}
