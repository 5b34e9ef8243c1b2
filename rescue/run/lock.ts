import { lstat, open, readFile, unlink, utimes } from 'node:fs/promises'
import { RescueFailure } from '#rescue/failure.ts'

const heartbeatMs = 10_000
/** A lock that has not been touched for this long belongs to a dead run, even if another process has its pid. */
const staleMs = 120_000

/**
 * A lock file that prevents two concurrent runs in one folder. The file is touched regularly while its run is alive.
 */
export class FolderLock {
  readonly #path: string
  readonly #heartbeat: NodeJS.Timeout

  private constructor(path: string) {
    this.#path = path
    this.#heartbeat = setInterval(() => {
      const now = new Date()
      utimes(path, now, now).catch(() => {})
    }, heartbeatMs).unref()
  }

  /**
   * Takes the lock. Takes over a lock whose process is dead, or that has become stale. Throws `folder_in_use` with
   * `dir` in its details.
   */
  static async take(dir: string, path: string): Promise<FolderLock> {
    for (let tries = 0; tries < 3; tries++) {
      try {
        const handle = await open(path, 'wx')
        await handle.writeFile(String(process.pid))
        await handle.close()
        return new FolderLock(path)
      } catch (error) {
        if ((error as { code?: string }).code !== 'EEXIST') throw error
      }
      const pid = Number(await readFile(path, 'utf8').catch(() => ''))
      const { mtimeMs = 0 } = (await lstat(path).catch(() => undefined)) ?? {}
      if (pid > 0 && pid !== process.pid && isRunning(pid) && Date.now() - mtimeMs < staleMs)
        throw new RescueFailure('folder_in_use', { dir, pid })
      await unlink(path).catch(() => {})
    }
    throw new RescueFailure('folder_in_use', { dir, pid: '?' })
  }

  stopHeartbeat(): void {
    clearInterval(this.#heartbeat)
  }

  async release(): Promise<void> {
    await unlink(this.#path).catch(() => {})
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
