import fs from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** What becomes of one read of a file: an error of the disk, or an end that comes too early. */
export type Fault = 'error' | 'end'

interface Observed<T> {
  /** Reads of files that were asked for. */
  reads: number
  outcome: PromiseSettledResult<T>
  /** Errors that nobody caught: each of them would have ended the process. */
  uncaught: unknown[]
}

const failure = () => Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })

/**
 * Runs `work` while read number `at` of any file (from 0, in this process) goes wrong; every read is answered a turn of the event loop
 * later than it could be, so that streams which are given up have reads under way. Waits until nothing is under way any more.
 */
export async function withFault<T>(
  work: () => Promise<T>,
  at = -1,
  fault: Fault = 'error',
): Promise<Observed<T>> {
  const handle = await open(new URL(import.meta.url))
  const prototype = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  const { read: handleRead } = prototype
  const { read } = fs
  let reads = 0
  let pending = 0
  prototype.read = async function (this: FileHandle, ...args: unknown[]) {
    const isHit = reads++ === at
    const found = await Reflect.apply(handleRead, this, args)
    await new Promise((resolve) => setImmediate(resolve))
    if (isHit && fault === 'error') throw failure()
    return isHit ? { ...found, bytesRead: 0 } : found
  } as FileHandle['read']
  fs.read = ((...args: unknown[]) => {
    const isHit = reads++ === at
    const callback = args.pop() as (error: Error | null, bytesRead: number, buffer: unknown) => void
    pending++
    const answer = (error: Error | null, bytesRead: number, buffer: unknown) =>
      setImmediate(() => {
        pending--
        if (isHit && fault === 'error') callback(failure(), 0, buffer)
        else callback(error, isHit ? 0 : bytesRead, buffer)
      })
    try {
      Reflect.apply(read, fs, [...args, answer])
    } catch (error) {
      pending--
      throw error
    }
  }) as typeof fs.read
  const uncaught: unknown[] = []
  let die: (error: unknown) => void = () => {}
  // What was thrown to nobody leaves others waiting for ever.
  const death = new Promise<never>((_, reject) => {
    die = reject
  })
  const caught = catchAll((error) => {
    uncaught.push(error)
    die(error)
  })
  try {
    const [outcome] = await Promise.allSettled([Promise.race([work(), death])])
    for (let turns = 0; turns < 20 || pending > 0; turns++)
      await new Promise((resolve) => setImmediate(resolve))
    return { reads, outcome, uncaught }
  } finally {
    caught.stop()
    prototype.read = handleRead
    fs.read = read
  }
}

/** Takes errors that nobody caught, instead of who else listens for them in this process. */
export function catchAll(take: (error: unknown) => void): { stop(): void } {
  const events = ['uncaughtException', 'unhandledRejection'] as const
  const others = events.map((event) => [event, process.listeners(event as 'uncaughtException')] as const)
  for (const event of events) {
    process.removeAllListeners(event)
    process.on(event, take)
  }
  return {
    stop() {
      for (const [event, listeners] of others) {
        process.off(event, take)
        for (const listener of listeners) process.on(event as 'uncaughtException', listener)
      }
    },
  }
}
