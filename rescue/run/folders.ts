import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { RescueFailure } from '#rescue/failure.ts'

/**
 * A file that grows over several runs, for writing at given positions; never through a link. Not opened for
 * appending: Windows refuses to shorten a file opened so.
 */
export function openGrowing(path: string): Promise<FileHandle> {
  // Windows has no such flag.
  const noFollow = (constants as { O_NOFOLLOW?: number }).O_NOFOLLOW ?? 0
  return open(path, constants.O_RDWR | constants.O_CREAT | noFollow)
}

/**
 * Makes `parent/names…` step by step and gives its path; throws `folder_not_ours` when a step is a link or a
 * file. `parent` itself may be anything: the person chose it.
 */
export async function makeFolder(parent: string, ...names: string[]): Promise<string> {
  let path = parent
  for (const name of names) {
    path = join(path, name)
    await mkdir(path).catch((error: { code?: string }) => {
      if (error.code !== 'EEXIST') throw error
    })
    if (!(await lstat(path)).isDirectory()) throw new RescueFailure('folder_not_ours', { dir: parent })
  }
  return path
}
