import fs from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** The fault of a file read: a disk error, or a premature end of file. */
export type Fault = 'error' | 'end'

interface Observed<T> {
  /** Number of file reads. */
  reads: number
  outcome: PromiseSettledResult<T>
  /** Uncaught errors. Each would have ended the process. */
  uncaught: unknown[]
}

const failure = () => Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })

/**
 * Runs `work` while read number `at` of any file (from 0, in this process) fails. Every read completes one turn of the
 * event loop later, so that aborted streams have pending reads. Returns when no read is pending.
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
  // After an uncaught error, `work` may never settle.
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

/** Handles uncaught errors in place of the other listeners of this process. */
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
