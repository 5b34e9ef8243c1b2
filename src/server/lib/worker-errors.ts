/** The work exceeded the limit of time or memory; a retry would end the same way. */
export class WorkTooLarge extends Error {}

/** It took longer than `runLimit`. For a low-priority process, the cause may be a busy machine rather than the work. */
export class WorkTookTooLong extends WorkTooLarge {}

/** The process ended before its task: it crashed or was killed. The pool throws it after the second time. */
export class WorkerEnded extends Error {}
