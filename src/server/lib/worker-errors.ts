/** The work exceeded the limit of time or memory. A retry would probably end the same way. */
export class WorkTooLarge extends Error {}

/**
 * The work took longer than `runLimit`, or made no call for longer than `silenceLimit`. For a low-priority process, the
 * cause may be a busy machine instead of the work.
 */
export class WorkTookTooLong extends WorkTooLarge {}

/**
 * The process ended before its task was finished: it crashed or was killed. The pool throws it only after the second
 * attempt.
 */
export class WorkerEnded extends Error {}
